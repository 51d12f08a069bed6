"""Known pages when their adaptive interval has passed, as in Apache StormCrawler."""

from dataclasses import dataclass

from sought.beliefs.adaptive_interval import AdaptiveInterval, due
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

_HOUR, _DAY = 3600.0, 86400.0


@brief
@dataclass(frozen=True)
class StormCrawler:
    """Apache StormCrawler's `AdaptiveScheduler`, with its own numbers and those of `crawler-default.yaml`.

    A page begins with an interval of `start` (fetchInterval.default, a day).  If it is found unchanged, the interval
    grows by `up` (rate.incr, 0.5) up to `longest` (fetchInterval.max, two weeks).  If changed, it moves a share `down`
    (rate.decr, 0.5) of the way to `shortest` (fetchInterval.min, an hour).  Intervals are cut to whole minutes.

    Value: age as a share of the interval.  Departures: pages that are not yet due use a budget that would be idle, and
    the page comes first that is overdue by the largest share of its interval, not the one that has been due longest.  A
    page that is gone or moved counts as changed; StormCrawler forgets its interval.
    """

    start: float = _DAY
    up: float = 0.5
    down: float = 0.5
    shortest: float = _HOUR
    longest: float = 14 * _DAY

    def __post_init__(self) -> None:
        _ = self.beliefs  # checks the parameters

    @property
    def beliefs(self) -> tuple[AdaptiveInterval]:
        return (AdaptiveInterval("storm", self.start, self.up, self.down, self.shortest, self.longest),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return due(pages, now, pages.belief(self.beliefs[0]))
