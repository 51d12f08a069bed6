"""Orders: given as files, applied by a real crawl over loopback HTTP, and what outlives kill -9."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sought
from sought.archive import Archive
from sought.crawl.audit import read_audit
from sought.crawl.check import check
from sought.crawl.cycle import Cycle
from sought.crawl.insight import explain
from sought.crawl.orders import (
    ASIDE,
    FOLDER,
    AddSeed,
    AnyOrder,
    BlockHost,
    FetchNow,
    Given,
    Inbox,
    Pause,
    Resume,
    SetBudget,
    UnblockHost,
    checked,
    give,
)
from sought.crawl.outcome import ASKED_FOR
from sought.crawl.pulse import read_pulse
from sought.crawl.recovery import open_directory, rebuild
from sought.crawl.settings import FILE as SETTINGS
from sought.crawl.settings import Settings, load_settings, save_settings
from sought.crawl.view import View
from sought.policy import BreadthFirst
from sought.toyweb import Served, ToyWeb, serve_in_thread
from sought.web.errors import BadConfig, BadInput
from tests.test_crawl_change_of_mind import serving, write_config

SITES = ToyWeb(sites=3, pages=12, hostile=False)
WAIT = 30.0  # seconds after which something that should happen has not


def crawled(path: Path, steps: list[Callable[[Cycle], bool]], fetches: int | None = None) -> dict[str, Any]:
    """Crawl, and go through the steps: each is tried again and again until it says True; then the crawl is stopped."""
    left = list(steps)
    deadline = time.monotonic() + WAIT

    def started(cycle: Cycle) -> None:
        loop = asyncio.get_running_loop()

        def look() -> None:
            if left and left[0](cycle):
                left.pop(0)
            if not left or time.monotonic() > deadline:
                cycle.stop()
            else:
                loop.call_later(0.02, look)

        look()

    found = sought.open(path).crawl(fetches, started=started)
    assert not left, f"{len(left)} steps were not reached"
    return found


def given_order(path: Path, order: AnyOrder) -> Callable[[Cycle], bool]:
    """A step: the order is given, and answered in the audit log."""
    ids: list[str] = []

    def step(cycle: Cycle) -> bool:
        if not ids:
            ids.append(give(path, order, "tester"))
        return ids[0] in {each.id for each in read_audit(path)}

    return step


def until(says: Callable[[Cycle], bool]) -> Callable[[Cycle], bool]:
    return says


def urls_of(served: Served, since: int = 0) -> list[str]:
    return [f"http://{v.host}:{served.port}{v.path}" for v in list(served.requests)[since:]]


def outcomes(path: Path) -> list[str]:
    """Newest last."""
    return [each.outcome for each in reversed(read_audit(path))]


def agrees(path: Path) -> None:
    opened = open_directory(path)
    try:
        assert check(opened, lambda _: None) == []
    finally:
        opened.close()


# ------------------------------------------------------------------------------------------------ a real crawl


def test_pause_stops_requests_and_survives_a_restart(make_crawl: Callable[..., Path]) -> None:
    """Nothing is asked while paused, also by the next crawl, until it is told to go on; then all is fetched."""
    with serve_in_thread(ToyWeb(sites=6, pages=200, hostile=False)) as served:
        path = make_crawl(served, delay=0.0)  # so that one answer leads to the next request at once
        seen: list[int] = []
        most: list[int] = []

        def note(cycle: Cycle) -> bool:
            """What is in flight still arrives, and nothing more."""
            most.append(len(served.requests) + len(cycle.in_flight))
            return True

        def quiet(cycle: Cycle) -> bool:
            """Nothing in flight; and then nothing for ten looks for orders."""
            seen.append(len(served.requests) if not cycle.in_flight else -len(seen) - 1)
            return len(seen) > 50 and len(set(seen[-50:])) == 1

        crawled(path, [until(lambda _: len(served.requests) > 10), given_order(path, Pause()), note, quiet], 5000)
        assert len(served.requests) <= most[0]
        assert load_settings(path).paused
        assert sought.open(path).status()["paused"] is True
        pulse = read_pulse(path)
        assert pulse is not None
        assert pulse["paused"] is True
        before = len(served.requests)
        seen.clear()
        crawled(path, [quiet], 5000)
        assert len(served.requests) == before
        crawled(path, [given_order(path, Resume()), until(lambda cycle: cycle.progress.fetched > 5)])
        assert len(served.requests) > before
        assert sought.open(path).status()["paused"] is False
    assert outcomes(path) == ["applied", "applied"]
    assert [each.who for each in read_audit(path)] == ["tester", "tester"]
    agrees(path)


def test_a_blocked_host_is_never_asked_again(make_crawl: Callable[..., Path]) -> None:
    """Not for pages, nor robots.txt, nor sitemaps, now and by the next crawl; what it had stays searchable."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.02, revisit_after="0s")
        host = next(name for name in served.resolve if not name.startswith("portal"))

        def asked() -> int:
            return sum(visit.host == host for visit in list(served.requests))

        crawled(path, [until(lambda _: asked() > 8), given_order(path, BlockHost(host)), until(_idle(host))])
        pages = [hit for hit in _pages(path) if f"//{host}:" in hit]
        assert pages
        before = asked()
        due_again(path, host)
        crawled(path, [until(lambda cycle: cycle.progress.fetched > 20)])
        assert asked() == before
        assert sought.open(path).status()["blocked"] == [host]
        with View(path) as view:
            assert view.judge(pages[0])["verdict"] == "would not be fetched"
        assert [hit for hit in _pages(path) if f"//{host}:" in hit] == pages
        wish = given_order(path, FetchNow(pages[0]))
        crawled(path, [wish, given_order(path, UnblockHost(host)), until(lambda _: asked() > before)])
        crawled(path, [given_order(path, UnblockHost(host))])
    assert outcomes(path) == ["applied", f"{host} is blocked", "applied", f"{host} is not blocked"]
    agrees(path)


