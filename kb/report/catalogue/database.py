"""The store itself: what it is, copies, a team's database."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "db.arrived": ("Arrived", "已到达", "到着"),
    "db.copied": (
        "Copied {runs} runs and {outcomes} outcomes; every table agrees by count and hash",
        "已复制 {runs} 次运行和 {outcomes} 条结果；各表的行数与哈希均一致",
        "実行 {runs} 件と結果 {outcomes} 件をコピーしました。すべての表で行数とハッシュが一致しています",
    ),
    "db.differs": (
        "Copied {runs} runs and {outcomes} outcomes, but tables differ: the destination is marked as incomplete",
        "已复制 {runs} 次运行和 {outcomes} 条结果，但有表不一致：目标已标记为不完整",
        "実行 {runs} 件と結果 {outcomes} 件をコピーしましたが、一致しない表があります。コピー先は未完了と記録されています",
    ),
    "db.entries": ("Entries", "知识条目", "エントリ"),
    "db.equal": ("Equal", "一致", "一致"),
    "db.fetched": (
        "{count} {count:entry|entries} written to {path}",
        "已将 {count} 条知识条目写入 {path}",
        "エントリ {count} 件を {path} に書き込みました",
    ),
    "db.granted": (
        "{role} may read, and write nothing",
        "{role} 只能读取，不能写入",
        "{role} は読み取りだけができます",
    ),
    "db.kind": ("Kind", "类型", "種類"),
    "db.may_write": ("May write", "可写入", "書き込み可"),
    "db.migrated": ("The schema is at {step}", "数据库结构已是 {step}", "スキーマは {step} です"),
    "db.model": ("Search model", "检索模型", "検索モデル"),
    "db.newest": ("Schema of this version", "本版本的数据库结构", "この版のスキーマ"),
    "db.no": ("no", "否", "いいえ"),
    "db.pgvector": ("pgvector", "pgvector", "pgvector"),
    "db.published": (
        "{count} {count:entry is|entries are} the team's knowledge now",
        "团队知识库现有 {count} 条知识条目",
        "チームの知識ベースは {count} 件になりました",
    ),
    "db.role": ("Role", "角色", "ロール"),
    "db.rows": ("Rows", "行数", "行数"),
    "db.schema": ("Schema", "数据库结构", "スキーマ"),
    "db.table": ("Table", "表", "表"),
    "db.unfinished": (
        "Part of a copy: {done} of {runs} runs from {source}. The same `kb db copy` again completes it.",
        "仅为部分副本：来自 {source} 的 {runs} 次运行中的 {done} 次。再次执行同一 `kb db copy` 即可完成。",
        "コピーの途中です：{source} の実行 {runs} 件のうち {done} 件。同じ `kb db copy` をもう一度実行すると完了します。",
    ),
    "db.version": ("Version", "版本", "バージョン"),
    "db.yes": ("yes", "是", "はい"),
}
