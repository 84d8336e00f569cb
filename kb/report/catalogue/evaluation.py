"""Scores on cases with known answers."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "eval.advice": (
        "Advice on cases with known answers",
        "已知答案的建议评测",
        "正解の分かっている事例での提案の評価",
    ),
    "eval.agreement": (
        "Rank correlation of the first {first} answers with those of {against}: mean {mean}, lowest {lowest}; the same "
        "answers in the same order for {same} of {questions} questions.",
        "前 {first} 条结果与 {against} 的结果的秩相关系数：平均 {mean}，最低 {lowest}；{questions} 个问题中有 {same} 个"
        "结果及次序完全相同。",
        "上位 {first} 件と {against} の回答との順位相関：平均 {mean}、最低 {lowest}。質問 {questions} 件中 {same} 件は回答も"
        "順序も同じです。",
    ),
    "eval.below": (
        "Below the floor: {name} is {found}, at least {least} was reached before.",
        "低于下限：{name} 为 {found}，之前达到过 {least}。",
        "下限を割りました：{name} は {found}、以前は {least} に達していました。",
    ),
    "eval.estimate": (
        "Cost model, {count} {count:timing|timings}",
        "代价模型，{count} 条实测",
        "コストモデル、実測 {count} 件",
    ),
    "eval.left_out": ("Not asked", "未评测", "対象外"),
    "eval.misses": ("Misses", "未命中", "不正解"),
    "eval.networks": (
        "Cost model, {count} {count:network|networks} measured as a whole",
        "代价模型，{count} 个整网实测",
        "コストモデル、ネットワーク全体の実測 {count} 件",
    ),
    "eval.search": (
        "Search, {count} {count:question|questions}",
        "检索，{count} 个问题",
        "検索、質問 {count} 件",
    ),
    "eval.unreached": (
        "Entries that none of the questions has among its first {k}: {count} of {all}",
        "所有问题的前 {k} 条结果都未包含的条目：{count} / {all}",
        "どの質問の上位 {k} 件にも出てこないエントリー：{all} 件中 {count} 件",
    ),
    "eval.worse": ("Worse than the floor", "低于下限", "基準値を下回った項目"),
}
