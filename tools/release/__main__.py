"""Make a release: `python -m tools.release OUT` (`make release`). Needs the extra `release`.

OUT gets the sdist and the wheel, `sbom.cdx.json`, `wheelhouse/` with every wheel of the base install for this platform,
`kb-<version>-<platform>.pyz`, `INSTALL.txt` and `SHA256SUMS`. Fetching the wheels is the only step that needs an index;
`--wheels FOLDER` takes them from a folder, `--packages-only` stops after sdist and wheel.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from tools.release import packages

_INSTALL = """\
ascend-kb {version}, for a machine without network ({platform})

1. Check the files:          sha256sum -c SHA256SUMS
2a. With pip:                python3 -m venv kb && kb/bin/pip install --no-index --find-links wheelhouse ascend-kb
2b. Or as one file:          python3 {program} --version
    (it unpacks itself once into ~/.shiv; SHIV_ROOT names another folder)
3. Try it:                   kb/bin/kb doctor
"""


def main() -> int:
    """Make everything, then the hash list."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("out", type=Path, help="a folder that does not exist yet, or is empty")
    parser.add_argument(
        "--wheels", type=Path, help="take the wheels of the dependencies from here, not from an index"
    )
    parser.add_argument("--packages-only", action="store_true", help="sdist and wheel, nothing else")
    given = parser.parse_args()
    out = given.out.resolve()
    os.umask(0o022)  # modes are part of the bytes
    if out.exists() and any(out.iterdir()):
        parser.error(f"{out} is not empty")
    with tempfile.TemporaryDirectory(prefix="kb-release-") as place:
        work = Path(place)
        _, wheel = packages.build(packages.sources(work / "source"), out, work)
    if not given.packages_only:
        _further(wheel, out, given.wheels)
    _hashes(out)
    return 0


def _further(wheel: Path, out: Path, wheels: Path | None) -> None:
    from tools.release import sbom

    version, platform = wheel.name.split("-")[1], _platform()
    house = out / "wheelhouse"
    source = ["--no-index", "--find-links", str(wheels.resolve())] if wheels else []
    _run("-m", "pip", "wheel", "--quiet", *source, "--wheel-dir", str(house), str(wheel))
    sbom.write(sorted(house.glob("*.whl")), wheel, packages.epoch(), out / "sbom.cdx.json")
    program = out / f"kb-{version}-{platform}.pyz"
    _run(
        "-m", "shiv", "--reproducible", "--compressed", "--console-script", "kb", "--python",
        "/usr/bin/env python3", "--output-file", str(program), "--no-index", "--find-links", str(house), "ascend-kb",
    )  # fmt: skip
    text = _INSTALL.format(version=version, platform=platform, program=program.name)
    (out / "INSTALL.txt").write_text(text, encoding="utf-8")


def _platform() -> str:
    """Interpreter and machine that the compiled wheels are for."""
    return f"cp{sys.version_info[0]}{sys.version_info[1]}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _run(*arguments: str) -> None:
    variables = {**os.environ, "SOURCE_DATE_EPOCH": str(packages.epoch()), "PYTHONHASHSEED": "0"}
    variables.pop("PYTHONPATH", None)
    subprocess.run(
        [sys.executable, *arguments],
        env=variables,
        cwd=packages.ROOT.parent,
        stdin=subprocess.DEVNULL,
        check=True,
    )


def _hashes(out: Path) -> None:
    """SHA256SUMS of every file, as `sha256sum -c` reads it."""
    files = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out).as_posix()}\n"
        for path in files
    ]
    (out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
