"""One thread at a time: an open index, its statements and its caches are shared by all threads of a process.

Search is computation in one interpreter, so nothing is lost by waiting.
"""

from __future__ import annotations

import functools
from _thread import RLock  # `threading` would cost `kb search` its import
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")
_TURN = RLock()


def in_turn(answer: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """The function, waiting while another thread is in any that is so marked."""

    @functools.wraps(answer)
    def wrapped(*args: _Given.args, **given: _Given.kwargs) -> _Found:
        with _TURN:
            return answer(*args, **given)

    return wrapped
