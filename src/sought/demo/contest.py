"""How is the demo started, run and ended?

1. the toy web is served; its clock stands still
2. everything is prepared (preparation.py): copies of one crawl for both sides, search pages, the judge
3. as soon as both crawls are there the clock starts (pace.py): both may fetch, and people ask, until stopped
"""

import asyncio
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import aiohttp

from sought.demo.children import Runner, runners
from sought.demo.conditions import Conditions
from sought.demo.crowd import Crowd
from sought.demo.figures import SIDES
from sought.demo.judge import ToyTruth
from sought.demo.pace import Pace, either
from sought.demo.preparation import first_crawl, first_steps, last_steps
from sought.demo.race import Race
from sought.demo.searchers import Public
from sought.demo.state import DemoState, Side
from sought.demo.window import Window
from sought.toyweb import Served, ToyWeb, serve_in_thread
from sought.web.errors import SoughtError

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STEP = 0.1  # seconds between two steps of the contest
_TICK = 1.0  # seconds between two looks
_PATIENCE = 180.0  # seconds for the slowest to do something

OnChange = Callable[[DemoState], None]


class Contest:
    """The two sides, side by side.  Any thread may look at `state`; `on_change` is called with each new state.

    `since` is when the command was started, by the monotonic clock.
    """

    def __init__(
        self, folder: Path, conditions: Conditions, since: float, on_change: OnChange = lambda _: None
    ) -> None:
        self.conditions = conditions
        self._steps = first_steps(conditions)
        sides = {name: Side(policy) for name, policy in conditions.policies.items()}
        self.state = DemoState("Preparing.", tuple(self._steps.values()), sides=sides)
        self._folder = folder
        self._paths = [folder / name.replace("_", "-") for name in SIDES]
        self._since = since
        self._on_change = on_change

    def run(self, seconds: float | None = None) -> DemoState:
        """Until Ctrl-C, or for so many seconds of the contest's clock; returns how it stood then."""
        c = self.conditions
        self._show(self.state)
        with ExitStack() as stack:
            served = stack.enter_context(serve_in_thread(ToyWeb(hostile=False), c.days_per_second))
            pace = Pace(served, c.days_per_second, c.lead)
            first_crawl(self._folder, self._paths, c, served, self._step_done)
            running = stack.enter_context(runners(self._paths))
            truth = ToyTruth(served.toy, Path(stack.enter_context(TemporaryDirectory(prefix="sought-truth-"))))
            stack.callback(truth.close)
            judge = stack.enter_context(ThreadPoolExecutor(1, "judge"))  # in which alone `truth` is used from now on
            asyncio.run(self._contest(served, pace, truth, judge, running, seconds))
            final = self.state
            self._show(replace(self.state, phase="Ending."))
        return final

    def _step_done(self, name: str, done: int, total: int | None = None) -> None:
        step = self._steps[name]
        self._steps[name] = step._replace(done=done, total=step.total if total is None else total)
        self._show(replace(self.state, steps=tuple(self._steps.values())))

    def _show(self, state: DemoState) -> None:
        self.state = state
        self._on_change(state)

    async def _contest(
        self,
        served: Served,
        pace: Pace,
        truth: ToyTruth,
        judge: Executor,
        running: Sequence[Runner],
        seconds: float | None,
    ) -> None:
        stop = asyncio.Event()
        with ended_by_signals(stop):
            addresses = await last_steps(running, truth, judge, self._step_done, stop)
            if not addresses:
                return
            self._show(_at(self.state, addresses))
            crowd = Crowd(Public(served.toy), truth, judge, pace, served.now)
            race = Race(running, pace, self.conditions.fetches_a_second, self.state)
            race.start(time.monotonic() - self._since)
            async with aiohttp.ClientSession() as session, asyncio.TaskGroup() as tasks:
                windows = Window(session, addresses[0]), Window(session, addresses[1])
                tasks.create_task(crowd.search(windows, self.conditions.searches_a_second, race.add, stop))
                tasks.create_task(self._watch(lambda: race.look(crowd, served.now()), stop))
                trouble = await _run(race, pace, stop, seconds)
        if trouble or crowd.trouble:
            raise SoughtError(trouble or crowd.trouble)

    async def _watch(self, look: Callable[[], DemoState], stop: asyncio.Event) -> None:
        while not stop.is_set():
            self._show(look())
            await either(stop, _TICK)
        self._show(look())


async def _run(race: Race, pace: Pace, stop: asyncio.Event, seconds: float | None) -> str:
    """Step by step, until it is time to stop; returns what went wrong, if anything did."""
    while not stop.is_set() and (seconds is None or pace.now() < seconds):
        race.step()
        if pace.stood > _PATIENCE:
            stop.set()
            return f"the contest has made no progress for {_PATIENCE:.0f} seconds, waiting for {pace.behind}"
        await either(stop, _STEP)
    stop.set()
    return ""


def _at(state: DemoState, addresses: Sequence[str]) -> DemoState:
    """With the addresses of both search pages."""
    sides = zip(state.sides.items(), addresses, strict=True)
    return replace(state, sides={name: side._replace(address=where) for (name, side), where in sides})


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
