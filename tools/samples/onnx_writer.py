"""Writes tiny ONNX files byte by byte, so that samples and tests need no other package, and can be wrong too."""

from __future__ import annotations

import struct
from collections.abc import Sequence

FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 9, 10, 11
Dim = int | str | None
Attribute = int | float | str | bytes | list[int] | list[float] | tuple[str, bytes]


def varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    out = bytearray()
    while True:
        byte, value = value & 0x7F, value >> 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return varint(field << 3 | 2) + varint(len(data)) + data


def attribute(name: str, value: Attribute) -> bytes:
    out = message(1, name)
    if isinstance(value, tuple):  # ("graph" or "tensor", bytes)
        kind, field = (5, 6) if value[0] == "graph" else (4, 5)
        out += message(field, value[1])
    elif isinstance(value, float):
        kind = 1
        out += varint(2 << 3 | 5) + struct.pack("<f", value)
    elif isinstance(value, int):
        kind = 2
        out += number(3, value)
    elif isinstance(value, (str, bytes)):
        kind = 3
        out += message(4, value)
    elif value and isinstance(value[0], float):
        kind = 6
        out += message(7, struct.pack(f"<{len(value)}f", *value))
    else:
        kind = 7
        out += message(8, b"".join(varint(int(item)) for item in value))
    return out + number(20, kind)


def node(
    kind: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    domain: str = "",
    name: str = "",
    **attributes: Attribute,
) -> bytes:
    out = b"".join(message(1, item) for item in inputs) + b"".join(message(2, item) for item in outputs)
    out += message(3, name) if name else b""
    out += message(4, kind) + b"".join(message(5, attribute(key, value)) for key, value in attributes.items())
    return out + (message(7, domain) if domain else b"")


def tensor(
    name: str,
    dims: Sequence[int],
    dtype: int = FLOAT,
    integers: Sequence[int] | None = None,
    raw: bytes | None = None,
    location: str | None = None,
) -> bytes:
    out = b"".join(number(1, dim) for dim in dims) + number(2, dtype) + message(8, name)
    if integers is not None:
        out += message(7, b"".join(varint(item) for item in integers))
    if raw is not None:
        out += message(9, raw)
    if location is not None:
        out += message(13, message(1, "location") + message(2, location)) + number(14, 1)
    return out


def value(name: str, shape: Sequence[Dim] | None, dtype: int = FLOAT) -> bytes:
    kind = number(1, dtype)
    if shape is not None:
        dims = b""
        for dim in shape:
            dims += message(1, number(1, dim) if isinstance(dim, int) else message(2, dim) if dim else b"")
        kind += message(2, dims)
    return message(1, name) + message(2, message(1, kind))


def graph(
    nodes: Sequence[bytes],
    inputs: Sequence[bytes] = (),
    outputs: Sequence[bytes] = (),
    tensors: Sequence[bytes] = (),
    name: str = "g",
) -> bytes:
    out = b"".join(message(1, item) for item in nodes) + message(2, name)
    out += b"".join(message(5, item) for item in tensors)
    return (
        out + b"".join(message(11, item) for item in inputs) + b"".join(message(12, item) for item in outputs)
    )


def function(
    name: str, domain: str, nodes: Sequence[bytes], inputs: Sequence[str], outputs: Sequence[str]
) -> bytes:
    out = (
        message(1, name)
        + b"".join(message(4, item) for item in inputs)
        + b"".join(message(5, item) for item in outputs)
    )
    return out + b"".join(message(7, item) for item in nodes) + message(10, domain)


def model(
    content: bytes, opset: int = 17, domains: dict[str, int] | None = None, functions: Sequence[bytes] = ()
) -> bytes:
    out = number(1, 8) + message(2, "test") + message(7, content)
    out += message(8, number(2, opset))
    for domain, version in (domains or {}).items():
        out += message(8, message(1, domain) + number(2, version))
    return out + b"".join(message(25, item) for item in functions)


def small(opset: int = 17) -> bytes:
    """Conv, Relu, Flatten, Gemm on a 1x3x8x8 picture; loads anywhere."""
    return model(
        graph(
            [
                node(
                    "Conv",
                    ["x", "w"],
                    ["c"],
                    kernel_shape=[3, 3],
                    pads=[1, 1, 1, 1],
                    strides=[2, 2],
                    name="conv",
                ),
                node("Relu", ["c"], ["r"]),
                node("Flatten", ["r"], ["f"], axis=1),
                node("Gemm", ["f", "m"], ["y"], transB=1),
            ],
            [value("x", ["batch", 3, 8, 8])],
            [value("y", ["batch", 10])],
            [tensor("w", [4, 3, 3, 3], raw=bytes(432)), tensor("m", [10, 64], raw=bytes(2560))],
        ),
        opset,
    )
