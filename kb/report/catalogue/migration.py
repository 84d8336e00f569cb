"""The plan of a migration."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "migrate.advice": ("Apply", "采用", "適用"),
    "migrate.calibrate": (
        "then fit the estimates to it: kb estimate --calibrate PROFILE --soc {soc}",
        "然后用它校准估算：kb estimate --calibrate PROFILE --soc {soc}",
        "次に見積もりを合わせる：kb estimate --calibrate PROFILE --soc {soc}",
    ),
    "migrate.cases": ("Similar cases, before and after", "相似案例及前后数据", "似た事例と前後の値"),
    "migrate.collect": (
        "profile the converted model with shapes (msprof --task-time=l1, or level 1 of the PyTorch profiler), then: kb advise PROFILE",
        "采集转换后模型的带 shape 性能数据（msprof --task-time=l1，或 PyTorch profiler 的 level 1），然后运行：kb advise PROFILE",
        "変換後のモデルを形状付きで計測し（msprof --task-time=l1、または PyTorch profiler の level 1）、その後：kb advise PROFILE",
    ),
    "migrate.coverage": ("Coverage", "算子覆盖", "対応状況"),
    "migrate.fallback": ("Bring back to the AI Core", "移回 AI Core", "AI Core に戻す"),
    "migrate.fallbacks": (
        "What leaves the AI Core or stops the conversion",
        "离开 AI Core 或阻碍转换的算子",
        "AI Core から外れる、または変換を止めるもの",
    ),
    "migrate.limited": (
        "Nothing, but stated limits are broken: see the plan.",
        "无，但超出了文档写明的限制：见计划。",
        "なし。ただし明記された制限を超えている：計画を参照。",
    ),
    "migrate.fine": ("Nothing: all is covered.", "无：全部覆盖。", "なし：すべて対応しています。"),
    "migrate.hot": ("Estimated hot list", "估算热点", "見積もりによる重い順"),
    "migrate.import": ("Make importable", "使其可导入", "取り込めるようにする"),
    "migrate.limit": ("Check against the stated limit", "核对限制", "制限を確認"),
    "migrate.may_cost": (
        "saves about {likely} of the run, at most {high}, estimated; it was also seen to cost {cost}",
        "估算节省运行的约 {likely}，最多 {high}；也有耗时反而增加 {cost} 的实例",
        "実行全体の約 {likely}、最大 {high} を短縮（見積もり）。逆に {cost} 遅くなった例もある",
    ),
    "migrate.measure": ("Measure on the device", "上板测量", "実機で計測"),
    "migrate.no_cases": ("No case study resembles it.", "没有相似案例。", "似た事例はありません。"),
    "migrate.no_figure": ("no published figure", "无公开数据", "公表値なし"),
    "migrate.plan": ("Plan, in order", "计划（按顺序）", "計画（順番どおり）"),
    "migrate.profile": (
        "What to profile first on the device",
        "上板后先测量什么",
        "実機で最初に計測するもの",
    ),
    "migrate.saves": (
        "saves about {likely} of the run ({low} to {high}), estimated",
        "估算节省运行的约 {likely}（{low} 至 {high}）",
        "実行全体の約 {likely}（{low}〜{high}）を短縮（見積もり）",
    ),
    "migrate.title": ("Moving {model} to {soc}", "将 {model} 迁移到 {soc}", "{model} の {soc} への移行"),
    "migrate.uncertain": (
        "{type} x{count}, {name}: between {range}, so its time decides how good the total is",
        "{type} x{count}，{name}：在 {range} 之间，其实际时间决定总估算的可靠性",
        "{type} x{count}、{name}：{range} の幅があり、合計の確かさを左右する",
    ),
    "migrate.unestimated": (
        "{type} x{count}, {name}: {reason}",
        "{type} x{count}，{name}：{reason}",
        "{type} x{count}、{name}：{reason}",
    ),
    "migrate.unknown": ("Find out where it runs", "确认运行位置", "どこで動くか確認"),
}
