"""For whom an entry is: what is known not to fit is no advice, what nothing tells stands last and says so."""

from __future__ import annotations

import pytest

from kb.engine.family import FamilyGuess
from kb.engine.kind_of_run import UNKNOWN, KindOfRun
from kb.engine.match import match
from kb.engine.metrics import RunFeatures, measure_profile
from kb.engine.rank import gain_of, rank
from kb.model import (
    Capture,
    Chip,
    Condition,
    Entry,
    Features,
    Finding,
    Follow,
    Measure,
    Operator,
    Profile,
    PublishedGain,
    Text3,
)


def entry(name: str, *when: Condition, **fields: object) -> Entry:
    base: dict[str, object] = {
        "bottlenecks": ("tiny-kernels",),
        "grade": "vendor",
        "who": "deployment",
        "gains": (PublishedGain(0.3, 0.3, "run", grade="vendor"),),
    }
    texts = Text3(name), Text3(""), Text3("do")
    return Entry(name, "recipe", "reviewed", *texts, "fusion", when=when, **(base | fields))  # type: ignore[arg-type]


def finding(pattern: str = "tiny-kernels", headroom: float | None = 0.8) -> Finding:
    return Finding(pattern, pattern, "run", (), 1.0, 0.9, (), headroom=headroom)


def run_of(
    *types: str, pairs: tuple[tuple[str, str], ...] = (), whole: bool = True, phase: str = "unknown"
) -> RunFeatures:
    seen = tuple(Features(None, {}, {"op_type": kind}) for kind in types)
    return RunFeatures(Features(None, {}, {"run_phase": phase}), seen, whole, frozenset(pairs))


def condition(metric: str, *words: str, op: str = "in") -> Condition:
    return Condition(metric, op, words if op == "in" else words[0], "threshold")


@pytest.mark.parametrize(
    ("guess", "fit"),
    [
        (FamilyGuess("RecSys", 0.4), 1.0),
        (FamilyGuess("YOLO", 0.9), 0.0),
        (FamilyGuess("YOLO", 0.4), UNKNOWN),  # not sure enough to leave it out
        (FamilyGuess("YOLO", 0.9, also=("RecSys",)), UNKNOWN),
        (FamilyGuess("other", 0.8), UNKNOWN),
        (FamilyGuess("none", 1.0), UNKNOWN),
    ],
)
def test_an_entry_for_one_family_of_networks(guess: FamilyGuess, fit: float) -> None:
    autofuse = entry("autofuse", condition("model_family", "RecSys"))
    found, why = KindOfRun(run_of("Add"), guess).fits(autofuse)
    assert found == fit
    assert bool(why) is (fit == UNKNOWN)


def test_a_run_that_generates_is_a_language_models() -> None:
    kind = KindOfRun(run_of("MatMul", phase="decode"), FamilyGuess("RecSys", 0.9))
    assert kind.answer(condition("model_family", "LLM")) is True
    assert kind.answer(condition("model_family", "RecSys")) is False


NORM = "ReduceMean* -> Add* -> Rsqrt*"


@pytest.mark.parametrize(
    ("run", "fit"),
    [
        (
            run_of("Pow", "ReduceMean", "Add", "Rsqrt", pairs=(("ReduceMeanD", "Adds"), ("Adds", "Rsqrt"))),
            1.0,
        ),
        (run_of("ReduceMean", "Add", "Rsqrt", pairs=(("ReduceMean", "Mul"), ("Add", "Rsqrt"))), 0.0),
        (run_of("ReduceMean", "Add", "Rsqrt"), UNKNOWN),  # the order of launches is not known
        (run_of("Conv2D", "Mul", "Add"), 0.0),
        (run_of("Mul", whole=False), UNKNOWN),  # one kernel of who knows what
    ],
)
def test_an_entry_for_a_chain_of_operators(run: RunFeatures, fit: float) -> None:
    assert KindOfRun(run).fits(entry("norm", condition("runs", NORM)))[0] == fit


def test_one_of_several_types_is_enough_and_every_condition_counts() -> None:
    either = entry("either", condition("runs", "Moe*", "GroupedMatmul*"))
    assert KindOfRun(run_of("GroupedMatmul")).fits(either) == (1.0, "")
    both = entry("both", condition("runs", "Moe*"), condition("runs", "Softmax*"))
    assert KindOfRun(run_of("MoeGatingTopKSoftmax")).fits(both)[0] == 0.0


def test_a_table_of_kernels_may_leave_out_the_collectives() -> None:
    told = Features(None, {"comm_share": Measure(0.4, "1", "t")}, {})
    run = RunFeatures(told, (Features(None, {}, {"op_type": "MatMul"}),))
    assert KindOfRun(run).has(["hcom*"]) is None
    assert KindOfRun(run_of("MatMul")).has(["hcom*"]) is False
    talk = RunFeatures(told, (Features(None, {}, {"op_type": "HcomAllReduce", "core": "communication"}),))
    assert KindOfRun(talk).has(["MatMul*"]) is None and KindOfRun(talk).has(["HcomAllGather"]) is False


