"""Politeness: never too many at once, never too soon, and nothing forgotten that still matters."""

import math
from collections import Counter
from dataclasses import astuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.fetch.politeness import DAY, RULES, HostManners, Manners, Politeness, retry_after
from sought.web.message import Failure, Response

NOON = 1_700_000_000.0


def reply(status: int = 200, elapsed: float = 0.1, failure: Failure | None = None, after: str = "") -> Response:
    headers = (("Retry-After", after),) if after else ()
    return Response("http://a/", status=status, elapsed=elapsed, failure=failure, headers=headers)


def visit(politeness: Politeness, now: float, response: Response, host: str = "a", address: str = "1") -> None:
    politeness.began(host, address, now)
    politeness.ended(host, address, now, response)


def test_the_delay_counts_from_the_end() -> None:
    """Busy while in flight; then the configured delay, for the host and for its address."""
    politeness = Politeness(Manners(delay=2))
    assert politeness.ready_at("a", "1", NOON) == NOON
    politeness.began("a", "1", NOON)
    assert politeness.ready_at("a", "9", NOON) == math.inf
    assert politeness.ready_at("b", "1", NOON) == math.inf
    assert politeness.ready_at("b", "2", NOON) == NOON
    politeness.ended("a", "1", NOON + 10, reply())
    assert politeness.ready_at("a", "9", NOON) == NOON + 12
    assert politeness.ready_at("b", "1", NOON) == NOON + 12
    assert politeness.ready_at("a", "1", NOON + 99) == NOON + 99


@pytest.mark.parametrize(
    ("crawl_delay", "elapsed", "expected"),
    [(0, 0.1, 1), (5, 0.1, 5), (0, 4.0, 8), (5, 4.0, 8), (99, 1, 30), (0, 99, 30)],
)
def test_the_longest_reason_counts_within_the_bound(crawl_delay: float, elapsed: float, expected: float) -> None:
    """min(max_delay, max(configured, crawl-delay, latency_factor × elapsed))."""
    politeness = Politeness(Manners())
    politeness.set_crawl_delay("a", crawl_delay)
    visit(politeness, NOON, reply(elapsed=elapsed))
    assert politeness.ready_at("a", "1", NOON) == NOON + expected


def test_a_crawl_delay_holds_from_the_answer_that_brought_it() -> None:
    """The first page after robots.txt waits as long as robots.txt asks."""
    politeness = Politeness(Manners())
    visit(politeness, NOON, reply())
    politeness.set_crawl_delay("a", 20)
    assert politeness.ready_at("a", "1", NOON) == NOON + 20


@pytest.mark.parametrize("kind", list(RULES))
def test_trouble_cools_by_the_table(kind: str) -> None:
    """Each time in a row longer, up to the cap; then dead for a day; one success and all is forgotten."""
    rule = RULES[kind]
    trouble = {"429": reply(429), "503": reply(503), "5xx": reply(500)}.get(kind) or reply(0, failure=Failure(kind))
    politeness = Politeness(Manners())
    now = NOON
    for time_in_a_row in range(1, rule.dead_after + 2):
        visit(politeness, now, trouble)
        dead = time_in_a_row >= rule.dead_after
        wait = DAY if dead else min(rule.cap, rule.first * rule.growth ** (time_in_a_row - 1))
        assert politeness.ready_at("a", "1", now) == now + wait
        now += wait
    visit(politeness, now, reply())
    assert politeness.state("a").troubles == 0
    visit(politeness, now + 99, trouble)
    assert politeness.ready_at("a", "1", now) == now + 99 + rule.first


@pytest.mark.parametrize("response", [reply(404), reply(301), reply(0, failure=Failure.TYPE), reply(304)])
def test_a_missing_or_unwanted_page_is_no_trouble(response: Response) -> None:
    """Only the usual delay follows."""
    politeness = Politeness(Manners())
    visit(politeness, NOON, response)
    assert politeness.ready_at("a", "1", NOON) == NOON + 1


def test_trouble_of_one_host_is_not_its_neighbours() -> None:
    """A host on the same address waits for the delay, not for the cool-down."""
    politeness = Politeness(Manners())
    visit(politeness, NOON, reply(503))
    assert politeness.ready_at("b", "1", NOON) == NOON + 1


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("120", 120), ("0", 0), ("999999999", DAY), ("9" * 400, DAY), ("-5", 0), ("soon", 0), ("", 0), ("²", 0),
        ("1.5", 0), ("Tue, 14 Nov 2023 23:13:20 GMT", 3600), ("Tue, 14 Nov 2000 23:13:20 GMT", 0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", DAY),
    ],
)  # fmt: skip
def test_retry_after(text: str, seconds: float) -> None:
    """Seconds or a date, at most a day; junk counts as nothing."""
    assert retry_after(reply(503, after=text), NOON) == seconds


