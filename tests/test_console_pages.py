"""The console in a real browser: what it says, that it says so live, and that nothing on it harms."""

import http.client
import re
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from sought.console.figures import FIGURES
from sought.console.standing import Standing
from tests.browser import chromium, tab
from tests.console_crawl import (
    HOSTILE_PATH,
    HOSTILE_QUERY,
    crawl_for_queries,
    make_up_journal,
    pulse,
    write_pulse,
)
from tests.console_site import crawl_lighthouses, served
from tests.demand_site import write_config

ROOT = Path(__file__).parent.parent
SCHEMES = ("light", "dark")
DIAL = ("budget_quality", "fetches_for", "curve_quality", "certain", "without_fetches", "measured_fetches")


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """A directory and the origin of what was crawled."""
    path = tmp_path_factory.mktemp("console") / "crawl"
    origin = crawl_for_queries(path)
    make_up_journal(path)
    return path, origin


@pytest.fixture(scope="module")
def server(crawl):
    with served(crawl[0]) as server:
        yield server


@pytest.fixture(scope="module")
def browser(crawl):
    with chromium() as browser:
        yield browser


@pytest.fixture
def origin(crawl):
    write_pulse(crawl[0], pulse(crawl[1]))
    return crawl[1]


@pytest.fixture
def empty(tmp_path):
    """A directory that nothing was crawled into."""
    return write_config(tmp_path / "empty")


def about(kind, value):
    return f"/console/{kind}?{kind[0]}={quote(value, safe='')}"


def read(server, where):
    """A page, when it need not wait any more."""
    deadline = time.monotonic() + 300
    while (answer := server.ask(where)).status == 503:
        assert time.monotonic() < deadline
    return answer


def go(tab, server, where):
    """The same in a browser."""
    read(server, where)
    tab.troubles.clear()
    return tab.page.goto(server.url + where)


def words(answer):
    """What a page says, in one line."""
    return " ".join(re.sub(r"<[^>]*>", " ", answer.text).split())


# ---- the overview


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 375])
def test_the_overview_tells_how_the_crawl_stands(server, browser, origin, scheme, width, tmp_path, monkeypatch):
    """Price first, then quality and coverage; charts are drawn; nothing comes from elsewhere; anybody can read it."""
    monkeypatch.setattr("sought.console.watching.SILENT", 3600.0)  # the one pulse must not grow old while we look
    read(server, "/console")
    with tab(browser, viewport={"width": width, "height": 900}, color_scheme=scheme) as it:
        go(it, server, "/console")
        it.page.wait_for_selector("figure[data-chart=budget] canvas")
        tiles = it.page.locator("[data-live=headline] .tile")
        assert [tiles.nth(n).locator(".value").inner_text() for n in range(4)] == ["31.4", "86.1 %", "6.1 %", "14.2 %"]
        assert tiles.first.locator("h3").inner_text() == "Price of a fetch"
        assert it.page.locator(".state").inner_text().startswith("Crawling")
        for kind in ("price", "quality", "coverage", "gain", "budget"):
            assert it.ink(f"figure[data-chart={kind}] canvas", "--accent") > 50, (
                kind
            )  # pixels of the first line, or of the lowest bars
        assert not it.troubles
        assert all(url.startswith(server.url) for url in it.requested)
        it.assert_no_sideways_scroll()
        it.assert_accessible()
        it.picture(f"console-{scheme}-{width}", tmp_path)


def test_all_that_an_operator_asks_is_on_the_overview(server, origin):
    """Budget by purpose and host, needy queries, calibration, hosts, errors by reason, sizes."""
    said = words(read(server, "/console"))
    for text in ("never fetched before", "volcano", "Rank correlation", "new pages"):
        assert text in said
    assert re.search(
        r"http://docs\.example 5[34]\.\d %", said
    )  # half of what is fetched, beside which robots.txt counts
    for text in (
        "Hosts and their turn",
        "http://docs.example 0 12 10 s 10 s in 2 minutes 0",
        "1 20 1 s – when it has answered 0",
    ):
        assert text in said
    assert "http://blog.example 0 0 1 s – in 4 hours 4" in said  # and some minutes
    for text in (origin, "status 404", "not found", "Archive", "Tables as of", "Being fetched", "Just fetched", "Next"):
        assert text in said


