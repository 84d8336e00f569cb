"""Build the site: `python -m tools.site.build [FOLDER]` (default build/site). Any warning is an error.

Needs the extra `docs`. The pages are gathered below FOLDER.src first; FOLDER is made anew.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tools.site.pages import ROOT, gather

FIRST = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>kb</title>
<meta http-equiv="refresh" content="0; url=docs/index.html">
<a href="docs/index.html">Documentation of kb</a></html>
"""


def build(folder: Path) -> int:
    """Gather the pages and let Sphinx build them; its exit status."""
    from sphinx.cmd.build import build_main

    source = folder.with_name(folder.name + ".src")
    for old in (folder, source):
        shutil.rmtree(old, ignore_errors=True)
    gather(source)
    arguments = ["-q", "-W", "--keep-going", "-j", "auto", "-b", "html", "-c", str(Path(__file__).parent)]
    status = build_main([*arguments, str(source), str(folder)])
    (folder / "index.html").write_text(FIRST, encoding="utf-8")
    shutil.rmtree(folder / ".doctrees", ignore_errors=True)
    return status


if __name__ == "__main__":
    raise SystemExit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"))
