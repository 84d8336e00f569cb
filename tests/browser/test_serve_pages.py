"""The local web app in a real browser: runs, a report, search with filters, two runs compared, nothing without the token."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
import seen as eyes
from comparison_samples import AFTER, BEFORE
from report_samples import HOSTILE
from running import ROOT, environment

from kb.report.json import kept
from kb.store.runs import save

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

Open = Callable[..., Any]
CHOSEN = "select[name=kind] option[value=recipe]"


@dataclass(frozen=True)
class Place:
    """Where the app answers, and the runs that it shows."""

    home: str
    before: str
    after: str
    hostile: str

    @property
    def root(self) -> str:
        return self.home.partition("/?")[0]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    home = tmp_path_factory.mktemp("serve")
    db = str(home / "runs.db")
    names = [save(kept(report), db=db) for report in (BEFORE, AFTER, replace(HOSTILE, run="f" * 12))]
    process = subprocess.Popen(
        [sys.executable, "-m", "kb", "serve", "--port", "0", "-q", "--db", db],
        cwd=ROOT, env=environment(home), stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    yield Place(process.stdout.readline().strip(), *names)
    process.send_signal(signal.SIGINT)
    process.wait(20)
    process.stdout.close()


def quiet(seen: Any) -> bool:
    """Nothing in the console but that there is no icon."""
    return [line for line in seen.get_log("browser") if "favicon" not in line["message"]] == []


def test_from_the_list_of_runs_to_a_report(shown: Open, place: Place) -> None:
    seen = shown(place.home)
    assert len(seen.find_elements("css selector", "tbody tr")) == 3
    seen.find_element("link text", place.before).click()
    assert "/runs/" in seen.current_url and seen.find_elements("css selector", "main h1")
    seen.find_element("css selector", ".filter input").send_keys("zzzz")
    assert not any(card.is_displayed() for card in seen.find_elements("css selector", ".card[data-f]"))
    assert quiet(seen)


def test_search_with_a_filter_leads_to_an_entry_in_another_language(shown: Open, place: Place) -> None:
    seen = shown(f"{place.root}/search")
    seen.find_element("css selector", "[name=q]").send_keys("NMS CPU fallback")
    seen.find_element("css selector", CHOSEN).click()
    seen.find_element("css selector", "form button").click()
    kinds = [item.text for item in seen.find_elements("css selector", ".card .quiet")]
    assert kinds and all(kind.startswith("recipe") for kind in kinds)
    assert seen.find_element("css selector", "[name=q]").get_attribute("value") == "NMS CPU fallback"
    seen.find_element("css selector", ".card a").click()
    assert "/entries/" in seen.current_url
    seen.find_element("link text", "zh").click()
    assert seen.find_element("css selector", "html").get_attribute("lang") == "zh"
    assert quiet(seen)


def test_two_runs_are_compared_with_pictures(shown: Open, place: Place) -> None:
    seen = shown(f"{place.root}/compare")
    seen.find_element("css selector", "[name=before]").send_keys(place.before)
    seen.find_element("css selector", "[name=after]").send_keys(place.after)
    seen.find_element("css selector", "form button").click()
    assert seen.find_element("css selector", "h1").text.startswith("Faster")
    names = {item.get_attribute("class") for item in seen.find_elements("css selector", "figure")}
    assert names == {"waterfall", "changes", "moved"}
    assert quiet(seen)


@pytest.mark.parametrize("width", [360, 1100, 1600])
@pytest.mark.parametrize("path", ["/", "/search?q=matmul", "/compare", "/entries/vector-larger-copies"])
def test_no_page_scrolls_sideways_and_everything_has_a_name(shown: Open, place: Place, path: str, width: int) -> None:  # fmt: skip
    seen = shown(f"{place.root}{path}", width=width)
    assert seen.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert seen.execute_script(eyes.NAMELESS) == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("path", ["/", "/search?q=matmul"])
def test_every_text_can_be_read(shown: Open, place: Place, path: str, dark: bool) -> None:
    found = shown(f"{place.root}{path}", dark=dark).execute_script(eyes.TEXTS)
    assert [text for text, ink, paper in found if eyes.contrast(ink, paper) < 4.5] == []


def test_the_keyboard_alone_reaches_an_answer(shown: Open, place: Place) -> None:
    seen = shown(f"{place.root}/search")
    seen.switch_to.active_element.send_keys("flash attention\n")
    assert seen.find_elements("css selector", ".card a")


def test_hostile_runs_and_questions_stay_text(shown: Open, place: Place) -> None:
    seen = shown(f"{place.root}/search?q=%22%3E%3Cimg%20src=x%20onerror=document.title=1%3E&op=%3Cb%3E")
    assert seen.find_elements("css selector", "img, form b") == [] and seen.title != "1"
    for path in ("/", f"/runs/{place.hostile}", f"/compare?before={place.hostile}&after={place.before}"):
        seen = shown(place.root + path)
        assert len(seen.find_elements("css selector", "script, img, iframe")) <= 1  # the filter of a report


def test_nothing_is_shown_without_the_token(shown: Open, place: Place) -> None:
    seen = shown(place.root[:-1] + "/")
    assert seen.find_element("css selector", "body").text == "not found"
