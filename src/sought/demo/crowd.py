"""Who asks, when?  So many people a second, each asking both search pages the same at the same moment.

1. a question is drawn from what people want to know now
2. both search pages are asked, over HTTP
3. the judge, in a thread of its own, says what the answers are really worth
4. who finds something good clicks on it
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import aiohttp
import numpy as np

from sought.demo.figures import Judged
from sought.demo.judge import Truth, value
from sought.demo.searchers import Public, Questions, clicked
from sought.demo.window import Shown, Window
from sought.web.errors import SoughtError

AT_ONCE = 6  # people who wait for an answer; others come later
RENEW = 2.0  # seconds between two looks at the truth
_MOST_FAILURES = 50  # answers that did not come, in a row


class Answers(NamedTuple):
    """What was asked, what both showed, what each result is really worth, and what the best page would be."""

    query: str
    shown: tuple[Shown, Shown]
    worth: tuple[list[float], list[float]]
    ideal: list[float]


class Crowd:
    """People who search.  `latest` is what one of them was shown a moment ago, `questions` what they ask now.

    If nobody answers them any more they stop everything, and `trouble` says why.
    """

    def __init__(self, public: Public, truth: Truth, toy_time: Callable[[], float]) -> None:
        self.questions: Questions = public.questions(toy_time())
        self.latest: Answers | None = None
        self.trouble: SoughtError | None = None
        self._public, self._truth, self._toy_time = public, truth, toy_time
        self._judge = ThreadPoolExecutor(1, "judge")  # in which alone `truth` is used from now on
        self._rng = np.random.default_rng(public.seed)
        self._failures = 0

    async def search(
        self, windows: tuple[Window, Window], a_second: float, told: Callable[[Judged], None], stop: asyncio.Event
    ) -> None:
        """Search until told to stop; `told` is what was judged."""
        people = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_up(stop))
            while not stop.is_set():
                await people.acquire()
                someone = tasks.create_task(self._someone(windows, told, stop))
                someone.add_done_callback(lambda _: people.release())
                await asyncio.sleep(1.0 / a_second)
        self._judge.shutdown()

    async def _keep_up(self, stop: asyncio.Event) -> None:
        """Know what is true and what is asked now."""
        while not stop.is_set():
            t = self._toy_time()
            await asyncio.get_running_loop().run_in_executor(self._judge, self._truth.renew, t)
            self.questions = self._public.questions(t)
            try:
                await asyncio.wait_for(stop.wait(), RENEW)
            except TimeoutError:
                pass

    async def _someone(
        self, windows: tuple[Window, Window], told: Callable[[Judged], None], stop: asyncio.Event
    ) -> None:
        try:
            await self._ask(self.questions.drawn(self._rng), windows, told)
            self._failures = 0
        except (aiohttp.ClientError, TimeoutError) as error:
            self._failures += 1
            if self._failures > _MOST_FAILURES:
                self.trouble = SoughtError(f"the search pages do not answer any more: {error}")
                stop.set()

    async def _ask(self, query: str, windows: tuple[Window, Window], told: Callable[[Judged], None]) -> None:
        """Both, or neither: what one of them fails to answer counts for nobody."""
        shown = await asyncio.gather(windows[0].ask(query), windows[1].ask(query))
        answers = await self._judged(query, shown)
        if not answers.ideal:
            return
        self.latest = answers
        found = value(answers.worth[0]), value(answers.worth[1])
        told(Judged(time.monotonic(), value(answers.ideal), found))
        for window, each, worth in zip(windows, shown, answers.worth, strict=True):
            if rank := clicked(self._rng, worth, answers.ideal[0]):
                await window.click(each, rank)

    async def _judged(self, query: str, shown: tuple[Shown, Shown]) -> Answers:
        def look() -> Answers:
            worth = self._truth.worth(query, shown[0].urls), self._truth.worth(query, shown[1].urls)
            return Answers(query, shown, worth, self._truth.ideal(query))

        return await asyncio.get_running_loop().run_in_executor(self._judge, look)
