"""Ids of all bottlenecks: the 42 patterns of the knowledge base and those added where the facts had a gap.

`parent` names a bottleneck that must hold before this one counts. The registry of `kb.engine.bottlenecks` and the
pattern entries of `data/patterns` are tested to equal this list. Additions are explained in
docs/decisions/0004-added-bottlenecks.md.
"""

from __future__ import annotations

PATTERNS: tuple[str, ...] = (
    "aicpu-fallback",
    "nms-post-processing",
    "scalar-bound-vector",
    "scalar-bound-cube",
    "mte2-bound-cube-hungry",
    "cube-bound-healthy",
    "fixpipe-bound",
    "mte2-bound-vector-at-peak",
    "mte2-bound-vector-below-peak",
    "serial-copy-compute",
    "no-dominant-pipe-bubbles",
    "cv-imbalance-vector-slow",
    "cv-not-overlapped",
    "under-parallel",
    "over-parallel-launch",
    "core-imbalance",
    "tail-wave",
    "bank-conflict",
    "l2-thrash",
    "l2-stream-once",
    "format-conversion-share",
    "unfused-chain",
    "host-bound",
    "vector-compute-bound",
    "wait-dominated",
    "icache-miss",
    "mte1-bound",
    "gemv-small-m",
    "comm-exposed",
    "frequency-drop",
    "discrete-gm-access",
    "attention-small-ops",
    "pure-transport-with-vector-time",
    "simt-configuration",
    "specialised-library-operator",
    "epilogue-in-separate-kernel",
    "many-small-products",
    "cv-sync-bound",
    "cube-idle-no-dot",
    "gemm-memory-limited-triton",
    "random-row-gather-feeding-product",
    "noise-below-resolution",
)

ADDED: tuple[str, ...] = (
    "mte3-bound-vector",  # output copies dominate a vector kernel
    "small-mte3-writes",  # mean bytes a MTE3 instruction far below what the path needs
    "small-mte2-reads",  # the same on the way in
    "head-overhead",  # task duration far above the slowest core
    "setup-dominated-run",  # a run that is mostly set-up kernels (random fill, cast), not the kernel of interest
    "capture-contradicts-size",  # the counters moved far fewer bytes than the stated size
    "attention-unaligned-head-dim",  # a head size that the cube and the copies have to pad
    "product-unaligned-inner-axis",  # rows of an operand that are no whole number of 512-byte lines
    "tiny-last-axis",  # a last axis below one 32-byte block, which every row of a tile is padded to
    "conv-few-channels",  # a convolution whose few input channels are padded to 16
    "tiny-kernels",  # a visible part of the compute time in launches of a few microseconds
    "far-from-floor",  # a multiple of the roofline floor, and no counter that says why
    "rank-imbalance",  # one rank computes longer, or the others wait for it
    "stage-imbalance",  # stages of a pipeline compute for different times
)

IDS: tuple[str, ...] = PATTERNS + ADDED
