"""Ids, units and meanings of all metrics that bottlenecks and entry signatures may name.

Two prefixes as in msopprof: `aic_` is the cube core, `aiv_` the vector core. On chips whose AI Core holds both units
(310, 310P, first-generation 910) a kernel with cube work reports under `aic_` (its vector share under `aiv_vec_ratio`),
any other kernel under `aiv_`. The cube share is `aic_mac_ratio` in every tool (msopprof writes `cube`, msprof `mac`).
Unit "1" is a fraction of one, "" a plain count. `kb.engine.metrics` is tested to define exactly these.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: `kind` is "number" or "label" (value is a word)."""

    id: str
    unit: str
    meaning: str
    kind: str = "number"


def _pipes() -> list[Metric]:
    out = []
    for prefix, core, pipes in (
        ("aic", "cube core", ("mac", "scalar", "mte1", "mte2", "mte3", "fixpipe")),
        ("aiv", "vector core", ("vec", "scalar", "mte2", "mte3")),
    ):
        for pipe in pipes:
            out.append(
                Metric(
                    f"{prefix}_{pipe}_ratio",
                    "1",
                    f"share of the {core}'s time in which {pipe} is active; counts waiting inside the pipe, mean over working cores",
                )
            )
            out.append(
                Metric(
                    f"{prefix}_{pipe}_time_us",
                    "us",
                    f"time {pipe} is active on the {core}, mean over working cores",
                )
            )
        out.append(Metric(f"{prefix}_time_us", "us", f"time of the {core}, mean over working cores"))
        out.append(
            Metric(f"{prefix}_icache_miss_rate", "1", f"instruction cache misses per request on the {core}")
        )
    for metric in ("aic_cube", "aic_mte1", "aic_mte2", "aic_mte3", "aiv_vec", "aiv_mte2", "aiv_mte3"):
        out.append(Metric(f"{metric}_wait_ratio", "1", f"share of time {metric.split('_')[1]} is blocked"))
    for kind in ("total", "bankgroup", "bank", "resc", "mte", "stu", "ldu", "sfu"):
        out.append(Metric(f"aiv_vec_{kind}_cflt_ratio", "1", f"vector time lost to {kind} conflicts"))
    for kind in ("fp32", "fp16", "int32", "int16", "misc"):
        out.append(Metric(f"aiv_vec_{kind}_ratio", "1", f"vector time in {kind} instructions"))
    return out


