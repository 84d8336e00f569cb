"""Lists of PyTorch operators, as text or in an exported program."""

from __future__ import annotations

import io
import json
import zipfile

from fuzz.sample import FEED, refused
from kb.engine.check import torch
from kb.errors import KbError

PARSES = ("kb.engine.check.torch",)


def seeds() -> list[bytes]:
    """A list, a log, and the archive of an exported program."""
    program = {
        "graph_module": {"graph": {"nodes": [{"target": "torch.ops.aten.add.Tensor"}, {"target": "x::y"}]}}
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("models/model.json"), json.dumps(program))
    return [
        b"aten.add.Tensor\naten.nms # twice\nnpu.npu_rms_norm\n",
        b"call aten::matmul(x) then y::z\n",
        out.getvalue(),
    ]


def one(data: bytes) -> None:
    """Read the names and judge them."""
    try:
        names = torch.read_names(FEED.file("names.txt", data))
        torch.check_torch(names, "Ascend310P3", ())
    except KbError as fault:
        refused(fault)
