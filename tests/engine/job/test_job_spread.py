"""Who reads the ranks: what the options may say, and what goes without the extra."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.engine.job import spread
from kb.engine.job.read import read_job
from kb.engine.job.spread import MIB, Spread
from kb.errors import UsageError


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"scheduler": "host:8786"}, "no address"),
        ({"scheduler": "inproc://1/2:3"}, "no address"),
        ({"scheduler": "tcp://host"}, "no address"),
        ({"scheduler": "tcp://host:1", "workers": 2}, "both"),
        ({"memory": 10 * MIB}, "too little"),
        ({"timeout": 0.0}, "not a time"),
        ({"timeout": float("nan")}, "not a time"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, object], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        Spread(**options)  # type: ignore[arg-type]


def test_without_the_extra_a_job_is_read_here_and_workers_asked_for_are_an_error(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spread, "installed", lambda: False)
    monkeypatch.setattr(spread, "WORTH_WORKERS", 1)
    assert read_job([job], None, Spread(None)) == read_job([job])
    for asked in (Spread(2), Spread(None, "tcp://127.0.0.1:8786")):
        with pytest.raises(UsageError, match="needs the extra `cluster`") as fault:
            read_job([job], None, asked)
        assert "ascend-kb[cluster]" in fault.value.now


def test_progress_counts_ranks(job: Path) -> None:
    told: list[tuple[int, float]] = []
    read_job([job], progress=lambda rows, part: told.append((rows, part)))
    assert told[-1][1] == 1.0 and [part for _, part in told] == sorted(part for _, part in told)
    assert told[0][0] > 0 and told[-1][0] > told[0][0]
