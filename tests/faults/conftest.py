"""The tests of faults use the made-up entries of the tests of search."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "knowledge"))
