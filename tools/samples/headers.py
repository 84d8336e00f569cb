"""Header lines of msopprof and the job exports, as each version writes them (order included)."""

from __future__ import annotations

BASIC = "Op Name,Op Type,Task Duration(us),Block Dim,Mix Block Dim,Device Id,Pid,Current Freq,Rated Freq"
BASIC_310P = BASIC.replace(",Mix Block Dim", "")
ID = "block_id,sub_block_id,aic_time(us),aic_total_cycles"
AIV = "aiv_time(us),aiv_total_cycles"

_PIPE_85 = (
    f"{ID},aic_cube_time(us),aic_cube_ratio,aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),aic_mte1_ratio,"
    "aic_mte2_time(us),aic_mte2_ratio,aic_mte3_time(us),aic_mte3_ratio,aic_mte3_active_bw(GB/s),"
    "aic_fixpipe_time(us),aic_fixpipe_ratio,aic_fixpipe_active_bw(GB/s),aic_icache_miss_rate,"
    f"{AIV},aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,"
    "aiv_mte2_active_bw(GB/s),aiv_mte3_time(us),aiv_mte3_ratio,aiv_mte3_active_bw(GB/s),aiv_icache_miss_rate,"
    "aic_mte1_active_bw(GB/s),aic_mte2_active_bw(GB/s)"
)
_PIPE_26 = (
    f"{ID},aic_cube_time(us),aic_cube_ratio,aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,"
    "aic_mte3_time(us),aic_mte3_ratio,aic_mte3_active_bw(GB/s),aic_fixpipe_time(us),aic_fixpipe_ratio,"
    "aic_fixpipe_active_bw(GB/s),aic_icache_miss_rate,aic_scalar_time(us),aic_scalar_ratio,"
    "aic_scalar_single_time(us),aic_scalar_dual_time(us),aic_scalar_mte1_stall_time(us),"
    "aic_scalar_mte2_stall_time(us),aic_scalar_mte3_stall_time(us),aic_scalar_cube_stall_time(us),"
    "aic_scalar_wait_ib_time(us),aic_scalar_wait_time(us),"
    f"{AIV},aiv_vec_time(us),aiv_vec_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte2_active_bw(GB/s),"
    "aiv_mte3_time(us),aiv_mte3_ratio,aiv_mte3_active_bw(GB/s),aiv_icache_miss_rate,aiv_scalar_time(us),"
    "aiv_scalar_ratio,aiv_scalar_single_time(us),aiv_scalar_dual_time(us),aiv_scalar_mte2_stall_time(us),"
    "aiv_scalar_mte3_stall_time(us),aiv_scalar_stall_by_ub_time(us),aiv_scalar_vector_stall_time(us),"
    "aiv_scalar_wait_ib_time(us),aiv_scalar_wait_time(us)"
)
_MEMORY = (
    f"{ID},aic_l1_read_bw(GB/s),aic_l1_write_bw(GB/s),aic_main_mem_read_bw(GB/s),aic_main_mem_write_bw(GB/s),"
    "aic_mte1_instructions,aic_mte1_ratio,aic_mte2_instructions,aic_mte2_ratio,aic_mte3_instructions,"
    f"aic_mte3_ratio,{AIV},aiv_ub_to_gm_bw(GB/s),aiv_gm_to_ub_bw(GB/s),aiv_main_mem_read_bw(GB/s),"
    "aiv_main_mem_write_bw(GB/s),aiv_mte2_instructions,aiv_mte2_ratio,aiv_mte3_instructions,aiv_mte3_ratio,"
    "read_main_memory_datas(KB),write_main_memory_datas(KB),GM_to_L1_datas(KB),GM_to_L1_bw_usage_rate(%),"
    "L1_to_GM_datas(KB)(estimate),L1_to_GM_bw_usage_rate(%)(estimate),L0C_to_L1_datas(KB),"
    "L0C_to_L1_bw_usage_rate(%),L0C_to_GM_datas(KB),L0C_to_GM_bw_usage_rate(%),GM_to_UB_datas(KB),"
    "GM_to_UB_bw_usage_rate(%),UB_to_GM_datas(KB),UB_to_GM_bw_usage_rate(%)"
)
_ARITHMETIC = (
    f"{ID},aic_cube_ratio,aic_cube_fp16_ratio,aic_cube_int8_ratio,aic_cube_fops,aic_cube_total_instr_number,"
    f"aic_cube_fp_instr_number,aic_cube_int_instr_number,{AIV},aiv_vec_ratio,aiv_vec_fp32_ratio,"
    "aiv_vec_fp16_ratio,aiv_vec_int32_ratio,aiv_vec_int16_ratio,aiv_vec_misc_ratio,aiv_vec_fops"
)
_CONFLICT = (
    f"{ID},aic_cube_wait_ratio,aic_mte1_wait_ratio,aic_mte2_wait_ratio,aic_mte3_wait_ratio,{AIV},"
    "aiv_vec_total_cflt_ratio,aiv_vec_bankgroup_cflt_ratio,aiv_vec_bank_cflt_ratio,aiv_vec_resc_cflt_ratio,"
    "aiv_vec_mte_cflt_ratio,aiv_vec_wait_ratio,aiv_mte1_wait_ratio,aiv_mte2_wait_ratio,aiv_mte3_wait_ratio"
)
_CACHE = ",".join(
    [ID]
    + [
        f"{side}_{name}"
        for side in ("aic", "aiv")
        for name in (
            *(("time(us)", "total_cycles") if side == "aiv" else ()),
            "write_cache_hit",
            "write_cache_miss_allocate",
            "r0_read_cache_hit",
            "r0_read_cache_miss_allocate",
            "r1_read_cache_hit",
            "r1_read_cache_miss_allocate",
            "write_hit_rate(%)",
            "read_hit_rate(%)",
            "total_hit_rate(%)",
        )
    ]
)
_L0 = (
    f"{ID},aic_l0a_read_bw(GB/s),aic_l0a_write_bw(GB/s),aic_l0b_read_bw(GB/s),aic_l0b_write_bw(GB/s),"
    f"aic_l0c_read_bw_cube(GB/s),aic_l0c_write_bw_cube(GB/s),{AIV}"
)
_UB = (
    f"{ID},{AIV},aiv_ub_read_bw_vector(GB/s),aiv_ub_write_bw_vector(GB/s),aiv_ub_read_bw_scalar(GB/s),"
    "aiv_ub_write_bw_scalar(GB/s)"
)

