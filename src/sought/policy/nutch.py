"""Known pages when their adaptive interval has passed, as in Apache Nutch."""

from dataclasses import dataclass

from sought.beliefs.adaptive_interval import AdaptiveInterval, due
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

_DAY = 86400.0


@brief
@dataclass(frozen=True)
class Nutch:
    """Apache Nutch's `AdaptiveFetchSchedule`, with the numbers of its `nutch-default.xml`.

    A page begins with an interval of `start` (db.fetch.interval.default, 30 days).  If it is found unchanged, the
    interval grows by `up` (inc_rate, 0.4); if changed, it shrinks by `down` (dec_rate, 0.2); always between `shortest`
    and `longest` (min_interval, 60 seconds; max_interval, 365 days).  With `sync` (sync_delta_rate, 0.3; 0 is
    sync_delta false) the interval is at least the time since the last change, and the next fetch comes earlier by a
    share `sync` of that time: now + interval - sync · (now - fetch of the last change).

    Value: age as a share of the page's waiting time.  Departures: Nutch fetches nothing before it is due, and orders
    due pages by another score; here pages that are not yet due use a budget that would be idle, and the page comes
    first that is overdue by the largest share of its waiting time.  If `sync` would move the next fetch by more than
    `longest`, it is moved by that share of `longest`: Nutch's comment says so, but its integer division makes it 0.
    Pages that are gone count as changed; db.fetch.interval.max (90 days, then fetch in any case) is left out.
    """

    start: float = 30 * _DAY
    up: float = 0.4
    down: float = 0.2
    shortest: float = 60.0
    longest: float = 365 * _DAY
    sync: float = 0.3

    def __post_init__(self) -> None:
        _ = self.beliefs  # checks the parameters

    @property
    def beliefs(self) -> tuple[AdaptiveInterval]:
        return (AdaptiveInterval("nutch", self.start, self.up, self.down, self.shortest, self.longest, self.sync),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return due(pages, now, pages.belief(self.beliefs[0]))
