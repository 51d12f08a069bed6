"""The console in a real browser: what it says, that it says so live, and that nothing on it harms."""

import http.client
import re
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from sought.console.number_labels import FIGURES
from sought.console.view_cache import ViewCache
from sought.operate.journal import Row, write_row
from tests.testing.browser import chromium, tab
from tests.testing.console_crawl import (
    HOSTILE_PATH,
    HOSTILE_QUERY,
    crawl_for_queries,
    make_up_journal,
    pulse,
    write_pulse,
)
from tests.testing.console_site import served
from tests.testing.console_text import DIAL, read, words
from tests.testing.demand_site import write_config

ROOT = Path(__file__).parents[2]
SCHEMES = ("light", "dark")
PAGES = {
    "crawl": ("price", "gain", "budget"),
    "queries": (),
    "pages": (),
    "hosts": (),
    "errors": ("errors",),
    "control": (),
}
DEMAND = {"queries": 7, "searches_a_week": 70.0, "unanswered": 0.1, "poor": 0.1, "worth_of_answers": 0.5}


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


def settled(server, where):
    """A page, when it shows what the tables say."""
    deadline = time.monotonic() + 300
    while "reloads by itself" in (answer := read(server, where)).text:
        assert time.monotonic() < deadline
    return answer


def go(tab, server, where):
    """The same in a browser."""
    read(server, where)
    tab.troubles.clear()
    return tab.page.goto(server.url + where)


# ---- the overview


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", [1280, 375])
def test_the_overview_tells_how_the_crawl_stands(server, browser, origin, scheme, width, tmp_path, monkeypatch):
    """Searches without a good answer first, the price last; on one screen; anybody can read it."""
    monkeypatch.setattr("sought.console.pulse.SILENT", 3600.0)  # the one pulse must not grow old while we look
    settled(server, "/console")
    with tab(browser, viewport={"width": width, "height": 800}, color_scheme=scheme) as it:
        go(it, server, "/console")
        it.page.wait_for_selector("figure[data-chart=speed] canvas")
        tiles = it.page.locator("[data-live=headline] .tile")
        told = [[tiles.nth(n).locator(part).inner_text() for part in ("h3", ".value")] for n in range(tiles.count())]
        assert told == [
            ["Unanswered", "6.1 %"],
            ["Poorly answered", "14.2 %"],
            ["Quality", "86.1 %"],
            ["Errors", "5.0 %"],
            ["Speed", "0.512 a second"],
            ["Price of a fetch", "0.66 searches"],
        ]
        assert "exactly 31.4" in str(tiles.last.locator(".value").get_attribute("title"))
        assert it.page.locator(".state").inner_text().startswith("Crawling")
        if width == 1280:
            assert it.page.evaluate("document.documentElement.scrollHeight") <= 800
        for kind in ("coverage", "quality", "speed"):
            assert it.ink(f"figure[data-chart={kind}] canvas", "--accent") > 50, kind  # pixels of the first line
        assert not it.troubles
        assert all(url.startswith(server.url) for url in it.requested)
        it.assert_no_sideways_scroll()
        it.assert_accessible()
        it.picture(f"console-{scheme}-{width}", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 375)])
def test_every_page_is_accessible_and_fits(server, browser, origin, scheme, width, tmp_path):
    """It says in the navigation where one is; its charts are drawn; nothing comes from elsewhere."""
    with tab(browser, viewport={"width": width, "height": 800}, color_scheme=scheme) as it:
        for name in PAGES:
            settled(server, f"/console/{name}")
            go(it, server, f"/console/{name}")
            assert it.page.locator("nav [aria-current=page]").inner_text() == name.capitalize()
            for kind in PAGES[name]:
                it.page.wait_for_selector(f"figure[data-chart={kind}] canvas")
                assert it.ink(f"figure[data-chart={kind}] canvas", "--accent") > 50, kind
            it.assert_no_sideways_scroll()
            it.assert_accessible()
            it.picture(f"console-{name}-{scheme}-{width}", tmp_path)
            assert not it.troubles
        assert all(url.startswith(server.url) for url in it.requested)


