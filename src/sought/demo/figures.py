"""How do the two compare?  What searchers found with each, lately and since the beginning."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

DEFAULT, ROUND_ROBIN = "default", "round_robin"
SIDES = (DEFAULT, ROUND_ROBIN)
LATELY = 10.0  # seconds


class Judged(NamedTuple):
    """One search at a moment: what the best answer would have been worth, and what the two answers were."""

    time: float
    ideal: float
    found: tuple[float, float]


class Point(NamedTuple):
    """The quality of both, lately, at a moment; None if nothing was asked."""

    time: float
    quality: tuple[float | None, float | None]


@dataclass
class Scoreboard:
    """Searches since the beginning, summed up; those of late, one by one."""

    began: float
    searches: int = 0
    ideal: float = 0.0
    found: tuple[float, float] = (0.0, 0.0)
    late: deque[Judged] = field(default_factory=deque)

    def add(self, judged: Judged) -> None:
        self.searches += 1
        self.ideal += judged.ideal
        self.found = (self.found[0] + judged.found[0], self.found[1] + judged.found[1])
        self.late.append(judged)
        while self.late[0].time < judged.time - LATELY:
            self.late.popleft()

    @property
    def overall(self) -> tuple[float | None, float | None]:
        """Quality since the beginning."""
        return _quality(self.found, self.ideal)

    def lately(self, now: float) -> Point:
        some = [each for each in self.late if each.time >= now - LATELY]
        found = _sum(each.found[0] for each in some), _sum(each.found[1] for each in some)
        return Point(now - self.began, _quality(found, _sum(each.ideal for each in some)))


def _sum(values: Iterable[float]) -> float:
    return sum(values, 0.0)


def _quality(found: tuple[float, float], ideal: float) -> tuple[float | None, float | None]:
    return (found[0] / ideal, found[1] / ideal) if ideal else (None, None)
