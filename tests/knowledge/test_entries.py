"""Entries: what ships equals the facts, reading is strict and bounded, writing gives back what was read."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from kb import shipped
from kb.knowledge.entry import (
    MAX_BYTES,
    entry_files,
    entry_to_text,
    load_entries,
    parse_entry,
    parse_file,
)
from kb.knowledge.faults import render_text
from kb.knowledge.head import DEPTH
from kb.model import Condition, Entry, Observation, PublishedGain, Text3
from kb.vocabulary import bottlenecks

OWN_RECIPES = {
    "client-conv2d-native-padding",
    "client-matmul-tiling",
    "client-attention-flashattention",
    "client-nms-ascendc",
}
GOOD = Path(__file__).parents[1] / "samples" / "entries" / "good" / "recipes" / "sample-recipe.md"


@pytest.fixture(scope="module")
def entries() -> dict[str, Entry]:
    return {entry.id: entry for entry in load_entries()}


def _facts(folder: Path, name: str, key: str) -> list[dict[str, Any]]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[dict[str, Any]] = yaml.load((folder / f"{name}.yaml").read_bytes(), Loader=loader)[key]
    return found


# --- what ships ---


@pytest.mark.parametrize(
    ("name", "key", "kind", "count", "own"),
    [
        (
            "operator_recipes",
            "recipes",
            "recipe",
            237,
            OWN_RECIPES | {"matmul-inner-axis-multiple-of-256", "matmul-scalar-loop-to-cube-api"},
        ),
        ("bottleneck_patterns", "patterns", "pattern", 42, set(bottlenecks.ADDED)),
        ("model_cases", "cases", "case", 133, set()),
        ("expert_tips", "tips", "tip", 92, set()),
    ],
)
def test_every_record_of_the_facts_is_an_entry_of_the_same_id(
    shared_facts: Path, entries: dict[str, Entry], name: str, key: str, kind: str, count: int, own: set[str]
) -> None:
    ids = [record["id"] for record in _facts(shared_facts, name, key)]
    assert len(ids) == count
    assert {entry.id for entry in entries.values() if entry.kind == kind} == set(ids) | own


def test_every_bottleneck_has_its_pattern(entries: dict[str, Entry]) -> None:
    assert {entry.id for entry in entries.values() if entry.kind == "pattern"} == set(bottlenecks.IDS)


def test_patterns_keep_the_order_of_trial_of_the_facts(shared_facts: Path, entries: dict[str, Entry]) -> None:
    for record in _facts(shared_facts, "bottleneck_patterns", "patterns"):
        links = entries[record["id"]].links
        assert list(links[: len(record["recipes"])]) == record["recipes"]
        for name in record["recipes"]:
            assert record["id"] in entries[name].bottlenecks
        for name in record["anti_recipes"]:
            assert record["id"] in entries[name].not_for


def test_figures_are_those_of_the_facts(shared_facts: Path, entries: dict[str, Entry]) -> None:
    sums = {"4597.432", "2950.179", "1874"}  # two kernels of the source added up
    for record in _facts(shared_facts, "operator_recipes", "recipes"):
        gains = entries[record["id"]].gains
        assert bool(gains) == bool(record["measured_gain"]), record["id"]
        text = " ".join(str(value) for value in (record["measured_gain"] or {}).values()).replace(".", "")
        for gain in gains:
            for figure in (gain.before, gain.after):
                if re.fullmatch(r"[\d.]+", figure) and figure not in sums and figure != "1":
                    digits = figure.replace(".", "").strip("0")
                    assert digits in text, (record["id"], figure)


@pytest.mark.parametrize(
    ("name", "saved", "of"),
    [
        ("matmul-mdl-template", 1 - 53.4 / 83.68, "operator"),
        ("matmul-use-all-cores", 1 - 2532 / 12045, "operator"),
        ("matmul-big-packet-l1-cache", 1 - 591 / 808, "part"),
        ("triton-attention-minimise-kv-iterations", 1 - 0.697 / 1.42, "operator"),
        ("attention-use-fused-flash-attention", 1 - 1 / 1.34, "run"),
        ("autofuse-recommendation", 1 - 906 / 1341, "run"),
        ("quantisation-launch-wall", 1 - 1.108 / 0.84, "run"),
        ("tpipe-outside-class", 1 - 236 / 281, "part"),
    ],
)
def test_a_gain_is_the_fraction_of_time_saved(
    entries: dict[str, Entry], name: str, saved: float, of: str
) -> None:
    gain = entries[name].gains[0]
    assert gain.of == of
    assert gain.saved_low == gain.saved_high == pytest.approx(saved, abs=0.001)


def test_the_clients_claims_are_marked_and_stand_beside_public_figures(entries: dict[str, Entry]) -> None:
    claimed = {name: entries[name].gains[0] for name in OWN_RECIPES}
    assert {(gain.saved_low, gain.saved_high) for gain in claimed.values()} == {
        (0.05, 0.1),
        (0.1, 0.15),
        (0.2, 0.3),
        (0.25, 0.35),
    }
    for name, gain in claimed.items():
        assert gain.grade == "stated"
        assert "not confirmed by a public measurement" in entries[name].why
    assert "nms-avoid-python-fallback" in entries["client-nms-ascendc"].links
    seed = entries["yolov8s-910b-seed"]
    told = {(gain.before, gain.after, gain.unit) for gain in seed.gains}
    assert {("8.2", "5.1", "ms"), ("122", "196", "fps")} <= told
    assert "not confirmed by a public measurement" in seed.when_not


def test_shipped_entries_survive_writing() -> None:
    for _, path in list(entry_files([shipped.root()]))[::6]:
        entry = parse_file(path).entry
        assert entry is not None
        assert parse_entry(entry_to_text(entry), str(path)).entry == entry


def test_no_entry_speaks_of_where_it_was_made() -> None:
    for _, path in entry_files([shipped.root()]):
        assert not re.search(r"/work\b|shared/|/home/|http://|localhost", path.read_text(encoding="utf-8")), (
            path.name
        )


# --- reading and writing ---

_words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=60).map(
    lambda t: " ".join(t.split())
)
_line = _words.filter(lambda t: t and not re.match(r"[#>|*`-]|\d+[.)]", t))
_ids = st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,6})?", fullmatch=True)
_number = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: float(f"{x:.6g}"))
_basis = st.sampled_from(["observed", "threshold", "inferred"])
_scalar = st.one_of(_number, _line)
_facts_data = st.recursive(
    st.one_of(st.booleans(), st.integers(-(10**9), 10**9), _number, _line),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_ids, inner, max_size=3)),
    max_leaves=6,
)


def _unique(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(strategy, max_size=4, unique=True).map(tuple)


@st.composite
def _gain(draw: st.DrawFn) -> PublishedGain:
    low, high = draw(st.one_of(st.just((None, None)), st.tuples(_number, _number).map(sorted)))
    return PublishedGain(
        low, high, draw(st.sampled_from(["operator", "run", "part"])), before=draw(_words), after=draw(_words),
        unit=draw(_words), shapes=draw(_words), chip=draw(_words), version=draw(_words),
        grade=draw(st.sampled_from(["vendor", "third-party", "stated"])), note=draw(_words),
    )  # fmt: skip


@st.composite
def _entry(draw: st.DrawFn) -> Entry:
    text3 = st.builds(Text3, _line, _words, _words)
    paragraph = st.lists(_line, min_size=1, max_size=3).map("\n\n".join)
    section = st.one_of(st.just(""), paragraph)
    steps = draw(_unique(_line))
    compare = st.builds(
        Condition, _line, st.sampled_from(["<", "<=", ">", ">=", "==", "!=", "~"]), _scalar, _basis
    )
    among = st.builds(
        Condition, _line, st.just("in"), st.lists(_scalar, min_size=1, max_size=3).map(tuple), _basis
    )
    return Entry(
        id=draw(_ids), kind=draw(st.sampled_from(["recipe", "tip"])), state=draw(st.sampled_from(["draft", "retired"])),
        title=draw(text3), symptom=draw(text3), remedy=draw(text3), family=draw(_line),
        aliases=draw(st.dictionaries(st.sampled_from(["en", "zh", "ja"]), _unique(_line).filter(bool))),
        bottlenecks=draw(_unique(_line)), not_for=draw(_unique(_line)), operators=draw(_unique(_line)),
        chips=draw(_unique(_line)), who=draw(st.sampled_from(["", "deployment"])), effort=draw(st.sampled_from(["", "low"])),
        when=tuple(draw(st.lists(st.one_of(compare, among), max_size=3))),
        observe=tuple(draw(st.lists(st.builds(Observation, _line, _basis), max_size=2))),
        gains=tuple(draw(st.lists(_gain(), max_size=2))), grade=draw(st.sampled_from(["vendor", "stated", "practice"])),
        links=draw(_unique(_line)), sources=draw(_unique(_line)),
        facts=draw(st.fixed_dictionaries({}, optional={"contradicts": st.lists(_ids, min_size=1, max_size=2)})),
        cause=draw(section), steps=steps, snippet=draw(st.sampled_from(["", "```cpp\nint a = 1;\n\n  int b;\n```"])),
        why=draw(section), check=draw(section), when_not=draw(section),
    )  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(_entry())
def test_writing_and_reading_gives_the_entry_back(entry: Entry) -> None:
    read = parse_entry(entry_to_text(entry)).entry
    if not entry.sources or (entry.kind == "tip" and not entry.gains):
        assert read is not None
    assert read == entry


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=400), st.text(max_size=400).map(lambda t: f"---\n{t}\n---\n{t}")))
def test_any_text_gives_an_entry_or_faults_never_a_traceback(text: str) -> None:
    parsed = parse_entry(text)
    assert parsed.entry is not None or parsed.faults
    for fault in parsed.faults:
        assert fault.line >= 1
        assert fault.column >= 1


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 60), st.binary(min_size=1, max_size=6))
def test_a_damaged_file_costs_that_file(
    tmp_path_factory: pytest.TempPathFactory, where: int, junk: bytes
) -> None:
    raw = GOOD.read_bytes()
    cut = len(raw) * where // 60
    path = tmp_path_factory.mktemp("damaged") / "sample-recipe.md"
    path.write_bytes(raw[:cut] + junk + raw[cut + len(junk) :])
    parsed = parse_file(path)
    assert parsed.entry is not None or parsed.faults


@pytest.mark.parametrize(
    ("head", "code"),
    [
        ("a: &a [x]\nb: [*a, *a]", "yaml-alias"),
        ("a: " + "[" * 5000, "yaml-depth"),
        ("- " * 5000 + "a", "yaml-depth"),
        ("a: !!python/object/apply:os.system [ls]", "yaml-tag"),
        ("a: 1\n...\nb: 2", "yaml"),
        ('a: "\\x1b[31m"', "control-character"),
    ],
)
def test_hostile_heads_are_refused_at_once(head: str, code: str) -> None:
    codes = {fault.code for fault in parse_entry(f"---\n{head}\n---\n").faults}
    assert codes & {code, "yaml"}
    assert DEPTH < 20


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "big.md"
    path.write_bytes(b"---\nid: big\n" + b"#" * MAX_BYTES)
    assert [fault.code for fault in parse_file(path).faults] == ["too-long"]


def test_all_faults_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "sample-recipe.md"
    text = GOOD.read_text(encoding="utf-8").replace("effort: low", "effort: tiny").replace("who: ", "whom: ")
    path.write_text(text, encoding="utf-8")
    faults = parse_file(path).faults
    assert {"bad-choice", "unknown-key"} <= {fault.code for fault in faults}
    assert f"{path}:" in render_text(faults)


def test_wrapping_a_file_differently_changes_nothing() -> None:
    entry = parse_entry(GOOD.read_text(encoding="utf-8")).entry
    assert entry is not None
    assert entry.cause == "Only one core is started; the others wait."


def test_plain_scalars_stay_what_was_written() -> None:
    text = GOOD.read_text(encoding="utf-8").replace(
        "sources:\n- synthetic sample, measured nowhere", "sources: [910_93, no, 1_000, 2026-01-01]"
    )
    entry = parse_entry(text).entry
    assert entry is not None
    assert entry.sources == ("910_93", "no", "1_000", "2026-01-01")


def test_python_snippets_parse(entries: dict[str, Entry]) -> None:
    snippets = {e.id: e.snippet for e in entries.values() if e.snippet.startswith("```python")}
    assert snippets
    for name, text in snippets.items():
        ast.parse("\n".join(text.splitlines()[1:-1]), filename=name)


# Words of what is wrong. Before a colon they say for whom the entry is; what stands alone or last has to be what to do.
DIAGNOSIS = re.compile(
    r"\b(runs? on|falls? back|is slow|stalls?|becomes?|recompiles|is memory bound|is late|behind|on AI CPU|too many"
    r"|collects only|slow rank behind)\b"
)


@pytest.mark.parametrize("kind", ["recipe", "tip"])
def test_what_is_recommended_is_titled_by_what_to_do(kind: str) -> None:
    """A report shows the title where somebody looks for the next step."""
    titles = {
        entry.id: entry.title.en
        for entry in load_entries()
        if entry.kind == kind and entry.bottlenecks and entry.facts.get("role") is None
    }
    assert titles
    assert not {
        name: text
        for name, text in titles.items()
        if DIAGNOSIS.search(text.rpartition(": ")[2]) and not text.startswith("Find ")
    }
