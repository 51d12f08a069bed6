"""How is it all started, run and ended?

1. the toy web is served, its clock running fast
2. a first crawl, breadth first; both sides begin with copies of it
3. a search page for each side; people begin to ask
4. both crawls start, at rest
5. as soon as both are there they are told to go on, each by its policy, until told to stop: what happens then counts
"""

import asyncio
import shutil
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp

import sought
from sought.crawl.settings import Settings, save_settings
from sought.demo.children import crawls, servers
from sought.demo.conditions import Conditions
from sought.demo.crowd import Crowd
from sought.demo.figures import SIDES
from sought.demo.judge import Truth
from sought.demo.race import Race
from sought.demo.rehearsal import rehearse
from sought.demo.searchers import Public
from sought.demo.standing import Side, Standing
from sought.demo.window import Window
from sought.toyweb import Served, ToyWeb, serve_in_thread
from sought.web.errors import SoughtError

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TICK = 1.0  # seconds between two looks
_PATIENCE = 180.0  # seconds for both crawls to be there

Told = Callable[[Standing], None]


class Contest:
    """The two sides, side by side.  Any thread may look at `standing`; `told` is called whenever it changes."""

    def __init__(self, folder: Path, conditions: Conditions, told: Told = lambda _: None) -> None:
        self.conditions = conditions
        self.standing = Standing("Getting ready.", sides={n: Side(p) for n, p in conditions.policies.items()})
        self._folder = folder
        self._paths = [folder / name.replace("_", "-") for name in SIDES]
        self._told = told

    def run(self, seconds: float | None = None) -> Standing:
        """Until Ctrl-C, or for so many seconds from the moment when both crawls run; returns how it stood then."""
        self._say("Getting ready (the first run on a machine compiles for about a minute).")
        rehearse(self._folder / "rehearsal", self.conditions)
        shutil.rmtree(self._folder / "rehearsal")
        with ExitStack() as stack:
            served = stack.enter_context(serve_in_thread(ToyWeb(hostile=False), self.conditions.days_per_second))
            self._first_crawl(served)
            starting = stack.enter_context(servers(self._paths))
            self._say("Looking at all of the toy web, to be able to judge answers.")
            truth = Truth(served.toy, Path(stack.enter_context(TemporaryDirectory(prefix="sought-truth-"))))
            stack.callback(truth.close)
            truth.renew(served.now())
            asyncio.run(self._contest(served, truth, starting(), seconds))
            final = self.standing
            self._say("Ending.")
        return final

    def _say(self, phase: str) -> None:
        self._show(replace(self.standing, phase=phase))

    def _show(self, standing: Standing) -> None:
        self.standing = standing
        self._told(standing)

    def _first_crawl(self, served: Served) -> None:
        """One, and copies of it: both sides know and hold the same, and rest until both are told to go on (race.py)."""
        c = self.conditions
        self._say(f"A first crawl of {c.before} fetches, breadth first, for both.")
        first = self._folder / "first"
        c.write(first, served, "BreadthFirst()")
        sought.open(first).crawl(fetches=c.before)
        for path, policy in zip(self._paths, c.policies.values(), strict=True):
            shutil.copytree(first, path)
            save_settings(c.write(path, served, policy), Settings(paused=True))
        shutil.rmtree(first)

    async def _contest(self, served: Served, truth: Truth, addresses: Sequence[str], seconds: float | None) -> None:
        stop = asyncio.Event()
        with ended_by_signals(stop):
            self._show(_at(self.standing, addresses))
            crowd, race = Crowd(Public(served.toy), truth, served.now), Race(self._paths, self.standing)
            async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
                windows = Window(session, addresses[0]), Window(session, addresses[1])
                tasks.create_task(crowd.search(windows, self.conditions.searches_a_second, race.add, stop))
                tasks.create_task(self._watch(lambda: race.look(crowd, served.now), stop))
                await self._crawl(race, stop, seconds)
        if crowd.trouble:
            raise crowd.trouble

    async def _crawl(self, race: Race, stop: asyncio.Event, seconds: float | None) -> None:
        """Let people ask for a while, then both crawls go on, until it is time to stop."""
        await either(stop, self.conditions.asked_before)
        if stop.is_set():
            return
        async with crawls(self._paths):
            deadline = time.monotonic() + _PATIENCE
            while not stop.is_set() and (seconds is None or race.seconds < seconds):
                await either(stop, _TICK / 4)
                if not race.seconds and time.monotonic() > deadline:
                    stop.set()
                    raise SoughtError("a crawl does not begin: with --keep, said.log in its directory says why")
            stop.set()

    async def _watch(self, look: Callable[[], Standing], stop: asyncio.Event) -> None:
        while not stop.is_set():
            self._show(look())
            await either(stop, _TICK)
        self._show(look())


def _at(standing: Standing, addresses: Sequence[str]) -> Standing:
    """With the addresses of both search pages."""
    sides = zip(standing.sides.items(), addresses, strict=True)
    return Standing(
        "People ask; both crawls are about to go on.",
        sides={name: side._replace(address=where) for (name, side), where in sides},
    )


async def either(stop: asyncio.Event, seconds: float) -> None:
    """Wait until told to stop, so long at most."""
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        pass


@contextmanager
def ended_by_signals(stop: asyncio.Event) -> Iterator[None]:
    """Ctrl-C, SIGTERM and the end of the terminal are words here, not exceptions."""
    loop = asyncio.get_running_loop()
    for each in ENDING:
        loop.add_signal_handler(each, stop.set)
    try:
        yield
    finally:
        for each in ENDING:
            loop.remove_signal_handler(each)
        signals_raise()


def signals_raise() -> None:
    """KeyboardInterrupt, so that what was started ends with us, and nothing stays behind."""
    for each in ENDING:
        signal.signal(each, signal.default_int_handler)
