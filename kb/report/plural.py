"""Values filled into a text, with the word that agrees with a number."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter


class _Plural(Formatter):
    """`{count:entry|entries}`: the first word for one, else the second; otherwise as `str.format`."""

    def format_field(self, value: object, format_spec: str) -> str:
        one, several, many = format_spec.partition("|")
        if several:
            return one if str(value) == "1" else many
        return str(format(value, format_spec))


_PLURAL = _Plural()


def filled(text: str, values: Mapping[str, object]) -> str:
    """The text with its places filled; KeyError where a value is missing."""
    if "|" not in text:
        return text.format(**values)
    return _PLURAL.vformat(text, (), values)
