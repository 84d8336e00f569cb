"""JSON text that is safe to print and the same for the same content."""

from __future__ import annotations

import json
import math
import re
from typing import Any

# What json leaves raw although a terminal obeys it (C1 controls, direction marks) or UTF-8 refuses it (surrogates).
_RISKY = re.compile(r"[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def dumps(value: Any, *, indent: int | None = 2) -> str:
    """`value` as JSON in its own key order; not-a-number and infinity become null."""
    text = json.dumps(_finite(value), ensure_ascii=False, indent=indent, allow_nan=False)
    return _RISKY.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value