def test_a_blocked_host_does_not_speak_for_another(tmp_path: Path) -> None:
    """A robots.txt that has moved to a blocked host is not read there; to any other it is."""
    with serving() as site:
        site.answers["/robots.txt"] = (301, {"Location": f"http://other.test:{site.port}/elsewhere"}, "")
        for blocked in ((), ("other.test",)):
            path = tmp_path / "-".join(("crawl", *blocked))
            path.mkdir()
            config = write_config(site, path, 'hosts = ["127.0.0.1"]') / "sought.toml"
            config.write_text(config.read_text() + '[fetch.resolve]\n"other.test" = "127.0.0.1"\n')
            save_settings(path, Settings(blocked=blocked))
            site.asked.clear()
            sought.open(path).crawl(1, "BreadthFirst()")
            hosts = {headers["host"].partition(":")[0] for _, headers in site.asked}
            assert hosts == ({"127.0.0.1"} if blocked else {"127.0.0.1", "other.test"})


def _idle(host: str) -> Callable[[Cycle], bool]:
    """What was in flight to the host has come."""

    def says(cycle: Cycle) -> bool:
        return all(cycle.repository.hosts[number].name != host for number, _, _ in cycle.in_flight.values())

    return says


def _pages(path: Path) -> list[str]:
    with View(path) as view:
        return sorted(view.store.url(int(row)) for row in view.table.searchable())


def due_again(path: Path, host: str) -> None:
    """Let robots.txt and sitemaps of a host be due, as if days had passed."""
    opened = open_directory(path)
    for each in opened.repository.hosts.list:
        if each.name == host:
            each.sitemaps.update(dict.fromkeys(each.sitemaps, 0.0))
            each.robots_until = 0.0
            opened.repository.hosts.changed.add(each.number)
    opened.close()


