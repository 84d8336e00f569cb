"""Fingerprints of networks as small JSON files, from exported and bundled ONNX files outside the repository.

    python -m tools.make_fingerprints ONNX_FOLDER WHEEL_FOLDER tests/samples/networks

`ONNX_FOLDER` is what `tools.export_networks` wrote. Models are not committed, these files are: operator counts, the
features of `kb.engine.family.features`, the operator types the same network shows in a device profile, and the origin.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from kb.engine.family.device import device_counts, device_sizes
from kb.engine.family.features import fingerprint
from kb.graph import read
from tools.networks import packages

Found = tuple[str, str, str, str, Path]


def main() -> int:
    """Write one file a network; names what is missing."""
    folder, wheels, out = (Path(arg) for arg in sys.argv[1:4])
    out.mkdir(parents=True, exist_ok=True)
    names = set()
    for name, family, split, origin, path in [
        *_exported(folder),
        *packages.unpacked(wheels, folder),
        *packages.light(),
    ]:
        model = read(path)
        found = fingerprint(model)
        record = {
            "name": name,
            "family": family,
            "split": split,
            "origin": origin,
            "layers": found.layers,
            "ops": dict(sorted(found.ops.items())),
            "device": dict(sorted(device_counts(model).items())),
            "sizes": dict(sorted(device_sizes(model).items())),
            "features": dict(sorted(found.features.items())),
        }
        names.add(f"{name}.json")
        (out / f"{name}.json").write_text(_compact(record), encoding="utf-8")
    for old in out.glob("*.json"):
        if old.name not in names:
            old.unlink()
    print(f"{len(names)} fingerprints")
    return 0


def _exported(folder: Path) -> Iterator[Found]:
    for group in ("vision", "sequence", "handmade"):
        for net in import_module(f"tools.networks.{group}").nets():
            name = net.name.replace("/", "-")
            path = folder / f"{name}.onnx"
            if path.exists():
                yield name, net.family, net.split, net.origin, path
            else:
                print(f"{net.name}: not exported")


def _compact(record: dict[str, object]) -> str:
    """One line a key, so that a change shows as a small difference."""
    lines = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in record.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    raise SystemExit(main())
