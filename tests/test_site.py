"""The site is built without a warning, has every page, and loads nothing from elsewhere."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from running import ROOT, tracked

from tools.site import pages

needs_builder = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("sphinx", "myst_parser", "furo")),
    reason="the extra `docs` (sphinx, myst-parser, furo) is not installed",
)
LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


def test_every_page_is_in_the_navigation() -> None:
    listed = [page for _, found in pages.navigation() for page in found]
    assert len(listed) == len(set(listed)), "a page stands in two sections"
    docs = {page for page in tracked("docs") if page.endswith(".md")}
    inner = {page for page in docs if page.startswith("docs/bottlenecks/") and not page.endswith("index.md")}
    assert docs - inner - {"docs/index.md"} <= set(listed)
    assert {"README.md", "README.zh.md", "README.ja.md", "CONTRIBUTING.md", "CHANGELOG.md"} <= set(listed)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "html"
    done = subprocess.run(
        [sys.executable, "-m", "tools.site.build", str(folder)], cwd=ROOT, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class _Loads(HTMLParser):
    """What a page loads by itself, and where it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in LOADED and LOADED[tag] in given:
            self.loads.append(given[LOADED[tag]])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])


def read(path: Path) -> _Loads:
    found = _Loads()
    found.feed(path.read_text(encoding="utf-8"))
    return found


@needs_builder
def test_every_page_and_entry_is_built(site: Path) -> None:
    wanted = [*pages.kept(), *tracked("data/recipes", "data/patterns")]
    assert len(wanted) > 300
    missing = [
        page for page in wanted if page.endswith(".md") and not (site / page).with_suffix(".html").is_file()
    ]
    assert missing == []
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


@needs_builder
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    found = sorted(site.rglob("*.html"))
    assert len(found) > 300
    outside = {load for path in found for load in read(path).loads if re.match(r"(?:[a-z]+:)?//", load)}
    assert outside == set()
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert styles
    assert [text[:80] for text in styles if re.search(r"@import|url\(\s*[\"']?(?:https?:)?//", text)] == []


@needs_builder
def test_what_a_page_loads_is_there(site: Path) -> None:
    lacking = {
        f"{path.relative_to(site)}: {load}"
        for path in sorted((site / "docs").rglob("*.html")) + sorted(site.glob("README*.html"))
        for load in read(path).loads
        if not load.startswith("data:") and not (path.parent / unquote(re.split("[?#]", load)[0])).exists()
    }
    assert lacking == set()


@needs_builder
def test_links_between_pages_lead_somewhere(site: Path) -> None:
    broken = [
        f"{path.relative_to(site)}: {link}"
        for path in sorted((site / "docs").rglob("*.html"))
        for link in read(path).links
        if not re.match(r"[a-z]+:|#|//", link)
        and not (path.parent / unquote(link.partition("#")[0])).resolve().exists()
    ]
    assert broken == []


@needs_builder
def test_a_link_that_leads_nowhere_is_an_error(tmp_path: Path) -> None:
    """The builder can fail: a page with a broken link ends it with another status."""
    source = tmp_path / "src" / "docs"
    source.mkdir(parents=True)
    (source / "index.md").write_text("# Index\n\n[nowhere](nowhere.md)\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-c", str(ROOT / "tools" / "site"),
         str(tmp_path / "src"), str(tmp_path / "out")],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr
