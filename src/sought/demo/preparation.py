"""What is prepared before the contest?

1. compiled code: the first run on a machine compiles what the first crawl needs
2. a first crawl, breadth first, which knows what was asked before; both sides begin with copies of it
3. all of the toy web, for the judge; meanwhile a search page and a crawl start for each side
"""

import asyncio
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

import sought
from sought.crawl.cycle import Cycle
from sought.demand import Search
from sought.demo.children import Runner
from sought.demo.conditions import Conditions
from sought.demo.judge import ToyTruth
from sought.demo.searchers import Public
from sought.demo.state import Step
from sought.toyweb import Served
from sought.web.compiled import compiling
from sought.web.errors import SoughtError

COMPILING = "Compile functions (first run only)"
CRAWLING = "Fetch the first pages"
COPYING = "Copy them for both sides"
READING = "Read pages for the judge"
STARTING = "Start search pages and crawls"

_EVERY = 0.1  # seconds between two looks
_PATIENCE = 600.0  # seconds for both crawls to be there

Report = Callable[..., None]


def first_steps(conditions: Conditions) -> dict[str, Step]:
    """The steps before anything is done."""
    totals = {COMPILING: 0, CRAWLING: conditions.before, COPYING: 1, READING: 0, STARTING: 4}
    return {name: Step(name, 0, total) for name, total in totals.items()}


def first_crawl(folder: Path, paths: Sequence[Path], conditions: Conditions, served: Served, report: Report) -> None:
    """One, and copies of it in `paths`: both sides know and hold the same."""
    first = conditions.write(folder / "first", served, "BreadthFirst()")
    crawl = sought.open(first)
    public = Public(served.toy)
    questions, rng = public.questions(0.0), np.random.default_rng((public.seed, 0))
    for _ in range(conditions.asked_before):
        crawl.queries.record(Search(questions.drawn(rng), time.time()))

    def started(cycle: Cycle) -> None:
        report(CRAWLING, cycle.progress.fetched)
        if cycle.progress.fetched < conditions.before:
            asyncio.get_running_loop().call_later(_EVERY, started, cycle)

    compiled = [0]

    def has_compiled(count: int) -> None:
        compiled[0] = count
        report(COMPILING, count)

    with compiling(has_compiled):
        crawl.crawl(fetches=conditions.before, started=started)
    report(COMPILING, max(1, compiled[0]), max(1, compiled[0]))
    report(CRAWLING, conditions.before)
    for path, policy in zip(paths, conditions.policies.values(), strict=True):
        shutil.copytree(first, path)
        conditions.write(path, served, policy)
    shutil.rmtree(first)
    report(COPYING, 1)


async def last_steps(
    running: Sequence[Runner], truth: ToyTruth, judge: Executor, report: Report, stop: asyncio.Event
) -> list[str]:
    """Read the toy web while all processes start; returns the addresses of the search pages, none if stopped."""

    def more(done: int, of: int) -> bool:
        report(READING, done, of)
        return not stop.is_set()

    reading = asyncio.get_running_loop().run_in_executor(judge, truth.renew, 0.0, more)
    serving = [asyncio.create_task(each.address()) for each in running]
    deadline = time.monotonic() + _PATIENCE
    while not stop.is_set():
        ready = sum(each.done() for each in serving) + sum(each.ready for each in running)
        report(STARTING, ready)
        if ready == 2 * len(running) and reading.done():
            report(READING, reading.result(), reading.result())
            return [each.result() for each in serving]
        await asyncio.sleep(_EVERY)
        for each in running:
            each.look()
            if each.companion.crashes or time.monotonic() > deadline:
                raise SoughtError("a crawl does not start; with --keep, its directory has the reason in output.log")
    await reading
    return []
