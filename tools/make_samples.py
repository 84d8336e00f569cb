"""Write the project's synthetic profile samples: `python -m tools.make_samples`. Same bytes every time.

The shipped one goes to data/samples, those for tests to tests/samples/<reader>. A test compares them with the files.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tools.samples import captures, databases, jobs, models, tables, traces, visual

ROOT = Path(__file__).resolve().parent.parent
READERS = (
    "msopprof", "op_summary", "kernel_details", "step_trace", "op_statistic", "visualize_data", "simulator", "trace",
    "task_time", "api_statistic", "operator_details", "communication", "database", "analysis_db", "mindspore",
    "shape_statistic",
)  # fmt: skip
NOTE = """\
SYNTHETIC: every file here was written by tools/make_samples.py, none was measured on a device.
Names begin with whole, odd (unusual but complete) or broken.
"""


def write(root: Path) -> None:
    """All samples below `root`, old ones removed first."""
    for folder in (root / "data" / "samples", *(root / "tests" / "samples" / name for name in READERS)):
        shutil.rmtree(folder, ignore_errors=True)
    captures.shipped(root / "data" / "samples" / "add_custom")
    models.shipped(root / "data" / "samples" / "models")
    samples = root / "tests" / "samples"
    captures.tests(samples / "msopprof")
    jobs.tests(samples)
    visual.tests(samples / "visualize_data")
    traces.simulator(samples / "simulator")
    traces.tests(samples / "trace")
    tables.tests(samples)
    databases.tests(samples)
    for name in READERS:
        (samples / name / "README.txt").write_text(NOTE, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