def test_fetch_now_comes_first_and_is_on_record(make_crawl: Callable[..., Path]) -> None:
    """The next page of its host, whatever the policy thinks of it; its reason is "asked for", after a rebuild too."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.3, policy="BreadthFirst()")
        wish: list[str] = []
        at: list[int] = []

        def ask(cycle: Cycle) -> bool:
            """For what the plan has last."""
            if len(cycle.chosen) < 12:
                return False
            asked = {row for _, row, _ in cycle.in_flight.values()}
            urls = [cycle.repository.store.url(row) for row in cycle.chosen if row not in asked]
            wish.append([url for url in urls if "/private/" not in url][-1])
            at.append(len(served.requests))
            give(path, FetchNow(wish[0] + "#top"), "tester")
            return True

        crawled(path, [ask, until(lambda _: wish[0] in urls_of(served, at[0]))])
        host = wish[0].split("/")[2].partition(":")[0]
        applied = read_audit(path)[0].time
        after = [visit.path for visit in list(served.requests) if visit.host == host and visit.time > applied]
        assert any(wish[0].endswith(path) for path in after[:2])  # one may have been on its way
        assert outcomes(path) == ["applied"]
        assert load_settings(path).wanted == ()
        for again in (False, True):
            if again:
                rebuild(path, lambda _: None)
            with View(path) as view:
                [fetch] = explain(view, wish[0], BreadthFirst(), time.time())["history"]
            assert (fetch["chosen_by"], fetch["purpose"], fetch["rank"]) == (ASKED_FOR, "new", 0)
        shown = _cli("explain", str(path), wish[0])
        assert ", asked for" in shown.stdout
    agrees(path)


def test_seeds_and_wishes_go_through_the_same_admission(make_crawl: Callable[..., Path]) -> None:
    """A page in scope is added, one outside is not, and the audit log says why; robots.txt is kept."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.0)
        host = next(name for name in served.resolve if not name.startswith("portal"))
        inside = f"http://{host}:{served.port}/nobody-links-here"
        private = f"http://{host}:{served.port}/private/x"
        given_orders = [
            given_order(path, order)
            for order in (AddSeed(inside), AddSeed("http://elsewhere.example/"), FetchNow("http://elsewhere.example/"))
        ]
        crawled(path, [*given_orders, until(lambda _: inside in urls_of(served))])
        with View(path) as view:
            assert view.describe(view.row(inside))["source"] == "seed"
            robots = view.hosts.by_origin[f"http://{host}:{served.port}"].robots
        assert robots is not None
        assert not robots.allows(private)
        crawled(path, [given_order(path, FetchNow(private))])
        assert outcomes(path)[-1] == "robots.txt forbids it"
        refused = "not admitted: the host is outside [scope] in sought.toml"
        assert outcomes(path)[:3] == ["applied", refused, refused]
        rebuild(path, lambda _: None)
        with View(path) as view:
            assert view.describe(view.row(inside))["source"] == "seed"


def test_a_budget_is_kept_and_counts_what_was_spent(make_crawl: Callable[..., Path]) -> None:
    """It holds at once, what was spent counts; for the next crawl, too, until sought.toml's is wanted again."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.0)
        budgets: list[dict[str, Any]] = []

        def told(cycle: Cycle) -> bool:
            pulse = read_pulse(path)
            if pulse and pulse["budget"]["per"] == 25:
                budgets.append(pulse["budget"])
            return bool(budgets)

        many = until(lambda cycle: cycle.progress.fetched >= 12)
        crawled(path, [many, given_order(path, SetBudget(" 25  per day")), told])
        charged = [url for url in urls_of(served) if not url.endswith("/robots.txt")]
        assert budgets[0]["left"] <= max(0, 25 - 12)
        assert len(charged) <= max(25, 12 + 128)
        status = sought.open(path).status()
        assert (status["budget"], status["budget_from"]) == ("25 per day", SETTINGS)
        crawled(path, [until(lambda cycle: cycle.beliefs.pace == 25 / 86400), given_order(path, SetBudget(""))])
        status = sought.open(path).status()
        assert (status["budget"], status["budget_from"]) == ("100000 per day", "sought.toml")


def test_orders_outlive_kill_9(make_crawl: Callable[..., Path]) -> None:
    """Killed at any moment after an order was given: it is done by then, or by the next crawl; never lost."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.05)
        host = next(name for name in served.resolve if not name.startswith("portal"))
        for pause in (0.0, 0.3, 0.8):
            command = [sys.executable, "-m", "sought", "crawl", str(path)]
            crawler = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            _wait_for(lambda: (read_pulse(path) or {}).get("process") == crawler.pid)  # noqa: B023  used at once
            give(path, BlockHost(host), "tester")
            give(path, Pause(), "tester")
            time.sleep(pause)
            crawler.kill()
            crawler.wait()
            pulse = read_pulse(path)
            assert pulse is not None
            assert pulse["ended"] is None
            before = len(served.requests)
            crawled(path, [until(lambda cycle: cycle.paused and not list((path / FOLDER).glob("*.json")))])
            assert load_settings(path).blocked == (host,)
            assert not [url for url in urls_of(served, before) if not url.endswith("/robots.txt")]
            crawled(path, [given_order(path, UnblockHost(host)), given_order(path, Resume())])
    assert set(outcomes(path)) == {"applied"}
    agrees(path)


