"""The recorded session of the documentation is what the commands print, and says what it was made with."""

from __future__ import annotations

import json

from running import needs_cli, needs_sample

from tools import record_session


@needs_cli
@needs_sample
def test_the_recorded_session_is_fresh() -> None:
    takes = record_session.record()
    assert record_session.PAGE.read_text(encoding="utf-8") == record_session.page(takes), (
        "run python -m tools.record_session"
    )
    assert record_session.CAST.read_text(encoding="utf-8") == record_session.cast(takes)


def test_the_session_says_that_it_is_played() -> None:
    page = record_session.PAGE.read_text(encoding="utf-8")
    assert "stand-in" in page.split("##")[0] and "synthetic" in page.split("##")[0]
    head = json.loads(record_session.CAST.read_text(encoding="utf-8").splitlines()[0])
    assert "stand-in" in head["title"]


def test_the_session_shows_the_whole_loop() -> None:
    page = record_session.PAGE.read_text(encoding="utf-8")
    commands = [
        line.removeprefix(record_session.PROMPT)
        for line in page.splitlines()
        if line.startswith(record_session.PROMPT)
    ]
    assert [command.split()[:2] for command in commands] == [
        ["kb", "profile-and-advise"], ["sed", "-i"], ["kb", "profile-and-advise"], ["kb", "compare"], ["kb", "compare"],
        ["kb", "outcome"],
    ]  # fmt: skip
