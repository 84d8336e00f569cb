"""Kept runs: lists, exports, questions in words, the local page."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "ask.bound": ("Parameters", "参数", "パラメータ"),
    "ask.cut": (
        'There are more rows: name a number, such as "top 20".',
        "还有更多行：可在问题中写明数量，例如“前 20 个”。",
        "続きがあります：「上位 20 個」のように数を書いてください。",
    ),
    "ask.id": ("Query", "查询", "クエリ"),
    "ask.ignored": (
        "Not understood, and left out: {words}",
        "未理解而忽略：{words}",
        "理解できず無視した語：{words}",
    ),
    "ask.known": (
        "{count} {count:kind|kinds} of questions",
        "可回答 {count} 类问题",
        "答えられる質問は {count} 種類",
    ),
    "ask.more": (
        "kb ask --list lists all questions; kb runs sql takes any select.",
        "kb ask --list 列出全部问题；kb runs sql 可执行任意 select。",
        "質問の一覧は kb ask --list、任意の select は kb runs sql で。",
    ),
    "ask.near": ("Near questions", "相近的问题", "近い質問"),
    "ask.question": ("Question", "问题", "質問"),
    "ask.refused": (
        "This question is not understood.",
        "无法理解这个问题。",
        "この質問は理解できませんでした。",
    ),
    "ask.strange": ("Not understood: {words}", "未理解：{words}", "理解できなかった語：{words}"),
    "export.wrote": ("wrote {file}", "已写入 {file}", "{file} に書き出しました"),
    "runs.count": ("Runs in {db}: {count}", "{db} 中有 {count} 次运行", "{db} に {count} 件"),
    "runs.created": ("Kept at", "保存时间", "保存日時"),
    "runs.delete": ("Delete {runs}?", "删除 {runs}？", "{runs} を削除しますか？"),
    "runs.deleted": ("Deleted {count}: {runs}", "已删除 {count} 个：{runs}", "{count} 件を削除：{runs}"),
    "runs.headline": ("Headline", "结论", "結論"),
    "runs.id": ("Run", "运行", "実行"),
    "runs.none": ("No run has been kept yet.", "尚未保存任何运行。", "保存された実行はまだありません。"),
    "browse.quit": ("Quit", "退出", "終了"),
    "serve.compare": ("Compare", "对比", "比較"),
    "serve.two": (
        "Give the ids of two kept runs, as the list of runs shows them.",
        "请填写两次运行的编号（见运行列表）。",
        "実行の一覧にある二つの ID を入れてください。",
    ),
    "serve.any": ("all kinds", "全部类型", "すべての種類"),
    "serve.busy": (
        "Too many ask at once. Ask again in {seconds} s.",
        "同时提问的人太多。请在 {seconds} 秒后重试。",
        "同時の質問が多すぎます。{seconds} 秒後にもう一度お試しください。",
    ),
    "serve.fault": ("That did not work", "出错了", "うまくいきませんでした"),
    "serve.query": ("Ask in your own words", "用自己的话提问", "自分の言葉で質問"),
    "serve.runs": ("Runs", "运行记录", "実行記録"),
    "serve.search": ("Search", "检索", "検索"),
}
