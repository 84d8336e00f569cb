"""A calibration finds the factor of a class, is kept whole, and a damaged one is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb import targets
from kb.engine.estimate import Estimate, OpSpec, estimate
from kb.engine.estimate.calibrate import Calibration, as_text, calibrate, load, path_of
from kb.errors import NothingToJudge, SourceError
from kb.model import Measure, Operator, Tensor

CHIP = targets.load("Ascend910B3")


def kernels(factor: float, count: int, core: str = "vector") -> list[Operator]:
    out = []
    for at in range(count):
        shape = Tensor((64 + at, 8192), "float16", "ND")
        answer = estimate(OpSpec("Relu", (shape,), (shape,)), CHIP)
        assert isinstance(answer, Estimate)
        time = Measure(answer.mid_us * factor, "us", "t")
        out.append(Operator("r", "Relu", core, 1, time, time.value, 40, inputs=(shape,), outputs=(shape,)))  # type: ignore[arg-type]
    return out


def test_a_planted_factor_is_found_and_used() -> None:
    found = calibrate(kernels(2.0, 12), CHIP, "p.csv")
    assert found.classes["elementwise"].factor == pytest.approx(2, rel=0.01)
    shape = Tensor((100, 8192), "float16", "ND")
    spec = OpSpec("Relu", (shape,), (shape,))
    plain, fitted = estimate(spec, CHIP), estimate(spec, CHIP, scales=found.scales())
    assert isinstance(plain, Estimate) and isinstance(fitted, Estimate)
    assert fitted.mid_us == pytest.approx(2 * plain.mid_us, rel=0.01)
    assert "calibrated by 2 on 12 kernels of p.csv" in fitted.basis
    assert fitted.low_us < fitted.mid_us < fitted.high_us < 1.2 * fitted.mid_us


def test_a_few_kernels_change_no_range_and_two_change_nothing() -> None:
    few = calibrate(kernels(2.0, 3), CHIP, "p").classes["elementwise"]
    assert (few.kernels, few.low, few.high) == (3, None, None)
    with pytest.raises(NothingToJudge):
        calibrate(kernels(2.0, 2), CHIP, "p")
    with pytest.raises(NothingToJudge):
        calibrate(kernels(2.0, 5, "communication"), CHIP, "p")


def test_it_is_kept_and_found_again(tmp_path: Path) -> None:
    found = calibrate(kernels(0.5, 12), CHIP, "p")
    path = path_of(tmp_path, CHIP.id)
    assert load(path) is None
    path.parent.mkdir()
    path.write_text(as_text(found), encoding="utf-8")
    again = load(path)
    assert isinstance(again, Calibration)
    assert again.classes["elementwise"].factor == pytest.approx(0.5, rel=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "[]", '{"schema": "other/1"}', '{"schema": "kb.calibration/1", "chip": "c", "source": "s", "classes": 3}',
        '{"schema": "kb.calibration/1", "chip": "c", "source": "s", "classes": {"a": {"factor": 0, "kernels": 1}}}',
        '{"schema": "kb.calibration/1", "chip": "c", "source": "s", "classes": {"a": {"factor": 1e9, "kernels": 1}}}',
        '{"schema": "kb.calibration/1", "chip": "c", "source": "s", "classes": {"a": {"factor": 1, "kernels": 1, "low": 2, "high": 3}}}',
    ],
)  # fmt: skip
def test_a_damaged_one_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError):
        load(path)
