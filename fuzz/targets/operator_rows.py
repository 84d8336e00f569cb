"""Tables of operators and their shapes, for `kb estimate`."""

from __future__ import annotations

from fuzz.sample import FEED, refused
from kb import targets
from kb.engine.estimate import estimate
from kb.engine.estimate.rows import read_rows
from kb.errors import KbError

PARSES = ("kb.engine.estimate.rows", "kb.engine.estimate.geometry")
_HEAD = b"chip\top_type\tin_shapes\tin_dtypes\tin_formats\tout_shapes\tout_dtypes\n"


def seeds() -> list[bytes]:
    """Rows of several classes, and cells in the other spellings."""
    return [
        _HEAD + b"Ascend910B3\tMatMulV2\t1024,512;512,256\tFLOAT16;FLOAT16\tND;ND\t1024,256\tFLOAT16\n",
        _HEAD + b"# note\nAscend310P3\tAdd\t[[8, 128], []]\tfloat\t\t\t\nAscend310P3\tConv2D\t1,3,224,224;64,3,7,7\t\tNCHW\t\t\n",
        b"op_type,in_shapes\nSoftmaxV2,\"8,1024\"\nNope,-1\n",
    ]  # fmt: skip


def one(data: bytes) -> None:
    """Read the rows and estimate each."""
    try:
        for row in read_rows(FEED.file("rows.tsv", data)):
            estimate(row.spec, targets.typical("Ascend310P3"))
    except KbError as fault:
        refused(fault)
