"""Work patterns that several parts of `kb` look for: what an operator type computes, as `data/operators/op_types.tsv` says.

The table has many more; those that one part alone looks for stand there. A prefix counts: "conv" covers "conv2d".
"""

from __future__ import annotations

PRODUCTS = (
    "matmul",
    "batch_matmul",
    "quant_matmul",
    "weight_quant_matmul",
)  # one product a call, M x N x K in its shapes
ALL_PRODUCTS = (*PRODUCTS, "grouped_matmul")
