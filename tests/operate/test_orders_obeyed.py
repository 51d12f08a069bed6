"""Orders are obeyed: by a real crawl over loopback HTTP, at once and by the next one."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sought
from sought.archive import Archive
from sought.crawl.cycle import Cycle
from sought.operate.audit import read_audit
from sought.operate.explain import explain
from sought.operate.orders import AddSeed, AnyOrder, BlockHost, FetchNow, Pause, Resume, SetBudget, UnblockHost, give
from sought.operate.pulse import read_pulse
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.policy import BreadthFirst
from sought.record.outcome import ASKED_FOR
from sought.record.recovery import open_directory
from sought.record.settings import FILE as SETTINGS
from sought.record.settings import Settings, load_settings, save_settings
from sought.toyweb import Served, ToyWeb, serve_in_thread
from tests.testing.changing_site import serving, write_config
from tests.testing.ordered_crawl import SITES, agrees, cli, crawled, given_order, outcomes, until, urls_of


@pytest.mark.slow
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
        assert sought.open(path).status().paused is True
        pulse = read_pulse(path)
        assert pulse is not None
        assert pulse["paused"] is True
        before = len(served.requests)
        seen.clear()
        crawled(path, [quiet], 5000)
        assert len(served.requests) == before
        crawled(path, [given_order(path, Resume()), until(lambda cycle: cycle.progress.fetched > 5)])
        assert len(served.requests) > before
        assert sought.open(path).status().paused is False
    assert outcomes(path) == ["applied", "applied"]
    assert [each.who for each in read_audit(path)] == ["tester", "tester"]
    agrees(path)


@pytest.mark.slow
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
        assert sought.open(path).status().blocked == (host,)
        with View(path) as view:
            assert view.judge(pages[0]).verdict == "would not be fetched"
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
        return all(cycle.writer.repository.hosts[visit.host].name != host for visit in cycle.in_flight.values())

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


@pytest.mark.slow
def test_fetch_now_comes_first_and_is_on_record(make_crawl: Callable[..., Path]) -> None:
    """The next page of its host, whatever the policy thinks of it; its reason is "asked for", after a rebuild too."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.3, policy="BreadthFirst()")
        wish: list[str] = []
        at: list[int] = []

        def ask(cycle: Cycle) -> bool:
            """For what the plan has last."""
            if len(cycle.planner.chosen) < 12:
                return False
            asked = set(cycle.rows_in_flight)
            urls = [cycle.writer.repository.store.url(row) for row in cycle.planner.chosen if row not in asked]
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
                [fetch] = explain(view, wish[0], BreadthFirst(), time.time()).history
            assert (fetch.chosen_by, fetch.purpose, fetch.rank) == (ASKED_FOR, "new", 0)
        shown = cli("explain", str(path), wish[0])
        assert ": somebody asked for it.\n" in shown.stdout
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
            assert view.describe(view.row(inside)).source == "seed"
            robots = view.hosts.by_origin[f"http://{host}:{served.port}"].robots
        assert robots is not None
        assert not robots.allows(private)
        crawled(path, [given_order(path, FetchNow(private))])
        assert outcomes(path)[-1] == "robots.txt forbids it"
        refused = "not admitted: the host is outside [scope] in sought.toml"
        assert outcomes(path)[:3] == ["applied", refused, refused]
        rebuild(path, lambda _: None)
        with View(path) as view:
            assert view.describe(view.row(inside)).source == "seed"


@pytest.mark.slow
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
        assert (status.budget, status.budget_from) == ("25 per day", SETTINGS)
        crawled(path, [until(lambda cycle: cycle.planner.beliefs.pace == 25 / 86400), given_order(path, SetBudget(""))])
        status = sought.open(path).status()
        assert (status.budget, status.budget_from) == ("100000 per day", "sought.toml")


@pytest.mark.slow
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
