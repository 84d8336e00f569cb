"""The msopprof samples: one shipped, the others for tests."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tools.samples import headers, kernels
from tools.samples.kernels import Cells, Core, Kernel, cells, table

SHIPPED_README = """\
SYNTHETIC SAMPLE, not measured on any device.

An element-wise add of two float16 tensors of 1024 x 2048 elements, as msopprof (CANN 8.5) would report it on an
Ascend 910B3 with 40 vector cores. The kernel uses 4 of the 40 cores, copies 512 bytes at a time, and does not
overlap copying with computing. The numbers follow from these assumptions; tools/make_samples.py computes them.
"""

TILE_KIB = 0.5
ADD_SHARES = {"vec": 0.108, "scalar": 0.284, "mte2": 0.612, "mte3": 0.259}


def add_custom() -> Kernel:
    """The shipped sample: each core adds 524288 elements in tiles of 256 (512 bytes)."""
    tiles = 1024 * 2048 // 4 // 256
    cores = [
        Core(
            block=block,
            sub="vector0",
            time_us=time,
            shares=ADD_SHARES,
            read_kib=2 * tiles * TILE_KIB,
            write_kib=tiles * TILE_KIB,
            reads=2 * tiles,
            writes=tiles,
            waits={"vec": 0.571, "mte1": 0.0, "mte2": 0.214, "mte3": 0.437},
            operations=tiles * 256,
        )
        for block, time in enumerate((470.904, 469.212, 471.337, 468.950))
    ]
    return Kernel("add_custom", "vector", 476.420013, 4, cores, "Ascend910B3")


def add_custom_on_all_cores() -> Kernel:
    """The same add after it was spread over all 40 vector cores: for the recorded session.

    Each core copies a tenth of the bytes, and takes a tenth of the time and a little more.
    """
    tiles = 1024 * 2048 // 40 // 256
    cores = [
        Core(
            block=block,
            sub="vector0",
            time_us=49.1 + 0.17 * (block % 7) - 0.11 * (block % 5),
            shares=ADD_SHARES,
            read_kib=2 * tiles * TILE_KIB,
            write_kib=tiles * TILE_KIB,
            reads=2 * tiles,
            writes=tiles,
            waits={"vec": 0.571, "mte1": 0.0, "mte2": 0.214, "mte3": 0.437},
            operations=tiles * 256,
        )
        for block in range(40)
    ]
    return Kernel("add_custom", "vector", 54.860001, 40, cores, "Ascend910B3")


def shipped(folder: Path) -> None:
    """data/samples/add_custom."""
    kernels.write(folder, add_custom())
    (folder / "README.txt").write_text(SHIPPED_README, encoding="utf-8")


def _vector(name: str, duration: float, blocks: int, soc: str = "Ascend910B2") -> Kernel:
    cores = [
        Core(
            block=block,
            sub="vector0",
            time_us=duration - 4.2 - 0.11 * (block % 3),
            shares={"vec": 0.31, "scalar": 0.12, "mte2": 0.74, "mte3": 0.41},
            read_kib=64.0,
            write_kib=32.0,
            reads=8,
            writes=4,
            waits={"vec": 0.08, "mte2": 0.05, "mte3": 0.11},
            operations=16384,
        )
        for block in range(blocks)
    ]
    return Kernel(name, "vector", duration, blocks, cores, soc)


def _mix() -> Kernel:
    """A short mix kernel: ratios divide by 5 us although it took 5.74."""
    cores = []
    for block in range(2):
        cores.append(
            Core(
                block=block,
                sub="cube0",
                time_us=4.61 + 0.05 * block,
                shares={
                    "mac": 0.21,
                    "scalar": 0.44,
                    "mte1": 0.18,
                    "mte2": 0.37,
                    "mte3": 0.0,
                    "fixpipe": 0.12,
                },
                read_kib=32.0,
                write_kib=16.0,
                reads=6,
                waits={"cube": 0.3, "mte1": 0.22, "mte2": 0.04, "mte3": 0.0},
                operations=2 * 64 * 64 * 256,
            )
        )
        cores.extend(
            Core(
                block=block,
                sub=f"vector{n}",
                time_us=4.02 + 0.31 * n,
                shares={"vec": 0.09, "scalar": 0.33, "mte2": 0.15, "mte3": 0.11},
                read_kib=8.0,
                write_kib=8.0,
                reads=2,
                writes=2,
                operations=4096,
            )
            for n in range(2)
        )
    return Kernel("matmul_leakyrelu_mix_aic", "mix", 5.74, 2, cores, "Ascend910B2", mix_block_dim=4)


def _scalar_details(folder: Path) -> None:
    """msopprof 26: scalar columns, no version elsewhere in the folder; the clock is below its rating."""
    kernel = replace(_vector("gather_rows", 38.5, 6, "Ascend910_9382"), current_mhz=1440)
    rows = [cells(core, kernel) for core in kernel.cores]
    for row in rows:
        scalar = float(row["aiv_scalar_time(us)"])
        parts = {"single": 0.5, "dual": 0.2, "mte2_stall": 0.1, "wait_ib": 0.15, "wait": 0.05}
        for name in ("single", "dual", "mte2_stall", "mte3_stall", "vector_stall", "wait_ib", "wait"):
            row[f"aiv_scalar_{name}_time(us)"] = scalar * parts.get(name, 0.0)
        row["aiv_scalar_stall_by_ub_time(us)"] = 0.0
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "OpBasicInfo.csv").write_text(kernels.basic(kernel), encoding="utf-8")
    for name, header in headers.MSOPPROF_26.items():
        (folder / f"{name}.csv").write_text(table(header, rows), encoding="utf-8")


def _chip_950(folder: Path) -> None:
    """950: no trailing comma, near and far L2 halves, other vector units; no OpBasicInfo."""
    kernel = replace(_vector("k950", 12.4, 8), rated_mhz=1650, current_mhz=1650)
    rows = []
    for core in kernel.cores:
        row = cells(core, kernel)
        for way, hit in (("read", 0.5), ("write", 1.0)):
            requests = round((core.read_kib if way == "read" else core.write_kib) * 8)
            for half in ("close", "far"):
                row[f"aiv_{way}_{half}_hit"] = round(requests * hit / 2)
                row[f"aiv_{way}_{half}_miss"] = round(requests * (1 - hit) / 2)
                row[f"aiv_{way}_{half}_victim"] = 0
            row[f"aiv_{way}_hit_rate(%)"] = 100 * hit
        row |= {
            "aiv_vec_vf_ratio": row["aiv_vec_ratio"],
            "aiv_vec_sfu_ratio": 0.0,
            "aiv_vec_simt_vf_ratio": 0.0,
        }
        row |= {f"aiv_vec_{unit}_cflt_ratio": 0.0 for unit in ("stu", "ldu", "sfu")}
        rows.append(row)
    folder.mkdir(parents=True, exist_ok=True)
    for name, header in headers.A950.items():
        (folder / f"{name}.csv").write_text(table(header, rows, comma=False), encoding="utf-8")


def _chip_310p(folder: Path) -> None:
    """310P: one row for all cores, one prefix, no block columns."""
    kernel = Kernel("conv_relu", "AiCore", 212.5, 8, (), "Ascend310P3", rated_mhz=1060, current_mhz=1060)
    total = round(206.0 * 1060)
    row: Cells = {"aic_time(us)": total / 1060, "aic_total_cycles": total, "aic_icache_miss_rate": 0.004}
    shares = {"cube": 0.41, "vec": 0.22, "scalar": 0.09, "mte1": 0.33, "mte2": 0.78, "mte3": 0.19}
    for pipe, share in shares.items():
        row[f"aic_{pipe}_time(us)"] = round(total * share) / 1060
        row[f"aic_{pipe}_ratio"] = round(total * share) / total
        row[f"aic_{pipe}_wait_ratio"] = 0.05
    row |= {
        "aic_cube_fp16_ratio": row["aic_cube_ratio"],
        "aic_cube_int8_ratio": 0.0,
        "aic_cube_fops": 96_468_992,
    }
    row |= {"aic_cube_total_instr_number": 11776, "aic_vec_fops": 1_048_576, "aic_l2_cache_hit_rate(%)": 63.4}
    row |= {f"aic_vec_{kind}_ratio": 0.0 for kind in ("fp32", "int32", "int16", "misc")}
    row |= {"aic_vec_fp16_ratio": row["aic_vec_ratio"]}
    row |= {f"aic_vec_{kind}_cflt_ratio": 0.0 for kind in ("total", "bankgroup", "bank", "resc", "mte")}
    row |= {"aic_mte1_instructions": 9216, "aic_mte2_instructions": 1536, "aic_mte3_instructions": 256}
    for name in ("l1_read", "l1_write", "ub_to_gm", "gm_to_ub", "main_mem_read", "main_mem_write"):
        row[f"aic_{name}_bw(GB/s)"] = {"l1_read": 92.0, "l1_write": 46.0, "main_mem_read": 10.4}.get(
            name, 2.6
        )
    folder.mkdir(parents=True, exist_ok=True)
    basic = kernels.basic(kernel, headers.BASIC_310P)
    (folder / "OpBasicInfo.csv").write_text(basic, encoding="utf-8")
    for name, header in headers.A310P.items():
        (folder / f"{name}.csv").write_text(table(header, [row]), encoding="utf-8")
    (folder / "dump").mkdir(exist_ok=True)
    (folder / "dump" / "op_basic_info.txt").write_text(kernels.info(kernel), encoding="utf-8")


def _launches(folder: Path) -> None:
    """Two devices, several launches: names with time stamps in kernel and order folders."""
    count = 0
    for device in (0, 1):
        for order in (0, 1):
            for name, duration in (("Add_kernel", 11.2), ("Mul_kernel", 9.1)):
                kernel = replace(_vector(name, duration + 0.3 * order, 2), device=device)
                count += 1
                stamp = f"_20260102030405{count:03d}"
                place = folder / f"device{device}" / name / str(order)
                some = {key: headers.CANN_85[key] for key in ("PipeUtilization", "Memory")}
                kernels.write(place, kernel, some, stamp=stamp)


def tests(folder: Path) -> None:
    """tests/samples/msopprof."""
    kernels.write(folder / "whole-vector", _vector("softmax_custom", 27.6, 6))
    kernels.write(folder / "odd-mix", _mix(), with_info=False)
    _scalar_details(folder / "odd-scalar-columns")
    _chip_950(folder / "odd-950")
    _chip_310p(folder / "odd-310p")
    _launches(folder / "odd-launches")
    lone = folder / "odd-lone-table"
    lone.mkdir(parents=True, exist_ok=True)
    kernel = _vector("softmax_custom", 27.6, 6)
    rows = [cells(core, kernel) for core in kernel.cores]
    pipe = table(headers.CANN_85["PipeUtilization"], rows)
    (lone / "PipeUtilization.csv").write_text(pipe, encoding="utf-8")
    cut = folder / "broken-cut"
    kernels.write(cut, kernel, {"Memory": headers.CANN_85["Memory"]}, with_info=False)
    (cut / "PipeUtilization.csv").write_text(pipe[: len(pipe) - 90], encoding="utf-8")
    bare = folder / "broken-no-rows"
    bare.mkdir(parents=True, exist_ok=True)
    (bare / "PipeUtilization.csv").write_text(pipe.split("\n", 1)[0] + "\n", encoding="utf-8")
