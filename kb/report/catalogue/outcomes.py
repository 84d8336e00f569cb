"""Outcomes: what a remedy gave."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "outcome.count": ("{count} {count:outcome|outcomes}", "{count} 条结果记录", "結果 {count} 件"),
    "outcome.expected": ("Expected with these", "结合以上结果的预期", "以上を加えた見込み"),
    "outcome.exported": (
        "Written for other teams: {count} {count:entry|entries}, without names or paths",
        "已为其他团队导出 {count} 个条目（不含名称和路径）",
        "他のチーム向けに {count} 件を書き出しました（名前とパスなし）",
    ),
    "outcome.forgotten": (
        "Deleted: outcome {id} of {entry}",
        "已删除 {entry} 的结果 {id}",
        "削除しました：{entry} の結果 {id}",
    ),
    "outcome.head": ("Tried here", "在此的实际结果", "ここで試した結果"),
    "outcome.imported": (
        "Taken: {count} new of {found} {found:outcome|outcomes}",
        "已导入：{found} 条结果中的 {count} 条为新结果",
        "取り込みました：{found} 件のうち新しい {count} 件",
    ),
    "outcome.imports": ("Of other teams", "其他团队", "他のチーム"),
    "outcome.kept": (
        "Kept: {id} gave {change} ({result})",
        "已记录：{id} 的结果为 {change}（{result}）",
        "記録しました：{id} は {change}（{result}）",
    ),
    "outcome.mean": ("Time, on average", "耗时平均变化", "時間の平均変化"),
    "outcome.none": (
        "No outcome has been kept yet.",
        "尚未记录任何结果。",
        "まだ記録された結果はありません。",
    ),
    "outcome.other_team": ("other team", "其他团队", "他のチーム"),
    "outcome.saves": (
        "saves {saved} (the published figure counts as two tries)",
        "节省 {saved}（公开数据按两次尝试计）",
        "{saved} の短縮（公表値は 2 回分として数える）",
    ),
    "outcome.sunk": (
        "It failed here twice or more, and more often than it helped: it stands last in later reports.",
        "在此至少失败两次且失败多于成功：之后的报告将其排在最后。",
        "ここで 2 回以上失敗し、成功より多いため、以後のレポートでは最後に置かれます。",
    ),
    "outcome.tally": (
        "{count} (helped {helped}, failed {failed})",
        "{count} 次（有效 {helped}，无效 {failed}）",
        "{count} 回（有効 {helped}、無効 {failed}）",
    ),
    "outcome.tried": ("Tried", "尝试", "試行"),
}