METRICS: tuple[Metric, ...] = (
    *_pipes(),
    Metric("task_duration_us", "us", "time of one launch, scheduling included"),
    Metric("launch_count", "", "launches in the group"),
    Metric("block_dim", "", "blocks launched (Block Dim / Block Num)"),
    Metric("core_count", "", "cores of the kernel's kind on this chip"),
    Metric("used_core_share", "1", "cores that did real work / cores of that kind on the chip"),
    Metric("working_cores", "", "cores whose time is at least a tenth of the slowest core's"),
    Metric("idle_core_share", "1", "launched cores that did next to nothing / launched cores"),
    Metric("blocks_per_core", "1x", "blocks launched / cores of that kind"),
    Metric("tail_blocks", "", "blocks in the last, partial round: blocks modulo cores"),
    Metric(
        "core_time_imbalance",
        "1",
        "(slowest - mean of launched cores) / slowest core time; idle cores included",
    ),
    Metric("head_overhead_us", "us", "task duration - slowest core"),
    Metric("head_overhead_share", "1", "(task duration - slowest core) / task duration"),
    Metric(
        "aic_scalar_stall_ratio",
        "1",
        "share of cube-core time in which scalar is blocked by a full queue or a wait flag (26.0 and later)",
    ),
    Metric(
        "aiv_scalar_stall_ratio",
        "1",
        "share of vector-core time in which scalar is blocked by a full queue or a wait flag (26.0 and later)",
    ),
    Metric(
        "aic_scalar_wait_ib_ratio",
        "1",
        "share of cube-core time in which scalar waits for instructions (26.0 and later)",
    ),
    Metric(
        "aiv_scalar_wait_ib_ratio",
        "1",
        "share of vector-core time in which scalar waits for instructions (26.0 and later)",
    ),
    Metric("max_pipe_ratio", "1", "largest pipe share of the kernel's core kind"),
    Metric("copy_ratio", "1", "aiv_mte2_ratio + aiv_mte3_ratio"),
    Metric(
        "pipe_sum",
        "1",
        "aiv_vec_ratio + aiv_mte2_ratio + aiv_mte3_ratio; near 1 with none dominant means serial",
    ),
    Metric("cube_vector_time_ratio", "1x", "(aic_time + aiv_time) / task duration of a mix kernel"),
    Metric("l2_hit_rate", "1", "L2 hits / requests over all cores"),
    Metric("read_bytes", "B", "bytes read from GM, all cores"),
    Metric("write_bytes", "B", "bytes written to GM, all cores"),
    Metric("gm_bandwidth", "GB/s", "(read + written bytes) / task duration"),
    Metric("gm_bandwidth_utilisation", "1", "gm_bandwidth / the chip's memory bandwidth"),
    Metric("mte2_instructions", "", "MTE2 instructions, all cores"),
    Metric("mte3_instructions", "", "MTE3 instructions, all cores"),
    Metric("bytes_per_mte2_instruction", "B", "bytes copied in / MTE2 instructions"),
    Metric("bytes_per_mte3_instruction", "B", "bytes copied out / MTE3 instructions"),
    Metric("cube_operations", "", "nominal cube operations counted (padding included)"),
    Metric("vector_operations", "", "nominal vector operations counted"),
    Metric("input_bytes", "B", "bytes of all input tensors by shape and dtype"),
    Metric("output_bytes", "B", "bytes of all output tensors by shape and dtype"),
    Metric("flops", "", "floating-point operations by shape (multiply-add counts 2)"),
    Metric("memory_floor_us", "us", "bytes that must move / memory bandwidth"),
    Metric("compute_floor_us", "us", "operations / peak of the unit on the cores the chip has"),
    Metric("floor_us", "us", "largest of the floors: no kernel doing this work can be faster"),
    Metric("floor_ratio", "1", "floor / task duration: 1 means at the floor"),
    Metric("op_time_share", "1", "operator's time / time of the run (overlap removed)"),
    Metric("compute_time_share", "1", "operator's time / compute time of the run (communication removed)"),
    Metric("clock_ratio", "1", "current clock / rated clock"),
    Metric("comm_exposed_share", "1", "communication not hidden / time of the run"),
    Metric("comm_share", "1", "communication / time of the run"),
    Metric("device_idle_share", "1", "time with nothing running on the device / span of the run"),
    Metric(
        "step_us",
        "us",
        "mean time of a step, from its first start to that of the next; without warm-up steps",
    ),
    Metric("host_gap_us", "us", "mean idle time before a launch"),
    Metric("aicpu_time_share", "1", "AI CPU time / compute time of the run"),
    Metric("format_conversion_share", "1", "time of TransData, Transpose, Cast and the like / compute time"),
    Metric("small_kernel_share", "1", "kernels shorter than 10 us / all kernels, collectives left out"),
    Metric(
        "rank_imbalance", "1", "(slowest - fastest rank compute time) / slowest, of ranks that do the same"
    ),
    Metric(
        "rank_wait_share",
        "1",
        "(largest - smallest exposed communication over ranks that do the same) / time of a step",
    ),
    Metric("stage_imbalance", "1", "(slowest - fastest pipeline stage, compute time) / slowest"),
    Metric("stage_excess_share", "1", "(slowest - mean pipeline stage, compute time) / time of a step"),
    Metric("small_kernel_time_share", "1", "time of AI Core launches shorter than 10 us / compute time"),
    Metric("small_packet_ratio", "1", "bytes sent in packets below the limit / bytes sent"),
    Metric("collective_us", "us", "mean time of a collective, waiting included"),
    Metric(
        "collective_start_share",
        "1",
        "time of the run in which collectives start, at most: collectives x the shortest of them (no more than a small one takes) / run",
    ),
    Metric(
        "comm_wait_ratio",
        "1",
        "time in which collectives move no data (waiting for other ranks, idle) / their whole time",
    ),
    Metric("comm_transit_share", "1", "time in which collectives move data / time of the run"),
    Metric(
        "comm_overlap_share",
        "1",
        "exposed communication that computation can hide at most (no more than there is computation) / time of the run",
    ),
    Metric("comm_p2p_share", "1", "time of send and receive operations / time of all communication"),
    Metric("link_bandwidth", "GB/s", "bytes sent / time moving them, over the transport that moves most"),
    Metric("host_sync_share", "1", "host time in synchronising calls / host time in all acl calls"),
    Metric(
        "host_compile_share", "1", "host time in calls that compile operators / host time in all acl calls"
    ),
    Metric("matmul_m", "", "M of the product, from the shapes"),
    Metric("matmul_n", "", "N of the product, from the shapes"),
    Metric("matmul_k", "", "K of the product, from the shapes"),
    Metric("inner_axis_bytes", "B", "bytes of the innermost axis of the first input"),
    Metric(
        "inner_axis_rest_256",
        "B",
        "bytes of the innermost axis of the first input modulo 256; of a product, the worse operand's",
    ),
    Metric(
        "inner_axis_rest_512",
        "B",
        "bytes of the innermost axis of the first input modulo 512, of a product the worse operand's; 0 is aligned",
    ),
    Metric(
        "operand_rest_512",
        "B",
        "largest remainder modulo 512 of the row bytes of a product's plain (ND) operands; 0 is aligned",
    ),
    Metric("row_bytes", "B", "bytes of the innermost axis of the largest tensor"),
    Metric("row_count", "", "rows of the largest tensor: all its axes but the innermost"),
    Metric("product_tiles", "", "base blocks (128 x 256) in the result of a product, all batches"),
    Metric("product_depth", "1x", "K of a product / the larger of M and N"),
    Metric("product_width", "1x", "N of a product / the larger of M and K"),
    Metric("smaller_operand_bytes", "B", "bytes of the smaller operand of a product"),
    Metric("io_bytes", "B", "bytes of all inputs and outputs by shape and dtype"),
    Metric("l2_bytes", "B", "size of the chip's L2 cache"),
    Metric("elements", "", "elements of the first output"),
    Metric("elements_per_core", "", "elements of the first output / blocks launched"),
    Metric("head_dim", "", "head size of an attention operator, from the shapes"),
    Metric("input_channels", "", "channels of a convolution's input, from the shapes"),
    Metric("passes_over_data", "1x", "bytes read / bytes of the inputs by shape"),
    Metric("useful_cores", "", "cores the data can feed with at least one 16 KiB transfer each"),
    Metric("moved_bytes_share", "1", "bytes moved / bytes the stated shape needs at least"),
    Metric("setup_time_share", "1", "time of random fills and the casts after them / busy time"),
    Metric(
        "op_pattern",
        "",
        "work pattern of the operator in the taxonomy: matmul, attention, scan, gather, ...",
        "label",
    ),
    Metric("op_type", "", "CANN type of the operator", "label"),
    Metric("core", "", "core kind the kernel ran on", "label"),
    Metric("dtype", "", "dtype of the first input", "label"),
    Metric("input_format", "", "format of the first input", "label"),
    Metric("hand_written", "", "yes when the kernel is no library operator", "label"),
    Metric("kernel_language", "", "library, ascend-c or triton, where the name tells", "label"),
    Metric(
        "run_phase",
        "",
        "training, prefill, decode, inference (no gradient, not told which) or unknown, by the operators of the run",
        "label",
    ),
    Metric("model_family", "", "family of the run's network (LLM, YOLO, ...), by its operators", "label"),
    Metric(
        "runs",
        "",
        'operator types of the run; "A -> B" are types that come right after one another on a stream',
        "label",
    ),
    Metric(
        "pipeline_stages",
        "",
        "whether ranks send to one another, and how their stages are known: none, alone, by time, unknown",
        "label",
    ),
    Metric(
        "collectives_run",
        "",
        "layer or step: at least one collective to each attention layer, or fewer (sends left out)",
        "label",
    ),
    Metric("setup", "", "yes for random fills and the casts after them", "label"),
    Metric("conversion", "", "yes for operators that only change layout, format or dtype", "label"),
    Metric("follows", "", "type of the operator most often right before this one", "label"),
    Metric("followed_by", "", "type of the operator most often right after this one", "label"),
    Metric("chip_family", "", "family of the chip", "label"),
)

BY_ID: dict[str, Metric] = {metric.id: metric for metric in METRICS}

# Labels that say what kind of run an entry is for: its phase, its network, the operators in it, where its collectives run. `kb.engine.kind_of_run`
# answers them, and an entry of which one is known not to hold is no advice.
OF_THE_RUN: tuple[str, ...] = ("run_phase", "model_family", "runs", "collectives_run")
PHASES: tuple[str, ...] = ("training", "prefill", "decode", "inference")
COLLECTIVES_RUN: tuple[str, ...] = ("layer", "step")
THEN = "->"


def then(word: str) -> tuple[str, ...]:
    """The operator types of a word of `runs`: one, or those of a chain "A -> B"."""
    return tuple(part.strip() for part in word.split(THEN))
