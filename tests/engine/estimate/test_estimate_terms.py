"""Terms of each class against numbers worked out by hand."""

from __future__ import annotations

import pytest

from kb import targets
from kb.engine.estimate.classes import place
from kb.engine.estimate.geometry import (
    Product,
    Reduction,
    common_tail,
    matrix_product,
    reduction_of,
    uniform_block,
    whole_tail,
)
from kb.engine.estimate.load import NoLoad
from kb.engine.estimate.spec import OpSpec
from kb.engine.estimate.unfold import convolution_product, gradient_filter_product, gradient_input_product
from kb.model import Tensor

OLD = targets.typical("910-30core")  # 30 fused cores at 900 MHz, 1200 GB/s, 32 MiB of L2
A2 = targets.typical("910B2")  # 24 cube and 48 vector cores at 1800 MHz, 1600 GB/s, 192 MiB of L2


def t(*shape: int, dtype: str = "float16", form: str = "ND") -> Tensor:
    return Tensor(shape, dtype, form)


def test_elementwise_above_l2_is_split_into_memory_and_cached() -> None:
    big = t(64, 1024, 1024)  # 128 MiB, three of them moved
    found = place(OpSpec("Add", (big, big), (big,)), A2)
    assert found.keys == ("any vector", "elementwise", "elementwise_binary", "Add")
    moved = 3 * 64 * 1024 * 1024 * 2
    terms = found.load.terms
    assert terms["cached"] == pytest.approx(201326592 / 1.6e6)
    assert terms["memory"] == pytest.approx((moved - 201326592) / 1.6e6)
    assert terms["block"] == 48
    assert terms["vector"] == pytest.approx(64 * 1024 * 1024 * 2 / 48 / 256 / 1800)


def test_small_elementwise_starts_a_block_for_each_part() -> None:
    small = t(12288, dtype="float32")  # 48 KiB
    assert place(OpSpec("Cast", (small,), (small,)), A2).load.terms["block"] == 12  # 4 KiB each
    assert place(OpSpec("Cast", (small,), (small,)), OLD).load.terms["block"] == 24  # 2 KiB each
    assert place(OpSpec("Cast", (small,), (small,), blocks=7), A2).load.terms["block"] == 7


def test_broadcast_pieces() -> None:
    assert uniform_block((16, 1200, 150), [(16, 1200, 1), (16, 1, 150)]) == 150
    assert uniform_block((128, 768), [(128, 768), (768,)]) == 768
    assert uniform_block((128, 768), [(128, 768), (128, 768)]) == 128 * 768
    found = place(OpSpec("Add", (t(16, 1200, 1), t(16, 1, 150)), (t(16, 1200, 150),)), OLD)
    assert found.load.variant == "broadcast, ragged"  # 150 halves are no multiple of 32 bytes
    assert found.load.terms["piece"] == pytest.approx(16 * 1200 / 30 / 900)


def test_waves_leave_cores_idle() -> None:
    one = t(4096, 4096)
    full, more = (
        place(OpSpec("Relu", (one,), (one,), blocks=blocks), A2).load.terms["vector"] for blocks in (48, 49)
    )
    assert more == pytest.approx(full * 48 * 2 / 49)


def test_rows_are_spread_over_cores_one_by_one() -> None:
    found = place(OpSpec("SoftmaxV2", (t(2, 1000, dtype="float32"),), (t(2, 1000, dtype="float32"),)), A2)
    assert found.load.terms["block"] == 2
    assert found.load.terms["vector"] == pytest.approx(16 / 1800)  # 4000 bytes are 16 vectors, one row a core
    blocked = place(OpSpec("Softmax", (t(12, 4, 4, 16, 16, form="FRACTAL_NZ"),), ()), OLD)
    assert blocked.load.variant == "blocked"
    assert blocked.load.terms["scalar"] == pytest.approx(12 * 64 * 4 / 30 / 900)  # 768 rows in 4 pieces


def test_axes_of_reductions() -> None:
    assert reduction_of((512, 128, 768), (128, 768)) == Reduction(1, 512, 128 * 768, 1)
    assert reduction_of((1280, 21128), (1280,)) == Reduction(1280, 1, 1, 21128)
    assert reduction_of((12000, 39, 80), (12000, 80)) == Reduction(12000, 39, 80, 1)
    assert reduction_of((64, 255, 20, 20), (255,)) == Reduction(255, 64, 1, 400)
    assert reduction_of((64, 128, 7, 7, 16), (64, 128, 1, 1, 16)) == Reduction(64 * 128, 49, 16, 1)
    columns = place(OpSpec("ReduceSum", (t(5120, 21120),), (t(21120),)), OLD)
    assert columns.load.terms["piece"] == pytest.approx(5120 / 900)  # every core walks all rows
    assert place(OpSpec("ReduceSum", (t(5120, 64),), (t(),)), OLD).load.variant == "to one value"


