"""The sentences of the engine in other languages: none is missing, none changes a figure, none can be made slow."""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from importlib import resources
from pathlib import Path

import pytest
from running import ROOT

import kb
import kb.report
from kb.errors import KbError
from kb.knowledge.store import load_entries
from kb.knowledge.wording import discouraged
from kb.model import Report
from kb.report import html, markdown, terminal
from kb.report import sentences as translating
from kb.report.catalogue.sentences import Sentence, load
from kb.report.sentences import LONGEST, tell
from kb.report.translated import headline_in, in_language, told

PACKAGE = Path(kb.__path__[0])
PLACE = re.compile(r"\{(\w+)[*#&]?\}")
WORDS = re.compile(r"(?:^|(?<=[ (]))[A-Za-z]?[a-z][a-z']+(?=[ ,.;:)]|$)")
FIGURE = re.compile(r"\d+(?:\.\d+)?")
ENGLISH = re.compile(r"(?:\b[a-z]{2,}\b[ ,;]+){3,}\b[a-z]{2,}\b")
# What speaks to a database, or matches what the profiler prints.
CODE = re.compile(
    r"\s*(?i:select|insert|delete|update|drop|create|where|order|join|pragma)\b|.*(?:\(\?|\\\[|\\\.)"
)
SENTENCES = load()

# Packages whose texts reach people, and modules of them that speak to curators, to SQL or to a shell.
SPEAKING = ("engine", "ask", "graph", "library", "models", "checking.py", "cli.py", "plugins.py", "settings.py", "textfile.py",
            "store/database.py", "store/export.py", "store/migrations.py", "store/outcomes.py", "store/query.py", "store/runs.py",
            "knowledge/chosen.py", "knowledge/filters.py", "knowledge/near.py", "knowledge/own.py", "knowledge/search.py", "knowledge/status.py",
            "report/load.py", "report/views.py", "serve/app.py", "commands")  # fmt: skip
# Keywords whose values are shown in no view: help of options, what a bottleneck page prints from data, what the profiler logs.
SILENT = {"why", "help", "metavar", "sources", "asks", "rich_help_panel", "patterns"}


def skeleton(text: str) -> str:
    return PLACE.sub("{}", text)


