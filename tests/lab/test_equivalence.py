"""What was crawled live, over HTTP, is crawled again from its record, fetch by fetch."""

import asyncio
import math
import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from sought.crawl.budget import Budget
from sought.crawl.cycle import beliefs_in, new_cycle
from sought.crawl.rhythm import Rhythm
from sought.demand import QueryLog
from sought.demand.importing import import_file
from sought.lab.replay.clock import VirtualClock
from sought.lab.replay.recorded import RecordedWeb, recorded_parts
from sought.lab.replay.signals import Signals
from sought.lab.worlds.imports.warc import import_warc
from sought.lab.worlds.recorder import WorldRecorder
from sought.operate.live import open_web
from sought.policy import parse_policy
from sought.record.directory import Directory
from sought.record.directory_parts import DirectoryParts
from sought.record.measuring import GainSums
from sought.record.seeds import plant_seeds
from sought.record.workload_refresh import Refresh
from sought.toyweb import ToyWeb, serve_in_thread
from tests.testing.refresh_rules import refresh_rules

START, WEEK, WEEKS, FETCHES = 1_700_000_000.0, 7 * 86400.0, 4, 40
ASKED = """query	count	from
comet	50	2023-01-01
garden	40	2023-01-01
sail boat	30	2023-01-01
telescope planet	20	2023-01-01
recipe	10	2023-01-01
harbour	10	2023-11-20
"""
RHYTHM = Rhythm(commit=math.inf, index=math.inf, plan=3600.0, chosen=20)


async def crawled(directory: Directory, web, address_of, policy, clock: VirtualClock) -> None:
    """Some weeks, so many fetches in each."""
    refresh = Refresh(directory)
    refresh.before_the_first_page(clock.now())
    plant_seeds(directory)
    beliefs = beliefs_in(directory, policy)
    for week in range(WEEKS):
        clock.advance(START + week * WEEK)
        clock.limit = START + (week + 1) * WEEK
        cycle = new_cycle(directory, web, address_of, Budget(FETCHES), policy, RHYTHM, beliefs, refresh)
        clock.at_limit = cycle.stop_now
        await cycle.run()


def live(path: Path, served, policy) -> tuple[list[tuple[float, str]], GainSums]:
    """Over HTTP; the toy web's time and ours are one."""
    clock, asked = VirtualClock(START), []
    directory = Directory.open(path, DirectoryParts(clock=clock))
    http, resolver = open_web(directory.config, directory.agent)

    async def get(request):
        served.set_time((clock.now() - START) / 86400.0)
        asked.append((clock.now(), request.url))
        return replace(await http.get(request), time=round(clock.now(), 6), elapsed=0.0)

    async def run():
        async with http:
            await crawled(directory, get, resolver.address, policy, clock)

    try:
        asyncio.run(run())
        return asked, directory.measuring.sums
    finally:
        directory.close()


def again(path: Path, record: Path, policy) -> tuple[list[tuple[float, str]], GainSums]:
    """The same from the record."""
    recorder = WorldRecorder()
    span = import_warc(recorder, [record])
    world = recorder.finish("recorded", span.seeds, span.start, span.end, WEEK)
    clock = VirtualClock(START)
    directory = Directory.open(path, recorded_parts(world, clock))
    web, asked = RecordedWeb(world, clock, Signals()), []

    async def get(request):
        asked.append((clock.now(), request.url))
        return await web.get(request)

    try:
        asyncio.run(crawled(directory, get, web.address_of, policy, clock))
        return asked, directory.measuring.sums
    finally:
        directory.abandon()


REFRESH = [f"Split(new=BreadthFirst(), known={rule!r}, share=0.3)" for rule in refresh_rules()]
MIXED = [
    "Split(new=BreadthFirst(), known=RoundRobin(), share=0.5)",
    "RoundRobin(new=True)",
    "Split(new=DemandFirst(), known=UserCentric(), share=0.5)",
    "Worth()",
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "hostile"), [*product(MIXED, [False, True]), *((policy, False) for policy in REFRESH)]
)
def test_a_record_is_crawled_like_the_web_it_was_taken_of(make_crawl, tmp_path, policy, hostile):
    """The same policy and clock give the same requests at the same times in the same order, robots.txt included.

    Also where the policy learns from what each fetch was worth: that is the same, to the last bit.
    """
    toy = ToyWeb(sites=4, pages=8, hostile=hostile, slow=0.05, patience=0.2)
    with serve_in_thread(toy) as served:
        first = make_crawl(served, delay=1.0, timeout=20.0)  # nothing goes on for longer than `patience`
        config = (first / "sought.toml").read_text().replace("[fetch]\n", "[fetch]\nconnections = 1\n", 1)
        (first / "sought.toml").write_text(config)
        (tmp_path / "asked.tsv").write_text(ASKED)
        import_file(QueryLog(first / "queries"), tmp_path / "asked.tsv")
        then, worth = live(first, served, parse_policy(policy))
    second = tmp_path / "again"
    second.mkdir()
    (second / "sought.toml").write_text(config)
    shutil.copytree(first / "queries", second / "queries")
    now, measured = again(second, first, parse_policy(policy))
    assert len(then) >= WEEKS * FETCHES
    assert now == then
    assert measured == worth
    assert worth.first > 0.0
