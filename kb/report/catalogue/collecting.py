"""A collection as it runs, and what the machine lacks for one."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "collect.app": (
        "output of the program: {file}",
        "被测程序的输出：{file}",
        "プログラムの出力：{file}",
    ),
    "collect.can": ("it can tell: {what}", "可得知：{what}", "分かること：{what}"),
    "collect.cannot": ("it cannot tell: {what}", "无法得知：{what}", "分からないこと：{what}"),
    "collect.done": ("collected in {folder}", "采集结果位于 {folder}", "採取結果：{folder}"),
    "collect.elapsed": ("{seconds} s", "{seconds} 秒", "{seconds} 秒"),
    "collect.into": (
        "profiling ({mode}) into {folder}",
        "正在采集（{mode}），输出到 {folder}",
        "採取中（{mode}）、出力先 {folder}",
    ),
    "collect.launches": (
        "{done} of {asked} {asked:launch|launches}",
        "已启动 {done}/{asked} 次",
        "起動 {done}/{asked} 回",
    ),
    "collect.mode": ("mode {mode}: {why}", "方式 {mode}：{why}", "モード {mode}：{why}"),
    "collect.starting": ("starting the profiler", "正在启动采集工具", "プロファイラを起動中"),
    "collect.wait.ending": (
        "ending the profiler, at most {seconds} s",
        "正在结束采集工具，最多 {seconds} 秒",
        "プロファイラを終了中、最大 {seconds} 秒",
    ),
    "collect.wait.killed": ("killing the profiler", "正在强制结束采集工具", "プロファイラを強制終了中"),
    "collect.wait.parsing": (
        "waiting for msopprof to write what it has: ended after {seconds} s without a sign of life; Ctrl-C ends it now",
        "等待 msopprof 写出已采集的数据：若 {seconds} 秒内无任何动静则结束；按 Ctrl-C 立即结束",
        "msopprof が手元のデータを書き出すのを待機：{seconds} 秒間反応がなければ終了、Ctrl-C で直ちに終了",
    ),
    "collect.why.aborted": ("aborted", "已中止", "中止されました"),
    "collect.why.interrupted": ("interrupted", "已中断", "中断されました"),
    "collect.why.timeout": ("time limit reached", "已到时间上限", "制限時間に達しました"),
    "doctor.can": (
        "This machine can collect profiles.",
        "本机可以采集性能数据。",
        "この環境で採取できます。",
    ),
    "doctor.cannot": (
        "This machine cannot collect profiles; those that exist can be judged.",
        "本机无法采集性能数据；已有的数据可以分析。",
        "この環境では採取できません。既存のプロファイルは分析できます。",
    ),
    "doctor.check": ("Check", "检查项", "確認項目"),
    "doctor.detail": ("Found", "结果", "結果"),
    "doctor.remedy": ("What to do", "处理办法", "対処"),
    "doctor.state": ("State", "状态", "状態"),
    "doctor.title.ascend-home": ("ASCEND_HOME_PATH", "ASCEND_HOME_PATH", "ASCEND_HOME_PATH"),
    "doctor.title.cann": ("CANN 7.0 or later", "CANN 7.0 及以上", "CANN 7.0 以降"),
    "doctor.title.device": ("NPU device", "NPU device", "NPU デバイス"),
    "doctor.title.disk": ("free disk", "可用磁盘空间", "空きディスク容量"),
    "doctor.title.driver": ("driver and npu-smi", "驱动与 npu-smi", "ドライバと npu-smi"),
    "doctor.title.memory": ("free memory", "可用内存", "空きメモリ"),
    "doctor.title.msopprof": ("profiler", "采集工具", "プロファイラ"),
    "doctor.title.msopprof-version": ("version of msopprof", "msopprof 版本", "msopprof のバージョン"),
    "doctor.title.other-kb": (
        "no other package named kb",
        "没有其他名为 kb 的包",
        "kb という名の別パッケージがないこと",
    ),
    "doctor.title.output": ("output folder and its parent", "输出目录及其上级目录", "出力先とその親フォルダ"),
    "doctor.title.root": ("not root", "非 root 用户", "root でないこと"),
    "doctor.title.simulator": ("simulator", "仿真器", "シミュレータ"),
    "progress.left": ("about {seconds} s left", "约剩 {seconds} s", "残り約 {seconds} s"),
    "progress.rows": ("{rows} rows", "{rows} 行", "{rows} 行"),
}
