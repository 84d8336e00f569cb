"""Operator coverage of a chip."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "check.all_fine": (
        "Everything can be imported and stays on the AI Core of {soc}.",
        "全部算子均可导入，并在 {soc} 的 AI Core 上运行。",
        "すべて取り込み可能で、{soc} の AI Core で動きます。",
    ),
    "check.engine": ("Engine", "执行单元", "実行先"),
    "check.family": ("Family", "模型族", "モデル系統"),
    "check.family_line": (
        "{name} (confidence {confidence})",
        "{name}（置信度 {confidence}）",
        "{name}（確度 {confidence}）",
    ),
    "check.kernel": ("CANN operator", "CANN 算子", "CANN 演算子"),
    "check.limits": ("Limits to know", "须知限制", "制限"),
    "check.needs_attention": ("Needs attention", "需要处理", "対処が必要なもの"),
    "check.nodes": ("Nodes", "节点", "ノード"),
    "check.not_importable": (
        "The converter cannot import this model as it is.",
        "转换工具无法直接导入该模型。",
        "このままでは変換ツールに取り込めません。",
    ),
    "check.opset": ("Opset", "Opset", "Opset"),
    "check.remedy": ("Way out", "对策", "対処"),
    "check.tables": ("Tables", "数据来源", "参照した表"),
    "check.trouble": (
        "Operator types that need attention on {soc}: {count}.",
        "有 {count} 类算子在 {soc} 上需要处理。",
        "{soc} で対処が必要な演算子が {count} 種類あります。",
    ),
    "check.why": ("Why", "原因", "理由"),
    "engine.ai_core": ("AI Core", "AI Core", "AI Core"),
    "engine.ai_cpu": ("AI CPU", "AI CPU", "AI CPU"),
    "engine.dsa": ("random engine", "随机数引擎", "乱数エンジン"),
    "engine.dvpp": ("DVPP", "DVPP", "DVPP"),
    "engine.host": ("host CPU", "host CPU", "ホスト CPU"),
    "engine.needs_no_kernel": ("needs no kernel", "无需 kernel", "カーネル不要"),
    "engine.no_importer": ("no importer", "无法导入", "取り込み不可"),
    "engine.no_kernel": ("no kernel", "无 kernel", "カーネルなし"),
    "engine.unknown": ("unknown", "未知", "不明"),
}
