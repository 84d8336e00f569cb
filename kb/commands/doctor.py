"""`kb doctor`: can this machine collect, and if not, what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb.commands._console import Common, show
from kb.commands._progress import working

if TYPE_CHECKING:
    from kb.engine.collect.doctor import Check
    from kb.report.page import Page

PANEL, ORDER = "Upkeep", 1


def run(
    common: Common,
    soc: Annotated[
        str,
        typer.Option(
            "--soc", metavar="SOC", show_default=False, help="Also ask for the simulator of this chip."
        ),
    ] = "",
    output: Annotated[
        str,
        typer.Option("--output", metavar="DIR", show_default=False, help="Folder that profiles would go to."),
    ] = "",
) -> int:
    """Check whether this machine can collect profiles, with a remedy for each fault.

    Looks for msopprof and its version, CANN, driver and devices, simulator libraries, permissions, free
    memory and disk, and another package named kb. Profiles that exist can be judged whatever it says.

    Exit status: 0 a device or a simulator can be used, 1 not.

    Examples:
      kb doctor
      kb doctor --soc Ascend910B2 --format json
    """
    from kb.engine.collect import look_around
    from kb.engine.collect.doctor import can_collect, run_checks

    with working(common, "looking at this machine"):
        checks = run_checks(look_around(), output=output or None, soc=soc or None)
    rows: list[dict[str, Any]] = [
        {
            "id": c.id,
            "title": c.title,
            "state": c.state,
            "found": c.found,
            "remedy": c.remedy,
            "blocks": c.blocks,
        }
        for c in checks
    ]
    usable = can_collect(checks)
    show(
        common,
        _page(checks, usable, common.lang),
        {"schema": "kb.doctor/1", "can_collect": usable, "checks": rows},
        rows,
    )
    return 0 if usable else 1


_MARKS = {"pass": "ok", "fail": "FAIL", "unknown": "?"}
_ADVISED = frozenset(
    {"memory", "disk", "root"}
)  # what fails there slows or annoys, and prevents nothing by itself


_TITLES = {
    "msopprof": "doctor.title.msopprof",
    "msopprof-version": "doctor.title.msopprof-version",
    "cann": "doctor.title.cann",
    "ascend-home": "doctor.title.ascend-home",
    "device": "doctor.title.device",
    "driver": "doctor.title.driver",
    "simulator": "doctor.title.simulator",
    "output": "doctor.title.output",
    "memory": "doctor.title.memory",
    "disk": "doctor.title.disk",
    "root": "doctor.title.root",
    "other-kb": "doctor.title.other-kb",
}


def _title(check: Check, lang: str) -> str:
    """What is checked, in the reader's language; English has the figures asked for besides."""
    from kb.report.catalogue import say

    return check.title if lang == "en" else say(_TITLES[check.id], lang)


def _mark(check: Check) -> str:
    advised = check.id in _ADVISED and not check.blocks
    return "warn" if advised and check.state == "fail" else _MARKS[check.state]


def _page(checks: tuple[Check, ...], usable: bool, lang: str) -> Page:
    from kb.report.catalogue import say
    from kb.report.page import Heading, Items, Page, Table
    from kb.report.sentences import tell

    heads = ("doctor.state", "doctor.check", "doctor.detail")
    titles = {check.id: _title(check, lang) for check in checks}
    rows = tuple((_mark(check), titles[check.id], tell(check.found, lang)) for check in checks)
    remedies = tuple(f"{titles[check.id]}: {tell(check.remedy, lang)}" for check in checks if check.remedy)
    table = Table(tuple(say(head, lang) for head in heads), rows)
    more = (Heading(say("doctor.remedy", lang)), Items(remedies)) if remedies else ()
    return Page(say("doctor.can" if usable else "doctor.cannot", lang), (table, *more), lang=lang)
