"""The search page in a real browser: light and dark, on a phone, by keyboard, without JavaScript, under attack."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from sought.demand import Search
from tests.testing.browser import chromium, tab
from tests.testing.console_site import Served, crawled, lighthouses, served
from tests.testing.demand_site import write_config

STATES = {
    "home": "/",
    "results": "/?q=lighthouse+keepers",
    "page-3": "/?q=lighthouse&page=3",
    "some-words": "/?q=lamp+zzyzx",
    "nothing": "/?q=zzyzx",
    "problem": "/?q=" + "x" * 1001,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A search page whose results lead to a site that is there."""
    with lighthouses() as site:
        path = crawled(site, tmp_path_factory.mktemp("browser") / "crawl")
        for query in ("lighthouse keepers", "lighthouse lamp", "light storm"):
            for _ in range(3):
                Served(path, 0).log.record(Search(query, time.time()))
        with served(path) as running:
            yield running


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(write_config(tmp_path_factory.mktemp("browser") / "fresh")) as running:
        yield running


@pytest.fixture(scope="module")
def browser(server: Served) -> Iterator[Browser]:
    """After the crawl, which needs this thread for an event loop of its own."""
    with chromium() as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 375)])
def test_every_state_is_accessible_and_fits(
    server: Served, fresh: Served, browser: Browser, tmp_path: Path, scheme: str, width: int
) -> None:
    """axe-core has no complaint, nothing scrolls sideways, nothing is loaded from elsewhere."""
    with tab(
        browser, color_scheme=scheme, viewport={"width": width, "height": 800}, extra_http_headers={"DNT": "1"}
    ) as t:
        for name, where in [*((n, server.url + w) for n, w in STATES.items()), ("empty", fresh.url)]:
            t.page.goto(where)
            t.assert_accessible()
            t.assert_no_sideways_scroll()
            t.picture(f"search-{name}-{scheme}-{width}", tmp_path)
        assert {url.split("/")[2] for url in t.requested} == {server.url[7:], fresh.url[7:]}
        assert not [trouble for trouble in t.troubles if "400 (Bad Request)" not in trouble]