CANN_85 = {
    "PipeUtilization": _PIPE_85,
    "Memory": _MEMORY,
    "ArithmeticUtilization": _ARITHMETIC,
    "ResourceConflictRatio": _CONFLICT,
    "L2Cache": _CACHE,
    "MemoryUB": _UB,
    "MemoryL0": _L0,
}
MSOPPROF_26 = CANN_85 | {
    "PipeUtilization": _PIPE_26,
    "ResourceConflictRatio": _CONFLICT.replace(",aiv_mte1_wait_ratio", ""),
}

_FUSED = "aic_time(us),aic_total_cycles"
A310P = {
    "PipeUtilization": (
        f"{_FUSED},aic_cube_time(us),aic_cube_ratio,aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),"
        "aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_mte3_time(us),aic_mte3_ratio,aic_icache_miss_rate,"
        "aic_vec_time(us),aic_vec_ratio"
    ),
    "Memory": (
        f"{_FUSED},aic_l1_read_bw(GB/s),aic_l1_write_bw(GB/s),aic_ub_to_gm_bw(GB/s),aic_gm_to_ub_bw(GB/s),"
        "aic_main_mem_read_bw(GB/s),aic_main_mem_write_bw(GB/s),aic_mte1_instructions,aic_mte1_ratio,"
        "aic_mte2_instructions,aic_mte2_ratio,aic_mte3_instructions,aic_mte3_ratio"
    ),
    "ArithmeticUtilization": (
        f"{_FUSED},aic_cube_ratio,aic_cube_fp16_ratio,aic_cube_int8_ratio,aic_cube_fops,"
        "aic_cube_total_instr_number,aic_vec_ratio,aic_vec_fp32_ratio,aic_vec_fp16_ratio,aic_vec_int32_ratio,"
        "aic_vec_int16_ratio,aic_vec_misc_ratio,aic_vec_fops"
    ),
    "ResourceConflictRatio": (
        f"{_FUSED},aic_cube_wait_ratio,aic_vec_wait_ratio,aic_mte1_wait_ratio,aic_mte2_wait_ratio,"
        "aic_mte3_wait_ratio,aic_vec_total_cflt_ratio,aic_vec_bankgroup_cflt_ratio,aic_vec_bank_cflt_ratio,"
        "aic_vec_resc_cflt_ratio,aic_vec_mte_cflt_ratio"
    ),
    "L2Cache": "aic_l2_cache_hit_rate(%)",
    "MemoryUB": (
        f"{_FUSED},aic_ub_read_bw_vector(GB/s),aic_ub_write_bw_vector(GB/s),aic_ub_read_bw_scalar(GB/s),"
        "aic_ub_write_bw_scalar(GB/s)"
    ),
    "MemoryL0": (
        f"{_FUSED},aic_l0a_read_bw(GB/s),aic_l0a_write_bw(GB/s),aic_l0b_read_bw(GB/s),aic_l0b_write_bw(GB/s),"
        "aic_l0c_read_bw_cube(GB/s),aic_l0c_write_bw_cube(GB/s),aic_l0c_read_bw(GB/s),aic_l0c_write_bw(GB/s)"
    ),
}

