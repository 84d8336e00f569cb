#!/usr/bin/env python3
"""`analyze_profile.py --data DIR` is `kb advise DIR --format markdown`: the original skill's command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kb.cli import main

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description="Analyse the profile in a folder and print the four-section report.",
        epilog="Options not listed here are handed to `kb advise`.",
    )
    parser.add_argument("--data", required=True, metavar="DIR", help="folder with the profile")
    known, further = parser.parse_known_args()
    raise SystemExit(main(["advise", known.data, "--format", "markdown", *further]))
