"""The pictures of a page."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "chart.changes": ("Operators before and after", "各算子优化前后", "演算子の前後比較"),
    "chart.changes.read": (
        "Those that change the total most, all on one scale; before stands above after.",
        "对总耗时影响最大的算子，使用同一刻度；上为优化前，下为优化后。",
        "合計への影響が大きい順です。目盛りは共通で、上が前、下が後です。",
    ),
    "chart.moved": ("Readings before and after", "指标的前后变化", "計測値の前後比較"),
    "chart.moved.read": (
        "A share fills its track at 100 %; of any other reading the larger one does.",
        "占比以 100% 为满格，其他指标以较大值为满格。",
        "割合は 100% で満杯、その他は大きい方の値で満杯になります。",
    ),
    "chart.paths": ("Way of the data", "数据通路", "データ転送経路"),
    "chart.paths.core": ("{rate} a core", "每核 {rate}", "コアあたり {rate}"),
    "chart.paths.read": (
        "Mean bandwidth over the whole time of the kernel; a thicker arrow moves more.",
        "按算子总耗时计算的平均带宽；箭头越粗，搬运量越大。",
        "カーネルの実行時間全体での平均帯域です。矢印が太いほど転送量が多いことを示します。",
    ),
    "chart.pipes.of": (
        "{name}, part of its cores' time",
        "{name}，占核时间的比例",
        "{name}、コア時間に占める割合",
    ),
    "chart.pipes": ("Pipe utilisation", "流水利用率", "パイプ利用率"),
    "chart.pipes.read": (
        "Part of the core's time in which a pipe is active, waiting inside the pipe included; a tick is one core.",
        "流水活跃时间占核执行时间的比例（含流水内部等待）；一条竖线代表一个核。",
        "コアの実行時間のうちパイプが動作していた割合です（パイプ内の待ちを含む）。縦線 1 本が 1 コアを表します。",
    ),
    "chart.pipes.even": (
        "the same on {count} {count:core|cores}",
        "{count} 个核相同",
        "{count} コアとも同じ",
    ),
    "chart.pipes.spread": (
        "{low} to {high}, {count} {count:core|cores}",
        "{low} 至 {high}，{count} 个核",
        "{low}〜{high}、{count} コア",
    ),
    "chart.roofline": ("Roofline", "Roofline", "ルーフライン"),
    "chart.roofline.chips": (
        "Roofs: highest published figures of {chips}",
        "Roofline 取公开指标的最高值：{chips}",
        "ルーフは公表値の最大：{chips}",
    ),
    "chart.roofline.missing": (
        "{count} {count:operator is|operators are} not drawn: neither shapes nor counters give their work.",
        "{count} 个算子未画出：shape 和计数器都无法给出其计算量。",
        "{count} 個の演算子は図示していません。形状からもカウンタからも演算量が分かりません。",
    ),
    "chart.roofline.point": (
        "{name}: {intensity} FLOP/B, {rate}, {time} ({how})",
        "{name}：{intensity} FLOP/B，{rate}，{time}（{how}）",
        "{name}：{intensity} FLOP/B、{rate}、{time}（{how}）",
    ),
    "chart.roofline.part": ("part of its roof reached", "达到上限的比例", "ルーフへの到達率"),
    "chart.roofline.part_chips": (
        "part reached of the highest roof of the possible chips",
        "达到候选芯片最高上限的比例",
        "候補チップ中の最も高いルーフへの到達率",
    ),
    "chart.roofline.where": (
        "{intensity} FLOP/B, roof: {roof}",
        "{intensity} FLOP/B，上限：{roof}",
        "{intensity} FLOP/B、ルーフ：{roof}",
    ),
    "chart.roofline.reached": (
        "{share} of its roof ({roof})",
        "达到其 roofline（{roof}）的 {share}",
        "ルーフ（{roof}）の {share}",
    ),
    "chart.roofline.read": (
        "A point at a slope is bound by that memory, one at a flat line by that unit; far below both, by something else. Area is time.",
        "贴近斜线的点受该级存储限制，贴近水平线的点受该计算单元限制；远低于两者则另有原因。面积表示耗时。",
        "斜線に近い点はそのメモリに、水平線に近い点はその演算器に律速されています。どちらも大きく下回る点は別の要因に律速されています。面積は時間を表します。",
    ),
    "chart.roofline.x": ("FLOP / byte", "FLOP / 字节", "FLOP / バイト"),
    "chart.roofline.y": ("GFLOP/s", "GFLOP/s", "GFLOP/s"),
    "chart.timeline": ("Time line", "时间线", "タイムライン"),
    "chart.timeline.after": ("after", "之前的算子", "直前の演算子"),
    "chart.timeline.before": ("before", "之后的算子", "直後の演算子"),
    "chart.timeline.communication": ("communication", "通信", "通信"),
    "chart.timeline.device": ("device {device}", "device {device}", "デバイス {device}"),
    "chart.timeline.length": ("length", "时长", "長さ"),
    "chart.timeline.longest": (
        "Longest pauses: {count}",
        "最长的 {count} 次空闲",
        "最長の空き時間 {count} 件",
    ),
    "chart.timeline.more": (
        "{count} more {count:stream|streams}",
        "另有 {count} 个 stream",
        "ほか {count} ストリーム",
    ),
    "chart.timeline.pause": ("nothing runs", "无任务执行", "何も実行されていない"),
    "chart.timeline.pause.told": (
        "nothing runs for {time} at {start}: after {after}, before {before}",
        "{start} 处空闲 {time}：前为 {after}，后为 {before}",
        "{start} から {time} のアイドル：直前 {after}、直後 {before}",
    ),
    "chart.timeline.paused": (
        "nothing runs for {time} ({share}), {count} {count:pause|pauses}",
        "空闲 {time}（{share}），共 {count} 次",
        "アイドル {time}（{share}）、{count} 回",
    ),
    "chart.timeline.pauses": ("pauses", "空闲", "空き"),
    "chart.timeline.read": (
        "Each part of a lane is filled as high as the stream works in it; every device counts from its own first start.",
        "每一段的填充高度表示该 stream 在此时段内的工作占比；各 device 从自身的首次开始计时。",
        "各区間の高さは、その区間でストリームが動作していた割合です。時刻はデバイスごとに最初の開始から数えます。",
    ),
    "chart.timeline.start": ("at", "起点", "開始"),
    "chart.timeline.stream": ("stream {stream}", "stream {stream}", "ストリーム {stream}"),
    "chart.times": ("Time by operator", "各算子耗时", "演算子ごとの時間"),
    "chart.times.floor": ("{times} times its floor", "下限的 {times} 倍", "下限の {times} 倍"),
    "chart.times.read": (
        "All launches together; the part marked at the left is the roofline floor. Only data that still lies in L2 can come faster.",
        "所有启动合计；左端标出的部分为 roofline 下限；只有数据仍在 L2 中时才可能更快。",
        "全起動の合計です。左端に示した部分は roofline 下限です。これより速くなるのは、データが L2 に残っている場合だけです。",
    ),
    "chart.times.rest": ("All others: {time}.", "其余合计：{time}。", "その他の合計：{time}。"),
    "chart.wall": ("Elapsed time", "总时长", "経過時間"),
    "chart.wall.communication": ("communication, not hidden", "未被掩盖的通信", "隠蔽されていない通信"),
    "chart.wall.compute": ("compute", "计算", "計算"),
    "chart.wall.idle": ("device idle", "device 空闲", "デバイスのアイドル"),
    "chart.wall.read": (
        "First start to last end on the device.",
        "从 device 上第一次开始到最后一次结束。",
        "デバイス上の最初の開始から最後の終了までです。",
    ),
    "chart.waterfall": ("From before to after", "从优化前到优化后", "前から後へ"),
    "chart.waterfall.read": (
        "Each step is what one operator adds to the total or takes from it.",
        "每一步表示一个算子使总耗时增加或减少的量。",
        "各段は、1 つの演算子による合計時間の増減を示します。",
    ),
}
