"""Parts of `kb` that need an extra: where it is not installed, the answer names it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kb.errors import UsageError


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Around the import of what needs an extra.

    Raises:
        UsageError: a package of it is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as fault:
        raise UsageError(
            f"the package {fault.name} is missing", now=f"Install it: pip install 'ascend-kb[{extra}]'"
        ) from fault
