"""The HTML sheet that every page stands on: one file, nothing loaded, light and dark, whole without its script.

The one script (the filter of a report) is allowed by its hash, so that no other can run.
"""

from __future__ import annotations

import base64
import hashlib

from kb.report.text import clean

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

_STYLE = """
:root { color-scheme: light dark; --ink: #1d2330; --quiet: #5d6678; --paper: #fff; --card: #f6f7f9; --line: #dfe3ea;
  --accent: #0b62c4; --good: #1b7f4b; --warn: #9a5b00; --vector: #0072b2; --cube: #d55e00; --mix: #5a0fc8; --floor: #1d2330;
  --worse: #d55e00; --better: #0072b2; }
@media (prefers-color-scheme: dark) { :root { --ink: #e3e7ef; --quiet: #98a2b5; --paper: #14171d; --card: #1c212a;
  --line: #303744; --accent: #7db4ff; --good: #62cf97; --warn: #e8ae57; --vector: #56b4e9; --cube: #f0a35e; --mix: #9a5cff; --floor: #e3e7ef;
  --worse: #f0a35e; --better: #56b4e9; } }
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
td { overflow-wrap: anywhere; } td code { white-space: nowrap; } .whole { white-space: nowrap; } .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
dl { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .25rem 1.2rem; margin: .5rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; margin: .8rem 0; }
.answer { border-left: 4px solid var(--accent); } .answer dd { font-weight: 600; } .answer dd small { display: block; }
.gain { color: var(--good); font-weight: 600; } .rank { color: var(--quiet); margin-right: .35rem; }
.bar { display: block; width: 9rem; height: .6rem; margin-top: .45rem; background: var(--line); border-radius: 3px; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--accent); }
.step { display: block; min-width: 14rem; height: .8rem; margin-top: .3rem; background: var(--card); }
.step i { display: block; height: 100%; border-radius: 2px; background: var(--quiet); max-width: 100%; }
figure { margin: 1.4rem 0; } figcaption p { margin: .1rem 0 .5rem; }
.bars { display: grid; gap: .3rem; margin: .5rem 0 1rem; }
.bars > div { display: grid; grid-template-columns: minmax(7rem, 14rem) minmax(6rem, 1fr) minmax(8rem, 17rem); gap: .8rem; align-items: center; }
.pairs { gap: .15rem; } .pairs p { margin: .55rem 0 0; }
.bars span { overflow-wrap: anywhere; } .bars span:last-child { font-variant-numeric: tabular-nums; color: var(--quiet); }
.track { position: relative; display: block; height: .9rem; background: var(--line); border-radius: 3px; overflow: hidden; }
.track i { position: absolute; inset: 0 auto 0 0; background: var(--accent); opacity: .75; } .track i.floor { background: var(--floor); opacity: .85; }
.track i.vector { background: var(--vector); } .track i.cube { background: var(--cube); }
.track i.before { background: var(--quiet); } .track i.worse, .step .worse { background: var(--worse); }
.track i.better, .step .better { background: var(--better); } .track b { position: absolute; top: 0; bottom: 0; width: 1px; background: var(--ink); opacity: .55; }
.chart { width: 100%; min-width: 34rem; max-width: 46rem; height: auto; font: 12px system-ui, sans-serif; }
.chart text { fill: var(--ink); } .chart .small { font-size: 11px; } .grid { stroke: var(--line); } .roof { stroke: var(--ink); stroke-width: 1.6; }
.roofname { fill: var(--quiet) !important; } .point circle { fill: var(--c); fill-opacity: .7; stroke: var(--c); stroke-width: 1.5; }
.point { --c: var(--quiet); } .vector { --c: var(--vector); } .cube { --c: var(--cube); } .mix { --c: var(--mix); }
.point:hover circle, .point:focus circle { fill-opacity: 1; stroke: var(--ink); stroke-width: 2.5; } .point:focus { outline: none; }
.memory { fill: var(--card); stroke: var(--quiet); } .unit { fill: var(--card); stroke: var(--accent); stroke-width: 2; }
.path { stroke: var(--accent); } .tip { fill: var(--accent); }
.key { display: inline-block; width: .8rem; height: .8rem; border-radius: 50%; background: var(--c); margin: 0 .2rem 0 .8rem; vertical-align: -1px; }
.strip { margin: .8rem 0 1.2rem; } .lane { display: grid; grid-template-columns: minmax(4rem, 8rem) 1fr; gap: .8rem; align-items: center; margin: .2rem 0; }
.lane > span:first-child { color: var(--quiet); overflow-wrap: anywhere; } .lane svg { display: block; width: 100%; height: 1.5rem; background: var(--line); border-radius: 3px; }
.lane path.compute { fill: var(--vector); } .lane path.talk { fill: var(--cube); } .key.compute { --c: var(--vector); } .key.talk { --c: var(--cube); }
.key.pause { --c: var(--ink); } .pauses { position: relative; height: .9rem; } .pauses b { position: absolute; top: 0; bottom: 0; min-width: 3px; background: var(--ink); border-radius: 2px; }
.pauses b:is(:hover, :focus) { background: var(--accent); z-index: 1; } .ends > span:last-child { display: flex; justify-content: space-between; color: var(--quiet); font-size: .8rem; }
.ends i { font-style: normal; } nav { margin: 1rem 0; } nav a { margin-right: 1rem; white-space: nowrap; display: inline-block; } .filter { display: none; gap: .8rem; align-items: center; margin: 1rem 0; flex-wrap: wrap; }
.scripted .filter { display: flex; } .ask { display: flex; gap: .5rem; flex-wrap: wrap; margin: 1rem 0; } .ask [name=q] { flex: 1 1 20rem; }
.ask :is(input, select, button) { padding: .45rem .6rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
.filter input { flex: 1 1 16rem; padding: .45rem .6rem; font: inherit; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 6px; } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; } [hidden] { display: none !important; }
@media (max-width: 40rem) { .bars > div { grid-template-columns: 1fr 1fr; gap: 0 .8rem; } .bars > div > .track { grid-column: 1 / -1; grid-row: 2; margin-bottom: .35rem; }
  .bars span:last-child { text-align: right; } dl { grid-template-columns: 1fr; gap: 0; } dt { margin-top: .5rem; }
  td { min-width: 5rem; } .stack :is(table, tbody, tr, td) { display: block; } .stack thead { display: none; }
  .stack td[data-head]:not(:empty)::before { content: attr(data-head) "\\2002"; color: var(--quiet); font-size: .85rem; }
  .stack td { border: 0; padding: .1rem 0; text-align: left; } .stack tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } }
details { margin: .4rem 0; } summary { cursor: pointer; color: var(--accent); }
footer { margin-top: 3rem; color: var(--quiet); font-size: .85rem; }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; } .card, figure { break-inside: avoid; } nav, .filter { display: none !important; }
  details::details-content { content-visibility: visible; block-size: auto; } }
"""