def written(path: Path) -> Iterator[tuple[int, str]]:
    """Constants and f-strings of a module with `{}` for what is filled in; no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skip: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            skip.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            skip |= {id(part) for part in node.values if isinstance(part, ast.Constant)}
            for part in node.values:
                if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                    skip |= {id(inner) for inner in ast.walk(part.format_spec)}
        elif isinstance(node, ast.keyword) and node.arg in SILENT:
            skip |= {id(inner) for inner in ast.walk(node.value)}
    for node in ast.walk(tree):
        if id(node) in skip:
            continue
        if isinstance(node, ast.JoinedStr):
            parts = (str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, skeleton(node.value)


def modules() -> list[Path]:
    found = (PACKAGE / name for name in SPEAKING)
    return sorted(path for one in found for path in (one.rglob("*.py") if one.is_dir() else [one]))


def silent() -> set[str]:
    """Texts that are no sentences for readers, each with its reason in the file."""
    lines = (Path(__file__).parent / "untranslated.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("# ")}


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_sentence_of_the_code_is_in_the_catalogue(path: Path) -> None:
    known = {skeleton(one.en) for one in SENTENCES}
    parts = "\n".join(known)
    spare = silent()
    missing = [
        f"{path.name}:{line}: {text}"
        for line, text in written(path)
        if len(WORDS.findall(text)) >= 3
        and not CODE.match(text)
        and "\n\n" not in text  # the help of a command
        and text not in known
        and text.strip() not in parts
        and text.replace("\n", "\\n") not in spare
    ]
    assert not missing, "no row in kb/report/catalogue/sentences, or part of one: " + "\n".join(missing)


def test_every_text_left_out_is_written_somewhere() -> None:
    there = {text.replace("\n", "\\n") for path in modules() for _, text in written(path)}
    assert silent() <= there


@pytest.mark.parametrize("row", SENTENCES, ids=lambda row: row.en[:60])
def test_a_sentence_has_the_same_fields_and_figures_in_every_language(row: Sentence) -> None:
    fields = Counter(PLACE.findall(row.en))
    assert all(count == 1 for count in fields.values())
    figures = FIGURE.findall(PLACE.sub("", row.en))
    for text in (row.zh, row.ja):
        assert text.strip()
        assert Counter(PLACE.findall(text)) == fields
        assert [figure for figure in figures if figure not in text] == []


@pytest.mark.parametrize("lang", ["zh", "ja"])
def test_sentences_use_the_terms_of_the_entries(lang: str) -> None:
    texts = (skeleton(one.in_language(lang)) for one in SENTENCES)
    assert [(text, *found) for text in texts for found in discouraged(text, lang)] == []


def test_no_template_stands_twice_and_each_says_something() -> None:
    assert [text for text, count in Counter(skeleton(one.en) for one in SENTENCES).items() if count > 1] == []
    loose = [
        one.en
        for one in SENTENCES
        if not re.search("[A-Za-z]{2}", PLACE.sub("", one.en)) and "#" not in one.en
    ]
    assert loose == []


# Put together at run time: messages of the option parser, kinds of a gain with its figures, how often something was tried.
COMPOSED = re.compile(
    r"No such |Missing |Option \{name\} requires|Got unexpected|Invalid value|no document|(measured|stated): elsewhere"
    r"|stated, not measured|tried (once|twice|\{times#\})"
)


def windows(text: str) -> Iterator[tuple[str, ...]]:
    """Runs of up to three words of a text, those beside a `{}` apart."""
    for piece in text.split("{}"):
        words = re.findall(r"[\w'-]+", piece)
        yield from (tuple(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1))


def test_no_sentence_is_left_over() -> None:
    """Of the longest run of fixed words of each sentence some three follow one another in the code or in a table."""
    tables = (
        path
        for base in ("kb", "data")
        for path in (ROOT / base).rglob("*.tsv")
        if path.parent.name != "sentences"
    )
    texts = [text for path in PACKAGE.rglob("*.py") for _, text in written(path)]
    texts += [
        line
        for path in (*tables, *(ROOT / "data").rglob("*.yaml"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    texts += [item.text for entry in load_entries().values() for item in entry.observe]
    known = {window for text in texts for window in windows(text)}
    left = []
    for one in SENTENCES:
        longest = max((re.findall(r"[\w'-]+", piece) for piece in skeleton(one.en).split("{}")), key=len)
        size = min(3, len(longest))
        found = not longest or any(
            tuple(longest[at : at + size]) in known for at in range(len(longest) - size + 1)
        )
        if not found and not COMPOSED.match(one.en):
            left.append(one.en)
    assert left == []


def test_limits_of_our_own_and_tables_are_told() -> None:
    """What is data, not code: thresholds that nobody published, foreign formats, limits of operators, signs of families."""
    texts: set[str] = set()
    for name, column, only in (
        ("kb/engine/bottlenecks/thresholds.tsv", "source", ("grade", "own")),
        ("kb/engine/readers/foreign.tsv", "name", None),
        ("kb/engine/readers/foreign.tsv", "now", None),
        ("data/operators/onnx_limits.tsv", "text", None),
        ("data/families/signs.tsv", "why", None),
    ):
        with (ROOT / name).open(encoding="utf-8") as file:
            rows = csv.DictReader(
                (line for line in file if not line.startswith("#")), delimiter="\t", quoting=csv.QUOTE_NONE
            )
            texts |= {row[column] for row in rows if only is None or row[only[0]] == only[1]}
    assert [text for text in sorted(texts) if WORDS.search(text) and tell(text, "ja") == text] == []


EXAMPLES = {
    "copying in takes 83 % of the time at 40 % of the memory bandwidth": "搬入占耗时的 83 %，访存带宽利用率为 40 %",
    "Relu: copying out takes 50 % of the time": "Relu：搬出占耗时的 50 %",
    "needs a_ratio or b_ratio, which the input does not hold": "需要 a_ratio 或 b_ratio，而输入中没有",
    "also answers host-bound": "也针对 host-bound",
    "a sentence that nobody wrote": "a sentence that nobody wrote",
    "x.csv: 3 damaged rows were left out; 7 rows used": "x.csv：略去 3 行损坏的数据；使用 7 行",
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_sentence_is_recognised(text: str) -> None:
    assert tell(text, "zh") == EXAMPLES[text]
    assert tell(text, "en") == text


def test_a_name_from_a_profile_stays_whatever_it_says() -> None:
    name = "copying in takes 9 % of the time"
    assert f"({name})" in tell(
        f"a product ({name}) runs on vector cores only; the cube is unused", "ja"
    ).replace("（", "(").replace("）", ")")


HOSTILE = [
    "; ",
    ". ",
    ": ",
    " (",
    "needs ",
    " or ",
    "; limit: ",
    ")",
    "a: needs b; ",
    " / core time, ",
    "; a: b. c (d)",
    "A: B: C; ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_is_looked_at_a_bounded_number_of_times(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    look = translating._fitting

    def counted(text: str) -> object:
        seen.append(len(text))
        return look(text)

    monkeypatch.setattr(translating, "_fitting", counted)
    tell((piece * LONGEST)[:LONGEST], "zh")
    assert len(seen) < 4 * LONGEST
    seen.clear()
    tell((piece * LONGEST)[: LONGEST + 1], "ja")
    assert seen == []  # too long for a sentence


@pytest.fixture(scope="module")
def quoted() -> str:
    """What may stay English: published thresholds, figures and signs of entries as their sources word them."""
    with (ROOT / "kb/engine/bottlenecks/thresholds.tsv").open(encoding="utf-8") as file:
        cited = [line.rstrip("\n").split("\t")[-1] for line in file]
    entries = load_entries().values()
    words = [f"{gain.shapes} on {gain.chip}" for one in entries for gain in one.gains]
    return "\n".join([*cited, *words, *(item.text for one in entries for item in one.observe)])


@pytest.fixture(scope="module")
def cited() -> str:
    """Sources as they word themselves: published thresholds, figures of entries and what they cite. No signs."""
    with (ROOT / "kb/engine/bottlenecks/thresholds.tsv").open(encoding="utf-8") as file:
        words = [line.rstrip("\n").split("\t")[-1] for line in file]
    for entry in load_entries().values():
        words += [*entry.sources, *(f"{gain.shapes} on {gain.chip}" for gain in entry.gains)]
    return "\n".join(words)


def sentences(report: Report) -> Iterator[str]:
    """All that the engine says in a report."""
    yield report.chip.how
    yield from report.warnings
    for finding in report.findings:
        yield finding.summary
        yield from (text for item in finding.evidence for text in (item.limit, item.source))
    for item in report.not_judged:
        yield from (item.reason, item.collect)
    for advice in report.recommendations:
        yield from (*advice.evidence, advice.gain.basis)
    yield from (case.why for case in report.similar_cases)
    yield from (text for item in report.key_data for text in (item.limit, item.source))
    if report.forecast is not None:
        yield from (*report.forecast.doubts, *report.forecast.assumptions)
        yield from (check.text for check in report.forecast.checks)


SAMPLES = {
    folder.name: sorted(path for path in folder.iterdir() if path.suffix not in (".md", ".py"))
    for folder in sorted((ROOT / "tests" / "samples").iterdir())
    if folder.is_dir() and folder.name not in ("entries", "networks")
} | {"shipped": [ROOT / "data" / "samples" / "add_custom", ROOT / "data" / "samples" / "decoder_layer"]}


def left_over(path: Path, quoted: str) -> list[str]:
    """English sentences in the Chinese and Japanese report of what lies at `path`, and figures that changed."""
    try:
        report = kb.advise(path)
    except KbError:
        return []
    out = []
    for lang in ("zh", "ja"):
        for text in filter(None, sentences(report)):
            said = tell(text, lang)
            if "own remarks" not in text:  # those of the profiler are quoted
                out += [f"{lang}: {text}: {found}" for found in ENGLISH.findall(said) if found not in quoted]
            out += [
                f"{lang}: {text}: {figure} is gone" for figure in FIGURE.findall(text) if figure not in said
            ]
    return out


@pytest.mark.parametrize("name", SAMPLES)
def test_no_english_sentence_is_left_in_a_report(name: str, quoted: str) -> None:
    assert [text for path in SAMPLES[name] for text in left_over(path, quoted)] == []


@pytest.mark.long
def test_no_english_sentence_is_left_in_the_report_of_a_real_profile(
    shared_profiles: Path, quoted: str
) -> None:
    assert [text for path in sorted(shared_profiles.iterdir()) for text in left_over(path, quoted)] == []


def shown_in(report: Report, lang: str) -> list[str]:
    """The lines of a page in another language, without code, pictures and addresses."""
    page = html.render(in_language(report, lang), lang=lang, width=160, color=False)
    page = re.sub(r"<(script|style|pre|code|svg)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return [unescape(line) for line in re.sub(r"<[^>]+>", "\n", page).splitlines()]


# Words of English in a row, as nothing but English text has them: no calls, paths, sizes or names with figures in them.
FOUR_WORDS = re.compile(r"(?<![\w.`/(-])[A-Za-z][a-z']+(?:[,;:]? [A-Za-z][a-z']+){3,}(?![\w./-])")
# Shapes, names of axes and of a kernel; and what a profiler wrote itself.
NO_SENTENCE = re.compile(r"scalar; scalar|kv heads, block size|gated delta rule kernel")
OWN_REMARKS = ("采集工具自己的提示", "プロファイラ自身の指摘")


def english_of_pages(path: Path, quoted: str) -> list[str]:
    """English sentences on the Chinese and Japanese page of what lies at `path`, sources and names apart."""
    try:
        report = kb.advise(path)
    except KbError:
        return []
    return [
        f"{path.name} {lang}: {found}: {line}"
        for lang in ("zh", "ja")
        for line in shown_in(report, lang)
        if not line.startswith(OWN_REMARKS)
        for found in FOUR_WORDS.findall(re.sub(r"`[^`]*`", "", line))
        if found not in quoted and not NO_SENTENCE.search(found)
    ]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_english_sentence_is_left_on_a_page(name: str, cited: str) -> None:
    assert [text for path in SAMPLES[name] for text in english_of_pages(path, cited)] == []


@pytest.mark.long
def test_no_english_sentence_is_left_on_the_page_of_a_real_profile(shared_profiles: Path, cited: str) -> None:
    entries = sorted(shared_profiles.iterdir())
    parts = [part for entry in entries if entry.is_dir() for part in sorted(entry.iterdir())]
    assert [text for path in (*entries, *parts) for text in english_of_pages(path, cited)] == []


def test_a_translated_report_keeps_what_programs_read() -> None:
    report = kb.advise(ROOT / "data" / "samples" / "add_custom")
    for lang in ("zh", "ja"):
        other = told(in_language(report, lang), lang)
        assert [item.gain for item in other.recommendations] == [item.gain for item in report.recommendations]
        assert [item.id for item in other.findings] == [item.id for item in report.findings]
        for view in (terminal, markdown, html):
            assert view.render(in_language(report, lang), lang=lang, width=80, color=False)


def test_the_tables_are_shipped() -> None:
    names = {path.name for path in resources.files("kb.report.catalogue.sentences").iterdir()}
    assert {one.table for one in SENTENCES} <= names


def test_a_title_with_brackets_stays_whole_in_a_headline() -> None:
    text = "First: Remove TransData by consistent layouts (NCHW, aligned channels) (saves up to 23 % of the run)."
    assert (
        tell(text, "zh")
        == "首先：Remove TransData by consistent layouts (NCHW, aligned channels)（最多节省运行耗时的 23 %）。"
    )


def test_lists_of_runs_name_advice_in_their_language() -> None:
    entry = load_entries()["transdata-removal-by-layout"]
    told_line = headline_in(f"First: {entry.title.en} (saves up to 23 % of the run).", "ja")
    assert entry.title.get("ja") in told_line and entry.title.en not in told_line
