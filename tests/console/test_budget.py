"""The budget dial on the console: the numbers of `sought budget`, how sure they are, and a chart."""

import re

import pytest

from sought.console.budget_page import between
from sought.console.control import Control, new_token
from sought.console.number_labels import FIGURES
from sought.console.wording import number, share
from sought.operate.dial import budget
from sought.operate.view import View
from tests.testing.browser import chromium, tab
from tests.testing.console_site import served
from tests.testing.console_text import DIAL, read, words
from tests.testing.control_client import entered
from tests.testing.dial_crawl import recorded_crawl


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A crawl with ten weeks on record."""
    path = recorded_crawl(tmp_path_factory.mktemp("budget") / "crawl", 10)
    config = path / "sought.toml"
    config.write_text(config.read_text().replace("[crawl]", '[crawl]\nbudget = "12 per day"'))
    return path


@pytest.fixture(scope="module")
def server(path):
    with served(path) as server:
        yield server


@pytest.fixture(scope="module")
def browser(path):
    with chromium() as browser:
        yield browser


def test_the_page_says_what_the_command_says(path, server):
    """Of 90, 95 and 99 %, of today's budget, and of none; each with what is 80 % certain, and its sentence."""
    said = words(read(server, "/console/budget")).replace("&#39;", "'")
    with View(path) as view:
        found = budget(view, view.opened)
    assert "From 310 measured fetches of 70 days on record, for the 183 days ahead." in said
    assert found.levels
    assert found.budget
    assert found.without_fetches
    for level, each in found.levels.items():
        fetches = f"{number(each.value)} a day 80 % certain: {number(each.low)} to {number(each.high)}"
        assert f"Fetches for {100 * float(level):.0f} % {fetches}" in said
    today, none = found.budget.quality, found.without_fetches
    certain = [f"80 % certain: {share(each.low)} to {share(each.high)}" for each in (today, none)]
    assert f"Quality at today's budget {share(today.value)} {certain[0]}" in said
    assert f"Without any fetch, quality would be {share(none.value)} ({certain[1]})." in said
    assert "Today's budget: 12 per day." in said
    assert "Tables as of" in said
    assert not [name for name in DIAL if FIGURES[name].sentence not in said]


def test_the_same_numbers_are_in_a_table(path, server):
    """Of fetches that ascend, at most two dozen, the qualities too."""
    rows = re.findall(
        r"<tr><td class=\"n\">([^<]*)</td><td class=\"n\">([\d.]+) %</td>", server.ask("/console/budget").text
    )
    qualities = [float(quality) for _, quality in rows]
    assert 12 <= len(rows) <= 24
    assert qualities == sorted(qualities)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 375)])
def test_the_dial_is_drawn(server, browser, scheme, width, tmp_path):
    """The curve, its band and a mark at today's budget; anybody can read it, and nothing comes from elsewhere."""
    read(server, "/console/budget")
    with tab(browser, viewport={"width": width, "height": 900}, color_scheme=scheme) as it:
        it.page.goto(f"{server.url}/console/budget")
        it.page.wait_for_selector("figure[data-dial] canvas")
        for colour in ("--accent", "--second"):
            assert it.ink("figure[data-dial] canvas", colour) > 50, colour
        assert it.page.locator("nav [aria-current]").inner_text() == "Budget"
        assert not it.troubles
        assert all(url.startswith(server.url) for url in it.requested)
        it.assert_no_sideways_scroll()
        it.assert_accessible()
        it.picture(f"budget-{scheme}-{width}", tmp_path)


def test_it_says_why_it_cannot_know(tmp_path):
    """In words, in the place of numbers; before anything was crawled, too."""
    with served(recorded_crawl(tmp_path / "crawl", 1)) as server:
        said = words(read(server, "/console/budget"))
        assert "Too few measured fetches to estimate a budget 31 measured fetches are on record, and 200 are" in said
        assert "Today's budget is 100000 per day." in said
        (server.path / "store").rename(tmp_path / "away")
        answer = server.ask("/console/budget")
        assert (answer.status, "Nothing has been crawled yet." in answer.text) == (404, True)


def test_a_budget_can_be_set_beside_the_dial(path):
    """By who has the token; others are told how."""
    token = new_token()
    with served(path, control=Control(path, token, (0.0,))) as server:
        assert "set another budget" in words(read(server, "/console/budget"))
        cookie, key = entered(server, token)
        page = server.ask("/console/budget", Cookie=cookie).text
    assert re.search(rf'action="/console/control/budget".*value="{key}".*value="12 per day"', page)


def test_what_is_out_of_reach_has_no_upper_end():
    assert between({"value": 3.0, "low": 1.5, "high": 4000.0}) == "1.50 to 4,000"
    assert between({"value": None, "low": 12.0, "high": None}) == "12 or more"
    assert between({"value": None, "low": None, "high": None}) == "–"
