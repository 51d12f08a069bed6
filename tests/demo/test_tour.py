"""A tour of everything there is to see, while the demo runs; its pictures are those of docs/tutorial/tour.md.

SOUGHT_SCREENSHOTS=dist/pictures pytest tests/demo/test_tour.py     (make pictures, which copies them there)
"""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Locator, ViewportSize, expect

from tests.testing.browser import Tab, chromium, tab
from tests.testing.demo_process import processes, started

LOOKED_AT = (
    75 if os.environ.get("SOUGHT_SCREENSHOTS") else 4
)  # seconds of the contest; who wants pictures waits for them
_TYPED = 25  # times, three seconds each
TOUR = Path(__file__).parents[2] / "docs" / "tutorial" / "tour.md"
WIDE: ViewportSize = {"width": 1200, "height": 900}
PHONE: ViewportSize = {"width": 375, "height": 760}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.mark.slow
def test_a_tour(browser: Browser, tmp_path: Path) -> None:
    """Every page is there and live while both crawl; then Ctrl-C ends everything: no process, no file, no traceback."""
    with started(tmp_path / "tmp", "--port", "0") as running:
        assert running.stdout
        [address] = re.findall(r"http://127\.0\.0\.1:\d+/", running.stdout.readline())
        with tab(browser, viewport=WIDE) as t:
            _contest(t, address, tmp_path)
            search, question = _sides(t)
            found = _search(t, search, question, tmp_path)
            _console(t, search, question, found, tmp_path)
            assert not [each for each in t.troubles if "503" not in each]  # "not read yet: this page looks again"
        with tab(browser, viewport=PHONE, color_scheme="dark") as t:
            t.page.goto(f"{search}?q={quote(question)}")
            assert t.page.locator(".where").evaluate_all(
                "all => all.every((each) => each.scrollWidth <= each.clientWidth)"
            )
            t.picture("tour-phone", tmp_path, whole=False)
        commands = [Path(f"/proc/{each}/cmdline").read_text() for each in processes(str(tmp_path / "tmp"))]
        searching = sum("search_process" in each for each in commands)
        assert (searching >= 2, len(commands) - searching) == (True, 4)  # two search pages, two crawls
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=600)
    assert running.returncode == 0
    assert "Traceback" not in errors
    taken = Path(os.environ.get("SOUGHT_SCREENSHOTS") or tmp_path).glob("tour-*.png")
    assert {each.name for each in taken} == set(re.findall(r"pictures/(tour-.*?\.png)", TOUR.read_text()))


def _contest(t: Tab, address: str, tmp_path: Path) -> None:
    """Both lines grow."""
    t.page.goto(address)
    expect(t.page.locator("[data-phase]")).to_have_text("Both crawls are running.", timeout=600_000)
    expect(t.page.locator("[data-asked] tr").first).to_be_visible()
    while _seconds(t) < LOOKED_AT:
        t.page.wait_for_timeout(250)
    assert t.ink(".uplot canvas", "--second") > 20  # the line on top: in the first seconds they are nearly one
    t.picture("tour-demo", tmp_path)


def _seconds(t: Tab) -> int:
    """For how long both crawls have run, as the page has it."""
    found = re.search(r"([\d,]+) s,", t.page.locator("[data-clock]").inner_text())
    return int(found[1].replace(",", "")) if found else 0


def _sides(t: Tab) -> tuple[str, str]:
    """Where one searches with the default policy, and what people ask."""
    link = t.page.locator("[data-side=default] [data-search]").get_attribute("href")
    question = t.page.locator("[data-asked] tr").first.locator("td, th").first.inner_text()
    assert link
    return link, question


def _search(t: Tab, search: str, question: str, tmp_path: Path) -> str:
    """What people ask is suggested, and answered; returns the address of the first result."""
    t.page.goto(search)
    field = t.page.get_by_role("combobox", name="Search")
    expect(field).to_be_focused()
    _suggested(t, field, question[:3])
    t.picture("tour-suggestions", tmp_path, whole=False)
    field.fill(question)
    t.page.keyboard.press("Enter")
    expect(t.page).to_have_title(f"{question} – Sought")
    t.picture("tour-search", tmp_path, whole=False)
    found = t.page.get_by_role("article").first.get_by_role("link").first.get_attribute("href")
    assert found
    return found


def _suggested(t: Tab, field: Locator, letters: str) -> None:
    """Typed again until somebody has asked often enough, and the server has read of it: it looks every ten seconds."""
    option = t.page.get_by_role("option").first
    for _ in range(_TYPED):
        field.fill("")
        field.press_sequentially(letters)
        try:
            return expect(option).to_be_visible(timeout=3_000)
        except AssertionError:
            continue
    raise AssertionError(f"nothing is suggested for {letters!r}")


def _console(t: Tab, search: str, question: str, found: str, tmp_path: Path) -> None:
    """The crawl as its operator sees it, and why it did what it did."""
    t.page.goto(f"{search}console")
    expect(t.page.locator("[data-stream]")).to_have_text("live")
    expect(t.page.get_by_role("heading", name="Queries that need pages")).to_be_visible()
    t.picture("tour-console", tmp_path, whole=False)
    t.page.get_by_role("link", name="Crawl", exact=True).click()
    expect(t.page.get_by_role("heading", name="Predicted and measured")).to_be_visible()
    t.picture("tour-where", tmp_path)
    t.page.get_by_role("link", name="Queries", exact=True).click()
    expect(t.page.locator("main tbody tr").first).to_be_visible()
    t.picture("tour-queries", tmp_path, whole=False)
    host = "/".join(found.split("/")[:3])
    for kind, about in (("url", found), ("query", question), ("host", host)):
        t.page.goto(f"{search}console/{kind}?{kind[0]}={quote(about, safe='')}")
        expect(
            t.page.locator("main section").first
        ).to_be_visible()  # it waits for the tables, and looks again by itself
        t.picture(f"tour-{kind}", tmp_path)
    t.page.goto(f"{search}console/log")
    expect(t.page.locator("ol.log > li").first).to_be_visible()
    t.picture("tour-log", tmp_path, whole=False)
