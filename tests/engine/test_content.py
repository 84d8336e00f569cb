"""The same profile is the same run."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from running import ROOT

from kb.engine import pipeline, readers
from kb.engine.content import content
from kb.engine.request import Request
from kb.model import Capture, Chip, Measure, Notice

SAMPLE = ROOT / "data" / "samples" / "add_custom"


def test_a_copy_elsewhere_and_under_another_name_is_the_same(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "other")
    shutil.make_archive(str(tmp_path / "packed"), "zip", SAMPLE)
    hashes = {
        content(readers.read([place])) for place in (SAMPLE, tmp_path / "other", tmp_path / "packed.zip")
    }
    assert len(hashes) == 1


def test_one_other_figure_is_another_profile(tmp_path: Path) -> None:
    shutil.copytree(SAMPLE, tmp_path / "other")
    table = next((tmp_path / "other").rglob("PipeUtilization*.csv"))
    head, first, *rest = table.read_text().splitlines(keepends=True)
    cells = first.split(",")
    cells[-2] = "0.123456"
    table.write_text("".join([head, ",".join(cells), *rest]))
    assert content(readers.read([SAMPLE])) != content(readers.read([tmp_path / "other"]))


def test_a_kernel_without_a_name_of_its_own_is_not_told_by_its_folder(tmp_path: Path) -> None:
    for name in ("one", "two"):
        shutil.copytree(SAMPLE, tmp_path / name)
        for path in [*(tmp_path / name).rglob("OpBasicInfo*.csv"), *(tmp_path / name).rglob("*.bin"),
                     *(tmp_path / name).rglob("op_basic_info.txt")]:  # fmt: skip
            path.unlink()
    one, two = (readers.read([tmp_path / name]) for name in ("one", "two"))
    assert one.operators[0].name == "one"
    assert content(one) == content(two)


def test_what_is_stated_or_concluded_does_not_count() -> None:
    profile = readers.read([SAMPLE])
    other = replace(
        profile, target="elsewhere", chip=Chip("Ascend310P3", (), "stated"), files=(), notices=(Notice("x", "y"),),
        operators=tuple(reversed(profile.operators)),
    )  # fmt: skip
    assert content(profile) == content(other)
    origin = Measure(1.0, "us", "a.csv")
    one, two = (
        replace(profile, counters={"a": measure}) for measure in (origin, replace(origin, origin="b.csv"))
    )
    assert content(one) == content(two) != content(profile)


def test_of_typed_counters_everything_counts() -> None:
    profile = replace(readers.read([SAMPLE]), capture=Capture("typed in"))
    assert content(profile) != content(replace(profile, stated={"shape": "8x8"}))
    assert content(profile) != content(replace(profile, chip=Chip("Ascend310P3", (), "stated")))


@pytest.mark.parametrize(
    "request_",
    [Request(soc="Ascend910B2"), Request(shape="64x64"), Request(top=1)],
)
def test_a_run_is_named_by_what_was_measured(request_: Request) -> None:
    plain = pipeline.advise([SAMPLE])
    asked = pipeline.advise([SAMPLE], request_)
    assert plain.content is not None
    assert asked.run == plain.run == plain.content[:12]
    assert asked.content == plain.content == content(readers.read([SAMPLE]))
