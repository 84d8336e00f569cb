"""A handful of entries, made up for the tests of search, and a data folder that holds only them."""

from __future__ import annotations

from pathlib import Path

from kb import shipped
from kb.knowledge.entry import entry_to_text
from kb.model import Entry, Text3

ENTRIES = (
    Entry(
        id="nms-off-the-host", kind="recipe", state="reviewed", family="nms", effort="low", who="deployment",
        title=Text3("Keep NMS off AI CPU", "避免 NMS 回退到 AI CPU", "NMS を AI CPU に落とさない"),
        symptom=Text3("NonMaxSuppression runs as AI_CPU and leaves a hole in the timeline", "NMS 在 AI CPU 上执行", "NMS が AI CPU で動く"),
        remedy=Text3("Use NMSWithMask, which runs on AI Core", "改用 NMSWithMask", "NMSWithMask を使う"),
        aliases={"en": ("batched_nms slow",), "zh": ("检测后处理慢",), "ja": ("後処理が遅い",)},
        bottlenecks=("aicpu-fallback",), operators=("NonMaxSuppression*",), sources=("made up for a test",),
        cause="No AI Core kernel for this form.", steps=("Replace the node.",), check="No AI_CPU task is left.",
        when_not="Few boxes.",
    ),
    Entry(
        id="mte2-larger-copies", kind="recipe", state="reviewed", family="pipeline", effort="medium", who="kernel-developer",
        title=Text3("Copy larger blocks", "增大每次搬运的数据块", "一度に大きく転送する"),
        symptom=Text3("aiv_mte2_ratio is high and each DataCopy moves a few bytes", "MTE2 占比高", "MTE2 の比率が高い"),
        remedy=Text3("Move at least 16 KB a copy", "每次至少搬 16 KB", "一度に 16 KB 以上"),
        bottlenecks=("mte2-bound",), operators=("*",), chips=("atlas-a2",), sources=("made up for a test",),
        cause="Start-up cost of each copy.", steps=("Enlarge the tile.",), check="Bytes a copy grow.", when_not="Small tensors.",
    ),
    Entry(
        id="matmul-tiling", kind="recipe", state="reviewed", family="matmul", effort="medium", who="kernel-developer",
        title=Text3("Choose a better tiling for MatMulV3", "优化 MatMulV3 的切分", "MatMulV3 のタイリングを直す"),
        symptom=Text3("aic_mac_ratio is low, the cube unit idles", "cube 利用率低", "cube の使用率が低い"),
        remedy=Text3("Tile so that L0 is full", "让 L0 填满", "L0 を満たす"),
        bottlenecks=("cube-bound",), operators=("MatMul*",), chips=("Ascend910B2",), sources=("made up for a test",),
        cause="Tiles too small.", steps=("Raise baseM.",), check="aic_mac_ratio rises.", when_not="Small K.",
    ),
    Entry(
        id="compile-once", kind="tip", state="reviewed", family="compile", effort="low", who="deployment",
        title=Text3("Turn online compiling off", "关闭在线编译", "実行時コンパイルを切る"),
        symptom=Text3("Each new shape takes seconds", "每个新 shape 都要几秒", "形状が変わるたびに数秒かかる"),
        remedy=Text3("Set jit_compile=False", "设置 jit_compile=False", "jit_compile=False にする"),
        bottlenecks=("host-bound",), sources=("made up for a test",),
        cause="Kernels are compiled for each shape.", steps=("Switch it off.",), check="Steps take equal time.", when_not="Static shapes.",
    ),
    Entry(
        id="log-ez9999", kind="tip", state="reviewed", family="environment", effort="low", who="deployment",
        title=Text3("EZ9999 in the log", "日志里有 EZ9999", "ログに EZ9999"),
        symptom=Text3("An inner error EZ9999 stops the run", "报错 EZ9999", "EZ9999 で止まる"),
        remedy=Text3("Read the device log", "查看 device 日志", "デバイスのログを見る"),
        sources=("made up for a test",), cause="Unknown.", steps=("Open plog.",), check="The line is gone.", when_not="Other codes.",
    ),
    Entry(
        id="yolo-on-310p", kind="case", state="reviewed", family="YOLO", effort="low", who="deployment",
        title=Text3("YOLOv5 on 310P", "YOLOv5 部署到 310P", "310P 上の YOLOv5"),
        symptom=Text3("Detection is slow after the head", "检测头之后慢", "検出ヘッドの後が遅い"),
        remedy=Text3("Move post-processing to the device", "后处理移到设备侧", "後処理をデバイスへ"),
        chips=("Ascend310P3",), facts={"model": {"family": "YOLO"}}, sources=("made up for a test",), cause="Host post-processing.", steps=("Move it.",),
        check="No host gap.", when_not="Batch of one.",
    ),
)  # fmt: skip


def make_root(root: Path) -> Path:
    """A data folder with these entries and the shipped tables and model."""
    real = shipped.root()
    root.mkdir(parents=True)
    for name in ("VERSION", "glossary.tsv", "aliases.tsv", "wording.tsv", "operators", "targets", "model"):
        (root / name).symlink_to(real / name)
    for entry in ENTRIES:
        folder = root / f"{entry.kind}s"
        folder.mkdir(exist_ok=True)
        (folder / f"{entry.id}.md").write_text(entry_to_text(entry), encoding="utf-8")
    return root
