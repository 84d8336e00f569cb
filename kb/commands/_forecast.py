"""What the commands that foretell a model share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kb.commands._calibration import kept_scales
from kb.commands._console import Common
from kb.commands._kept import kept
from kb.commands._progress import working
from kb.commands._reports import print_reports
from kb.errors import UsageError

if TYPE_CHECKING:
    from kb.engine.ahead import Ahead
    from kb.engine.estimate.scales import Scales
    from kb.engine.request import Request


def foretold(
    given: Common, path: Path, request: Request, input_shapes: Sequence[str], *, uncalibrated: bool
) -> Ahead:
    """The report of a model or an operator JSON with nothing narrowed, and its coverage check."""
    from kb.engine import ahead

    def scales(soc: str) -> Scales | None:
        return None if uncalibrated else kept_scales(given, soc)

    with working(given, f"estimating {path}"):
        if path.suffix.lower() == ".onnx":
            return ahead.of_model(path, request.in_full(), input_shapes, scales)
        if input_shapes:
            raise UsageError(
                "an operator JSON has shapes of its own", where="--input-shape", now="Leave it out."
            )
        return ahead.of_operators(path, request.in_full(), scales)


def print_forecast(
    given: Common, path: Path, request: Request, input_shapes: Sequence[str], *, uncalibrated: bool
) -> int:
    """Estimate, keep the run, print its report."""
    from kb.engine import pipeline

    found = foretold(given, path, request, input_shapes, uncalibrated=uncalibrated)
    print_reports(given, [pipeline.narrow(kept(given, found.report), request)])
    return 0
