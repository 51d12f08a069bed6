"""The log on the console: the crawl's last events, of a level and with a text, live, and as harmless as text is."""

import json
import re
import time
from html import unescape
from typing import Any

import pytest
from playwright.sync_api import expect

from sought.console.answers import Unit
from sought.console.log_words import sentence
from sought.operate.log import EVENTS, FILE, KeptLog, read_log, silent
from sought.operate.orders import BlockHost, give
from sought.record.files import append_line
from tests.testing.browser import chromium, tab
from tests.testing.console_crawl import HOSTILE_PATH, HOSTILE_QUERY, pulse, write_pulse
from tests.testing.console_site import crawled, lighthouses, served
from tests.testing.console_text import read, words
from tests.testing.demand_site import write_config

HARM = '"><script>alert(1)</script>'
PLAN = (
    "640 pages chosen on 12 hosts of 120,034 known, price of a fetch 0.78 searches, "
    "new pages would add 0.75 searches a week"
)
COMMIT = "31 fetches on disk, +0.03 searches a week answered better"
ASKED = {"queries": 5, "searches_a_week": 30.0, "unanswered": 0.5, "poor": 0.0, "worth_of_answers": 1.0}


@pytest.fixture
def path(tmp_path):
    """A log with one of each event, and with trouble."""
    path = write_config(tmp_path / "crawl")
    log = KeptLog(path, silent)
    log("started", directory=str(path), process=77, policy="Worth()", budget="5000 per day", paused=False)
    log("plan", chosen=640, hosts=12, known=120_034, seconds=0.31, price=31400.0, to_gain={"new": 0.05, "known": None})
    log("commit", fetches=31, gain=0.00213)
    for number in range(4):
        where = f"http://h{number}.example"
        log("trouble", host=where, url=f"{where}{HOSTILE_PATH}", what=f"timeout: {HARM}")
    log("order-refused", id="1", who="somebody", order=f"fetch {HOSTILE_QUERY}", why="not admitted")
    log("failed", what="no space left on device")
    write_pulse(path, pulse("http://a.example", ended="failed", demand=ASKED))
    return path


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


def test_a_crawl_tells_of_itself_on_the_console(tmp_path):
    """Whoever started it: from its start to its end, newest first, with what it was told to do."""
    with lighthouses() as site:
        path = write_config(tmp_path / "crawl", site.url("/"), "127.0.0.1")
        with served(path) as server:
            assert "No crawl has kept a log here yet." in words(server.ask("/console/log"))
            give(path, BlockHost("a.example"), "tester")
            crawled(site, path)
            said = words(read(server, "/console/log"))
    places = [said.index(text) for text in ("stopped ", "on disk", "started by ")]
    assert places == sorted(places)
    assert str(tmp_path) not in said
    assert "order applied block a.example, by tester" in said


def test_a_gain_is_said_in_searches_and_known_exactly(path):
    """In the title of what is said, and in the line of the file, which is one click away."""
    with served(path) as server:
        text = unescape(server.ask("/console/log?text=on+disk").text)
    assert (
        '<data title="exactly 0.00213 in the unit of the scorer">+0.03 searches a week answered better</data>' in text
    )
    [line] = [each for each in read_log(path) if each["event"] == "commit"]
    assert json.loads(re.findall(r'<code dir="ltr">(.*?)</code>', text)[0]) == line


