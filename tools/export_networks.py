"""Export the networks of `tools.networks` as weight-free ONNX files, one process each, into a folder outside the repository.

    python -m tools.export_networks vision OUT [NAME ...]

A weight-free file keeps names, shapes and types of all initialisers; values longer than 64 elements are marked external.
Needs torch, torchvision, timm, transformers, diffusers, segmentation-models-pytorch, ultralytics and onnx.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from pathlib import Path

from tools.networks.net import Net

TIMEOUT_S = 400
KEEP = 64


def main() -> int:
    """Export what is not there yet; prints one line a network, exit status 1 when one failed."""
    group, out, *names = sys.argv[1:]
    from tools.networks import torchvision_stub

    library = torchvision_stub.install()
    nets = importlib.import_module(f"tools.networks.{group}").nets()
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for net in nets:
        target = folder / f"{net.name.replace('/', '-')}.onnx"
        if target.exists() or (names and net.name not in names):
            continue
        start = time.monotonic()
        status = _forked(net, target)
        failed += status != 0
        print(
            f"{net.name}\t{'ok' if status == 0 else 'FAILED'}\t{time.monotonic() - start:.0f} s", flush=True
        )
    del library
    return min(failed, 1)


def _forked(net: Net, target: Path) -> int:
    pid = os.fork()
    if pid == 0:
        signal.alarm(TIMEOUT_S)
        try:
            export(net, target)
            os._exit(0)
        except BaseException as fault:
            print(f"{net.name}: {type(fault).__name__}: {str(fault)[:300]}", file=sys.stderr, flush=True)
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def export(net: Net, target: Path) -> None:
    """Build, export, strip, write."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    torch.onnx.register_custom_op_symbolic("aten::rms_norm", _rms_norm, 17)
    module, args = net.build()
    whole = target.with_suffix(".whole")
    try:
        with torch.no_grad():
            if net.dynamo:
                torch.onnx.export(module, args, str(whole), dynamo=True, external_data=False, verbose=False)
            else:
                axes = {"x": {0: "batch", 2: "height", 3: "width"}} if net.dynamic else None
                torch.onnx.export(
                    module, args, str(whole), dynamo=False, opset_version=17, do_constant_folding=True,
                    input_names=["x"] if net.dynamic else None, dynamic_axes=axes,
                )  # fmt: skip
        strip(whole, target)
    finally:
        whole.unlink(missing_ok=True)


def _rms_norm(g, x, shape, weight, eps):
    """RMSNorm spelt out, for opsets that have no such operator."""
    import torch
    from torch.onnx.symbolic_helper import _get_const

    small = _get_const(eps, "f", "eps") or 1e-6
    mean = g.op("ReduceMean", g.op("Mul", x, x), axes_i=[-1], keepdims_i=1)
    root = g.op("Sqrt", g.op("Add", mean, g.op("Constant", value_t=torch.tensor(small))))
    scaled = g.op("Div", x, root)
    return scaled if weight.node().mustBeNone() else g.op("Mul", scaled, weight)


def strip(source: Path, target: Path) -> None:
    """Write the model without the values of its larger tensors."""
    import onnx

    model = onnx.load(str(source), load_external_data=False)
    _strip(model.graph)
    for function in model.functions:
        _strip(function)
    target.write_bytes(model.SerializeToString())


def _strip(graph) -> None:
    tensors = list(getattr(graph, "initializer", ()))
    for node in graph.node:
        for attribute in node.attribute:
            tensors += [attribute.t, *attribute.tensors]
            for inner in (attribute.g, *attribute.graphs):
                _strip(inner)
    for tensor in tensors:
        count = 1
        for dim in tensor.dims:
            count *= dim
        if count > KEEP:
            for field in ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data"):
                tensor.ClearField(field)
            del tensor.external_data[:]
            entry = tensor.external_data.add()
            entry.key, entry.value = "location", "weights.bin"
            tensor.data_location = 1


if __name__ == "__main__":
    raise SystemExit(main())
