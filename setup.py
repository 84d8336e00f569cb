"""Puts the search index into the wheel; everything else about the build is in pyproject.toml.

An editable install gets no index: `kb` builds one in the user's cache and again when entries change.
"""

from __future__ import annotations

import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent


class BuildWithIndex(build_py):
    """Copy the packages, then index the knowledge that goes with them."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            write_index(Path(self.build_lib) / "kb" / "data" / "index.db")


def write_index(path: Path) -> None:
    """Index the knowledge of this source tree into `path`."""
    sys.path.insert(0, str(ROOT))
    from kb import shipped
    from kb.knowledge import embed, freshness, index
    from kb.knowledge.entry import load_entries

    entries = load_entries([shipped.root()])
    mark = freshness.fingerprint(shipped.root(), times=False)
    index.build(entries, path, embed.Embedder(embed.shipped_model()), fingerprint=mark)


setup(cmdclass={"build_py": BuildWithIndex})