def test_light_and_dark_differ(server: Served, browser: Browser) -> None:
    """The page follows the person's choice."""
    colours = set()
    for scheme in ("light", "dark"):
        with tab(browser, color_scheme=scheme) as t:
            t.page.goto(server.url)
            colours.add(t.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_by_keyboard_alone(server: Served, browser: Browser, tmp_path: Path) -> None:
    """Type, choose a suggestion by arrows, search, return to the field by "/", reach the first result by Tab."""
    with tab(browser) as t:
        page = t.page
        page.goto(server.url)
        expect(page.get_by_role("combobox", name="Search")).to_be_focused()
        page.keyboard.type("Light")
        expect(page.get_by_role("option")).to_have_text(["light storm", "lighthouse keepers", "lighthouse lamp"])
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        field = page.get_by_role("combobox")
        expect(field).to_have_value("lighthouse keepers")
        expect(field).to_have_attribute("aria-activedescendant", "suggestion-1")
        expect(page.get_by_role("option", selected=True)).to_have_text("lighthouse keepers")
        t.assert_accessible()
        t.picture("search-suggestions", tmp_path)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        expect(field).to_have_value("Light")  # past the last: what was typed
        page.keyboard.press("Escape")
        expect(page.get_by_role("listbox")).to_be_hidden()
        page.keyboard.press("ArrowDown")
        expect(page.get_by_role("option")).to_have_count(3)
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        expect(page).to_have_title("lighthouse lamp – Sought")
        page.keyboard.press("/")
        expect(field).to_be_focused()
        expect(field).to_have_value("lighthouse lamp")
        page.keyboard.type("a/b")
        expect(field).to_have_value("a/b")  # "/" is a letter where one types
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Search")).to_be_focused()
        page.keyboard.press("Tab")
        first = page.get_by_role("main").get_by_role("link").first
        expect(first).to_be_focused()
        assert first.evaluate("link => getComputedStyle(link).outlineStyle") == "solid"
        assert not t.troubles


def test_a_suggestion_can_be_clicked(server: Served, browser: Browser) -> None:
    with tab(browser, has_touch=True) as t:
        t.page.goto(server.url)
        expect(t.page.get_by_role("combobox", name="Search")).to_be_focused()  # not before the first frame is drawn
        t.page.keyboard.type("lighthouse l")
        t.page.get_by_role("option", name="lighthouse lamp").tap()
        expect(t.page).to_have_title("lighthouse lamp – Sought")


def test_without_javascript(server: Served, browser: Browser) -> None:
    """A plain form, plain links: search and further pages work."""
    with tab(browser, java_script_enabled=False) as t:
        t.page.goto(server.url)
        t.page.get_by_label("Search", exact=True).first.fill("lighthouse")
        t.page.keyboard.press("Enter")
        expect(t.page).to_have_title("lighthouse – Sought")
        t.page.get_by_role("link", name="Next").click()
        expect(t.page.get_by_text("32 results, page 2")).to_be_visible()
        t.page.get_by_role("link", name="Page 4").click()
        expect(t.page.get_by_role("article")).to_have_count(2)
        assert not t.page.get_by_text("/", exact=True).is_visible()


def test_a_click_is_recorded_on_the_side_and_going_back_is_no_new_search(server: Served, browser: Browser) -> None:
    """The link leads straight to the page, the event goes by itself, and the results are shown again from memory."""
    query, log = "seals granite", server.log
    before = log.events().height
    with tab(browser) as t:
        t.page.goto(f"{server.url}/?q={query}")
        link = t.page.get_by_role("main").get_by_role("link").nth(1)
        url = str(link.get_attribute("href"))
        link.click()
        expect(t.page).to_have_url(url)
        expect(t.page.get_by_text("About its")).to_be_visible()
        t.page.go_back()
        expect(t.page).to_have_title(f"{query} – Sought")
    log = server.settled(log.searches().height + before + 1)
    [search] = [row for row in log.searches().to_dicts() if row["query"] == query]
    [click] = [row for row in log.events().to_dicts() if row["id"] == search["id"]]
    assert (click["action"], click["url"], click["rank"]) == ("click", url, 2)
    assert search["shown"][1] == url


def test_who_objects_leaves_no_trace(server: Served, browser: Browser) -> None:
    """With Do Not Track, neither the search nor the click is recorded, and no event is sent."""
    query = "white tower band"
    with tab(browser, extra_http_headers={"DNT": "1"}) as t:
        t.page.goto(f"{server.url}/?q={query}")
        link = t.page.get_by_role("main").get_by_role("link").first
        url = str(link.get_attribute("href"))
        link.click()
        expect(t.page).to_have_url(url)
        assert not [url for url in t.requested if "/api/events" in url]
        t.page.goto(server.url)
    server.get("/", q="a last search")  # what is recorded is in order: after this, that would have been there
    while "a last search" not in (queries := server.log.searches()["query"].to_list()):
        time.sleep(0.02)
    assert query not in queries


@pytest.mark.slow
def test_a_hostile_page_does_nothing(server: Served, browser: Browser, tmp_path: Path) -> None:
    """No script of a crawled page runs, none of its markup is markup, and our own policy is not offended."""
    with tab(browser, extra_http_headers={"DNT": "1"}) as t:
        t.page.goto(f"{server.url}/?q=evil+words")
        expect(t.page.get_by_role("heading", level=2).first).to_contain_text("<script>alert(1)</script>")
        t.picture("search-hostile", tmp_path)
        t.page.goto(f'{server.url}/?q="><script>alert(5)</script>')
        expect(t.page.get_by_role("combobox")).to_have_value('"><script>alert(5)</script>')
        for path in ("javascript:alert(6)", "<svg onload=alert(7)>"):
            t.page.goto(f"{server.url}/?q={path}")
        assert t.page.locator("main script, main img, main svg").count() == 0
        assert not t.troubles
        t.assert_accessible()
