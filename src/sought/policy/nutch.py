"""Known pages when their interval is over, as in Apache Nutch."""

from dataclasses import dataclass

from sought.beliefs.adaptive_interval import AdaptiveInterval, due
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

_DAY = 86400.0


@brief
@dataclass(frozen=True)
class Nutch:
    """Apache Nutch's `AdaptiveFetchSchedule`, with the numbers of its `nutch-default.xml`.

    A page begins with an interval of `start` (db.fetch.interval.default, 30 days).  Found unchanged, the interval grows
    by `up` (inc_rate, 0.4); found changed, it shrinks by `down` (dec_rate, 0.2); always between `shortest` and
    `longest` (min_interval, 60 seconds; max_interval, 365 days).  With `sync` (sync_delta_rate, 0.3; 0 is sync_delta
    false) it is at least as long as nothing has changed, and the next fetch comes that share of this time earlier:
    now + interval - sync · (now - fetch of the last change).

    Value: age as a share of the time that a page has to wait.  Departures: Nutch fetches nothing before it is due, and
    among what is due goes by another score; here what is due soonest fills a budget that would be idle, and what is
    overdue by most of its wait comes first.  Where `sync` would move the next fetch by more than `longest`, it moves it
    by that share of `longest`: Nutch's comment says so, its whole-number division makes it nothing.  Pages that are
    gone count as changed; db.fetch.interval.max (90 days, then fetch in any case) is left out.
    """

    start: float = 30 * _DAY
    up: float = 0.4
    down: float = 0.2
    shortest: float = 60.0
    longest: float = 365 * _DAY
    sync: float = 0.3

    def __post_init__(self) -> None:
        _ = self.beliefs  # says what is wrong with a parameter

    @property
    def beliefs(self) -> tuple[AdaptiveInterval]:
        return (AdaptiveInterval("nutch", self.start, self.up, self.down, self.shortest, self.longest, self.sync),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return due(pages, now, pages.belief(self.beliefs[0]))
