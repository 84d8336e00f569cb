"""Fit the scales of chips whose networks are timed but not their operators, and write data/costmodel/scales.tsv.

    python -m tools.fit_networks tests/benchmarks/networks_310p.tsv

Prints how far the scaled estimates lie from the measured times, with each network left out of the fit once.
"""

from __future__ import annotations

import sys
from pathlib import Path

from kb import targets
from kb.engine.estimate import networks, scales

OUT = Path(__file__).resolve().parent.parent / "data" / "costmodel" / "scales.tsv"
HEAD = """\
# Factors on the constants of a class (way of walking over the data), for chips whose single operators nobody timed.
# Fitted by tools/fit_networks.py on the published throughput of whole networks (tests/benchmarks/networks_310p.tsv).
# launch, memory and compute are the parts of an estimate; networks: on how many they rest.
chip_family\tclass\tlaunch\tmemory\tcompute\tnetworks
"""


def main() -> int:
    """Fit, write, print."""
    known = networks.read_networks(Path(sys.argv[1]))
    count = len({one.name for one in known})
    family = targets.typical(known[0].chip).family
    found = networks.fit_scales(known)
    lines = [
        f"{family}\t{walk}\t{one.launch:.3g}\t{one.memory:.3g}\t{one.compute:.3g}\t{count}"
        for walk, one in sorted(found.items())
    ]
    OUT.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    scales.shipped_scales.cache_clear()
    scored = networks.score(known, cross=True)
    for one in scored:
        crossed = (one.cross_us or one.mid_us) / one.measured_us
        print(
            f"{one.network:20} {one.batch:4} measured {one.measured_us:9.0f} us, estimated {one.mid_us:9.0f}"
            f" ({one.low_us:.0f} to {one.high_us:.0f}), factor {one.factor:.2f}, left out {crossed:.2f}"
        )
    for name, value in networks.summary(scored).items():
        print(f"{name}: {value:.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