def test_retry_after_lengthens_the_cool_down() -> None:
    """A host that asks for ten minutes gets them; on a 200 the header means nothing."""
    politeness = Politeness(Manners())
    visit(politeness, NOON, reply(429, after="600"))
    assert politeness.ready_at("a", "1", NOON) == NOON + 600
    visit(politeness, NOON, reply(200, after="600"), "b", "2")
    assert politeness.ready_at("b", "2", NOON) == NOON + 1


def test_a_restart_changes_nothing() -> None:
    """State is plain numbers, and going on from it gives the same answers."""
    politeness = Politeness(Manners())
    politeness.set_crawl_delay("a", 7)
    for _ in range(3):
        visit(politeness, NOON, reply(500))
    state = HostManners(*astuple(politeness.state("a")))
    again = Politeness(Manners())
    again.restore("a", state)
    assert again.state("a") == state
    assert again.ready_at("a", "1", NOON) == politeness.ready_at("a", "1", NOON)


def test_a_crash_in_mid_request_keeps_the_delay() -> None:
    """A request that was in flight is not, after a restart, but its host has its rest."""
    politeness = Politeness(Manners(delay=3))
    politeness.began("a", "1", NOON)
    again = Politeness(Manners(delay=3))
    again.restore("a", politeness.state("a"))
    assert again.ready_at("a", "1", NOON) == NOON + 3


def test_idle_hosts_are_forgotten() -> None:
    """Memory holds what still constrains: resting, busy, cooling; and for a day what was learned."""
    politeness = Politeness(Manners())
    for i in range(100):
        visit(politeness, NOON, reply(), f"h{i}", f"{i}")
    politeness.began("busy", "x", NOON)
    visit(politeness, NOON, reply(503), "ill", "y")
    politeness.forget(NOON)
    assert len(politeness) == 204
    politeness.forget(NOON + 2)
    assert len(politeness) == 3
    politeness.forget(NOON + 3600)
    assert politeness.state("ill").troubles == 1
    politeness.forget(NOON + 2 * DAY)
    assert len(politeness) == 2
    assert politeness.ready_at("busy", "x", NOON) == math.inf


HOSTS = st.sampled_from(["a", "b", "c"])
ADDRESSES = {"a": "1", "b": "1", "c": "2"}
STEPS = st.tuples(HOSTS, st.floats(0, 5), st.booleans(), st.sampled_from([200, 404, 500, 503]), st.floats(0, 20))


@settings(max_examples=200)
@given(st.lists(STEPS, max_size=60), st.integers(1, 3), st.integers(1, 3), st.floats(0.5, 3))
def test_never_too_many_never_too_soon(
    steps: list[tuple[str, float, bool, int, float]], per_host: int, per_address: int, delay: float
) -> None:
    """Whatever a scheduler does that obeys `ready_at`: bounds in flight, and delays after ends, hold."""
    politeness = Politeness(Manners(delay=delay, per_host=per_host, per_address=per_address))
    in_flight: Counter[str] = Counter()
    last_end: dict[str, float] = {}
    now = NOON
    for host, pause, start, status, elapsed in steps:
        now += pause
        address = ADDRESSES[host]
        if start and politeness.ready_at(host, address, now) <= now:
            assert in_flight[host] < per_host
            assert in_flight[address] < per_address
            assert now - max(last_end.get(host, 0), last_end.get(address, 0)) >= delay - 1e-6
            politeness.began(host, address, now)
            in_flight.update((host, address))
        elif not start and in_flight[host]:
            politeness.ended(host, address, now, reply(status, elapsed))
            in_flight.subtract((host, address))
            last_end[host] = last_end[address] = now
        politeness.forget(now)


def test_an_address_keeps_its_delay_over_a_restart() -> None:
    """Another host on the same machine waits too, although only the asked host's state was stored."""
    before = Politeness(Manners(delay=5.0))
    before.began("a.example", "192.0.2.1", 100.0)
    before.ended("a.example", "192.0.2.1", 101.0, Response("http://a.example/", 200, elapsed=1.0))
    after = Politeness(Manners(delay=5.0))
    after.restore("a.example", before.state("a.example"))
    assert after.ready_at("b.example", "192.0.2.1", 102.0) == 106.0
    assert after.ready_at("b.example", "192.0.2.2", 102.0) == 102.0