@pytest.mark.parametrize(
    ("phase", "asked", "answer"),
    [
        ("training", "training", True),
        ("inference", "training", False),
        ("decode", "inference", True),
        ("inference", "decode", None),  # a network that generates may not be recognised as one
        ("unknown", "training", None),
    ],
)
def test_the_phases_of_a_run(phase: str, asked: str, answer: bool | None) -> None:
    kind = KindOfRun(run_of("MatMul", phase=phase))
    assert kind.answer(condition("run_phase", asked, op="==")) is answer


def test_not_in_training_holds_where_nothing_tells() -> None:
    static = entry("static", condition("run_phase", "training", op="!="))
    assert [KindOfRun(run_of("MatMul", phase=phase)).fits(static)[0] for phase in ("training", "unknown", "decode")] == [0.0, 1.0, 1.0]  # fmt: skip


def test_what_nothing_tells_stands_behind_all_that_fits_and_says_so() -> None:
    gradient = entry("gradient", condition("run_phase", "training", op="=="), gains=(PublishedGain(0.9, 0.9, "run", grade="vendor"),))  # fmt: skip
    small = entry("small", gains=(PublishedGain(0.01, 0.01, "run", grade="vendor"),))
    found = match([finding()], {}, [gradient, small], (), {}, {}, run_of("MatMul", "Add"))
    ranked = rank(found, run_scope=True)
    assert [item.id for item in ranked] == ["small", "gradient"]
    assert (ranked[1].only_if or "").startswith("only when training") and ranked[0].only_if is None
    assert ranked[1].gain.low == 0.0
    assert not match([finding()], {}, [gradient], (), {}, {}, run_of("MatMul", phase="inference"))


def test_an_entry_wins_no_more_than_the_reading_that_bounds_it() -> None:
    small = entry("small", bottlenecks=("comm-exposed",), bounded_by="collective_start_share", gains=())
    starts = Features(None, {"collective_start_share": Measure(0.05, "1", "t")}, {"run_phase": "unknown"})
    known, unknown = (
        match([finding("comm-exposed", 0.9)], {}, [small], (), {}, {}, RunFeatures(run, ()))[0]
        for run in (starts, Features(None, {}, {"run_phase": "unknown"}))
    )
    gain = gain_of(known)
    assert gain.high == 0.05 and gain.likely < 0.05 and "collective_start_share" in gain.basis
    assert "not judged" in (unknown.only_if or "") and known.only_if is None


def collectives(*durations: float) -> Features:
    total = sum(durations)
    time = Measure(total / len(durations), "us", "t", min(durations), max(durations), len(durations))
    ops = (
        Operator("hcom_allReduce_", "hcom_allReduce_", "communication", len(durations), time, total),
        Operator("MatMul", "MatMul", "cube", 1, Measure(10_000.0 - total, "us", "t"), 10_000.0 - total),
    )
    return measure_profile(Profile("t", "x", "run", Capture("x"), Chip(), ops), ()).run


def test_starts_of_collectives_take_no_longer_than_the_shortest_of_them() -> None:
    few, many = collectives(100.0, 4000.0), collectives(*[20.0] * 100)
    assert few.get("collective_start_share") == pytest.approx(0.02)
    assert many.get("collective_start_share") == pytest.approx(0.2)
    assert (few.get("collective_us"), many.get("collective_us")) == (2050.0, 20.0)


def test_a_collective_that_moved_much_tells_little_of_its_start() -> None:
    """One of 5 ms moved more than a small message, so its time is not its start's."""
    assert (collectives(5000.0).get("collective_start_share") or 0) < 0.2


def test_a_network_without_one_gradient_is_inference() -> None:
    def phase(*kinds: str) -> str:
        ops = tuple(Operator(kind, kind, "mix", 1, Measure(10.0, "us", "t"), 10.0) for kind in kinds)
        return measure_profile(Profile("t", "x", "run", Capture("x"), Chip(), ops), ()).run.labels[
            "run_phase"
        ]

    layers = ("Conv2D", "Relu", "MaxPool", "Add")
    assert phase(*layers) == "inference"
    assert phase(*layers, "Conv2DBackpropInput") == "training"
    assert phase("Relu", "MaxPool", "Add", "Cast") == "unknown"


def test_a_collectives_place_on_its_own_stream_says_nothing() -> None:
    """It follows another collective there, whatever it waits for."""
    time = Measure(10.0, "us", "t")
    ops = tuple(
        Operator(kind, kind, "communication", 5, time, 50.0)
        for kind in ("hcom_allReduce_", "hcom_allGather_")
    )
    follows = (
        Follow("hcom_allGather_", "hcom_allReduce_", 5, 50.0),
        Follow("MatMul", "hcom_allGather_", 5, 50.0),
    )
    found = measure_profile(
        Profile("t", "x", "run", Capture("x"), Chip(), ops, follows=follows), ()
    ).operators
    assert [f.labels.get("follows") for f in found] == [None, "MatMul"]
