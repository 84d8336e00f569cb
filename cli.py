#!/usr/bin/env python3
"""Launcher for a checkout: `python cli.py ...` is `kb ...`."""

from kb.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