def test_pieces_of_parts() -> None:
    assert common_tail((307200, 80), (307200, 85)) == 80
    assert common_tail((1, 16, 4, 35, 35), (16, 16, 35, 35)) == 4 * 35 * 35
    narrow = place(OpSpec("StridedSlice", (t(300, 4),), (t(300, 1),)), OLD)
    assert narrow.load.variant == "narrow"
    wide = place(OpSpec("StridedSlice", (t(300, 85),), (t(300, 4),)), OLD)
    assert wide.load.variant == "ragged"
    assert wide.load.terms["scalar"] == pytest.approx(300 * 4 / 2 / 900)  # 2400 bytes are 2 blocks
    assert place(OpSpec("Slice", (t(64, 768),), (t(8, 768),)), OLD).load.variant == ""


def test_gather_reads_rows_one_by_one() -> None:
    assert whole_tail((768,), (8192, 768)) == 768
    found = place(OpSpec("GatherV2", (t(2, 768), t(8192, dtype="int32")), (t(8192, 768),)), OLD)
    assert found.load.terms["piece"] == pytest.approx(8192 / 30 / 900)
    scalars = place(OpSpec("Gather", (t(10000, 1), t(300, dtype="int32")), (t(300, 1),)), OLD)
    assert scalars.load.terms["cached"] == pytest.approx((300 * 64 + 600) / 1.2e6)  # 64 bytes a read at least


def test_transposes_keep_rows_or_lose_them() -> None:
    assert place(OpSpec("Transpose", (t(4, 8, 64),), (t(8, 4, 64),)), A2).load.variant == "rows"
    assert place(OpSpec("Transpose", (t(4, 8, 64),), (t(4, 64, 8),)), A2).load.variant == "last axis"
    square = place(OpSpec("Transpose", (t(4, 64, 64),), (t(4, 64, 64),)), A2).load
    assert square.assumed
    assert "permutation" in square.assumed[0]


def test_a_window_is_read_off_the_mask() -> None:
    image, half = t(16, 4, 20, 20, 16, form="NC1HWC0"), t(16, 4, 10, 10, 16, form="NC1HWC0")
    mask = t(16, 4, 9, 8, 16, dtype="uint16", form="NC1HWC0")
    found = place(OpSpec("MaxPoolWithArgmax", (image,), (half, mask)), OLD)
    assert found.load.terms["vector"] == pytest.approx(64 * 100 * 9 * 32 / 256 / 30 / 900)


def test_products_from_element_counts() -> None:
    plain = OpSpec("MatMul", (t(4096, 1024), t(2048, 1024)), (t(4096, 2048),))
    assert matrix_product(plain) == Product(1, 4096, 2048, 1024)
    blocked = OpSpec(
        "MatMul",
        (t(48, 200, 16, 16, form="FRACTAL_NZ"), t(48, 48, 16, 16, form="FRACTAL_NZ")),
        (t(48, 200, 16, 16, form="FRACTAL_NZ"),),
    )
    assert matrix_product(blocked) == Product(1, 3200, 768, 768)
    batched = OpSpec("BatchMatMulV2", (t(16, 1, 128), t(16, 128, 512)), (t(16, 1, 512),))
    assert matrix_product(batched) == Product(16, 1, 512, 128)
    weights = OpSpec("QuantBatchMatmulV3", (t(1, 7168), t(66, 448, 16, 32, form="FRACTAL_NZ")), ())
    assert matrix_product(weights) == Product(1, 1, 2112, 7168)


def test_cube_time_is_padded_and_counts_the_cores_used() -> None:
    call = OpSpec("MatMul", (t(1, 100), t(100, 30)), (t(1, 30),))
    terms = place(call, A2).load.terms
    assert terms["block"] == 1
    assert terms["cube"] == pytest.approx(2 * 16 * 32 * 112 / (8192 * 1800))
    assert place(call, A2).load.variant == "few rows"
    large = OpSpec("MatMul", (t(4096, 4096), t(4096, 4096)), (t(4096, 4096),))
    assert place(large, A2).load.floor_us == pytest.approx(2 * 4096**3 / (8192 * 24 * 1800))
    # A is read again by 15 more columns of tiles, B by 31 more rows
    assert place(large, A2).load.terms["traffic"] == pytest.approx(2 * 4096**2 * 46 / (128 * 24 * 1800))