def test_charts_say_their_last_values_and_ticks_differ(crawl, server, browser, origin):
    """Without anybody pointing at them, with units; a quality that hardly moves has an axis that can be read."""
    shares = [0.999901, 0.999934, 0.999956]
    path = crawl[0].parent / "steady"
    write_config(path)
    now = time.time()
    for at, quality in enumerate(shares):
        row = Row(time=now - 900.0 * (2 - at), seconds=60.0, fetched=6, quality=quality, unanswered=0.1, poor=0.2)
        write_row(path, row)
    with served(path) as steady, tab(browser, viewport={"width": 1280, "height": 800}) as it:
        for shown, wanted in ((steady, "> 99.9 %"), (server, "8")):
            go(it, shown, "/console")
            it.page.wait_for_selector("figure[data-chart=quality] canvas")
            legends = it.page.locator(".u-legend").all_inner_texts()
            assert len(legends) == 3
            assert not [each for each in legends if "--" in each or "–" in each], legends
            assert wanted in legends[1]
            assert "%" in legends[0]
            assert "a second" in legends[2]
            told = it.page.evaluate("[...document.querySelectorAll('[data-chart]')].map(each => each.chart.told)")
            assert all(len(set(each)) == len(each) >= 2 for each in told), told
            assert all(text.endswith(" %") for text in told[1])
        it.page.mouse.move(*[_middle(it.page, "figure[data-chart=quality] .u-over")[n] for n in (0, 1)])
        pointed = it.page.locator(".u-legend").all_inner_texts()
        assert pointed != legends
        it.page.mouse.move(5, 5)
        it.page.wait_for_function("text => document.querySelector('.u-legend').innerText === text", arg=legends[0])


def _middle(page, where):
    box = page.locator(where).bounding_box()
    return box["x"] + box["width"] / 3, box["y"] + box["height"] / 2


def test_time_without_a_crawl_is_a_gap(tmp_path):
    """However short it is beside the time shown, if it is longer than a step; what was slow is no gap."""
    path, now = write_config(tmp_path / "crawl"), time.time()
    ends = (3000.0, 2400.0, 1200.0, 900.0)  # seconds ago; before 1200 nothing ran for ten minutes
    for back, seconds in zip(ends, (300.0, 600.0, 300.0, 300.0), strict=True):
        write_row(path, Row(time=now - back, seconds=seconds, fetched=6, quality=0.5))
    with served(path) as server:
        found = server.get("/console/history.json", over="hours").data
    known = [None if each is None else 1 for each in found["quality"]]
    assert known == [1, 1, None, 1, 1]
    assert found["times"][1] < found["times"][2] < found["times"][3] - 300.0
    assert found["now"] >= found["times"][-1] + 890.0  # the chart goes on to now


def test_all_that_an_operator_asks_is_on_the_console(server, origin):
    """Budget by purpose and host, needy queries, calibration, hosts, errors by reason, sizes."""
    said = " ".join(words(settled(server, f"/console/{name}".rstrip("/"))) for name in ("", *PAGES))
    for text in ("never fetched before", "volcano", "Rank correlation", "new pages", "no page answers it"):
        assert text in said
    assert re.search(
        r"http://docs\.example 5[34]\.\d %", said
    )  # half of what is fetched, beside which robots.txt counts
    for text in (
        "Hosts being crawled",
        "http://docs.example 0 12 10 s 10 s in 2 minutes 0",
        "1 20 1 s – after its answer 0",
    ):
        assert text in said
    assert "http://blog.example 0 0 1 s – in 4 hours 4" in said  # and some minutes
    for text in (origin, "status 404", "not found", "Archive", "Tables as of", "Being fetched", "Just fetched", "Next"):
        assert text in said


