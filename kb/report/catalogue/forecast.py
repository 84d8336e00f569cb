"""A forecast of a network before there is a device."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "forecast.advice": ("Advice", "建议", "提案"),
    "forecast.assumptions": ("Taken for granted", "前提假设", "前提"),
    "forecast.bound": ("Bound by", "瓶颈", "律速"),
    "forecast.bytes": ("Bytes", "数据量", "データ量"),
    "forecast.checks": ("Held against published figures", "与公开数据对照", "公表値との照合"),
    "forecast.count": ("Calls", "次数", "回数"),
    "forecast.doubtful": ("outside: doubt the total", "超出范围：总时间存疑", "範囲外：合計は疑わしい"),
    "forecast.flops": ("FLOPs", "计算量", "演算量"),
    "forecast.goes": ("Goes to", "时间构成", "時間の内訳"),
    "forecast.head": ("Estimate", "估算", "見積もり"),
    "forecast.holds": ("in line", "相符", "整合"),
    "forecast.hot": ("Calls that take longest", "最耗时的调用", "時間のかかる呼び出し"),
    "forecast.kernels": ("Kernels", "算子调用", "カーネル"),
    "forecast.missing": (
        "Not estimated, missing from the total",
        "无法估算，未计入总时间",
        "見積もれず、合計に含まれないもの",
    ),
    "forecast.name": ("Layer", "层", "層"),
    "forecast.note": (
        "nothing was measured; every time is computed from shapes",
        "未经测量，所有时间均由 shape 计算",
        "計測ではなく、時間はすべて形状からの計算値",
    ),
    "forecast.open": ("nothing to compare with", "无可对照数据", "比較対象なし"),
    "forecast.range": ("Range", "范围", "範囲"),
    "forecast.rate": ("At most", "吞吐上限", "最大スループット"),
    "forecast.rate_text": (
        "{rate} samples a second at batch {batch}, kernels only",
        "批大小 {batch} 时每秒 {rate} 个样本（仅算子时间）",
        "バッチ {batch} で毎秒 {rate} サンプル（カーネルのみ）",
    ),
    "forecast.shapes": ("Shapes", "shape", "形状"),
    "forecast.share": ("Share", "占比", "割合"),
    "forecast.time": ("Time", "时间", "時間"),
    "forecast.total": ("A batch takes", "每批耗时", "1 バッチの時間"),
    "forecast.type": ("Operator", "算子", "演算子"),
    "forecast.without": (
        "{total}, without {missing} of {calls} calls that have no estimate",
        "{total}，不含 {calls} 次调用中无法估算的 {missing} 次",
        "{total}。{calls} 回の呼び出しのうち見積もれない {missing} 回を除く",
    ),
    "forecast.verdict": (
        "Estimate, nothing measured: {total} a batch.",
        "估算（未经测量）：每批 {total}。",
        "見積もり（計測なし）：1 バッチ {total}。",
    ),
}