def test_strides_of_a_power_of_two_conflict_in_blocked_layouts_only() -> None:
    def of(rows: int) -> float:
        a = t(48, rows, 16, 16, form="FRACTAL_NZ")
        call = OpSpec("MatMul", (a, t(48, 48, 16, 16, form="FRACTAL_NZ")), (a,))
        return place(call, OLD).load.terms.get("conflict", 0.0)

    assert of(2000) == 0
    assert of(2048) > of(1024) > 0


def test_convolutions_as_products() -> None:
    image, filters = t(16, 12, 17, 17, 16, form="NC1HWC0"), t(108, 20, 16, 16, form="FRACTAL_Z")
    out = t(16, 20, 8, 8, 16, form="NC1HWC0")
    assert convolution_product(OpSpec("Conv2D", (image, filters), (out,))) == Product(1, 16 * 64, 320, 1728)
    plain = OpSpec("Conv2D", (t(2, 64, 56, 56), t(128, 64, 3, 3)), (t(2, 128, 28, 28),))
    assert convolution_product(plain) == Product(1, 2 * 784, 128, 576)
    # a strided gradient is computed on the full map: 17 x 17, not 8 x 8
    backward = OpSpec("Conv2DBackpropInput", (out, filters), (image,))
    assert gradient_input_product(backward) == Product(1, 16 * 289, 192, 320 * 9)
    weights = OpSpec("Conv2DBackpropFilter", (out, image), (filters,))
    assert gradient_filter_product(weights) == Product(1, 320, 1728, 16 * 64)


def test_attention_counts_half_under_a_mask() -> None:
    q = t(1, 16, 4096, 128)
    free = place(OpSpec("FlashAttentionScore", (q, q, q), (q,)), A2).load.terms["cube"]
    assert free == pytest.approx(4 * 16 * 4096**2 * 128 / (8192 * 24 * 1800))
    masked = OpSpec("FlashAttentionScore", (q, q, q, t(2048, 2048, dtype="uint8")), (q,))
    assert place(masked, A2).load.terms["cube"] == pytest.approx(free / 2)
    hidden = OpSpec("FlashAttentionScore", (t(4096, 1, 2048), t(4096, 1, 1024), t(4096, 1, 1024)), ())
    assert place(hidden, A2).load.terms["cube"] == pytest.approx(free)
    with pytest.raises(NoLoad, match="not in the shapes"):
        place(OpSpec("FlashAttentionScore", (t(3, 16, 512), t(7, 128, 640)), ()), A2)


def test_a_cleared_map_is_not_cleared_whole() -> None:
    image = t(16, 12, 71, 71, 16, form="NC1HWC0")
    assert place(OpSpec("AtomicAddrClean", (image,)), OLD).load.terms["cached"] < 0.1
    assert place(OpSpec("AtomicAddrClean", (image,), blocks=29), OLD).load.terms["cached"] > 10


def test_caches_updated_in_place_are_not_moved() -> None:
    cache, rows = t(12550, 128, 1, 128), t(4104, 1, 128)
    call = OpSpec("ReshapeAndCacheNdKernel", (rows, rows, cache, cache), (cache, cache))
    assert place(call, A2).load.terms["cached"] == pytest.approx(2 * 4104 * 128 * 2 / 1.6e6)


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (OpSpec("my_kernel", (t(8),), (t(8),)), "unknown operator type my_kernel"),
        (OpSpec("HcomAllReduce", (t(8),), (t(8),)), "other ranks"),
        (OpSpec("DynamicRNN", (t(8, 8),), (t(8, 8),)), "no cost model"),
        (OpSpec("Slice", (t(8, 8),)), "output shape is needed"),
        (OpSpec("Add", ()), "no shapes"),
        (OpSpec("MatMul", (t(3, 5), t(7, 11))), "do not fit"),
    ],
    ids=lambda value: value.type if isinstance(value, OpSpec) else "",
)
def test_what_cannot_be_estimated_says_why(spec: OpSpec, reason: str) -> None:
    with pytest.raises(NoLoad, match=reason):
        place(spec, A2)


def test_a_fused_product_keeps_its_own_class() -> None:
    a = t(48, 200, 16, 16, form="FRACTAL_NZ")
    found = place(OpSpec("FusionOp_MatMul_AddN", (a, t(48, 48, 16, 16, form="FRACTAL_NZ"), a), (a,)), OLD)
    assert found.keys == ("any cube", "product", "matmul", "FusionOp_MatMul_AddN")