@pytest.mark.parametrize(
    ("asked", "seen", "unseen"),
    [
        ("queries?show=unanswered", ["volcano", "no page answers it"], ["bell rock visit"]),
        ("queries?text=BELL", ["bell rock visit"], ["volcano"]),
        ("queries?text=zzyzx", ["No query matches."], ["volcano"]),
        ("queries?page=9", ["No query matches."], ["volcano"]),
        ("pages?state=gone", ["/gone", "gone: not found", "status 404"], ["/bell-rock/visit"]),
        ("pages?state=new", ["No page matches."], ["/bell-rock/visit"]),
        ("pages?text=Bell-Rock", ["/bell-rock/visit", "1 to 4 of 4 pages"], ["/holm-island"]),
        ("pages?text=bell-rock/visit&state=live", ["1 to 1 of 1 page"], ["/bell-rock/lamp"]),
        ("hosts?text=nowhere", ["No host matches."], []),
        ("hosts?show=trouble", ["No host matches."], []),
    ],
)
def test_lists_can_be_filtered(server, origin, asked, seen, unseen):
    """By state or kind, and by a text in any case."""
    said = words(settled(server, f"/console/{asked}"))
    assert [each for each in seen if each not in said] == []
    assert [each for each in unseen if each in said] == []


def test_lists_have_pages(server, origin, monkeypatch):
    """Each row is on exactly one of them, and links lead from one to the next."""
    monkeypatch.setattr("sought.console.paging.ROWS", 10)
    where, found = "/console/pages?text=127.0.0.1", []
    for _ in range(4):
        page = settled(server, where).text
        found += re.findall(r'<td><a class="url"[^>]*>([^<]+)</a>', page)
        [where, *_] = [*re.findall(r'href="([^"]*)" rel="next"', page), ""]
        where = where.replace("&amp;", "&")
    assert (len(found), len(set(found)), where) == (35, 35, "")


@pytest.mark.parametrize("over", ["hours", "days", "weeks"])
def test_time_can_be_shown_in_hours_days_and_weeks(server, origin, over):
    """Each has its own journal; the numbers of charts are columns of one length."""
    for page in ("", "/crawl", "/errors"):
        text = read(server, f"/console{page}?over={over}").text
        assert f'href="/console{page}?over={over}" aria-current="true"' in text
    found = server.get("/console/history.json", over=over).data
    assert len(found["times"]) >= 2
    assert {len(column) for name, column in found.items() if name not in ("step", "now")} == {len(found["times"])}
    assert found["price"] != found["price_searches"]  # the exact numbers are there, too
    if over != "days":
        assert (None in found["price"]) == (over == "hours")  # the line is broken where there was no crawl


@pytest.mark.slow
def test_what_happens_arrives_without_a_reload(server, browser, crawl, origin):
    """A pulse that changes changes the page; what was opened stays open, and charts stay drawn."""
    with tab(browser) as it:
        go(it, server, "/console/crawl")
        it.page.wait_for_selector("[data-stream=on]")
        it.page.evaluate("window.unloaded = false")
        it.page.locator("[data-live=now] details summary").first.click()
        fresh = [{"url": f"{origin}/fresh<b>bold</b>", "time": time.time(), "gain": 0.25, "purpose": "hub"}]
        write_pulse(crawl[0], pulse(origin, price=77.7, finished=fresh))
        it.page.wait_for_selector("[data-live=now] td:has-text('/fresh')")
        row = it.page.locator("[data-live=now] tbody tr").first
        assert row.inner_text().split() == [origin[7:], "/fresh<b>bold</b>", "hub", "3,173", "–", "just", "now"]
        assert row.locator("data").first.get_attribute("title") == "exactly 0.25 in the unit of the scorer"
        write_pulse(crawl[0], pulse(origin, paused=True))
        it.page.wait_for_selector(".state.paused")
        assert it.page.evaluate("window.unloaded") is False
        assert it.page.locator("[data-live=now] details").first.get_attribute("open") is not None
        assert not it.troubles


def test_a_part_waits_while_the_keyboard_is_in_it(server, browser, crawl, origin):
    """The focus is never lost to a change."""
    with tab(browser) as it:
        go(it, server, "/console/crawl")
        it.page.wait_for_selector("[data-stream=on]")
        summary = it.page.locator("[data-live=now] summary").first
        summary.focus()
        it.page.keyboard.press("Enter")
        write_pulse(crawl[0], pulse(origin, paused=True, progress={"fetched": 4321}))
        it.page.wait_for_selector(".state.paused")
        assert it.page.evaluate("document.activeElement.tagName") == "SUMMARY"
        assert "4,321" not in it.page.locator("[data-live=now]").inner_text()


