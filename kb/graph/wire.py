"""The wire format of Protocol Buffers: tag, length, value; bounded, and never copying what nobody asks for.

A message is a span of bytes. `Spans.fields` walks the fields of one span; a length-delimited field is again a span,
so tensor data of any size is stepped over. Every fault is a SourceError with the byte offset.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.errors import SourceError

Span = tuple[int, int]  # first byte, byte after the last

# A real model of 100 000 nodes has about 3 million fields; what is larger than these bounds is refused, not tried.
LIMITS = {"fields": 10_000_000, "nodes": 500_000, "tensors": 500_000, "values": 1_000_000, "text": 256 << 20}
MAX_DEPTH = 64  # of messages inside messages; an If inside an If adds three
MAX_NAME = 1 << 16
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


@dataclass(slots=True)
class Spans:
    """A buffer with its name and what is left of each bound."""

    data: bytes | mmap.mmap
    name: str
    left: dict[str, int] = field(default_factory=lambda: dict(LIMITS))

    def fields(self, span: Span) -> Iterator[tuple[int, int, int | Span]]:
        """Fields of a message: number, wire type, and the integer or the span.

        Fixed-width values come as the span of their bytes.

        Raises:
            SourceError: cut off, malformed, or over a bound.
        """
        at, end = span
        data = self.data
        while at < end:
            self.spend("fields", at)
            start = at
            tag = data[at]
            at += 1
            if tag >= 0x80:
                tag, at = self._varint(start, end)
            number, wire = tag >> 3, tag & 7
            if number == 0:
                raise self.fault("field number 0", start)
            if wire == VARINT:
                value, at = self._varint(at, end)
                yield number, wire, value
                continue
            if wire == BYTES:
                size, at = self._varint(at, end)
            elif wire == FIXED32:
                size = 4
            elif wire == FIXED64:
                size = 8
            else:
                raise self.fault(f"wire type {wire} of field {number} is not used by ONNX", start)
            if size > end - at:
                raise self.fault(
                    f"field {number} claims {size} bytes, {end - at} are left; cut off or damaged", start
                )
            yield number, wire, (at, at + size)
            at += size

    def _varint(self, at: int, end: int) -> tuple[int, int]:
        value = shift = 0
        start = at
        while at < end:
            byte = self.data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & 0xFFFF_FFFF_FFFF_FFFF, at
            shift += 7
            if shift > 63:
                raise self.fault("a number of more than 10 bytes", start)
        raise self.fault("the file ends inside a number; cut off or damaged", start)

    def integers(self, wire: int, value: int | Span, limit: int) -> list[int]:
        """A repeated integer field, packed or single; only the first `limit` elements of a packed one."""
        if isinstance(value, int):
            return [signed(value)]
        if wire != BYTES:
            raise self.fault("an integer of fixed width where ONNX has none", value[0])
        at, end = value
        found: list[int] = []
        while at < end and len(found) < limit:
            number, at = self._varint(at, end)
            found.append(signed(number))
        return found

    def floats(self, value: int | Span, limit: int) -> list[float]:
        """A repeated 32-bit float field, packed or single; only the first `limit` elements."""
        start, end = self.span(value)
        count = min((end - start) // 4, limit)
        return list(struct.unpack(f"<{count}f", self.data[start : start + 4 * count]))

    def integer(self, value: int | Span) -> int:
        """A signed 64-bit integer."""
        if not isinstance(value, int):
            raise self.fault("bytes where a number belongs", value[0])
        return signed(value)

    def span(self, value: int | Span) -> Span:
        """The bytes of a length-delimited or fixed field."""
        if isinstance(value, int):
            raise SourceError(
                "a number where a message belongs",
                where=self.name,
                now="export the model again; this is no ONNX file",
            )
        return value

    def text(self, value: int | Span, limit: int = MAX_NAME) -> str:
        """A name; bytes that are no UTF-8 are replaced."""
        start, end = self.span(value)
        if end - start > limit:
            raise self.fault(f"a name of {end - start} bytes; {limit} are allowed", start)
        self.spend("text", start, end - start)
        return self.data[start:end].decode("utf-8", errors="replace")

    def spend(self, what: str, at: int, amount: int = 1) -> None:
        """Take from a bound.

        Raises:
            SourceError: nothing is left.
        """
        self.left[what] -= amount
        if self.left[what] < 0:
            raise self.fault(f"more than {LIMITS[what]} {what}; such a model is not read", at)

    def fault(self, what: str, at: int) -> SourceError:
        """The error for a fault at a byte offset."""
        if at == 0:  # not even its first field: a table, a text or a picture
            now = "Give an .onnx file; where it is one, export or copy it again."
        else:
            now = "export or copy the model again"
        return SourceError(what, where=f"{self.name}: byte {at}", now=now)


def signed(value: int) -> int:
    """Two's complement of 64 bits, as protobuf's int64 and int32 are written."""
    return value - (1 << 64) if value >= 1 << 63 else value
