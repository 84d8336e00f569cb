"""`import kb`: a handful of names, each loaded when first used."""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from running import ROOT, environment

import kb


@pytest.mark.parametrize("name", kb.__all__)
def test_a_public_name_is_there_and_says_what_it_is(name: str) -> None:
    home = kb._HOMES[name]
    if find_spec(home) is None:
        pytest.skip(f"{home} is not in this tree yet")
    found = getattr(kb, name)
    assert found is getattr(importlib.import_module(home), name)
    assert found.__doc__


def test_the_list_of_names_is_the_list_of_homes() -> None:
    assert sorted(kb.__all__) == sorted(kb._HOMES)
    assert set(kb.__all__) <= set(dir(kb))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'adviser'"):
        kb.adviser  # noqa: B018


def test_importing_loads_nothing_of_it(tmp_path: Path) -> None:
    code = "import sys; import kb; print([name for name in sys.modules if name.startswith('kb.')])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
