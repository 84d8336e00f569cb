"""The program itself: formats it reads, settings, schemas of its documents."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str, str]] = {
    "config.data": ("folders with entries of your own", "自有条目所在的文件夹", "独自エントリのフォルダ"),
    "config.db": ("where runs are kept", "运行记录的存放位置", "実行記録の保存先"),
    "config.default": ("default", "默认", "既定"),
    "config.file": ("file", "配置文件", "設定ファイル"),
    "config.format": (
        "format of answers, where a command has it",
        "输出格式（命令支持时）",
        "出力形式（コマンドが対応する場合）",
    ),
    "config.index": ("search index", "检索索引", "検索インデックス"),
    "config.key": ("Setting", "设置项", "設定項目"),
    "config.lang": ("language of answers", "输出语言", "出力言語"),
    "config.meaning": ("Means", "含义", "意味"),
    "config.origin": ("From", "来源", "設定元"),
    "config.plugins": (
        "whether packages of others are loaded (on, off)",
        "是否加载第三方扩展包（on、off）",
        "拡張パッケージを読み込むか（on、off）",
    ),
    "config.soc": (
        "chip of profiles and models that name none",
        "未注明芯片的 profile 和模型所用的芯片",
        "チップが書かれていないプロファイルとモデルのチップ",
    ),
    "config.value": ("Value", "值", "値"),
    "formats.archives": ("Archives of any of these", "以上格式的压缩包", "上記のいずれかを含むアーカイブ"),
    "formats.count": (
        "{count} {count:format is|formats are} read",
        "可读取 {count} 种格式",
        "読み取れる形式 {count} 種",
    ),
    "formats.family": ("Of", "对象", "対象"),
    "formats.holds": ("Holds", "内容", "内容"),
    "formats.job": ("whole runs", "整次运行", "実行全体"),
    "formats.kernel": ("single kernels", "单个算子", "単一カーネル"),
    "formats.looks": ("Looks like", "看起来是", "推定される形式"),
    "formats.name": ("Reader", "读取器", "リーダ"),
    "formats.now": ("What to do", "处理办法", "対処"),
    "formats.refused": ("Refused by name", "可识别但不读取", "識別するが読み取らないもの"),
    "formats.title": ("Format", "格式", "形式"),
    "schema.document": ("Document", "文档", "文書"),
    "schema.list": (
        "{count} {count:document has|documents have} a JSON Schema",
        "{count} 种文档有 JSON Schema",
        "{count} 種類の文書に JSON Schema があります",
    ),
    "schema.printed": ("Printed by", "输出命令", "出力するコマンド"),
}