# Hides every element marked data-f whose text does not hold the words typed; without it nothing is missing.
_SCRIPT = """
document.documentElement.classList.add("scripted");
for (const box of document.querySelectorAll(".filter input")) {
  const scope = box.closest("main"), items = [...scope.querySelectorAll("[data-f]")], told = box.parentNode.querySelector("output");
  const apply = () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let shown = 0;
    for (const item of items) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every(word => text.includes(word));
      if (!item.hidden) shown += 1;
    }
    told.textContent = words.length ? told.dataset.text.replace("{shown}", shown).replace("{all}", items.length) : "";
  };
  box.addEventListener("input", apply);
  box.addEventListener("keydown", event => { if (event.key === "Escape") { box.value = ""; apply(); } });
}
"""


def esc(text: object, *, keep_blanks: bool = False) -> str:
    """`text` cleaned and escaped for HTML; `keep_blanks` for a line of code, already cleaned."""
    return (str(text) if keep_blanks else clean(text)).translate(_ENTITIES)


def sheet(title: str, body: str, *, lang: str, scripted: bool = False, forms: bool = False) -> str:
    """A whole HTML file around `body`, which is HTML already.

    `scripted` adds the filter's script; `forms` lets a form be sent to where the page came from.
    """
    script = f"<script>{_SCRIPT}</script>\n" if scripted else ""
    allowed = f"; script-src 'sha256-{_digest(_SCRIPT)}'" if scripted else ""
    sent = "'self'" if forms else "'none'"
    policy = f"default-src 'none'; style-src 'unsafe-inline'{allowed}; base-uri 'none'; form-action {sent}"
    return (
        f'<!doctype html>\n<html lang="{esc(lang)}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{esc(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n{script}</body>\n</html>"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
