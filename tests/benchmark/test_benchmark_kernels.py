"""Healthy kernels are healthy by the arithmetic of the engine, and made the same way every time."""

from __future__ import annotations

import pytest

from kb import targets
from kb.benchmark import healthy
from kb.benchmark.kernels import HEAD_US, REACH, floors_of, slower
from kb.engine.metrics import measure_profile
from kb.model import Finding


def test_the_corpus_is_wide_enough() -> None:
    profiles = list(healthy.corpus())
    assert len({profile.chip.soc for profile in profiles}) == 3
    assert len({profile.operators[0].type for profile in profiles}) >= 12
    assert [profile.target for profile in profiles] == [profile.target for profile in healthy.corpus()]


@pytest.mark.parametrize("soc", healthy.SOCS)
def test_memory_bound_kernels_reach_the_stated_part_of_the_roofline(soc: str) -> None:
    target = targets.load(soc)
    for name, kernel in healthy.kernels(target).items():
        if name != "attention":
            assert max(floors_of(kernel, target)) / (kernel.duration - HEAD_US) == pytest.approx(
                REACH, rel=1e-3
            ), name


@pytest.mark.parametrize("profile", tuple(healthy.corpus()), ids=lambda profile: profile.target)
def test_counters_of_a_healthy_kernel_agree_with_its_shares(profile) -> None:  # type: ignore[no-untyped-def]
    found = measure_profile(profile, targets.candidates(profile.chip)).operators[0]
    assert 0.3 < found.values["floor_ratio"].value <= 1
    assert 0 < found.values["max_pipe_ratio"].value <= 0.95
    if profile.operators[0].core == "vector":
        assert found.values["core_time_imbalance"].value < 0.02
        assert found.values["bytes_per_mte2_instruction"].value == pytest.approx(healthy.TRANSFER, rel=0.05)
        assert found.values["clock_ratio"].value == 1


def test_slower_keeps_the_work() -> None:
    target = targets.load("Ascend910B3")
    good = healthy.kernels(target)["reduce"]
    bad = slower(good, 3.0, {"aiv_scalar": 0.9}, blocks=2)
    assert (bad.inputs, bad.outputs) == (good.inputs, good.outputs)
    assert bad.duration == pytest.approx(3 * good.duration)
    assert (bad.blocks, bad.shares["aiv_scalar"]) == (2, 0.9)


def test_only_promises_make_an_informational_finding_a_false_alarm() -> None:
    def finding(pattern: str, headroom: float) -> Finding:
        return Finding(pattern, pattern, "operator", (), 1.0, 0.9, (), headroom)

    assert not healthy.is_false_alarm(finding("cube-bound-healthy", 0.1))
    assert healthy.is_false_alarm(finding("cube-bound-healthy", 0.6))
    assert healthy.is_false_alarm(finding("core-imbalance", 0.01))
