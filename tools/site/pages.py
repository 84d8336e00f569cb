"""What the site is made of: every page git keeps, every entry as `kb show` prints it, and the files they link to."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from kb.knowledge.entry import FOLDERS, load_entries
from kb.report.entries import entry_page
from kb.report.page import markdown

ROOT = Path(__file__).resolve().parents[2]
INDEX = "docs/index.md"
TITLES = {"README.md": "README", "README.zh.md": "README（中文）", "README.ja.md": "README（日本語）"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```[ \t]*$", re.DOTALL | re.MULTILINE)


def kept() -> list[str]:
    """The pages of the documentation, as paths below the root."""
    told = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", "*.md"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = sorted(filter(None, told.stdout.split("\0")))
    return [
        path
        for path in found
        if not path.startswith(("data/", "tests/", "tools/", "examples/kb-example/kb_example/"))
        and (ROOT / path).is_file()
    ]


def links(text: str) -> list[str]:
    """Targets of links to files, anchors left out; code shows no links."""
    targets = (target.partition("#")[0] for target in LINK.findall(FENCE.sub("", text)))
    return [target for target in targets if target and not re.match(r"[a-z]+:", target)]


def navigation() -> Iterator[tuple[str, list[str]]]:
    """The sections of docs/index.md with the pages each lists: the one place where the order of pages stands."""
    text = (ROOT / INDEX).read_text(encoding="utf-8")
    for section in text.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        pages = [_below_root(INDEX, target) for target in links(body)]
        yield title, list(dict.fromkeys(page for page in pages if page.endswith(".md")))


def _below_root(page: str, target: str) -> str:
    return str((ROOT / page).parent.joinpath(target).resolve().relative_to(ROOT))


def _tree(caption: str, pages: list[str], *, hidden: bool = True) -> str:
    lines = [
        "```{toctree}",
        *([f":caption: {caption}"] if caption else []),
        *([":hidden:"] if hidden else []),
    ]
    return "\n".join([*lines, ":maxdepth: 1", "", *map(_named, pages), "```", ""])


def _named(page: str) -> str:
    """A page in the navigation, by its own title; the READMEs by their language, since their titles say what kb is."""
    path = f"/{page.removesuffix('.md')}"
    return f"{TITLES[page]} <{path}>" if page in TITLES else path


def gather(folder: Path) -> None:
    """Write all sources of the site into `folder`, laid out as in the repository."""
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in kept()}
    listed = {page for _, pages in navigation() for page in pages}
    trees = "\n".join(_tree(title, pages) for title, pages in navigation())
    texts[INDEX] = f"{texts[INDEX]}\n{trees}"
    inner = [page for page in texts if page.startswith("docs/bottlenecks/") and not page.endswith("index.md")]
    if inner:
        texts["docs/bottlenecks/index.md"] += "\n" + _tree("", inner)
    listed |= {INDEX, *inner}
    texts |= {
        f"data/{FOLDERS[entry.kind]}/{entry.id}.md": markdown.render(entry_page(entry, "en"))
        for entry in load_entries()
    }
    for page, text in texts.items():
        head = "" if page in listed else "---\norphan: true\n---\n\n"
        _write(folder / page, head + text)
    for page, text in texts.items():
        for target in links(text):
            _copy(_below_root(page, target), texts, folder)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")


def _copy(name: str, texts: dict[str, str], folder: Path) -> None:
    """A file that a page links to and that is no page itself."""
    if name in texts or not (ROOT / name).is_file() or (folder / name).exists():
        return
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(ROOT / name, folder / name)
