"""The terminal app, driven by Textual's own pilot: runs, findings, live search."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from report_samples import HOSTILE, SAMPLE

pytest.importorskip("textual", reason="the extra `browse` is not installed")

from textual.pilot import Pilot
from textual.widgets import DataTable, Input, Static, TabbedContent

from kb.browse.app import Browse
from kb.report.json import kept
from kb.store.runs import save


@pytest.fixture
def db(tmp_path: Path) -> str:
    place = str(tmp_path / "runs.db")
    save(kept(SAMPLE), db=place)
    save(kept(replace(HOSTILE, run="f" * 12)), db=place)
    return place


def driven(db: str, do: Callable[[Browse, Pilot[None]], Awaitable[None]], *, lang: str = "en", size: tuple[int, int] = (100, 30)) -> None:  # fmt: skip
    async def drive() -> None:
        app = Browse(db, lang)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await do(app, pilot)

    asyncio.run(drive())


def told(app: Browse, place: str) -> str:
    return str(app.query_one(f"#{place}", Static).render())


async def settled(app: Browse, pilot: Pilot[None], least: int) -> None:
    """Wait until the list of answers holds so many rows."""
    for _ in range(200):
        await pilot.pause(0.05)
        await app.workers.wait_for_complete()
        if app.query_one("#hit-list", DataTable).row_count >= least:
            return
    raise AssertionError("no answer came")


def test_runs_are_listed_and_the_first_is_told_with_its_findings(db: str) -> None:
    async def do(app: Browse, pilot: Pilot[None]) -> None:
        runs = app.query_one("#run-list", DataTable)
        assert runs.row_count == 2
        await pilot.press("down")
        await pilot.pause()
        assert app.query_one("#finding-list", DataTable).row_count == len(SAMPLE.findings)
        assert "small writes" in told(app, "run-told")
        await pilot.press("tab")
        await pilot.press("down")
        await pilot.pause()
        assert "scalar-bound-vector" in told(app, "run-told")
        assert "Replace the scalar loop" in told(app, "run-told")

    driven(db, do)


def test_answers_come_while_one_types(db: str) -> None:
    async def do(app: Browse, pilot: Pilot[None]) -> None:
        await pilot.press("slash")
        await pilot.pause()
        assert app.query_one(TabbedContent).active == "search"
        await pilot.press(*"NMS")
        await settled(app, pilot, 1)
        assert "NMS" in told(app, "entry-told") or app.query_one("#hit-list", DataTable).row_count
        await pilot.press("tab", "down")
        await pilot.pause()
        entry = told(app, "entry-told")
        assert entry
        await pilot.press("escape")
        await pilot.pause()
        assert app.query_one(TabbedContent).active == "runs"

    driven(db, do)


def test_an_answer_to_an_older_question_is_not_shown(db: str) -> None:
    async def do(app: Browse, pilot: Pilot[None]) -> None:
        app.query_one("#query", Input).value = "matmul"
        await settled(app, pilot, 1)
        before = app.query_one("#hit-list", DataTable).row_count
        app._show_hits("something else", [])
        assert app.query_one("#hit-list", DataTable).row_count == before

    driven(db, do)


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("size", [(60, 20), (200, 50)])
def test_every_language_and_size_is_drawn(db: str, lang: str, size: tuple[int, int]) -> None:
    async def do(app: Browse, pilot: Pilot[None]) -> None:
        await pilot.press("down", "tab", "down", "slash", "x")
        await pilot.pause(0.3)
        await app.workers.wait_for_complete()

    driven(db, do, lang=lang, size=size)


def test_hostile_text_stays_text(db: str) -> None:
    async def do(app: Browse, pilot: Pilot[None]) -> None:
        for _ in range(2):
            assert "\x1b" not in told(app, "run-told")
            await pilot.press("down")
            await pilot.pause()

    driven(db, do)


def test_an_empty_store_says_so(tmp_path: Path) -> None:
    async def do(app: Browse, pilot: Pilot[None]) -> None:
        assert told(app, "run-told").strip()

    driven(str(tmp_path / "empty.db"), do)


@pytest.mark.parametrize(("width", "below"), [(40, True), (100, False)])
def test_a_narrow_terminal_has_the_lists_above_what_is_chosen(db: str, width: int, below: bool) -> None:
    async def do(app: Browse, pilot: Pilot[None]) -> None:
        await pilot.pause()
        shown = app.query_one("#run-told", Static).parent
        assert shown is not None
        lists = app.query_one("#run-list", DataTable).region
        assert (shown.region.y > lists.y) is below  # type: ignore[attr-defined]
        assert app.query_one("#run-list", DataTable).columns

    driven(db, do, size=(width, 30))