@pytest.mark.parametrize("over", ["hours", "days", "weeks"])
def test_time_can_be_shown_in_hours_days_and_weeks(server, origin, over):
    """Each has its own journal; the numbers of charts are columns of one length."""
    assert f'href="?over={over}" aria-current="true"' in read(server, f"/console?over={over}").text
    found = server.get("/console/history.json", over=over).data
    assert len(found["times"]) >= 2
    assert {len(column) for name, column in found.items() if name != "step"} == {len(found["times"])}
    if over != "days":
        assert (None in found["price"]) == (over == "hours")  # the line is broken where there was no crawl


def test_what_happens_arrives_without_a_reload(server, browser, crawl, origin):
    """A pulse that changes changes the page; what was opened stays open, and charts stay drawn."""
    with tab(browser) as it:
        go(it, server, "/console")
        it.page.wait_for_selector("[data-stream=on]")
        it.page.evaluate("window.unloaded = false")
        it.page.locator("[data-live=now] details summary").first.click()
        fresh = [{"url": f"{origin}/fresh<b>bold</b>", "time": time.time(), "gain": 0.25, "purpose": "hub"}]
        write_pulse(crawl[0], pulse(origin, price=77.7, finished=fresh))
        it.page.wait_for_selector(".tile .value:text-is('77.7')")
        row = it.page.locator("[data-live=now] tbody tr").first
        assert row.inner_text().split() == [origin[7:], "/fresh<b>bold</b>", "hub", "0.250", "–", "just", "now"]
        write_pulse(crawl[0], pulse(origin, paused=True))
        it.page.wait_for_selector(".state.paused")
        assert it.page.evaluate("window.unloaded") is False
        assert it.page.locator("[data-live=now] details").first.get_attribute("open") is not None
        assert not it.troubles


def test_a_part_waits_while_the_keyboard_is_in_it(server, browser, crawl, origin):
    """The focus is never lost to a change."""
    with tab(browser) as it:
        go(it, server, "/console")
        it.page.wait_for_selector("[data-stream=on]")
        summary = it.page.locator("[data-live=now] summary").first
        summary.focus()
        it.page.keyboard.press("Enter")
        write_pulse(crawl[0], pulse(origin, price=88.8, progress={"fetched": 4321}))
        it.page.wait_for_selector(".tile .value:text-is('88.8')")
        assert it.page.evaluate("document.activeElement.tagName") == "SUMMARY"
        assert "4,321" not in it.page.locator("[data-live=now]").inner_text()