def test_without_a_unit_gains_are_left_out(path):
    """Before anybody has asked anything there are no searches to say them in."""
    write_pulse(path, pulse("http://a.example", demand={}))
    with served(path) as server:
        text = words(server.ask("/console/log"))
    assert "640 pages chosen on 12 hosts of 120,034 known" in text
    assert "31 fetches on disk" in text
    assert "searches a week" not in text.partition("What this means")[0]


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("junk", [None, True, -7, 10**30, 1e300, "", "x" * 9999, [[]], {"new": "a", "known": [1]}])
def test_every_event_is_a_line_whatever_its_fields_are(event, junk):
    """Anybody may have written them."""
    some = "policy budget paused chosen hosts known price to_gain fetches gain url what remedy seconds order who why"
    names = [*some.split(), "ended", "fetched"]
    for unit in (Unit(), Unit(ASKED)):
        for name in names:
            assert isinstance("".join(each.text for each in sentence(event, {name: junk}, unit)), str)
        sentence(event, dict.fromkeys(names, junk), unit)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "seen", "unseen"),
    [
        ("", ("started by Worth(), with a budget of 5000 per day", PLAN, COMMIT), ()),
        ("level=warning", ("trouble", "order refused", "failed"), (PLAN, COMMIT)),
        ("level=error", ("no space left on device",), ("http://h1.example",)),
        ("text=H2.EXAMPLE", ("http://h2.example",), ("http://h1.example", "no space left")),
        ("text=Order+refused", ("by somebody, not admitted",), ("http://h1.example", "no space left", PLAN)),
        ("text=refused+warning+fetch", ("by somebody",), ("no space left",)),
        ("text=0.75+searches+a+week", (PLAN,), ("no space left", "by somebody", COMMIT)),
        ("text=budget+of+5000+per", ("started by",), (PLAN,)),
        ("text=process", ("Nothing like that is in the log.",), (PLAN, "started by")),
        ("text=h2.example&level=error", ("Nothing like that is in the log.",), ("http://h2.example",)),
    ],
)
def test_events_are_shown_by_level_and_text(path, asked, seen, unseen):
    """On the page, and in the part of it that is asked for again."""
    with served(path) as server:
        for where in ("/console/log", "/console/log/lines"):
            text = words(server.ask(f"{where}?{asked}")).replace(" , ", ", ")
            assert [each for each in seen if each not in text] == []
            assert [each for each in unseen if each in text] == []
        assert words(server.ask(f"/console/log?{asked}")).count("Times are UTC.") == 1
        for wrong in ("level=loud", "text=" + "x" * 201):
            answer = server.ask(f"/console/log?{wrong}")
            assert (answer.status, words(answer).count("Back to the console")) == (400, 1)


def test_what_is_no_event_is_passed_over(path):
    """Anybody may write to the file; and no more is shown than a page can bear."""
    wrong: list[Any] = [[], 7, {"time": "soon"}, {"time": 1.0, "level": "loud", "event": "x"}, {"time": 1.0}]
    for line in wrong:
        append_line(path / FILE, line)
    append_line(path / FILE, {"time": 1e300, "level": "info", "event": "x" * 9999, "y" * 9999: ["z" * 9999] * 3})
    deep = b'{"time":2.0,"level":"info","event":"odd","x":' + b"[" * 700 + b"]" * 700 + b"}"
    with (path / FILE).open("ab") as file:
        file.write(b'{"time":1' + b"0" * 400 + b',"level":"info","event":"far"}\n' + deep + b"\n")
        file.write(b"\xff\xfe\n{" + b"[" * 10_000)
    with served(path) as server:
        answer = server.ask("/console/log")
        assert (answer.status, len(answer.body) < 30_000) == (200, True)
        assert "no space left on device" in answer.text
        for number in range(300):
            KeptLog(path, silent)("commit", fetches=number, gain=None)
        answer = server.ask("/console/log")
    assert "commit 100 fetches on disk" in words(answer)
    assert "commit 99 fetches" not in words(answer)
    assert "The last 200;" in answer.text


def test_nobody_reads_where_the_crawl_lies(path):
    """Not in what went wrong either, on this page and on the overview; an address that looks like it stays."""
    address = f"http://a.example{path}"
    KeptLog(path, silent)("failed", what=f"cannot write '{path}/store/1.sst': no space", others={"a": f"{path}: full"})
    KeptLog(path, silent)("trouble", host="http://a.example", url=address, what="timeout")
    write_pulse(path, pulse("http://a.example", ended=f"failed: cannot write {path}/store"))
    with served(path) as server:
        for where in ("/console/log", "/console"):
            text = words(server.ask(where)).replace("&#39;", "'").replace(address, "ADDRESS")
            assert str(path) not in text
            assert "failed: cannot write DIR/store" in text
        assert "cannot write 'DIR/store/1.sst': no space" in words(server.ask("/console/log")).replace("&#39;", "'")
        assert address in server.ask("/console/log").text


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 375)])
def test_it_can_be_read_by_anybody_and_harms_nobody(path, browser, scheme, width, tmp_path):
    """axe-core has no complaint, nothing scrolls sideways, no script of a crawled page runs."""
    with served(path) as server, tab(browser, color_scheme=scheme, viewport={"width": width, "height": 800}) as it:
        it.page.goto(f"{server.url}/console/log")
        it.page.wait_for_selector("[data-stream=on]")
        assert HARM in it.page.locator("main").inner_text()
        assert not it.page.locator("main script, main img").count()
        it.assert_accessible()
        it.assert_no_sideways_scroll()
        it.picture(f"log-{scheme}-{width}", tmp_path)
        assert not it.troubles


