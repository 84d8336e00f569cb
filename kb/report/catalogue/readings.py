"""What a reading that is a share is a share of."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "part.elapsed": ("of the elapsed time", "占总时长", "経過時間に占める割合"),
    "part.idle": (
        "of the elapsed time; no kernel ran",
        "占总时长；没有算子在运行",
        "経過時間のうち、カーネルが動いていない割合",
    ),
    "part.run": ("of the run", "占运行耗时", "実行全体に占める割合"),
    "part.run_of": ("of the run: {name}", "占运行耗时：{name}", "実行全体に占める割合：{name}"),
    "part.compute": ("of the compute time", "占计算耗时", "計算時間に占める割合"),
    "part.launches": (
        "of all launches (shorter than 10 us)",
        "占全部启动次数（短于 10 us）",
        "全起動回数に占める割合（10 us 未満）",
    ),
    "part.cores": ("of the cores' time", "占核时间", "コア時間に占める割合"),
    "part.kernel": ("of the kernel's time", "占算子耗时", "カーネルの時間に占める割合"),
    "part.bandwidth": ("of the memory bandwidth", "占访存带宽", "メモリ帯域に占める割合"),
    "part.requests": ("of the requests to L2", "占 L2 请求数", "L2 へのリクエストに占める割合"),
    "part.floor": ("roofline floor / time taken", "roofline 下限 / 耗时", "roofline 下限 / 所要時間"),
    "part.spread": (
        "(slowest core - mean) / slowest core",
        "（最慢核 - 平均）/ 最慢核",
        "（最も遅いコア - 平均）/ 最も遅いコア",
    ),
    "part.ranks": (
        "(slowest rank - fastest) / slowest",
        "（最慢 rank - 最快 rank）/ 最慢",
        "（最も遅いランク - 最も速いランク）/ 最も遅いランク",
    ),
    "part.communication": ("of the collectives' time", "占集合通信耗时", "集合通信の時間に占める割合"),
    "part.step": ("of a step's time", "占 step 耗时", "step の時間に占める割合"),
    "part.stages": (
        "of the slowest stage's compute time, to the fastest",
        "最快 stage 与最慢 stage 之差占最慢 stage 计算耗时",
        "最速 stage との差、最も遅い stage の計算時間に占める割合",
    ),
    "part.clock": ("of the rated clock", "占额定频率", "定格クロック比"),
}
