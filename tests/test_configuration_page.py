"""docs/configuration.md and docs/reading.md tell of all there is: variables, keys, parts of the first screen."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from running import ROOT, SAMPLE, needs_sample, run_kb, tracked

from kb.settings import KEYS

PAGE = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
ROWS = {
    name: (key.strip(" `"), default.strip(" `"))
    for name, key, default in re.findall(r"^\| `(KB_[A-Z_]+)` \|([^|]*)\|.*\|([^|]*)\|$", PAGE, re.M)
}
INTERNAL = {"KB_COLLECT_RUN"}


def variables() -> set[str]:
    """Names of variables that stand as texts of their own in the code."""
    found = set()
    for path in tracked("kb"):
        if path.endswith(".py"):
            for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found |= {node.value} if re.fullmatch(r"KB_[A-Z_]+", node.value) else set()
    return found


def test_the_table_has_every_variable_of_the_code_and_no_other() -> None:
    assert variables() >= {"KB_DB", "KB_CONFIG", "KB_MODEL"}
    assert set(ROWS) == variables() - INTERNAL
    assert all(f"`{name}`" in PAGE for name in INTERNAL)


def test_keys_and_defaults_are_those_of_the_code() -> None:
    assert {key: name for name, (key, _) in ROWS.items() if key} == {
        key: about.variable for key, about in KEYS.items()
    }
    told = {name: default for name, (_, default) in ROWS.items()}
    assert [
        about.variable for about in KEYS.values() if about.default and told[about.variable] != about.default
    ] == []


def test_other_variables_that_are_read_are_named() -> None:
    code = "".join(
        (ROOT / path).read_text(encoding="utf-8")
        for path in tracked("kb/settings.py", "kb/commands", "kb/store", "kb/knowledge")
        if path.endswith(".py")
    )
    read = set(re.findall(r"environ(?:\.get\(|\[)\"([A-Z_]+)\"", code))
    assert {"NO_COLOR", "XDG_CONFIG_HOME"} <= read
    assert sorted(name for name in read if f"`{name}`" not in PAGE) == []


@needs_sample
def test_every_part_of_the_first_screen_is_explained(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "reading.md").read_text(encoding="utf-8")
    shown = run_kb("advise", SAMPLE, home=tmp_path).stdout
    first = shown.split("── ")[0]
    labels = re.findall(r"^([A-Z][a-z]+(?: [a-z]+)?) {2,}", first, re.M)
    assert len(labels) >= 5
    assert [label for label in labels if f"\n| {label} |" not in text] == []
    heads = [head.split(" · ")[0].strip() for head in re.findall(r"^── (.+?) ─+$", shown, re.M)]
    assert len(heads) >= 6
    assert [head for head in heads if head != "Mind" and f"\n| {head} |" not in text] == []