def _wait_for(says: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not says():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_wish_outlives_the_crawl_that_could_not_grant_it(make_crawl: Callable[..., Path]) -> None:
    """Asked for while nothing is fetched: the next crawl knows."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served)
        host = next(name for name in served.resolve if not name.startswith("portal"))
        url = f"http://{host}:{served.port}/"
        crawled(path, [given_order(path, Pause()), given_order(path, FetchNow(url))])
        assert load_settings(path).wanted == (url,)
        assert sought.open(path).status()["asked_for"] == [url]
        crawled(path, [given_order(path, Resume()), until(lambda _: url in urls_of(served))])
        assert load_settings(path).wanted == ()


# ------------------------------------------------------------------------------------------------ files


def _cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sought", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_orders_from_the_command_line(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """Each has a command; a mistake is one line and exit code 2, and nothing is left in the folder."""
    path = make_crawl(healthy)
    host = next(name for name in healthy.resolve if not name.startswith("portal"))
    url = f"http://{host}:{healthy.port}/"
    said = [
        _cli("order", *words)
        for words in (
            (str(path), "pause"),
            (str(path), "resume", "--json"),
            (str(path), "budget", "77 per hour"),
            (str(path), "seed", url),
            (str(path), "block", host.upper()),
            (str(path), "unblock", url),
            (str(path), "fetch", url),
        )
    ]
    assert [done.returncode for done in said] == [0] * 7, [done.stderr for done in said]
    assert said[0].stdout == "No crawl is running: the order is applied when the next one starts.\n"
    waiting = sorted(file.stem for file in (path / FOLDER).glob("*.json"))
    assert json.loads(said[1].stdout) == {"id": waiting[1], "running": None}
    for words, what in (
        ((str(path), "budget", "much"), "not a budget"),
        ((str(path), "fetch", "ftp://x/"), "not an http"),
        ((str(path), "block", "a b"), "not a host"),
        ((str(path), "fetch"), "which url?"),
        ((str(path), "pause", "now"), "stands alone"),
        ((str(path), "explode"), "explode"),
        ((str(path / "no"), "pause"), "no crawl"),
    ):
        done = _cli("order", *words)
        assert done.returncode == 2
        assert what in done.stderr
        assert done.stderr.count("\n") == 1
    assert sorted(file.stem for file in (path / FOLDER).glob("*.json")) == waiting
    sought.open(path).crawl(3)
    assert outcomes(path) == ["applied"] * 7
    assert [each.id for each in reversed(read_audit(path))] == waiting
    status = json.loads(_cli("status", str(path), "--json").stdout)
    assert (status["budget"], status["paused"], status["blocked"]) == ("77 per hour", False, [])


def test_what_is_no_order_is_put_aside(healthy: Served, make_crawl: Callable[..., Path], tmp_path: Path) -> None:
    """Torn, huge, a link, a folder, a pipe, a name that is no text: noted, out of the way, and the crawl goes on."""
    path = make_crawl(healthy)
    folder = path / FOLDER
    folder.mkdir()
    whole = msgspec.json.encode(Given(1.0, "me", Pause()))
    (folder / "a.json").write_bytes(whole[:-3])
    (folder / "b.json").write_bytes(whole + b" " * 20_000)
    (folder / "c.json").write_bytes(whole.replace(b"pause", b"explode"))
    (tmp_path / "secret").write_bytes(whole)
    (folder / "d.json").symlink_to(tmp_path / "secret")
    (folder / "e.json").mkdir()
    os.mkfifo(folder / "f.json")
    (folder / "g.json").write_bytes(b"[" * 10_000)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.json")).write_bytes(b"{}")
    (folder / ".half.json.new").write_bytes(whole)
    (folder / "h.json").write_bytes(msgspec.json.encode(Given(1.0, "me", SetBudget("-1 per day"))))
    give(path, BlockHost("example.org"), "tester")
    crawled(path, [until(lambda cycle: load_settings(path).blocked == ("example.org",))])
    assert sorted(each.name for each in folder.iterdir()) == [".half.json.new", ASIDE]
    assert len(list((folder / ASIDE).iterdir())) == 8
    assert (tmp_path / "secret").read_bytes() == whole
    found = read_audit(path)
    assert len(found) == 10
    assert sum(each.outcome.startswith("not an order: ") for each in found) == 8
    assert [each.outcome for each in found if each.id == "h"] == [
        "not a budget: '-1 per day' (write for example '10000 per day'; per hour, per day or per week)"
    ]
    assert not load_settings(path).paused


texts = st.text(max_size=30)
any_order = st.one_of(
    st.just(Pause()),
    st.builds(SetBudget, texts),
    st.builds(AddSeed, texts),
    st.builds(BlockHost, texts),
    st.builds(FetchNow, texts),
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=60) | plain.map(msgspec.json.encode), max_size=8), st.lists(any_order, max_size=4))
def test_hostile_files_neither_fail_nor_hide_orders(files: list[bytes], orders: list[AnyOrder]) -> None:
    """Whatever lies in the folder: what can be read is an order, and after one look nothing is left."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / FOLDER
        folder.mkdir()
        for number, content in enumerate(files):
            (folder / f"{number}.json").write_bytes(content)
        wanted = []
        for order in orders:
            try:
                give(Path(place), order, "x" * 1000)
                wanted.append(checked(order))
            except BadInput:
                continue
        inbox = Inbox(Path(place))
        found = inbox.look(time.time())
        assert [each.given.order for each in found if each.given] == wanted
        assert all(len(each.given.who) <= 200 for each in found if each.given)
        for each in found:
            if each.given:
                inbox.remove(each)
            else:
                assert each.problem
                inbox.put_aside(each)
        assert inbox.look(time.time()) == []
        assert [each.name for each in folder.iterdir()] in ([], [ASIDE])


def test_an_order_that_comes_while_the_folder_is_read_is_not_missed(tmp_path: Path) -> None:
    """The folder's time is coarse; orders given in quick succession by several are all found, each once."""
    inbox = Inbox(tmp_path)
    found: list[str] = []
    (tmp_path / FOLDER).mkdir()

    def many(who: str) -> None:
        for _ in range(50):
            give(tmp_path, Pause(), who)

    givers = [threading.Thread(target=many, args=(who,)) for who in "ab"]
    for giver in givers:
        giver.start()
    deadline = time.monotonic() + WAIT
    while len(found) < 100 and time.monotonic() < deadline:
        for each in inbox.look(time.time()):
            found.append(each.id)
            inbox.remove(each)
    for giver in givers:
        giver.join()
    assert len(set(found)) == len(found) == 100


def test_an_order_of_the_same_moment_is_found(tmp_path: Path) -> None:
    """Where the folder's time has not moved since it was found empty, as that of coarse clocks does not."""
    folder, inbox = tmp_path / FOLDER, Inbox(tmp_path)
    folder.mkdir()
    moment = folder.stat().st_mtime_ns
    assert inbox.look(moment / 1e9 + 0.1) == []
    give(tmp_path, Pause(), "x")
    os.utime(folder, ns=(moment, moment))
    assert len(inbox.look(moment / 1e9 + 0.2)) == 1


def test_too_many_orders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no crawl takes them, a folder does not grow without end; nor does what is put aside."""
    monkeypatch.setattr("sought.crawl.orders._WAITING", 3)
    monkeypatch.setattr("sought.crawl.orders._ASIDE", 2)
    for _ in range(3):
        give(tmp_path, Pause(), "x")
    with pytest.raises(BadInput, match="3 orders wait"):
        give(tmp_path, Pause(), "x")
    inbox = Inbox(tmp_path)
    for _ in range(4):
        for each in inbox.look(time.time()):
            inbox.put_aside(each)
        (tmp_path / FOLDER / "x.json").write_bytes(b"")
    assert len(list((tmp_path / FOLDER / ASIDE).iterdir())) <= 3


def test_settings_that_cannot_be_read(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """One line that says what to do; a crawl does not guess whether it is paused."""
    path = make_crawl(healthy)
    kept = Settings(True, "5 per day", ("a.example",), ("http://a.example/",))
    save_settings(path, kept)
    assert load_settings(path) == kept
    for text in ("{", '{"paused": 3}', '{"budget": "lots"}', '{"new": 1}', "[" * 100_000):
        (path / SETTINGS).write_text(text)
        with pytest.raises(BadConfig, match="remove it"):
            load_settings(path)
        done = _cli("crawl", str(path), "--fetches", "1") if text == "{" else None
        assert done is None or (done.returncode == 2 and done.stderr.count("\n") == 1)


def test_nothing_recorded_is_lost_by_orders(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """Orders of all kinds in a crawl: every request is on record once, and all parts agree."""
    path = make_crawl(healthy, delay=0.01)
    host = next(name for name in healthy.resolve if not name.startswith("portal"))
    before = len(healthy.requests)
    orders: list[AnyOrder] = [SetBudget("90000 per day"), BlockHost(host), Pause(), Resume(), UnblockHost(host)]
    crawled(path, [until(lambda cycle: cycle.progress.fetched > 5), *(given_order(path, each) for each in orders)])
    archive = Archive.open(path / "archive", software="test", writable=False)
    recorded = sorted(record.response.url for record in archive.records() if record.response)
    archive.close()
    assert recorded == sorted(urls_of(healthy, before))
    agrees(path)
