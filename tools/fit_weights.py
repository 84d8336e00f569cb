"""Fit the weights of the order of recommendations, and compare with the rules: `python -m tools.fit_weights`.

Cases are the recipes' own profiles and the real captures; each gives the signs (`weights.tsv`) of all candidate
entries and which of them are right. The fit is a conditional logistic regression (the right entry against all others
of its case) that is pulled towards the rules and keeps the sign of every weight. Figures are leave-one-source-out:
cases that share a source document are held out together. scikit-learn does the grouping and brings scipy; neither is
needed at run time.

    python -m tools.fit_weights --profiles DIR [--pull 3] [--write]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.model_selection import LeaveOneGroupOut

from kb.benchmark import real, selftest
from kb.benchmark.scores import ranking
from kb.engine import readers, stated, weights
from kb.engine.match import Match
from kb.engine.pipeline import Knowledge, candidates, open_knowledge
from kb.engine.rank import gain_of, rank, signs
from kb.engine.readers.metrics_json import read_metrics
from kb.model import Profile

TABLE = Path("kb/engine/weights.tsv")
REAL = Path("tests/benchmarks/advice/real.yaml")


@dataclass(frozen=True)
class Case:
    """The candidates of one profile, which entries are right, and the source it must not be fitted on."""

    name: str
    section: str
    group: str
    matches: tuple[Match, ...]
    right: frozenset[str]
    run_scope: bool

    def places(self, weighed: Mapping[str, float]) -> int | None:
        """Place of the first right entry under these weights."""
        chosen = rank(self.matches, run_scope=self.run_scope, limit=60, weighed=weighed)
        return selftest.place([item.id for item in chosen], self.right)

    def table(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        """Signs of all matches (a row each) and which rows are right."""
        rows, right = [], []
        for match in self.matches:
            gain = gain_of(match)
            if gain.high > 0:
                found = signs(match, gain, run_scope=self.run_scope)
                rows.append([found.get(name, 0.0) for name in names])
                right.append(match.entry.id in self.right)
        return np.array(rows), np.array(right, dtype=bool)


def cases(knowledge: Knowledge, profiles: Path | None) -> list[Case]:
    """All cases that have something to choose from."""
    found = [*_recipes(knowledge), *(_real(knowledge, profiles) if profiles else [])]
    return [case for case in found if case.matches]


def _recipes(knowledge: Knowledge) -> list[Case]:
    asked, _ = selftest.cases(knowledge.entries)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "recipes.json"
        path.write_text(json.dumps([case.document for case in asked]), encoding="utf-8")
        profiles = [stated.with_chip(profile) for profile in read_metrics(path)]
    out = []
    for case, profile in zip(asked, profiles, strict=True):
        hidden = replace(knowledge, entries=selftest.hidden(knowledge.entries, case))
        source = knowledge.entries[case.entry].sources[0].rsplit("@", 1)[0]
        group = source.split(":")[0] + ":" + source.split(":")[-1].rsplit("/", 1)[0]
        out.append(_case(case.entry, "recipes", group, profile, hidden, [case.entry]))
    return out


def _real(knowledge: Knowledge, profiles: Path) -> list[Case]:
    out = []
    for case in real.load(REAL, profiles):
        if case.remedies and not case.missing:
            profile = readers.read(case.paths, soc=case.soc)
            if case.shape:
                profile = stated.apply(profile, case.shape)
            group = case.paths[0].relative_to(profiles).parts[0]
            out.append(_case(case.id, "real", group, profile, knowledge, case.remedies))
    return out


def _case(
    name: str, section: str, group: str, profile: Profile, knowledge: Knowledge, right: Sequence[str]
) -> Case:
    matches = tuple(candidates(profile, knowledge))
    return Case(name, section, group, matches, frozenset(right), profile.scope == "run")


# Signs that these cases cannot teach: a self-test is one operator (share), hides the sizes of the right entry (size), has
# no kernel in another language or phase, tells little of what it leaves open (unseen), and is a recipe that somebody measured
# (grade): fitted, they would say what the cases were chosen by. That a claim stands behind the measurement that contradicts
# it (countered) is a rule.
GIVEN = frozenset(
    {"share", "size", "phase", "language", "outsider", "effort", "unseen", "grade", "countered"}
)


def fit(found: Sequence[Case], rules: Mapping[str, float], pull: float) -> dict[str, float]:
    """Weights that make the right entries likely, pulled towards the rules; no weight changes its sign."""
    names = list(rules)
    start = np.array([rules[name] for name in names])
    tables = [case.table(names) for case in found]
    tables = [(rows, right) for rows, right in tables if len(rows) and right.any() and not right.all()]
    bounds = [
        (value, value) if name in GIVEN else (0.0, None) if value >= 0 else (None, 0.0)
        for name, value in zip(names, start, strict=True)
    ]
    scale = np.maximum(np.abs(start), 0.1)

    def loss(x: np.ndarray) -> tuple[float, np.ndarray]:
        total, slope = 0.0, np.zeros_like(x)
        for rows, right in tables:
            score = rows @ x
            top = score.max()
            every = np.exp(score - top)
            good = np.exp(score - top) * right
            total += np.log(every.sum()) - np.log(good.sum())
            slope += rows.T @ (every / every.sum() - good / good.sum())
        apart = (x - start) / scale
        return total + pull * float(apart @ apart), slope + 2 * pull * apart / scale

    result = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B")
    return {name: round(float(value), 3) for name, value in zip(names, result.x, strict=True)}


def held_out(found: Sequence[Case], rules: Mapping[str, float], pull: float) -> list[int | None]:
    """Places of the right entries, each case under weights fitted without its source."""
    places: list[int | None] = [None] * len(found)
    groups = [case.group for case in found]
    for train, test in LeaveOneGroupOut().split(found, groups=groups):
        fitted = fit([found[i] for i in train], rules, pull)
        for i in test:
            places[i] = found[i].places(fitted)
    return places


def main() -> None:
    """Print the table; with --write put the fitted column into the table of weights."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--profiles", type=Path, help="folder of the real captures")
    parser.add_argument("--pull", type=float, nargs="*", default=[0.05, 0.1, 0.3, 1.0])
    parser.add_argument("--write", action="store_true", help="write the fit of the first --pull")
    args = parser.parse_args()
    found = cases(open_knowledge(), args.profiles)
    rules = weights.columns()["rules"]
    print(f"{'weights':34}" + "".join(f"{section:>30}" for section in ("recipes", "real")))
    _line("rules", found, [case.places(rules) for case in found])
    _line("as shipped", found, [case.places(weights.columns()["fitted"]) for case in found])
    for pull in args.pull:
        whole = fit(found, rules, pull)
        _line(f"fitted on all, pull {pull:g}", found, [case.places(whole) for case in found])
        _line(f"  leave one source out, pull {pull:g}", found, held_out(found, rules, pull))
    if args.write:
        _write(fit(found, rules, args.pull[0]))


def _line(name: str, found: Sequence[Case], places: Sequence[int | None]) -> None:
    text = f"{name:34}"
    for section in ("recipes", "real"):
        own = [place for case, place in zip(found, places, strict=True) if case.section == section]
        figures = ranking(own)
        text += f"{len(own):6d}" + "".join(f"{figures[key]:8.3f}" for key in ("top1", "top3", "mrr"))
    print(text)


def _write(fitted: Mapping[str, float]) -> None:
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    out = []
    for line in lines:
        cells = line.split("\t")
        if cells[0] in fitted:
            cells[2] = f"{fitted[cells[0]]:g}"
        out.append("\t".join(cells))
    TABLE.write_text("\n".join(out) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