@pytest.mark.slow
def test_more_arrives_while_the_page_is_open(path, browser):
    """Without a reload, and only what was asked for."""
    with served(path) as server, tab(browser) as it:
        it.page.goto(f"{server.url}/console/log?level=error")
        it.page.wait_for_selector("[data-stream=on]")
        it.page.evaluate("window.unloaded = false")
        KeptLog(path, silent)("commit", fetches=4321, gain=0.5)
        KeptLog(path, silent)("failed", what="the moon")
        it.page.wait_for_selector(".log li:has-text('the moon')")
        assert "4321" not in it.page.locator("main").inner_text().replace(",", "")
        assert it.page.evaluate("window.unloaded") is False
        assert not it.troubles


@pytest.mark.slow
def test_a_line_that_is_open_stays_so_when_more_arrive(path, browser):
    """The same line, not the one in its place."""
    with served(path) as server, tab(browser) as it:
        it.page.goto(f"{server.url}/console/log?level=error")
        it.page.wait_for_selector("[data-stream=on]")
        it.page.locator(".raw summary").click()
        KeptLog(path, silent)("failed", what="the moon")
        it.page.wait_for_selector(".log li:has-text('the moon')")
        assert ["no space left" in text for text in it.page.locator(".raw[open] code").all_inner_texts()] == [True]
        assert not it.troubles


def test_it_is_read_again_only_if_there_is_more(path, monkeypatch):
    """Of a large log with a rare text that takes a while; other texts and levels have answers of their own."""
    looks = []

    def look(path):
        looks.append(path)
        return read_log(path)

    monkeypatch.setattr("sought.console.log_page.read_log", look)
    with served(path) as server:
        for _ in range(3):
            for asked in ("text=moon", "text=h2.example", "text=h2.example&level=error"):
                server.ask(f"/console/log?{asked}")
        assert len(looks) == 3
        KeptLog(path, silent)("failed", what="the moon")
        assert "the moon" in words(server.ask("/console/log/lines?text=moon"))
        assert len(looks) == 4


@pytest.mark.slow
def test_a_page_that_is_open_asks_now_and_then(path, browser):
    """However often something happens: at once, and then five seconds later for all that has come in between."""
    with served(path) as server, tab(browser) as it:
        it.page.clock.install()
        it.page.goto(f"{server.url}/console/log?level=error")
        it.page.wait_for_selector("[data-stream=on]")
        it.page.clock.pause_at(time.time() + 60.0)
        for number in range(3):
            KeptLog(path, silent)("failed", what=f"moon {number}")
            write_pulse(path, pulse("http://a.example", policy=f"Policy{number}()"))
            it.page.wait_for_selector(f"[data-live=state]:has-text('Policy{number}()')")
            it.page.clock.run_for(1000)
        seen = it.page.locator(".log")
        expect(seen).to_contain_text("moon 0")
        assert sum("/log/lines" in url for url in it.requested) == 1
        it.page.clock.run_for(5000)
        expect(seen).to_contain_text("moon 2")
        assert sum("/log/lines" in url for url in it.requested) == 2
        assert not it.troubles


def test_every_event_has_its_meaning_on_the_page(path):
    """As docs/reference/operating.md has it."""
    with served(path) as server:
        said = words(server.ask("/console/log")).replace("&#39;", "'")
    for _, means, _ in EVENTS.values():
        assert f"{means.partition(':')[0].capitalize()}." in said
