"""msopprof captures computed from what a kernel does: bytes, instructions, and the share of time of each pipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.samples import headers

GIB = 1024**3
CEILINGS = {"gm_to_ub": 220.1, "ub_to_gm": 186.2, "gm_to_l1": 199.4, "l0c_to_gm": 203.7}  # GB/s (GiB) a core

Cells = dict[str, float | int | str]


@dataclass(frozen=True)
class Core:
    """What one core did: its time, pipe shares, KiB and copies in each direction."""

    block: int
    sub: str
    time_us: float
    shares: Mapping[str, float]  # vec or mac, scalar, mte1, mte2, mte3, fixpipe
    read_kib: float = 0.0
    write_kib: float = 0.0
    reads: int = 0
    writes: int = 0
    waits: Mapping[str, float] | None = None
    conflicts: Mapping[str, float] | None = None
    fp16_share: float = 1.0  # of the vector work
    operations: int = 0
    hit_read: float = 0.5
    hit_write: float = 0.93
    miss_rate: float = 0.01


@dataclass(frozen=True)
class Kernel:
    """One launch."""

    name: str
    kind: str
    duration_us: float
    block_dim: int
    cores: Sequence[Core]
    soc: str
    mix_block_dim: int | None = None
    rated_mhz: int = 1800
    current_mhz: int | None = 1800
    device: int = 0
    pid: int = 4242


def cells(core: Core, kernel: Kernel) -> Cells:
    """Every column of every table for one core, by the spelling of the newest A2 header."""
    clock = kernel.current_mhz or kernel.rated_mhz
    side = "aic" if core.sub.startswith("cube") else "aiv"
    total = round(core.time_us * clock)
    time = total / clock
    # the tool divides a mix kernel's ratios by whole microseconds of its duration
    below = int(kernel.duration_us) * clock if kernel.kind == "mix" else total
    seconds = (kernel.duration_us if kernel.kind == "mix" else time) * 1e-6
    out: Cells = {
        "block_id": core.block,
        "sub_block_id": core.sub,
        f"{side}_time(us)": time,
        f"{side}_total_cycles": total,
        f"{side}_icache_miss_rate": core.miss_rate,
    }
    for pipe, share in core.shares.items():
        busy = round(total * share)
        name = "cube" if pipe == "mac" else pipe
        out[f"{side}_{name}_time(us)"] = busy / clock
        out[f"{side}_{name}_ratio"] = busy / below
    for pipe, share in (core.waits or {}).items():
        out[f"{side}_{pipe}_wait_ratio"] = share
    conflicts = core.conflicts or {}
    if side == "aiv":
        for kind in ("bankgroup", "bank", "resc", "mte"):
            out[f"aiv_vec_{kind}_cflt_ratio"] = conflicts.get(kind, 0.0)
        out["aiv_vec_total_cflt_ratio"] = sum(conflicts.values())
    out |= _traffic(core, side, seconds)
    out |= _arithmetic(core, side, out)
    out |= _cache(core, side)
    return out


def _traffic(core: Core, side: str, seconds: float) -> Cells:
    def rate(kib: float) -> float:
        return kib * 1024 / seconds / GIB

    out: Cells = {
        f"{side}_main_mem_read_bw(GB/s)": rate(core.read_kib),
        f"{side}_main_mem_write_bw(GB/s)": rate(core.write_kib),
        f"{side}_mte2_instructions": core.reads,
        f"{side}_mte3_instructions": core.writes,
        "read_main_memory_datas(KB)": core.read_kib,
        "write_main_memory_datas(KB)": core.write_kib,
    }
    paths = (
        ("GM_to_UB", "gm_to_ub", core.read_kib) if side == "aiv" else ("GM_to_L1", "gm_to_l1", core.read_kib),
        ("UB_to_GM", "ub_to_gm", core.write_kib)
        if side == "aiv"
        else ("L0C_to_GM", "l0c_to_gm", core.write_kib),
    )
    for title, name, kib in paths:
        out[f"{title}_datas(KB)"] = kib
        out[f"{title}_bw_usage_rate(%)"] = 100 * rate(kib) / CEILINGS[name]
    if side == "aiv":
        out["aiv_gm_to_ub_bw(GB/s)"] = rate(core.read_kib)
        out["aiv_ub_to_gm_bw(GB/s)"] = rate(core.write_kib)
        out["aiv_ub_read_bw_vector(GB/s)"] = rate(core.read_kib)
        out["aiv_ub_write_bw_vector(GB/s)"] = rate(core.write_kib)
        out["aiv_ub_read_bw_scalar(GB/s)"] = out["aiv_ub_write_bw_scalar(GB/s)"] = 0.0
    else:
        out["aic_l1_write_bw(GB/s)"] = rate(core.read_kib)
        out["aic_l1_read_bw(GB/s)"] = rate(2 * core.read_kib)
        out["aic_mte1_instructions"] = 2 * core.reads
    for pipe, kib in (("mte2", core.read_kib), ("mte3", core.write_kib)):
        share = core.shares.get(pipe, 0.0)
        if share and side == "aiv":
            out[f"aiv_{pipe}_active_bw(GB/s)"] = kib * 1024 / (core.time_us * share * 1e-6) / GIB
    return out


def _arithmetic(core: Core, side: str, known: Cells) -> Cells:
    if side == "aic":
        busy = float(known["aic_cube_ratio"])
        count = core.operations // 8192
        return {
            "aic_cube_fp16_ratio": busy,
            "aic_cube_int8_ratio": 0.0,
            "aic_cube_fops": core.operations,
            "aic_cube_total_instr_number": count,
            "aic_cube_fp_instr_number": count,
            "aic_cube_int_instr_number": 0,
        }
    busy = float(known["aiv_vec_ratio"])
    return {
        "aiv_vec_fp32_ratio": busy * (1 - core.fp16_share),
        "aiv_vec_fp16_ratio": busy * core.fp16_share,
        "aiv_vec_int32_ratio": 0.0,
        "aiv_vec_int16_ratio": 0.0,
        "aiv_vec_misc_ratio": 0.0,
        "aiv_vec_fops": core.operations,
    }


def _cache(core: Core, side: str) -> Cells:
    reads, writes = round(core.read_kib * 8), round(core.write_kib * 8)  # requests of 128 bytes
    hit_r, hit_w = round(reads * core.hit_read), round(writes * core.hit_write)
    return {
        f"{side}_write_cache_hit": hit_w,
        f"{side}_write_cache_miss_allocate": writes - hit_w,
        f"{side}_r0_read_cache_hit": hit_r // 2,
        f"{side}_r0_read_cache_miss_allocate": (reads - hit_r) // 2,
        f"{side}_r1_read_cache_hit": hit_r - hit_r // 2,
        f"{side}_r1_read_cache_miss_allocate": reads - hit_r - (reads - hit_r) // 2,
        f"{side}_write_hit_rate(%)": 100 * hit_w / max(writes, 1),
        f"{side}_read_hit_rate(%)": 100 * hit_r / max(reads, 1),
        f"{side}_total_hit_rate(%)": 100 * (hit_r + hit_w) / max(reads + writes, 1),
    }


def text(value: float | int | str | None) -> str:
    """A cell as msopprof writes it: whole numbers, six decimals, NA."""
    if value is None:
        return "NA"
    return f"{value:.6f}" if isinstance(value, float) else str(value)


def table(header: str, rows: Sequence[Cells], comma: bool = True) -> str:
    """A CSV; up to version 26.1 every line of the A2, A3 and 310P ends with a comma."""
    end = ",\n" if comma else "\n"
    lines = [header, *(",".join(text(row.get(name)) for name in header.split(",")) for row in rows)]
    return "".join(line + end for line in lines)


def basic(kernel: Kernel, header: str = headers.BASIC) -> str:
    """OpBasicInfo.csv."""
    row: Cells = {
        "Op Name": kernel.name,
        "Op Type": kernel.kind,
        "Task Duration(us)": float(kernel.duration_us),
        "Block Dim": kernel.block_dim,
        "Mix Block Dim": kernel.mix_block_dim if kernel.mix_block_dim is not None else "NA",
        "Device Id": kernel.device,
        "Pid": kernel.pid,
        "Current Freq": kernel.current_mhz if kernel.current_mhz is not None else "N/A",
        "Rated Freq": kernel.rated_mhz,
    }
    return table(header, [row])


def info(kernel: Kernel) -> str:
    """dump/op_basic_info.txt."""
    pairs = (
        ("Run Soc Version", kernel.soc),
        ("Op Name", kernel.name),
        ("Block Dim", kernel.block_dim),
        ("Device Id", kernel.device),
        ("Pid", kernel.pid),
        ("Current Freq", kernel.current_mhz or "N/A"),
        ("Rated Freq", kernel.rated_mhz),
        ("Is MC2", 0),
        ("Is Lccl", 0),
    )
    return "".join(f"{key}={value}\n" for key, value in pairs)


def write(
    folder: Path,
    kernel: Kernel,
    tables: Mapping[str, str] = headers.CANN_85,
    *,
    stamp: str = "",
    with_info: bool = True,
    comma: bool = True,
) -> None:
    """One launch folder, all tables."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [cells(core, kernel) for core in kernel.cores]
    (folder / f"OpBasicInfo{stamp}.csv").write_text(basic(kernel), encoding="utf-8")
    for name, header in tables.items():
        (folder / f"{name}{stamp}.csv").write_text(table(header, rows, comma), encoding="utf-8")
    if with_info:
        (folder / "dump").mkdir(exist_ok=True)
        (folder / "dump" / "op_basic_info.txt").write_text(info(kernel), encoding="utf-8")
