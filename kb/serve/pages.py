"""The pages of the local web app: forms and lists around the pages that the commands print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlencode

from kb import units
from kb.comparison import Comparison
from kb.model import Entry, Report
from kb.report import html
from kb.report.catalogue import say
from kb.report.comparison import html as compared
from kb.report.comparison.words import headline
from kb.report.entries import entry_page
from kb.report.found import why_found
from kb.report.page.html import body, table
from kb.report.runs import HEADS
from kb.report.sentences import tell
from kb.report.sheet import esc, sheet
from kb.report.translated import headline_in, in_language
from kb.vocabulary.entries import KINDS, LANGUAGES


def runs_page(root: str, runs: Sequence[Mapping[str, Any]], lang: str) -> str:
    """The kept runs, the newest first."""
    title = say("serve.runs", lang)
    heads = tuple(say(key, lang) for key in HEADS)
    rows = tuple(_run_cells(root, run, lang) for run in runs)
    lines = ['<div class="stack">', *table(heads, rows, frozenset({3})), "</div>"]
    if not rows:
        lines = [f"<p>{esc(say('runs.none', lang))}</p>"]
    return _page(root, title, lines, lang)  # fmt: skip


def _run_cells(root: str, run: Mapping[str, Any], lang: str) -> tuple[str, ...]:
    link = f"{root}/runs/{quote(run['id'], safe='')}?lang={lang}"
    time = "" if run.get("total_us") is None else units.us(run["total_us"])
    return (
        f'<code><a href="{esc(link)}">{esc(run["id"])}</a></code>', f'<span class="whole">{esc(_kept_at(run))}</span>', esc(run["target"]),
        esc(time), esc(headline_in(run.get("headline") or "", lang)),
    )  # fmt: skip


def _kept_at(run: Mapping[str, Any]) -> str:
    return str(run["created"]).replace("T", " ")[:16]


def search_page(root: str, asked: Mapping[str, str], found: Mapping[str, Any] | None, lang: str) -> str:
    """The search form with what was asked, and the answers."""
    title = say("serve.search", lang)
    lines = [_form(root, asked, lang)]
    if found is not None:
        if found["no_good_match"] and found["results"]:
            lines.append(f'<p class="warn">{esc(say("search.no_good_match", lang))}</p>')
        if not found["results"]:
            lines.append(f"<p>{esc(say('search.none', lang))}</p>")
        lines += [_hit(root, hit, lang) for hit in found["results"]]
    return _page(root, title, lines, lang, {key: text for key, text in asked.items() if text})


def _form(root: str, asked: Mapping[str, str], lang: str) -> str:
    kinds = [("", say("serve.any", lang)), *((kind, say(f"kind.{kind}", lang)) for kind in KINDS)]
    options = "".join(
        f'<option value="{kind}"{" selected" if kind == asked.get("kind") else ""}>{esc(text)}</option>'
        for kind, text in kinds
    )
    query = esc(say("serve.query", lang))
    return (
        f'<form class="ask" action="{esc(root)}/search" method="get"><input type="hidden" name="lang" value="{lang}">'
        f'<input type="search" name="q" value="{esc(asked.get("q", ""))}" aria-label="{query}" placeholder="{query}" autofocus>'
        f'<select name="kind" aria-label="{esc(say("label.type", lang))}">{options}</select>'
        f"{_box('op', 'label.operator', asked, lang)}{_box('soc', 'status.chip', asked, lang)}"
        f"<button>{esc(say('serve.search', lang))}</button></form>"
    )


def _box(name: str, label: str, asked: Mapping[str, str], lang: str) -> str:
    text = esc(say(label, lang))
    return f'<input name="{name}" value="{esc(asked.get(name, ""))}" aria-label="{text}" placeholder="{text}" size="12">'


def _hit(root: str, hit: Mapping[str, Any], lang: str) -> str:
    link = f"{root}/entries/{quote(hit['id'], safe='')}?lang={lang}"
    kind = say(f"kind.{hit['kind']}", lang)
    return (
        f'<div class="card"><h3><a href="{esc(link)}">{esc(hit["title"])}</a></h3><p>{esc(hit["summary"])}</p>'
        f'<p class="quiet">{esc(kind)} · {esc(hit["id"])} · {hit["score"]:.2f} · {esc(why_found(hit["why"], hit.get("parts", {}), lang))}</p></div>'
    )


def entry(root: str, found: Entry, lang: str) -> str:
    """One entry in full."""
    page = entry_page(found, lang)
    note = f'<p class="quiet">{esc(page.note)}</p>'
    return _page(root, page.title, [note, *body(page)], lang)


def report(root: str, found: Report, lang: str) -> str:
    """A report as `kb report` writes it, below the links of the app."""
    text = html.render(in_language(found, lang), lang=lang)
    return text.replace("<body>\n", f"<body>\n{_links(root, lang, {})}\n", 1)


def comparison_form(root: str, runs: Sequence[Mapping[str, Any]], lang: str) -> str:
    """Which two runs to compare; the kept ones are offered."""
    fields = "".join(
        _box(name, f"compare.{name}", {}, lang).replace("<input ", '<input list="kept" ', 1)
        for name in ("before", "after")
    )
    known = "".join(
        f'<option value="{esc(run["id"])}">{esc(run["target"])} · {esc(_kept_at(run))}</option>'
        for run in runs
    )
    title = say("serve.compare", lang)
    form = (
        f'<form class="ask" action="{esc(root)}/compare" method="get"><input type="hidden" name="lang" value="{lang}">'
        f'{fields}<datalist id="kept">{known}</datalist><button>{esc(title)}</button></form>'
    )
    return _page(root, title, [form, f'<p class="quiet">{esc(say("serve.two", lang))}</p>'], lang)


def comparison(root: str, found: Comparison, asked: Mapping[str, str], lang: str) -> str:
    """Two runs against one another, as `kb compare` says it."""
    return _page(root, headline(found, lang), compared.body(found, lang), lang, asked)


def fault(root: str, what: str, now: str, lang: str) -> str:
    """What went wrong and what now."""
    lines = [f"<p>{esc(tell(what, lang))}</p>", f'<p class="quiet">{esc(tell(now, lang))}</p>']
    return _page(root, say("serve.fault", lang), lines, lang)


def _page(
    root: str, title: str, lines: Iterable[str], lang: str, asked: Mapping[str, str] | None = None
) -> str:
    """A whole page; `asked` is what its address must keep when the language changes."""
    inside = "\n".join(
        (_links(root, lang, asked or {}), "<main>", f"<h1>{esc(title)}</h1>", *lines, "</main>")
    )
    return sheet(f"{title} · kb", inside, lang=lang, forms=True)


def _links(root: str, lang: str, asked: Mapping[str, str]) -> str:
    places = (
        (f"{root}/", "serve.runs"), (f"{root}/compare", "serve.compare"), (f"{root}/search", "serve.search"),
    )  # fmt: skip
    links = [
        f'<a href="{esc(place)}?{urlencode({"lang": lang})}">{esc(say(key, lang))}</a>'
        for place, key in places
    ]
    links += [
        f'<a href="?{esc(urlencode({**asked, "lang": other}))}" lang="{other}">{other}</a>'
        for other in LANGUAGES
        if other != lang
    ]
    return f"<nav>{' '.join(links)}</nav>"