def test_all_of_it_can_be_read_without_scripts(server, browser, origin):
    """Numbers over time are in a table then."""
    read(server, "/console")
    with tab(browser, java_script_enabled=False) as it:
        go(it, server, "/console")
        assert it.page.locator(".tile .value").first.inner_text() == "6.1 %"
        it.page.get_by_text("As a table").click()
        rows = it.page.locator("[aria-label='Numbers over time, as a table'] tbody tr")
        assert 12 < rows.count() <= 24
        assert "%" in rows.first.inner_text()
        assert not it.page.locator("canvas").count()


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"paused": True}, "Paused The crawl starts no requests until it is resumed."),
        ({"time": 1e9}, "Silent Process"),
        ({"time": 1e9, "process": 0}, "No crawl is running. The last one stopped without a report"),
        ({"ended": "budget spent"}, "No crawl is running. The last one ended just now (budget spent)"),
        ({"demand": {}}, "known after the next crawl has planned with these queries"),
        ({"price": None, "demand": DEMAND | {"not_known": {"price": "it costs nothing"}}}, "fetch – it costs nothing"),
        ({"finished": [], "in_flight": [], "next": []}, "Nothing is planned."),
    ],
)
def test_it_says_clearly_how_the_crawl_is(server, crawl, other, sentence):
    """Running, paused, silent, ended, never asked anything."""
    write_pulse(crawl[0], pulse(crawl[1], **other))
    assert sentence in " ".join(words(settled(server, where)) for where in ("/console", "/console/crawl"))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"time": "soon"}', '{"time": 1, "in_flight": 7}', "[" * 100_000])
def test_what_is_no_pulse_is_passed_over(server, crawl, text):
    """Another version may have written it, or anybody."""
    (crawl[0] / "pulse.json").write_text(text)
    assert "No crawl is running" in words(read(server, "/console"))
    assert "sought_crawl_running 0" in server.ask("/metrics").text


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_url_query_and_host_lead_to_each_other(server, browser, origin, scheme, tmp_path):
    """From the overview to a page, the queries it helped, their results, and its host."""
    url = f"{origin}/bell-rock/visit"
    for where in ("/console/queries", about("url", url), about("query", "bell rock visit"), about("host", origin)):
        read(server, where)
    with tab(browser, color_scheme=scheme, viewport={"width": 375, "height": 800}) as it:
        settled(server, "/console/queries")
        go(it, server, "/console/queries")
        it.page.get_by_role("link", name="bell rock visit").click()
        assert it.page.locator("h1").inner_text() == "bell rock visit"
        assert "What would improve the answer?" in it.page.locator("main").inner_text()
        it.assert_accessible()
        it.assert_no_sideways_scroll()
        it.picture(f"query-{scheme}", tmp_path)
        assert it.page.locator("nav [aria-current=page]").inner_text() == "Queries"
        it.page.get_by_role("link", name=url, exact=True).click()
        assert it.page.locator("nav [aria-current=page]").inner_text() == "Pages"
        assert it.page.locator("h1").inner_text() == url
        text = it.page.locator("main").inner_text()
        said = ("Chosen by Worth()", "of its plan", "bell rock visit", "expected")
        for part in ("When is it fetched next?", *said):
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
            "/console/queries": HOSTILE_QUERY,
            "/console/queries?text=<script>alert(11)</script>": "No query matches.",
            "/console/pages?text=<script>alert(12)</script>": "No page matches.",
            about("url", origin + HOSTILE_PATH): '"><script>alert(1)</script>',  # its title
            about("query", HOSTILE_QUERY): HOSTILE_QUERY,
            about("query", "evil words"): '"><script>alert(1)</script>',
            about("url", "http://127.0.0.1:1/<script>alert(7)</script>"): "alert(7)",
            about("query", "<script>alert(8)</script>"): "<script>alert(8)</script>",
            about("host", "javascript:alert(9)"): "alert(9)",
            "/console?over=<script>alert(10)</script>": "The parameter over must be one of",
        }.items():
            go(it, server, where)
            assert text in it.page.locator("main").inner_text(), where
            assert not it.page.locator("main script").count()
            it.page.evaluate("new Promise(done => setTimeout(done))")  # whatever wants to run has had its turn
            assert not [each for each in it.troubles if "Failed to load resource" not in each], where


