"""The report's page in a real browser: drawn whole, quiet console, filter, links, keyboard, hostile text.

Needs Chromium with its driver (Debian: chromium chromium-driver) and the extra `browser`.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from report_samples import HOSTILE, RUN, SAMPLE

from kb.model import Report
from kb.report import views

webdriver = pytest.importorskip("selenium.webdriver", reason="the extra `browser` is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    pytest.skip("no Chromium with its driver on this machine", allow_module_level=True)

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser: webdriver.Chrome, tmp_path: Path):  # type: ignore[no-untyped-def]
    def opened(report: Report, *, lang: str = "en", width: int = 1100) -> webdriver.Chrome:
        file = tmp_path / "report.html"
        text = views.render("html", [report], lang=lang, width=80, color=False, many=False)
        file.write_text(text, encoding="utf-8")
        browser.set_window_size(width, 900)
        browser.get_log("browser")
        browser.get(file.as_uri())
        return browser

    return opened


@pytest.mark.parametrize("lang", ["en", "zh", "ja"])
@pytest.mark.parametrize("report", [SAMPLE, RUN, HOSTILE], ids=["kernel", "run", "hostile"])
def test_the_console_stays_quiet_and_nothing_is_loaded(page, report: Report, lang: str) -> None:  # type: ignore[no-untyped-def]
    seen = page(report, lang=lang)
    assert seen.get_log("browser") == []
    assert seen.execute_script("return performance.getEntriesByType('resource').length") == 0


def test_every_chart_of_the_sample_is_drawn_with_a_size(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    assert [item.get_attribute("class") for item in seen.find_elements("css selector", "figure")] == [
        "times", "roofline", "pipes", "paths",
    ]  # fmt: skip
    for item in seen.find_elements("css selector", "svg, .track"):
        assert item.size["width"] > 40 and item.size["height"] > 5


@pytest.mark.parametrize("width", [500, 1100, 1800])
def test_the_page_never_scrolls_sideways(page, width: int) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE, width=width)
    assert seen.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


def test_the_filter_leaves_what_holds_all_words(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    cards = seen.find_elements("css selector", ".card[data-f]")
    box = seen.find_element("css selector", ".filter input")
    box.send_keys("vector api")
    shown = [card for card in cards if card.is_displayed()]
    assert 0 < len(shown) < len(cards)
    assert all("vector" in card.text.lower() for card in shown)
    assert "shown" in seen.find_element("css selector", ".filter output").text
    box.send_keys("\ue00c")  # Escape
    assert all(card.is_displayed() for card in cards)


def test_a_finding_and_its_advice_lead_to_one_another(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    seen.find_element("css selector", "#finding-1 a[href^='#advice-']").click()
    assert seen.current_url.endswith("#advice-1")
    seen.find_element("css selector", "#advice-1 a[href^='#finding-']").click()
    assert seen.current_url.endswith("#finding-1")


def test_points_are_reached_with_the_keyboard(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    box = seen.find_element("css selector", ".filter input")
    box.click()
    box.send_keys("\t")
    focused = seen.switch_to.active_element
    assert "FLOP/B" in focused.get_attribute("aria-label")


def test_hostile_text_stays_text(page) -> None:  # type: ignore[no-untyped-def]
    seen = page(HOSTILE)
    assert len(seen.find_elements("css selector", "script")) == 1
    assert "<script>alert('1')</script>" in seen.find_element("css selector", "h1").text
    assert seen.execute_script("return document.querySelectorAll('main b, main [onclick]').length") == len(
        seen.find_elements("css selector", ".track b")
    )


def test_without_its_script_nothing_is_hidden(page, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    seen = page(SAMPLE)
    text = Path(tmp_path / "report.html").read_text(encoding="utf-8")
    begin, end = text.index("<script>"), text.index("</script>")
    Path(tmp_path / "plain.html").write_text(text[:begin] + text[end + 9 :], encoding="utf-8")
    seen.get((tmp_path / "plain.html").as_uri())
    assert not seen.find_element("css selector", ".filter").is_displayed()
    assert all(card.is_displayed() for card in seen.find_elements("css selector", ".card"))
