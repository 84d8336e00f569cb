"""The HTML sheet that every page stands on: one file, no script, nothing loaded, light and dark."""

from __future__ import annotations

from kb.report.text import clean

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --quiet: #5d6678; --paper: #fff; --card: #f6f7f9; --line: #dfe3ea;
  --accent: #0b62c4; --good: #1b7f4b; --warn: #9a5b00; --bar: #cfe0f6; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ef; --quiet: #98a2b5; --paper: #14171d; --card: #1c212a;
  --line: #303744; --accent: #7db4ff; --good: #62cf97; --warn: #e8ae57; --bar: #24446d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 62rem; background: var(--paper); color: var(--ink);
  font: 15px/1.55 system-ui, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "Hiragino Sans", sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 2.2rem 0 .7rem; padding-bottom: .3rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 0 0 .35rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; overflow-wrap: anywhere; } ul, ol { margin: .3rem 0; padding-left: 1.4rem; } li { overflow-wrap: anywhere; }
a { color: var(--accent); } small, .quiet { color: var(--quiet); font-weight: normal; } .warn { color: var(--warn); }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Consolas, monospace; overflow-wrap: anywhere; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; overflow-x: auto; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; margin: .4rem 0; }
th { text-align: left; font-weight: 600; color: var(--quiet); white-space: nowrap; }
th, td { padding: .28rem .9rem .28rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; } td code { white-space: nowrap; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.2rem; margin: .5rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; margin: .8rem 0; }
.answer { border-left: 4px solid var(--accent); } .answer dd { font-weight: 600; } .answer dd small { display: block; }
.gain { color: var(--good); font-weight: 600; } .rank { color: var(--quiet); margin-right: .35rem; }
.bar { display: block; width: 9rem; height: .6rem; margin-top: .45rem; background: var(--line); border-radius: 3px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--accent); }
.track { display: block; min-width: 14rem; height: .8rem; margin-top: .3rem; background: var(--card); }
.track i { display: block; height: 100%; border-radius: 2px; background: var(--quiet); max-width: 100%; }
.track .worse { background: var(--warn); } .track .better { background: var(--good); }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 3rem; color: var(--quiet); font-size: .85rem; }
@media print { body { max-width: none; padding: 0; } .card { break-inside: avoid; } }
"""


def esc(text: object, *, keep_blanks: bool = False) -> str:
    """`text` cleaned and escaped for HTML; `keep_blanks` for a line of code, already cleaned."""
    return (str(text) if keep_blanks else clean(text)).translate(_ENTITIES)


def sheet(title: str, body: str, *, lang: str) -> str:
    """A whole HTML file around `body`, which is HTML already."""
    return (
        f'<!doctype html>\n<html lang="{esc(lang)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{esc(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>"
    )
