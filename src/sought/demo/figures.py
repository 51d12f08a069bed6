"""How do the two compare?  The quality of both, lately and since the start."""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

DEFAULT, ROUND_ROBIN = "default", "round_robin"
SIDES = (DEFAULT, ROUND_ROBIN)
LATELY = 10.0  # seconds

Both = tuple[float, float]


class Judged(NamedTuple):
    """One search at a moment: the score of the best answer, and of the two given."""

    time: float
    ideal: float
    attained: Both


class Point(NamedTuple):
    """The quality of both at a moment, lately."""

    time: float
    quality: Both


class Scoreboard:
    """Sums over the searches that count, and the latest ones."""

    def __init__(self) -> None:
        self._late: deque[Judged] = deque()
        self.restart()

    def restart(self) -> None:
        """Forget all searches so far."""
        self.searches, self._ideal, self._attained = 0, 0.0, (0.0, 0.0)

    def add(self, judged: Judged) -> None:
        self.searches += 1
        self._ideal += judged.ideal
        self._attained = (self._attained[0] + judged.attained[0], self._attained[1] + judged.attained[1])
        self._late.append(judged)

    @property
    def overall(self) -> Both | None:
        """Quality over all that counts; None if nothing was asked."""
        return quality(self._attained, self._ideal)

    def lately(self, now: float) -> Point | None:
        """The same over the last seconds."""
        while self._late and self._late[0].time < now - LATELY:
            self._late.popleft()
        mean = quality(summed([each.attained for each in self._late]), sum(each.ideal for each in self._late))
        return Point(now, mean) if mean else None


def summed(pairs: Sequence[Both]) -> Both:
    return sum(each[0] for each in pairs), sum(each[1] for each in pairs)


def quality(sums: Both, ideal: float) -> Both | None:
    return (sums[0] / ideal, sums[1] / ideal) if ideal else None
