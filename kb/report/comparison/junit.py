"""The comparison as JUnit XML: a test case for the whole and one for each operator that both runs have."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from kb.comparison import Change, Comparison
from kb.report.comparison import words
from kb.report.text import clean

NAME = "junit"
EXTENSION = ".xml"


def render(found: Comparison, *, lang: str, width: int, color: bool) -> str:  # noqa: ARG001
    """The document. Without a limit a change for the worse beyond its noise band fails; not comparable is an error."""
    cases = list(_cases(found, lang))
    failed = sum("<failure" in case for case in cases)
    wrong = sum("<error" in case for case in cases)
    count = f'tests="{len(cases)}" failures="{failed}" errors="{wrong}"'
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<testsuites name="kb compare" {count}>',
            f'  <testsuite name="kb compare" {count}>',
            *cases,
            "  </testsuite>",
            "</testsuites>",
        ]
    )


def _cases(found: Comparison, lang: str) -> Iterator[str]:
    headline = words.headline(found, lang)
    if found.verdict == "not-comparable":
        told = "\n".join(words.check_text(check, lang) for check in found.reasons)
        yield _case("total", f"<error message={quoteattr(clean(headline))}>{escape(told)}</error>")
        return
    failed = failed_names(found)
    yield _case("total", f"<failure message={quoteattr(clean(headline))}/>" if "" in failed else "")
    for item in found.changes:
        if item.change is None or item.band is None:
            continue
        text = f"{words.signed(item.change)}, {words.band_text(item.band, lang)}"
        bad = item.name in failed and item.verdict == "slower"
        yield _case(_title(item), f"<failure message={quoteattr(text)}/>" if bad else "")


def failed_names(found: Comparison) -> frozenset[str]:
    """Names of the operators that regressed, "" for the total: by the limit, else beyond noise.

    As with a limit, collectives beside kernels fail nothing: they wait for other ranks.
    """
    if found.gate is not None:
        return frozenset(found.gate.failed)
    slower = [
        item.name
        for item in found.changes
        if item.verdict == "slower" and not (found.parts is not None and item.core == "communication")
    ]
    total = found.verdict == "slower" and not words.by_collectives_alone(found)
    return frozenset([*slower, ""] if total else slower)


def _title(item: Change) -> str:
    return " ".join(part for part in (item.name, item.shapes, item.dtypes) if part)


def _case(name: str, inner: str) -> str:
    head = f'    <testcase classname="kb.compare" name={quoteattr(clean(name))}'
    return f"{head}>{inner}</testcase>" if inner else f"{head}/>"
