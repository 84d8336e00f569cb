"""One target under atheris: `python -m fuzz.drive NAME [options of libFuzzer] [corpus folders]`."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris  # type: ignore[import-not-found]  # of the extra `fuzz`

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends the process."""
    name, *rest = arguments
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    with atheris.instrument_imports(include=["kb"]):
        from fuzz import targets

        target = targets.target(name)
        for data in target.seeds():
            target.one(data)  # what is imported on the way is instrumented too
    if rest[:1] == ["--seeds"]:
        for number, data in enumerate(target.seeds()):
            (Path(rest[1]) / f"seed-{number:03d}").write_bytes(data)
        return
    atheris.Setup([sys.argv[0], *rest], target.one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1:])