def test_no_link_of_the_console_runs_a_script(server, origin):
    """Addresses lead to pages of the console; only http and https lead elsewhere."""
    lists = [f"/console/{name}" for name in PAGES]
    for where in ("/console", *lists, about("url", origin + HOSTILE_PATH), about("query", "evil words")):
        links = re.findall(r'href="([^"]*)"', read(server, where).text)
        assert all(link.startswith(("/", "?", "#", "http://127.0.0.1")) for link in links)


@pytest.mark.parametrize(
    ("where", "status", "sentence"),
    [
        ("/console?over=years", 400, "The parameter over must be one of hours, days, weeks."),
        ("/console/queries?show=some", 400, "The parameter show must be one of all, unanswered."),
        ("/console/pages?state=odd", 400, "The parameter state must be one of all, new, live,"),
        ("/console/pages?page=0", 400, "The parameter page is a whole number from 1 to 10,000."),
        ("/console/hosts?text=" + "a" * 201, 400, "The filter text has at most 200 characters."),
        ("/console/url", 400, "The parameter u is missing."),
        ("/console/url?u=zzz", 400, "zzz"),
        ("/console/url?u=" + "a" * 5000, 400, "The parameter u is too long."),
        ("/console/url?u=http%3A%2F%2Felsewhere.example%2F", 404, "would not be fetched: scope"),
        ("/console/query?q=", 400, "The parameter q is missing."),
        ("/console/query?q=nobody+asked+this", 404, "Nobody has asked"),
        ("/console/host?h=elsewhere.example", 404, "elsewhere.example is not a host of this crawl"),
        ("/console/host?h=%20", 400, "The parameter h is missing."),
        ("/console/host?h=a%20b", 400, "a b"),
        ("/console/find?what=", 400, "Enter a URL, a host or a query."),
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


@pytest.mark.slow
def test_a_page_that_has_to_wait_looks_again(crawl, monkeypatch, browser):
    """It says so with status 503, and the browser comes back by itself."""
    monkeypatch.setattr("sought.console.view_cache.PATIENCE", 0.0)
    monkeypatch.setattr(ViewCache.__init__, "__defaults__", (0.0,))
    with served(crawl[0]) as server, tab(browser) as it:
        answer = server.ask(about("query", "volcano"))
        assert (answer.status, answer.headers["refresh"]) == (503, "3")
        assert "tables are being read" in answer.text
        monkeypatch.undo()
        it.page.goto(server.url + about("query", "volcano"))
        it.page.wait_for_selector("h1:text-is('volcano')")


def test_the_document_says_what_the_pages_say():
    """docs/reference/console.md has every number with its sentence, and no other."""
    text = (ROOT / "docs" / "reference" / "console.md").read_text().partition("## What each number means")[2]
    rows = re.findall(r"^\| ([^|]+?) \| ([^|]+?) \| ([^|]*?) ?\|$", text, re.M)
    assert [tuple(figure) for figure in FIGURES.values()] == [row for row in rows if row[0] != "Number"]


def test_every_number_is_explained_on_a_page(server, origin):
    """No sentence is in the table of figures that no page shows."""
    things = (("url", f"{origin}/bell-rock/visit"), ("query", "volcano"), ("query", "keepers lamp"), ("host", origin))
    lists = [f"/console/{name}" for name in PAGES]
    said = "".join(words(settled(server, where)) for where in ("/console", *lists, *(about(*each) for each in things)))
    unsaid = {name for name, figure in FIGURES.items() if figure.sentence not in said.replace("&#39;", "'")}
    assert unsaid <= {"prospect", *DIAL}  # which are shown where a page is known that would help, or enough on record
