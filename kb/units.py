"""Units as Ascend tools use them, and how numbers are shown.

Times are microseconds inside `kb`. msopprof's `KB` is 1024 bytes and its `GB/s` is 1024**3 bytes a second although
the documents say otherwise (spec section 2.5); bandwidth inside `kb` is 1e9 bytes a second, as in data sheets.
"""

from __future__ import annotations

KIB = 1024


def us(value: float) -> str:
    """A time in microseconds for people: 0.8 us, 12.3 us, 4.56 ms, 1.2 s."""
    size = abs(value)
    if size >= 1e6:
        return f"{value / 1e6:.3g} s"
    if size >= 1e4:
        return f"{value / 1e3:.3g} ms"
    return f"{value:.3g} us" if size < 100 else f"{value:.0f} us"


def us_range(low: float, high: float) -> str:
    """A range of times in one unit, without blanks: 14.1-47us, 1.2-3.4ms."""
    scale, unit = (1e6, "s") if high >= 1e6 else (1e3, "ms") if high >= 1e4 else (1.0, "us")
    return (
        "-".join(
            f"{value / scale:.0f}" if value >= 100 * scale else f"{value / scale:.3g}"
            for value in (low, high)
        )
        + unit
    )


def nbytes(value: float) -> str:
    """A number of bytes for people, in binary units: 512 B, 16 KiB, 1.5 MiB."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(value) < 1024 or unit == "GiB":
            return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"
        value /= 1024
    raise AssertionError("unreachable")


def operations(value: float) -> str:
    """A number of operations for people: 12 kFLOP, 3.6 GFLOP."""
    for unit in ("FLOP", "kFLOP", "MFLOP", "GFLOP"):
        if abs(value) < 1000:
            return f"{value:.3g} {unit}"
        value /= 1000
    return f"{value:.3g} TFLOP"


def percent(fraction: float) -> str:
    """A fraction as percent: 0.6 %, 12 %, 99.7 %, 99.95 %, 100 %; what is less than all is not called all."""
    value = fraction * 100
    if 99.95 <= value < 99.995:
        return f"{value:.2f} %"
    if value == 0 or 10 <= abs(value) < 99 or abs(value) >= 99.95:
        return f"{value:.0f} %"
    return f"{value:.1f} %"


def number(value: float, unit: str) -> str:
    """A measured value with its unit, for people: a fraction (unit "1") in percent, a multiple ("1x") as 2.5x."""
    if unit == "1":
        return percent(value)
    if unit == "us":
        return us(value)
    if unit == "B":
        return nbytes(value)
    if unit == "1x":
        return f"{value:.3g}x"
    text = f"{value:.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"
    return f"{text} {unit}" if unit else text
