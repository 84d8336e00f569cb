"""Fixed texts of comparisons and outcomes, a part of the catalogue."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    # verdict
    "compare.faster": (
        "Faster: {after} instead of {before} ({change})",
        "变快：{before} 降至 {after}（{change}）",
        "速くなりました：{before} → {after}（{change}）",
    ),
    "compare.slower": (
        "Slower: {after} instead of {before} ({change})",
        "变慢：{before} 升至 {after}（{change}）",
        "遅くなりました：{before} → {after}（{change}）",
    ),
    "compare.within-noise": (
        "Within noise: {after} against {before} ({change})",
        "在噪声范围内：{before} 与 {after}（{change}）",
        "ノイズの範囲内：{before} と {after}（{change}）",
    ),
    "compare.not-comparable": (
        "Not comparable: other {reasons}",
        "不可比较：{reasons}不同",
        "比較できません：{reasons}が異なります",
    ),
    "compare.limit": ("Limit", "限值", "上限"),
    "compare.scale": ("The scale begins at {time}.", "刻度从 {time} 开始。", "目盛りは {time} から。"),
    "compare.no_time": (
        "Not comparable: the earlier run has no time",
        "不可比较：先前的运行没有耗时",
        "比較できません：前の実行に時間がありません",
    ),
    # labels
    "compare.after": ("After", "优化后", "後"),
    "compare.applied": ("Keep what it gave:", "记录此次改动的结果：", "結果を記録する："),
    "compare.band": ("Noise", "噪声", "ノイズ"),
    "compare.before": ("Before", "优化前", "前"),
    "compare.change": ("Change", "变化", "変化"),
    "compare.comparable": ("Measured alike", "测量条件", "計測条件"),
    "compare.elapsed": ("Elapsed", "总时长", "経過時間"),
    "compare.verdict": ("Verdict", "结论", "判定"),
    # parts
    "compare.head.checks": ("What differs in the measuring", "测量条件的差异", "計測条件の違い"),
    "compare.head.findings": ("Findings", "瓶颈的变化", "要因の変化"),
    "compare.head.moved": ("What moved inside", "内部指标的变化", "内部の計測値の変化"),
    "compare.head.operators": (
        "Operators, slower ones first",
        "算子（变慢的在前）",
        "演算子（遅くなったものから）",
    ),
    "compare.head.waterfall": ("From before to after", "从优化前到优化后", "前から後へ"),
    "compare.alike": (
        "yes, in all that could be checked",
        "一致（就可检查的条件而言）",
        "確認できた条件は同じ",
    ),
    "compare.differs": ("no: {what}", "不一致：{what}", "異なる：{what}"),
    "compare.unknown": ("not known: {what}", "未知：{what}", "不明：{what}"),
    "compare.check": (
        "{what}: {before} before, {after} after",
        "{what}：优化前 {before}，优化后 {after}",
        "{what}：前 {before}、後 {after}",
    ),
    "compare.check.blocks": (
        "{text} (times cannot be compared)",
        "{text}（耗时不可比较）",
        "{text}（時間は比較できません）",
    ),
    "compare.numbers": (
        "The times below are shown, not judged.",
        "以下耗时仅供参考，不作判断。",
        "以下の時間は参考であり、判定ではありません。",
    ),
    "compare.same": (
        "Nothing changed beyond noise.",
        "没有超出噪声的变化。",
        "ノイズを超える変化はありません。",
    ),
    "compare.more": ("{count} more within noise", "另有 {count} 项在噪声范围内", "ほか {count} 件はノイズの範囲内"),
    "compare.rest": ("all others", "其余", "その他"),
    # what a time stands for
    "compare.basis.launch": ("one launch", "单次执行", "1 回の起動"),
    "compare.basis.launches": (
        "operators of both runs, mean of a launch x launches before",
        "两次运行共有的算子，单次均值 × 优化前次数",
        "両方にある演算子、1 回の平均 × 前の回数",
    ),
    "compare.basis.run": ("the run", "整个运行", "実行全体"),
    "compare.basis.step": ("one step", "单个 step", "1 ステップ"),
    # noise
    "compare.noise.cores": (
        "±{band}, from the spread over the cores of single launches",
        "±{band}（依据单次执行中各核的差异）",
        "±{band}（1 回の起動のコア間のばらつきから）",
    ),
    "compare.noise.given": ("±{band}, as given", "±{band}（由用户指定）", "±{band}（指定どおり）"),
    "compare.noise.launches": (
        "±{band}, from the spread over launches",
        "±{band}（依据多次执行的差异）",
        "±{band}（起動間のばらつきから）",
    ),
    "compare.noise.operators": (
        "±{band}, from its operators",
        "±{band}（由各算子得出）",
        "±{band}（各演算子から）",
    ),
    "compare.noise.stated": (
        "±{band}, stated: nothing was repeated",
        "±{band}（约定值：没有重复测量）",
        "±{band}（規定値：繰り返し計測なし）",
    ),
    # conditions
    "compare.dimension.mode": ("mode", "模式", "モード"),
    "compare.dimension.tool": ("kind of capture", "采集类型", "計測の種類"),
    "compare.dimension.chip": ("chip", "芯片", "チップ"),
    "compare.dimension.clock": ("clock", "频率", "クロック"),
    "compare.dimension.timed": ("what is timed", "计时对象", "計測した時間"),
    "compare.dimension.replay": ("replay mode", "重放模式", "リプレイモード"),
    "compare.dimension.metrics": ("metric groups", "指标组", "メトリクス群"),
    "compare.dimension.operators": ("operators", "运行的算子", "実行した演算子"),
    "compare.dimension.shape": ("shape", "形状", "形状"),
    "compare.dimension.dtype": ("dtype", "数据类型", "データ型"),
    "compare.dimension.work": ("launches", "执行次数", "起動回数"),
    "compare.dimension.ranks": ("number of ranks", "rank 数", "ランク数"),
    "compare.dimension.warm-up": ("warm-up", "预热", "ウォームアップ"),
    "compare.dimension.cann": ("CANN version", "CANN 版本", "CANN のバージョン"),
    # verdicts of one operator, states of a finding
    "change.faster": ("faster", "变快", "速い"),
    "change.slower": ("slower", "变慢", "遅い"),
    "change.within-noise": ("within noise", "噪声范围内", "ノイズ内"),
    "change.gone": ("gone", "消失", "なくなった"),
    "change.new": ("new", "新增", "新規"),
    "change.shown": ("not judged", "未判断", "未判定"),
    "trouble.gone": ("gone: {what}", "已消失：{what}", "なくなった：{what}"),
    "trouble.new": ("new: {what}", "新出现：{what}", "新規：{what}"),
    "trouble.not-judged": (
        "cannot be judged any more: {what}",
        "已无法判断：{what}",
        "判定できなくなった：{what}",
    ),
    "trouble.first-judged": (
        "could not be judged before: {what}",
        "优化前无法判断：{what}",
        "前は判定できなかった：{what}",
    ),
    "trouble.stays": ("still there: {what}", "仍然存在：{what}", "残っている：{what}"),
    "moved.pipe": (
        "{name}: {metric} {before} -> {after} of the core's time",
        "{name}：{metric} 占核时间 {before} -> {after}",
        "{name}：{metric} コア時間の {before} -> {after}",
    ),
    "moved.reading": (
        "{name}: {metric} {before} -> {after}",
        "{name}：{metric} {before} -> {after}",
        "{name}：{metric} {before} -> {after}",
    ),
    # outcomes
    "outcome.count": ("{count} outcomes", "{count} 条结果记录", "結果 {count} 件"),
    "outcome.expected": ("Expected with these", "结合以上结果的预期", "以上を加えた見込み"),
    "outcome.exported": (
        "Written for other teams: {count} entries, without names or paths",
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
        "Taken: {count} new of {found} outcomes",
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
    "outcome.none": ("No outcome has been kept yet.", "尚未记录任何结果。", "まだ記録された結果はありません。"),
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
    # the gate
    "gate.failed": (
        "Regression of more than {limit}: {names}",
        "性能回退超过 {limit}：{names}",
        "{limit} を超える性能低下：{names}",
    ),
    "gate.passed": (
        "No regression of more than {limit}",
        "没有超过 {limit} 的性能回退",
        "{limit} を超える性能低下はありません",
    ),
    "gate.unjudged": (
        "The limit of {limit} cannot be judged",
        "无法判断 {limit} 的限值",
        "{limit} の上限は判定できません",
    ),
    "gate.whole": ("the whole", "整体", "全体"),
}  # fmt: skip
