"""Types of elements: one name for the spellings of models, profilers and people, with what each part of `kb` asks of it.

A name is ONNX's. `DT_BF16`, `bf16` and `BFLOAT16` are one type.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Dtype:
    """One type of elements; what is not known of it is None or empty."""

    name: str
    bytes: float | None = None  # an element
    peak: str = ""  # the cube's peak for products of it, as the files of chips name it
    device: str = ""  # as profilers write it, where that is not the name in capitals
    short: str = ""  # as the tables of data/operators write it, where that is not the name
    further: tuple[str, ...] = ()  # other spellings, in small letters

    @property
    def spellings(self) -> tuple[str, ...]:
        """Every spelling in small letters, without the `DT_` of CANN."""
        return (self.name, *self.further)


# By the number that ONNX gives each, from 1 (TensorProto.DataType).
DTYPES: tuple[Dtype, ...] = (
    Dtype("float32", 4, "fp32", "FLOAT", "f32", ("float", "fp32")),
    Dtype("uint8", 1, "int8"),
    Dtype("int8", 1, "int8"),
    Dtype("uint16", 2),
    Dtype("int16", 2),
    Dtype("int32", 4),
    Dtype("int64", 8),
    Dtype("string"),
    Dtype("bool", 1),
    Dtype("float16", 2, "fp16", short="f16", further=("fp16", "half")),
    Dtype("float64", 8, device="DOUBLE", short="f64", further=("double",)),
    Dtype("uint32", 4),
    Dtype("uint64", 8),
    Dtype("complex64", 8),
    Dtype("complex128", 16),
    Dtype("bfloat16", 2, "fp16", "DT_BF16", "bf16", ("bf16",)),
    Dtype("float8_e4m3fn", 1, "fp8"),
    Dtype("float8_e4m3fnuz"),
    Dtype("float8_e5m2", 1, "fp8"),
    Dtype("float8_e5m2fnuz"),
    Dtype("uint4"),
    Dtype("int4", 0.5, "int4"),
    Dtype("float4_e2m1"),
    Dtype("float8_e8m0"),
    Dtype("uint2"),
    Dtype("int2"),
)
# What nobody stated: sized like float16, the narrowest common dtype, so that a volume computed from it is a lower bound.
ASSUMED = Dtype("16-bit", 2, "fp16")
_OTHERS = (ASSUMED, Dtype("hifloat8", 1))  # not ONNX's

_BY_SPELLING = {word: dtype for dtype in (*DTYPES, *_OTHERS) for word in dtype.spellings}


def dtype_of(word: str) -> Dtype | None:
    """The type that a profiler, a model or a person calls `word`; None where it is not known."""
    return _BY_SPELLING.get(word.lower().removeprefix("dt_"))


def of_onnx(number: int) -> str:
    """The name of the type that ONNX gives a number; empty for none (0) and for an unheard one."""
    return DTYPES[number - 1].name if 0 < number <= len(DTYPES) else ""
