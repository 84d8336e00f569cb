from __future__ import annotations

import sys
from typing import Any

import pytest


def test_without_its_package_the_command_says_what_to_install(
    kb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    import kb.browse as package

    monkeypatch.delattr(package, "app", raising=False)  # where a test before has loaded it
    monkeypatch.delitem(sys.modules, "kb.browse.app", raising=False)
    monkeypatch.setitem(sys.modules, "textual", None)
    done = kb("browse")
    assert done.status == 2 and "ascend-kb[browse]" in done.err


def test_in_a_pipe_it_names_the_commands_that_print(kb: Any) -> None:
    pytest.importorskip("textual", reason="the extra `browse` is not installed")
    done = kb("browse")
    assert done.status == 2 and "kb runs list" in done.err