def test_all_of_it_can_be_read_without_scripts(server, browser, origin):
    """Numbers over time are in a table then."""
    read(server, "/console")
    with tab(browser, java_script_enabled=False) as it:
        go(it, server, "/console")
        assert it.page.locator(".tile .value").first.inner_text() == "31.4"
        it.page.get_by_text("The same as a table").click()
        rows = it.page.locator("[aria-label='Numbers over time, as a table'] tbody tr")
        assert 12 < rows.count() <= 24
        assert "%" in rows.first.inner_text()
        assert not it.page.locator("canvas").count()


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"paused": True}, "Paused The crawl was told to rest."),
        ({"time": 1e9}, "Silent The crawl's process"),
        ({"time": 1e9, "process": 0}, "No crawl is running. The last one was last heard of"),
        ({"ended": "budget spent"}, "No crawl is running. The last one ended just now (budget spent)"),
        ({"demand": {}}, "Nothing was ever asked here, so no answer can be judged."),
        ({"price": None}, "Only the policy Worth has a price."),
        ({"finished": [], "in_flight": [], "next": []}, "Nothing is chosen."),
    ],
)
def test_it_says_clearly_how_the_crawl_is(server, crawl, other, sentence):
    """Running, paused, silent, ended, never asked anything."""
    write_pulse(crawl[0], pulse(crawl[1], **other))
    assert sentence in words(read(server, "/console"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"time": "soon"}', '{"time": 1, "in_flight": 7}', "[" * 100_000])
def test_what_is_no_pulse_is_passed_over(server, crawl, text):
    """Another version may have written it, or anybody."""
    (crawl[0] / "pulse.json").write_text(text)
    assert "none has told of itself here" in words(read(server, "/console"))
    assert "sought_crawl_running 0" in server.ask("/metrics").text


def test_before_anything_was_crawled(empty, browser):
    """Every page is there, and says so."""
    with served(empty) as server, tab(browser) as it:
        go(it, server, "/console")
        assert "Nothing has been crawled yet" in it.page.locator("main").inner_text()
        assert "No crawl is running" in it.page.locator("main").inner_text()
        it.assert_accessible()
        assert not it.troubles
        for where in (about("url", "http://a.example/"), about("query", "boats"), about("host", "a.example")):
            answer = server.ask(where)
            assert (answer.status, "Nothing has been crawled yet." in answer.text) == (404, True)


# ---- pages about one thing


def test_a_crawl_that_nobody_asks_anything(tmp_path):
    """Pages were fetched, nothing was ever measured or expected: every page of the console is there all the same."""
    path = crawl_lighthouses(tmp_path / "unasked")
    with served(path) as server:
        assert "has expected nothing that could be compared" in read(server, "/console").text
        url = "http://127.0.0.1/"
        more = (about("url", url), about("host", "127.0.0.1"), about("query", "lamp"))
        for where in ("/console/budget", "/console/log", "/console/history.json", "/metrics", *more):
            assert read(server, where).status in (200, 404), where


@pytest.mark.parametrize("scheme", SCHEMES)
def test_url_query_and_host_lead_to_each_other(server, browser, origin, scheme, tmp_path):
    """From the overview to a page, the queries it helped, their results, and its host."""
    url = f"{origin}/bell-rock/visit"
    for where in ("/console", about("url", url), about("query", "bell rock visit"), about("host", origin)):
        read(server, where)
    with tab(browser, color_scheme=scheme, viewport={"width": 375, "height": 800}) as it:
        go(it, server, "/console")
        it.page.get_by_role("link", name="bell rock visit").click()
        assert it.page.locator("h1").inner_text() == "bell rock visit"
        assert "What would improve it?" in it.page.locator("main").inner_text()
        it.assert_accessible()
        it.assert_no_sideways_scroll()
        it.picture(f"query-{scheme}", tmp_path)
        it.page.get_by_role("link", name=url, exact=True).click()
        assert it.page.locator("h1").inner_text() == url
        text = it.page.locator("main").inner_text()
        for part in ("When next?", "worth more now", "Chosen by Worth(", "of its plan", "bell rock visit", "expected"):
            assert part in text
        it.assert_accessible()
        it.assert_no_sideways_scroll()
        it.picture(f"url-{scheme}", tmp_path)
        it.page.get_by_role("link", name=origin, exact=True).click()
        assert it.page.locator("h1").inner_text() == origin
        assert "Share of attention" in it.page.locator("main").inner_text()
        it.assert_accessible()
        it.assert_no_sideways_scroll()
        it.picture(f"host-{scheme}", tmp_path)
        assert not it.troubles


def test_what_means_harm_is_only_text(server, browser, origin):
    """Scripts in addresses, titles and queries run on no page, and break none."""
    with tab(browser) as it:
        for where, text in {
            "/console": HOSTILE_QUERY,
            about("url", origin + HOSTILE_PATH): '"><script>alert(1)</script>',  # its title
            about("query", HOSTILE_QUERY): HOSTILE_QUERY,
            about("query", "evil words"): '"><script>alert(1)</script>',
            about("url", "http://127.0.0.1:1/<script>alert(7)</script>"): "alert(7)",
            about("query", "<script>alert(8)</script>"): "<script>alert(8)</script>",
            about("host", "javascript:alert(9)"): "alert(9)",
            "/console?over=<script>alert(10)</script>": "The parameter over is one of",
        }.items():
            go(it, server, where)
            assert text in it.page.locator("main").inner_text(), where
            assert not it.page.locator("main script").count()
            it.page.evaluate("new Promise(done => setTimeout(done))")  # whatever wants to run has had its turn
            assert not [each for each in it.troubles if "Failed to load resource" not in each], where


def test_no_link_of_the_console_runs_a_script(server, origin):
    """Addresses lead to pages of the console; only http and https lead elsewhere."""
    for where in ("/console", about("url", origin + HOSTILE_PATH), about("query", "evil words")):
        links = re.findall(r'href="([^"]*)"', read(server, where).text)
        assert all(link.startswith(("/", "?", "#", "http://127.0.0.1")) for link in links)


@pytest.mark.parametrize(
    ("where", "status", "sentence"),
    [
        ("/console?over=years", 400, "The parameter over is one of hours, days, weeks."),
        ("/console/url", 400, "Which url? Give it in the parameter u."),
        ("/console/url?u=zzz", 400, "zzz"),
        ("/console/url?u=" + "a" * 5000, 400, "This is longer than any url the crawl could know."),
        ("/console/url?u=http%3A%2F%2Felsewhere.example%2F", 404, "would not be fetched: scope"),
        ("/console/query?q=", 400, "Which query?"),
        ("/console/query?q=nobody+asked+this", 404, "Nobody has asked"),
        ("/console/host?h=elsewhere.example", 404, "elsewhere.example is not a host of this crawl"),
        ("/console/host?h=%20", 400, "Which host?"),
        ("/console/host?h=a%20b", 400, "a b"),
        ("/console/find?what=", 400, "Give a URL, a host or a query to look up."),
    ],
)
def test_bad_input_gets_one_clear_sentence(server, origin, where, status, sentence):
    """And the right status."""
    answer = read(server, where)
    assert answer.status == status
    assert sentence in words(answer).replace("&#39;", "'")
    assert words(answer).count("Back to the console") == 1


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("http://a.example/x", "url"),
        ("a.example", "host"),
        ("localhost:8000", "host"),
        ("lamp", "query"),
        ("v1.2", "query"),
    ],
)
def test_one_field_finds_all_three(server, text, kind):
    """An address, a host, or else a query."""
    answer = server.get("/console/find", what=text)
    assert (answer.status, answer.headers["location"]) == (303, about(kind, text))


