"""What a running crawl says of itself: its pulse, and the rows of its journal, beside what it really did."""

import asyncio
import json
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sought
from sought.crawl.cycle import Cycle, new_cycle
from sought.crawl.observer import CycleObserver
from sought.crawl.progress import Progress
from sought.demand import Search
from sought.lab.replay.samples import NOW, sample_pages
from sought.operate.explain import explain
from sought.operate.journal import FOLDER, read_journal
from sought.operate.outlook import Outlook, demand, outlook
from sought.operate.pulse import FILE, host_states, read_pulse
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.policy import BreadthFirst, Worth
from sought.record.directory import Directory
from sought.record.recovery import open_directory
from sought.web.policy import Expected, beliefs_of
from tests.testing.changing_site import serving
from tests.testing.demand_site import QUERIES, crawled

KEYS = {
    "time", "process", "policy", "paused", "started", "ended", "budget", "price", "progress", "in_flight", "finished",
    "next", "hosts", "demand", "damage", "speed",
}  # fmt: skip
FINISHED = {"url", "time", "kind", "gain", "expected", "purpose", "rank"}
TURN = {"origin", "in_flight", "chosen", "next_at", "delay", "crawl_delay", "troubles"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A crawl with queries by Worth(), and by BreadthFirst() before: all pulses that it wrote, and how it ended."""
    path = tmp_path_factory.mktemp("pulse") / "crawl"
    pulses: list[dict[str, Any]] = []
    torn: list[bytes] = []
    over = threading.Event()

    def read() -> None:
        """As others do, at any moment."""
        while not over.is_set():
            try:
                content = (path / FILE).read_bytes()
                if not pulses or content != pulses[-1]["raw"]:
                    pulses.append({**json.loads(content), "raw": content})
            except FileNotFoundError:
                pass
            except ValueError:
                torn.append(content)
            time.sleep(0.002)

    with serving() as site, pytest.MonkeyPatch.context() as patch:
        crawled(site, path, 60)
        log = sought.open(path).queries
        for text in QUERIES * 3:
            log.record(Search(text, time.time() - 100.0))
        patch.setattr("sought.operate.operator._ROW_EVERY", 0.3)
        patch.setattr("sought.operate.operator._PULSE_EVERY", 0.01)
        reader = threading.Thread(target=read)
        reader.start()
        results = [
            sought.open(path).crawl(each, policy).to_json()
            for each, policy in ((30, "BreadthFirst()"), (60, "Worth()"))
        ]
        over.set()
        reader.join()
        asked = Counter(path for path, _ in site.asked)
    assert not torn
    return {"path": path, "pulses": pulses, "results": results, "asked": asked}


def test_every_pulse_is_whole_and_has_every_field(told: dict[str, Any]) -> None:
    """Whoever reads at whatever moment; the fields are those that are promised."""
    assert len(told["pulses"]) > 3
    for pulse in told["pulses"]:
        assert pulse.keys() - {"raw"} == KEYS
        assert set(pulse["budget"]) == {"per", "seconds", "left", "used", "allowed"}
        assert set(pulse["progress"]) == set(Progress.__slots__)
        assert all(set(each) == FINISHED for each in pulse["finished"])
        assert all(set(each) == {"url", "since", "purpose"} for each in pulse["in_flight"])
        assert all(set(each) == {"url", "value", "purpose"} for each in pulse["next"])
        assert all(set(each) == TURN for each in pulse["hosts"])
        assert len({each["origin"] for each in pulse["hosts"]}) == len(pulse["hosts"]) <= 1
        assert sum(each["in_flight"] for each in pulse["hosts"]) == pulse["progress"]["in_flight"]
        assert len(pulse["finished"]) <= 50
        assert len(pulse["next"]) <= 20
        assert pulse["budget"]["left"] + pulse["budget"]["used"] in (30, 60)
        times = [each["time"] for each in pulse["finished"]]
        assert len(times) < 2 or max(times) - times[0] < 1.0  # newest first, as they were committed
    flying = {each["purpose"] for pulse in told["pulses"] for each in pulse["in_flight"]}
    assert flying <= {"new", "stale", "hub", "known", "file"}
    assert "new" in {each["purpose"] for pulse in told["pulses"] for each in pulse["finished"]}
    running = [pulse for pulse in told["pulses"] if pulse["ended"] is None]
    ahead = [each for pulse in running for each in (*pulse["next"], *pulse["in_flight"])]
    assert {each["url"].split("/")[0] for each in ahead} == {"http:"}


def test_a_pulse_tells_how_polite_the_crawl_is(tmp_path: Path) -> None:
    """What robots.txt asks for is the delay, a host in trouble rests, and one that is busy has no next turn yet."""
    with serving() as site:
        path = crawled(site, tmp_path / "crawl", 10)
        site.answers["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nCrawl-delay: 0.05\n")
        text = (path / "sought.toml").read_text().replace("per_host = 4", "per_host = 1")
        text = text.replace("seeds = [", 'seeds = ["http://nowhere.test:9/", ').replace(
            "hosts = [", 'hosts = ["nowhere.test", '
        )
        (path / "sought.toml").write_text(f'{text}[fetch.resolve]\n"nowhere.test" = "127.255.255.254"\n')
        told: list[list[dict[str, Any]]] = []

        def started(cycle: Cycle) -> None:
            def look() -> None:
                told.append(host_states(cycle, time.time()))
                asyncio.get_running_loop().call_later(0.005, look)

            look()

        began = time.time()
        sought.open(path).crawl(6, "BreadthFirst()", started)
    own, other = site.url(""), "http://nowhere.test:9"
    last = {each["origin"]: each for each in (read_pulse(path) or {})["hosts"]}
    assert (last[own]["delay"], last[own]["crawl_delay"], last[own]["troubles"]) == (0.05, 0.05, 0)
    assert (last[other]["delay"], last[other]["crawl_delay"]) == (0.0, 0.0)
    assert last[other]["troubles"] > 0
    assert last[other]["next_at"] > began + 30.0
    seen = [each for some in told for each in some if each["origin"] == own]
    assert {each["in_flight"] for each in seen if each["next_at"] is None} == {1}
    assert max(each["chosen"] for each in seen) > 1


def test_the_last_pulse_says_that_the_crawl_has_ended(told: dict[str, Any]) -> None:
    """With what it really did."""
    last, result = read_pulse(told["path"]), told["results"][1]
    assert last is not None
    assert last["ended"] == result["ended"] == "budget spent"
    assert last["progress"] == result
    assert last["in_flight"] == []
    assert told["pulses"][0]["ended"] is None
    assert last["demand"]["queries"] == len(QUERIES)
    assert last["policy"] == repr(Worth())
    assert last["price"] is not None
    gains = last["demand"]["to_gain"]
    assert gains["new"] >= 0.0
    assert gains["known"] >= 0.0
    worth = last["demand"]["worth_of_answers"]
    assert last["demand"]["quality"] == pytest.approx(worth / (worth + gains["new"] + gains["known"]))
    assert 0.0 < last["demand"]["quality"] <= 1.0
    others = [pulse for pulse in told["pulses"] if pulse["policy"] == "BreadthFirst()"]
    assert {pulse["price"] for pulse in others} == {None}
    assert {pulse["demand"]["quality"] for pulse in others} == {None}


def test_the_journal_adds_up_to_what_was_done(told: dict[str, Any]) -> None:
    """Sums of rows are those of the crawls; levels are as at the end; of disk, too."""
    path, results = told["path"], told["results"]
    began = results[0]["started"] - 1.0
    rows = read_journal(path, began, began + 100.0, 0.1)
    assert len(rows) > 2
    assert sum(row["fetched"] for row in rows) == 90 == sum(result["fetched"] for result in results)
    assert sum(row["bytes"] for row in rows) == sum(result["bytes"] for result in results)
    assert sum(sum(row["gain"].values()) for row in rows) == pytest.approx(sum(result["gain"] for result in results))
    [whole] = read_journal(path, began, began + 1e9, 1e10)
    assert whole["purposes"]["file"] == told["asked"]["/robots.txt"]
    assert sum(whole["purposes"].values()) == sum(told["asked"].values())
    assert sum(whole["outcomes"].values()) == whole["fetched"]
    assert list(whole["hosts"].values()) == [sum(told["asked"].values())]
    with View(path) as view:
        status = view.status()
    assert (whole["known"], whole["searchable"]) == (status.known, status.searchable)
    assert whole["queries"] == len(QUERIES)
    assert set(whole["bytes_on_disk"]) == {"archive", "store", "index"}
    assert min(whole["bytes_on_disk"].values()) > 0
    assert whole["quality"] == read_pulse(path)["demand"]["quality"]  # type: ignore[index]  # it is there


def test_purposes_are_on_record(told: dict[str, Any]) -> None:
    """Of every fetch, for people too; a rebuild finds the same."""
    path = told["path"]
    found: list[list[list[str]]] = []
    for again in (False, True):
        if again:
            rebuild(path, lambda _: None)
        with View(path) as view:
            found.append([[each.purpose for each in view.history(row)] for row in range(len(view.table))])
            url = view.store.url(0)
            fetches = explain(view, url, Worth(), time.time()).history
    assert found[0] == found[1]
    assert [each.purpose for each in fetches] == found[0][0]
    assert all(purposes[0] == "new" for purposes in found[0] if purposes)
    later = {purpose for purposes in found[0] for purpose in purposes[1:]}
    assert later
    assert later <= {"stale", "hub", "known"}


def test_what_cannot_be_written_ends_no_crawl(tmp_path: Path) -> None:
    """A full disk, or what else is in the way: said once for each file, and the crawl goes on to its end."""
    said: list[str] = []

    def log(event: str, **fields: Any) -> None:
        if event == "unwritable":
            said.append(fields["what"].partition(":")[0])

    with serving() as site, pytest.MonkeyPatch.context() as patch:
        path = crawled(site, tmp_path / "crawl", 20)
        (path / f".{FILE}.new").mkdir()
        (path / FOLDER).write_text("in the way")
        patch.setattr("sought.operate.operator._ROW_EVERY", 0.01)
        patch.setattr("sought.operate.operator._PULSE_EVERY", 0.01)
        assert sought.open(path).crawl(21, "BreadthFirst()", log=log).fetched == 21
    assert sorted(said) == ["journal", "pulse"]
    assert read_pulse(path) is None


def test_nobody_watches_unless_a_cycle_is_given_someone(tmp_path: Path) -> None:
    """A cycle by itself, as the laboratory runs it, writes no pulse and takes no orders; a live crawl does."""

    async def plain(directory: Directory, live: Cycle) -> Cycle:
        return new_cycle(directory, live.web, live.host_setup.address_of, live.budget, BreadthFirst())

    with serving() as site:
        path = crawled(site, tmp_path / "crawl", 3)
        cycles: list[Cycle] = []
        sought.open(path).crawl(1, "BreadthFirst()", cycles.append)
        directory = open_directory(path)
        cycles.append(asyncio.run(plain(directory, cycles[0])))
        directory.abandon()
    seen = [each.observer for each in cycles]
    assert type(seen[0]) is not CycleObserver
    assert type(seen[1]) is CycleObserver


def test_to_gain_is_of_pages_that_may_be_fetched() -> None:
    """Of new and known ones, each gain above nothing; what is not said counts nothing."""
    pages = sample_pages(1, 300, beliefs_of(Worth()))
    expected = Worth().expects(pages, NOW)
    rng = np.random.default_rng(1)
    gain = np.where(rng.random(300) < 0.2, np.nan, expected.gain * rng.choice([-1.0, 1.0], 300))
    may = rng.random(300) < 0.5
    found = outlook(expected._replace(gain=gain), pages, may, 10)
    for is_new, told in ((True, found.new), (False, found.known)):
        wanted = [g for g, m, n in zip(gain, may, pages.is_new, strict=True) if m and n == is_new and g > 0]
        assert wanted
        assert told == pytest.approx(sum(wanted))
    assert found.price == expected.price
    assert found.why == {}
    assert outlook(None, pages, may, 10)[:3] == (None, None, None)
    silent = Expected(expected.value, gain, expected.chance)
    assert outlook(silent, pages, may, 10).price is None


def test_what_is_not_known_is_not_nothing() -> None:
    """Too few measured fetches, or new pages of which nothing is expected: no price, no quality, but the reason."""
    pages = sample_pages(1, 300, beliefs_of(Worth()))
    expected, may = Worth().expects(pages, NOW), np.ones(300, np.bool_)
    report = {"worth_of_answers": 2.0}
    told = demand(report, outlook(expected, pages, may, 9))
    assert (told.quality, told.to_gain) == (None, {"new": None, "known": None})
    assert set(told.not_known) == {"price", "to_gain_new", "to_gain_known", "quality"}
    assert set(told.not_known.values()) == {"too few fetches were measured: 9, and 10 are needed"}
    nothing = outlook(expected._replace(gain=np.where(pages.is_new, 0.0, expected.gain)), pages, may, 10)
    told = demand(report, nothing)
    assert nothing.new is told.quality is None
    assert nothing.known == told.to_gain["known"]
    count = np.count_nonzero(pages.is_new)
    assert told.not_known["quality"] == f"nothing is known of what {count} pages would bring that were never fetched"
    assert demand(report, outlook(expected, pages, may & ~pages.is_new, 10)).quality is not None  # none is left
    assert demand(report, outlook(None, pages, may, 10)).not_known["price"].startswith("the policy of this crawl")
    assert demand({}, nothing).not_known["quality"] == "nobody has asked anything yet"


def test_quality_is_of_what_is_and_what_is_hoped_for() -> None:
    """Nothing is said where nothing is expected or measured."""
    assert Outlook(1.0, 2.0, 1.0).quality(9.0) == 0.75
    assert Outlook(1.0, 0.0, 0.0).quality(9.0) == 1.0
    assert Outlook(1.0, 0.0, 0.0).quality(0.0) is None
    assert Outlook().quality(9.0) is None
    assert Outlook(1.0, 1.0, 1.0).quality(None) is None
