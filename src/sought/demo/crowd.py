"""Who asks, when?  So many people a second of the contest's clock, each asking both search pages the same.

1. a question is drawn from what people want to know now
2. both search pages are asked at the same moment, over HTTP
3. the judge, in a thread of its own, computes what the answers are really worth
4. a searcher who sees a good result clicks on it
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor

import aiohttp
import numpy as np

from sought.demo.example import ExampleAnswers
from sought.demo.figures import Judged
from sought.demo.judge import ToyTruth
from sought.demo.pace import PEOPLE, Pace
from sought.demo.searchers import Public, Questions, clicked
from sought.demo.window import Window

AT_ONCE = 6  # people who wait for an answer; others come later
RENEW = 2.0  # seconds between two looks at the truth
_MOST_FAILURES = 50  # answers that did not come, in a row


class Crowd:
    """People who search.  `latest` is what one of them was shown a moment ago, `questions` what they ask now.

    `different` is the latest of which one answer was better than the other.  If the pages stop answering they stop
    everything, and `trouble` says why.
    """

    def __init__(
        self, public: Public, truth: ToyTruth, judge: Executor, pace: Pace, toy_time: Callable[[], float]
    ) -> None:
        """`truth` is used by `judge` alone, which is one thread."""
        self.questions: Questions = public.questions(toy_time())
        self.latest: ExampleAnswers | None = None
        self.different: ExampleAnswers | None = None
        self.trouble = ""
        self._public, self._truth, self._judge = public, truth, judge
        self._pace, self._toy_time = pace, toy_time
        self._rng = np.random.default_rng(public.seed)
        self._failures = self._done = 0

    async def search(
        self, windows: tuple[Window, Window], a_second: float, judged: Callable[[Judged], None], stop: asyncio.Event
    ) -> None:
        """Search until stopped; `judged` is called with each result."""
        people = asyncio.Semaphore(AT_ONCE)
        due = 0

        def over(_: asyncio.Task[None]) -> None:
            people.release()
            self._done += 1
            self._pace.report(PEOPLE, self._done / a_second)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_up(stop))
            while not stop.is_set():
                await people.acquire()
                await self._pace.reached(due / a_second, stop)
                due += 1
                tasks.create_task(self._someone(windows, judged, stop)).add_done_callback(over)

    async def _keep_up(self, stop: asyncio.Event) -> None:
        """Know what is true and what is asked now."""

        def look() -> Questions:
            t = self._toy_time()
            self._truth.renew(t)
            return self._public.questions(t)

        due = 0.0
        while not stop.is_set():
            self.questions = await asyncio.get_running_loop().run_in_executor(self._judge, look)
            due += RENEW
            await self._pace.reached(due, stop)

    async def _someone(
        self, windows: tuple[Window, Window], judged: Callable[[Judged], None], stop: asyncio.Event
    ) -> None:
        try:
            await self._ask(self.questions.drawn(self._rng), windows, judged)
            self._failures = 0
        except (aiohttp.ClientError, TimeoutError) as error:
            self._failures += 1
            if self._failures > _MOST_FAILURES:
                self.trouble = f"the search pages stopped answering: {error}"
                stop.set()

    async def _ask(self, query: str, windows: tuple[Window, Window], judged: Callable[[Judged], None]) -> None:
        """Ask both: a search that one of them fails to answer does not count."""
        shown = await asyncio.gather(windows[0].ask(query), windows[1].ask(query))
        answers = await asyncio.get_running_loop().run_in_executor(self._judge, self._truth.judge, query, shown)
        if answers is None:
            return
        self.latest = answers
        if answers.differ:
            self.different = answers
        qualities = answers.quality[0] * answers.ideal, answers.quality[1] * answers.ideal
        judged(Judged(self._pace.now(), answers.ideal, qualities))
        for window, each, worth in zip(windows, shown, answers.worth, strict=True):
            if rank := clicked(self._rng, worth, answers.best):
                await window.click(each, rank)
