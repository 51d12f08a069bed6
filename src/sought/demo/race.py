"""Who is ahead?  Watches both crawls, lets them fetch as the clock goes on, and publishes the state every second.

States: *waiting* (nothing is allowed, nobody asks), *running* since `start`.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import replace

from sought.demo.children import Runner
from sought.demo.crowd import Crowd
from sought.demo.example import ExampleAnswers
from sought.demo.figures import SIDES, Judged, Point, Scoreboard
from sought.demo.pace import Pace
from sought.demo.state import DemoState, Side

_HISTORY = 1800  # points that are shown
_APART = 0.5  # seconds between two points
_ASKED = 8  # questions that are shown
_SHOWN_FOR = 5.0  # seconds for which an example is shown


class Race:
    """`state` is how it stood when `look` was last called."""

    def __init__(self, running: Sequence[Runner], pace: Pace, fetches_a_second: int, state: DemoState) -> None:
        self.state = state
        self._running, self._pace, self._rate = running, pace, fetches_a_second
        self._board = Scoreboard()
        self._history: deque[Point] = deque(maxlen=_HISTORY)
        self._example_at = 0.0

    def start(self, seconds_to_start: float) -> None:
        self.state = replace(self.state, phase="Both crawls are running.", seconds_to_start=seconds_to_start)
        self._pace.start()

    def add(self, judged: Judged) -> None:
        self._board.add(judged)

    def step(self) -> None:
        """Both may have made as many fetches as the clock says; the clock learns what they made of it."""
        now = self._pace.now()
        for name, each in zip(SIDES, self._running, strict=True):
            each.look()
            self._pace.report(name, now if each.resting else each.fetches / self._rate)
            each.allow(int(now * self._rate))

    def look(self, crowd: Crowd, day: float) -> DemoState:
        now = self._pace.now()
        if point := self._board.lately(now):
            if self._history and point.time - self._history[-1].time < _APART:
                self._history.pop()  # the clock has waited
            self._history.append(point)
        self.state = replace(
            self.state,
            busy=self._pace.note(),
            seconds=now,
            speed=self._pace.overall,
            day=day,
            searches=self._board.searches,
            sides=self._sides(crowd.latest),
            history=tuple(self._history),
            asked=tuple(crowd.questions.top(_ASKED)),
            answers=self._example(crowd),
        )
        return self.state

    def _example(self, crowd: Crowd) -> ExampleAnswers | None:
        """One in which one answer is better, as soon as there is one; it stays until the next."""
        shown, wall = self.state.answers, time.monotonic()
        if shown and wall - self._example_at < _SHOWN_FOR:
            return shown
        self._example_at = wall
        return crowd.different or crowd.latest

    def _sides(self, latest: ExampleAnswers | None) -> dict[str, Side]:
        lately = self._history[-1].quality if self._history else (None, None)
        overall = self._board.overall or (None, None)
        pages = [each.pages for each in latest.shown] if latest else [0, 0]
        return {
            name: side._replace(fetches=each.fetches, searchable=pages[k], lately=lately[k], overall=overall[k])
            for k, ((name, side), each) in enumerate(zip(self.state.sides.items(), self._running, strict=True))
        }