def test_a_bare_name_finds_its_host(server, origin):
    """However the address of the host begins."""
    assert origin in words(read(server, about("host", "127.0.0.1")))


def test_the_search_page_shows_nothing_of_the_console(server):
    """It is for operators."""
    assert "console" not in server.get("/", q="lighthouse").text


# ---- what stands behind


def test_metrics_tell_of_the_pulse(server, origin):
    """And of the server."""
    answer = server.ask("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "sought_crawl_running 1\n" in answer.text
    assert "sought_price 31.4\n" in answer.text
    assert "sought_searches_total" in answer.text


def test_a_server_that_ends_ends_its_streams(crawl):
    """Who watches gets a proper end, not a cut."""
    with served(crawl[0]) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=300)
        connection.request("GET", "/console/events")
        stream = connection.getresponse()
        assert stream.getheader("content-type", "").startswith("text/event-stream")
        assert stream.readline() == b"retry: 3000\n"
        assert stream.readline() + stream.readline()[:6] == b"\ndata: "
    stream.read()  # raises IncompleteRead if it was cut
    connection.close()


def test_a_page_that_has_to_wait_looks_again(crawl, monkeypatch, browser):
    """It says so with status 503, and the browser comes back by itself."""
    monkeypatch.setattr("sought.console.standing.PATIENCE", 0.0)
    monkeypatch.setattr(Standing.__init__, "__defaults__", (0.0,))
    with served(crawl[0]) as server, tab(browser) as it:
        answer = server.ask(about("query", "volcano"))
        assert (answer.status, answer.headers["refresh"]) == (503, "3")
        assert "this takes a moment" in answer.text
        monkeypatch.undo()
        it.page.goto(server.url + about("query", "volcano"))
        it.page.wait_for_selector("h1:text-is('volcano')")


def test_the_document_says_what_the_pages_say():
    """docs/console.md has every number with its sentence, and no other."""
    text = (ROOT / "docs" / "console.md").read_text().partition("## What each number means")[2]
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \|$", text, re.M)
    assert [tuple(figure) for figure in FIGURES.values()] == [row for row in rows if row[0] != "Number"]


def test_every_number_is_explained_on_a_page(server, origin):
    """No sentence is in the table of figures that no page shows."""
    things = (("url", f"{origin}/bell-rock/visit"), ("query", "volcano"), ("query", "keepers lamp"), ("host", origin))
    said = "".join(words(read(server, where)) for where in ("/console", *(about(*each) for each in things)))
    unsaid = {name for name, figure in FIGURES.items() if figure.sentence not in said.replace("&#39;", "'")}
    assert unsaid <= {"prospect", *DIAL}  # which are shown where a page is known that would help, or enough on record
