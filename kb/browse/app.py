"""The terminal app: a pane of kept runs with their findings, and a pane that searches while one types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.timer import Timer
from textual.widgets import DataTable, Footer, Input, Static, TabbedContent, TabPane

from kb import kept, service, units
from kb.browse.pages import finding_page, report_page
from kb.errors import KbError
from kb.model import Report
from kb.report.catalogue import say
from kb.report.entries import entry_page
from kb.report.page import Page
from kb.report.page import text as as_text
from kb.report.text import clean, shorten
from kb.report.translated import in_language, told

SHOWN_RUNS = 200
SHOWN_HITS = 20
LONGEST_QUERY = 1000  # characters
SETTLED = 0.15  # seconds without a key after which a question is asked
NARROW = 20  # columns that a page is given at least
BESIDE = 70  # columns from which the lists stand beside what is chosen, not above it
TARGET, TITLE = 26, 60  # columns of a cell


class Browse(App[None]):
    """Runs, findings and entries; nothing is written."""

    CSS = """
    .lists { width: 45%; min-width: 24; } .lists DataTable { height: 1fr; border: round $surface-lighten-2; }
    .lists DataTable:focus { border: round $accent; } .told { width: 1fr; padding: 0 1; border: round $surface-lighten-2; }
    .told:focus { border: round $accent; } #query { margin: 0; }
    .-narrow Horizontal { layout: vertical; } .-narrow .lists { width: 1fr; height: 50%; } .-narrow .told { height: 1fr; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, db: str | None, lang: str) -> None:
        super().__init__()
        self.title = "kb"
        self.db, self.lang = db, lang
        for key, action, name in (
            ("q", "quit", "browse.quit"), ("slash", "search", "serve.search"), ("escape", "runs", "serve.runs"),
        ):  # fmt: skip
            self.bind(key, action, description=say(name, lang))
        self._report: Report | None = None
        self._waiting: Timer | None = None

    def compose(self) -> ComposeResult:
        """Two panes: lists at the left, what is chosen at the right."""
        with TabbedContent(initial="runs"):
            with TabPane(say("serve.runs", self.lang), id="runs"), Horizontal():
                with Vertical(classes="lists"):
                    yield DataTable(id="run-list", cursor_type="row")
                    yield DataTable(id="finding-list", cursor_type="row")
                with VerticalScroll(classes="told"):
                    yield Static(id="run-told", markup=False)
            with TabPane(say("serve.search", self.lang), id="search"), Horizontal():
                with Vertical(classes="lists"):
                    yield Input(
                        placeholder=say("serve.query", self.lang), id="query", max_length=LONGEST_QUERY
                    )
                    yield DataTable(id="hit-list", cursor_type="row")
                with VerticalScroll(classes="told"):
                    yield Static(id="entry-told", markup=False)
        yield Footer()

    def on_resize(self) -> None:
        """Lists beside what is chosen where there is room, above it where there is not."""
        self.screen.set_class(self.size.width < BESIDE, "-narrow")

    def on_mount(self) -> None:
        """Fill the list of runs."""
        heads = ("label.target", "label.time", "runs.created")
        self._table("run-list").add_columns(*(say(head, self.lang) for head in heads))
        self._table("finding-list").add_columns("", say("head.findings", self.lang))
        self._table("hit-list").add_columns(say("label.type", self.lang), say("entry.title", self.lang))
        found = service.runs(limit=SHOWN_RUNS, db=self.db)["runs"]
        for run in found:
            time = "" if run.get("total_us") is None else units.us(run["total_us"])
            row = (_end(run["target"]), time, run["created"].replace("T", " ")[:16])
            self._table("run-list").add_row(*map(_cell, row), key=run["id"])
        if not found:
            self._tell("run-told", Page(say("runs.none", self.lang), lang=self.lang))
        self._table("run-list").focus()

    def on_data_table_row_highlighted(self, event: DataTable.RowHighlighted) -> None:
        """Show what the cursor is on."""
        key = event.row_key.value
        if key is None:
            return
        if event.data_table.id == "run-list":
            self._show_run(key)
        elif event.data_table.id == "finding-list" and self._report is not None:
            if event.data_table.has_focus:
                self._tell("run-told", finding_page(self._report, self._report.findings[int(key)], self.lang))
        elif event.data_table.id == "hit-list":
            self._tell("entry-told", entry_page(service.entry(key), self.lang))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Ask as soon as the typing rests."""
        if self._waiting is not None:
            self._waiting.stop()
        self._waiting = self.set_timer(SETTLED, lambda: self._ask(event.value.strip()))

    def action_search(self) -> None:
        """To the pane that searches."""
        self.query_one(TabbedContent).active = "search"
        self.query_one("#query", Input).focus()

    def action_runs(self) -> None:
        """To the pane of runs."""
        self.query_one(TabbedContent).active = "runs"
        self._table("run-list").focus()

    @work(thread=True, exclusive=True, group="search")
    def _ask(self, query: str) -> None:
        try:
            found = service.search(query, k=SHOWN_HITS, lang=self.lang)["results"] if query else []
        except KbError as fault:
            self.call_from_thread(self._fault, "entry-told", fault)
            return
        self.call_from_thread(self._show_hits, query, found)

    def _show_hits(self, query: str, found: Sequence[dict[str, Any]]) -> None:
        if self.query_one("#query", Input).value.strip() != query:
            return  # an answer to what is no longer asked
        hits = self._table("hit-list")
        hits.clear()
        for hit in found:
            kind = say(f"kind.{hit['kind']}", self.lang)
            hits.add_row(_cell(kind), _cell(shorten(clean(hit["title"]), TITLE)), key=hit["id"])
        if not found:
            self._tell("entry-told", Page(say("search.none", self.lang) if query else "", lang=self.lang))

    def _show_run(self, run: str) -> None:
        try:
            found = kept.load(run, db=self.db)
        except KbError as fault:
            self._fault("run-told", fault)
            return
        self._report = told(in_language(found, self.lang), self.lang)
        findings = self._table("finding-list")
        findings.clear()
        for at, finding in enumerate(self._report.findings):
            findings.add_row(str(at + 1), _cell(finding.summary or finding.pattern), key=str(at))
        self._tell("run-told", report_page(self._report, self.lang))

    def _fault(self, place: str, fault: KbError) -> None:
        self._tell(place, Page(fault.what, lang=self.lang, note=fault.now))

    def _tell(self, place: str, page: Page) -> None:
        told = self.query_one(f"#{place}", Static)
        room = told.parent.size.width if isinstance(told.parent, VerticalScroll) else 0
        told.update(Text(as_text.render(page, width=max(room - 4, NARROW), color=False)))

    def _table(self, name: str) -> DataTable[Any]:
        return self.query_one(f"#{name}", DataTable)


def _cell(text: str) -> Text:
    return Text(clean(text))


def _end(path: str) -> str:
    """The last part of a path, which tells runs apart, or as much of its end as there is room for."""
    path = path.rstrip("/").rpartition("/")[2] or path
    return path if len(path) <= TARGET else "…" + path[1 - TARGET :]
