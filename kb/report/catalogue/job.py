"""The ranks of a job held against one another."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "head.job": ("The ranks of the job", "作业中的各个 rank", "ジョブの各ランク"),
    "job.common": ("Common bottlenecks", "共有瓶颈", "共通のボトルネック"),
    "job.common.note": (
        "each rank judged alone; share of that rank's time",
        "逐个 rank 判断；为在该 rank 耗时中的占比",
        "ランクごとに判定。そのランクの時間に占める割合",
    ),
    "job.differ": ("How the ranks differ", "rank 之间的差异", "ランク間の差"),
    "job.figure.communication_share": (
        "communication, of elapsed time",
        "通信占总时长",
        "通信（経過時間に占める割合）",
    ),
    "job.figure.compute_us": ("compute time", "计算耗时", "計算時間"),
    "job.figure.exposed_share": (
        "communication not hidden, of elapsed time",
        "未掩盖通信占总时长",
        "隠れていない通信（経過時間に占める割合）",
    ),
    "job.figure.hidden_share": (
        "communication hidden behind compute",
        "被计算掩盖的通信比例",
        "計算に隠れた通信の割合",
    ),
    "job.figure.idle_share": (
        "device idle, of elapsed time",
        "device 空闲占总时长",
        "デバイスのアイドル（経過時間に占める割合）",
    ),
    "job.figure.wait_ratio": (
        "waiting within collectives",
        "集合通信中的等待比例",
        "集合通信内の待ちの割合",
    ),
    "job.high": ("most", "最高", "最大"),
    "job.imbalance": ("Imbalance", "不均衡", "不均衡"),
    "job.imbalance.text": (
        "the fastest rank computes {value} less than the slowest",
        "最快的 rank 比最慢的 rank 少算 {value}",
        "最速のランクの計算時間は最も遅いランクより {value} 短い",
    ),
    "job.imbalance.stages": (
        "within a stage the fastest rank computes {value} less than the slowest",
        "同一阶段内最快的 rank 比最慢的 rank 少算 {value}",
        "同じステージの中で、最速のランクの計算時間は最も遅いランクより {value} 短い",
    ),
    "job.stages": ("Pipeline stages", "流水阶段", "パイプラインのステージ"),
    "job.stages.text": (
        "{count}, told apart by compute time: {ranks}",
        "{count} 个，按计算耗时区分：{ranks}",
        "{count} 段、計算時間で区別：{ranks}",
    ),
    "job.longer": ("longer there", "耗时更长的算子", "そこで長い演算子"),
    "job.longer.type": (
        "{type} {time} (median {median})",
        "{type} {time}（中位数 {median}）",
        "{type} {time}（中央値 {median}）",
    ),
    "job.held_up": ("Held up by their host", "被 host 拖慢的 rank", "ホストに待たされるランク"),
    "job.held_up.note": (
        "the device idles {limit} of the elapsed time or more beyond the median rank: late dispatch, data or GC of that host",
        "device 空闲占比超出中位数 {limit} 及以上：该 rank 的 host 下发、取数或 GC 偏慢",
        "デバイスのアイドルが、経過時間に占める割合で中央値を {limit} 以上上回る：そのホストの発行、データ供給、GC が遅い",
    ),
    "job.lost": ("Lost", "未能读取", "読めなかった"),
    "job.low": ("least", "最低", "最小"),
    "job.median": ("median", "中位数", "中央値"),
    "job.over": ("behind the median", "落后中位数", "中央値からの遅れ"),
    "job.rank": ("rank", "rank", "ランク"),
    "job.ranks": ("Ranks", "rank 数", "ランク数"),
    "job.ranks.lost": (
        "{read} of {found} read",
        "共 {found} 个，已读取 {read} 个",
        "{found} のうち {read} を読み込み",
    ),
    "job.slow": ("Slow ranks", "慢 rank", "遅いランク"),
    "job.slow.none": (
        "none computes longer than the median rank by {limit} of its time",
        "没有 rank 的计算耗时超出中位数达自身耗时的 {limit}",
        "計算時間が中央値より自身の {limit} 以上長いランクなし",
    ),
    "job.slow.note": (
        "compute time behind the median by {limit} of their own or more",
        "计算耗时超出中位数达自身耗时的 {limit} 及以上",
        "計算時間が中央値より自身の {limit} 以上長い",
    ),
    "job.unjudged": ("Not judged", "未判断", "判定できず"),
    "job.where": ("in how many ranks", "出现的 rank 数", "該当ランク数"),
    "job.whereof": ("{count} of {all}", "{count} / {all}", "{count} / {all}"),
}
