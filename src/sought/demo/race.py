"""Who is ahead?  Watches both crawls, and says so every second.

States: *waiting* (until both crawls are there; what is asked is shown and does not count), *running* (both were told
to go on, at the same moment).
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from sought.crawl.orders import Resume, give
from sought.crawl.pulse import read_pulse
from sought.demo.crowd import Crowd
from sought.demo.figures import Judged, Point, Scoreboard
from sought.demo.standing import Side, Standing

_HISTORY = 1800  # points that are shown
_ASKED = 8  # questions that are shown
_SHOWN_FOR = 5.0  # seconds for which an example is shown


class Race:
    """`standing` is how it stood when `look` was last called."""

    def __init__(self, paths: Sequence[Path], standing: Standing) -> None:
        self.standing = standing
        self._paths = paths
        self._since = time.time()  # pulses of before are those of the first crawl
        self._began: float | None = None
        self._board = Scoreboard()
        self._history: deque[Point] = deque(maxlen=_HISTORY)
        self._example_at = 0.0

    def add(self, judged: Judged) -> None:
        self._board.add(judged)

    @property
    def seconds(self) -> float:
        """For how long both crawls have run."""
        return time.monotonic() - self._began if self._began is not None else 0.0

    def look(self, crowd: Crowd, toy_time: Callable[[], float]) -> Standing:
        fetches = [self._fetches(path) for path in self._paths]
        if self._began is None and None not in fetches:
            self._start()
        now = time.monotonic()
        if point := self._board.lately(now):
            self._history.append(point)
        self.standing = replace(
            self.standing,
            seconds=self.seconds,
            day=toy_time(),
            searches=self._board.searches,
            sides=self._sides(fetches, crowd),
            history=tuple(each._replace(time=each.time - (self._began or now)) for each in self._history),
            asked=tuple(crowd.questions.top(_ASKED)),
        )
        if crowd.latest and now - self._example_at > _SHOWN_FOR:
            self._example_at = now
            self.standing = replace(self.standing, answers=crowd.latest)
        return self.standing

    def _start(self) -> None:
        for path in self._paths:
            give(path, Resume(), "demo")
        self._began = time.monotonic()
        self._board.restart()
        self.standing = replace(self.standing, phase="Both crawls run.")

    def _sides(self, fetches: Sequence[int | None], crowd: Crowd) -> dict[str, Side]:
        lately = self._history[-1].quality if self._history else (None, None)
        overall = self._board.overall or (None, None)
        pages = [each.pages for each in crowd.latest.shown] if crowd.latest else [0, 0]
        return {
            name: side._replace(fetches=fetches[k] or 0, searchable=pages[k], lately=lately[k], overall=overall[k])
            for k, (name, side) in enumerate(self.standing.sides.items())
        }

    def _fetches(self, path: Path) -> int | None:
        """Of its crawl, if that is there by now."""
        pulse = read_pulse(path)
        return int(pulse["progress"]["fetched"]) if pulse and pulse["started"] >= self._since else None