_HALVES = ("close_hit", "close_miss", "close_victim", "far_hit", "far_miss", "far_victim")
_CACHE_950 = ",".join(
    [ID]
    + [f"aic_{way}_{n}" for way in ("read", "write") for n in (*_HALVES, "hit_rate(%)")]
    + [AIV]
    + [f"aiv_{way}_{n}" for way in ("read", "write") for n in (*_HALVES, "hit_rate(%)")]
)
A950 = {
    "PipeUtilization": (
        f"{ID},aic_cube_time(us),aic_cube_ratio,aic_scalar_time(us),aic_scalar_ratio,aic_mte1_time(us),"
        "aic_mte1_ratio,aic_mte1_active_bw(GB/s),aic_mte2_time(us),aic_mte2_ratio,aic_mte2_active_bw(GB/s),"
        "aic_mte3_time(us),aic_mte3_ratio,aic_mte3_active_bw(GB/s),aic_fixpipe_time(us),aic_fixpipe_ratio,"
        f"aic_fixpipe_active_bw(GB/s),aic_icache_miss_rate,{AIV},aiv_vec_time(us),aiv_vec_ratio,"
        "aiv_scalar_time(us),aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte2_active_bw(GB/s),"
        "aiv_mte3_time(us),aiv_mte3_ratio,aiv_mte3_active_bw(GB/s),aiv_icache_miss_rate"
    ),
    "Memory": _MEMORY.replace(",L1_to_GM_datas(KB)(estimate),L1_to_GM_bw_usage_rate(%)(estimate)", ""),
    "ArithmeticUtilization": (
        f"{ID},aic_cube_ratio,aic_cube_fp_ratio,aic_cube_int_ratio,aic_cube_total_instr_number,"
        f"aic_cube_fp_instr_number,aic_cube_int_instr_number,{AIV},aiv_vec_ratio,aiv_vec_vf_ratio,"
        "aiv_vec_sfu_ratio,aiv_vec_simt_vf_ratio"
    ),
    "ResourceConflictRatio": (
        f"{ID},aic_cube_wait_ratio,aic_mte1_wait_ratio,aic_mte2_wait_ratio,aic_mte3_wait_ratio,{AIV},"
        "aiv_vec_stu_cflt_ratio,aiv_vec_ldu_cflt_ratio,aiv_vec_sfu_cflt_ratio,aiv_vec_wait_ratio,"
        "aiv_mte2_wait_ratio,aiv_mte3_wait_ratio"
    ),
    "L2Cache": _CACHE_950,
    "MemoryUB": (
        f"{ID},{AIV},aiv_ub_read_bw_vector(GB/s),aiv_ub_write_bw_vector(GB/s),aiv_ub_read_bw_gm(GB/s),"
        "aiv_ub_write_bw_gm(GB/s)"
    ),
    "MemoryL0": _L0,
}

_PMU = (
    "aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,"
    "aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_fixpipe_time(us),aic_fixpipe_ratio,"
    "aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),"
    "aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate,"
    "cube_utilization(%)"
)
_TENSORS = "Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"
KERNEL_DETAILS = (
    "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
    f"Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,{_TENSORS},Context ID,{_PMU}"
)
KERNEL_DETAILS_OLD = KERNEL_DETAILS.replace("Step Id,Device_id,", "Step Id,").replace(
    "Block Num", "Block Dim"
)
KERNEL_DETAILS_LEVEL0 = (
    "Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim"
)
OP_SUMMARY = (
    "Device_id,Model ID,Task ID,Stream ID,Op Name,OP Type,OP State,Task Type,Task Start Time(us),Task Duration(us),"
    f"Task Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,{_TENSORS},Context ID,{_PMU}"
)
OP_SUMMARY_310P = (
    "Model Name,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,Task Type,Task Start Time(us),"
    f"Task Duration(us),Task Wait Time(us),Block Dim,{_TENSORS},aicore_time(us),total_cycles,vec_time(us),"
    "vec_ratio,mac_time(us),mac_ratio,scalar_time(us),scalar_ratio,mte1_time(us),mte1_ratio,mte2_time(us),"
    "mte2_ratio,mte3_time(us),mte3_ratio,icache_miss_rate,memory_bound,cube_utilization(%)"
)
