"""Pages by a sum of scores, as at Common Crawl."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.ages import known_only
from sought.policy.page_rank import PageRank
from sought.web.checks import check_choice, check_positive
from sought.web.errors import BadInput
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

Score = Literal["same", "pagerank"]
_DAY = 86400.0
_RECENT = 7 * _DAY
_MAX = 1e6  # bound of a sum, so that pages not yet due come after all others


@brief
@dataclass(frozen=True)
class CommonCrawl:
    """The generator's sort value of Common Crawl's fork of Nutch (`AdaptiveScoringFilter`, commoncrawl/nutch).

    It is a sum of
    - the page's score: here its PageRank as a share of the highest, or 0 (`score="same"`);
    - `per_day` for every day since it was due (scoring.adaptive.factor.fetchtime, 0.01).  A page is due `interval`
      after its last fetch (db.fetch.interval.default, 30 days), which does not adapt;
    - `unchanged` if it was found unchanged at its last fetch (its status in adaptive-scoring.txt, which is empty by
      default: 0);
    - with `new`, pages never fetched are ranked among the others: they were due when found, and get `boost` in their
      first week (scoring.adaptive.boost.injected, 0.2).

    Departures: pages that are not due come after all that are, by the same sum, instead of never.  Days are not cut to
    whole ones.  Left out, because no column has the data: 0.1 less for every failed attempt (penalty.fetch_retry),
    0.005 less for every day since a link to the page was seen (factor.lastseentime), 0.07 less if it names another page
    as the canonical one (penalty.non_canonical).  Common Crawl's scores come from the graph of hosts.
    """

    score: Score = "pagerank"
    per_day: float = 0.01
    interval: float = 30 * _DAY
    unchanged: float = 0.0
    new: bool = False
    boost: float = 0.2

    def __post_init__(self) -> None:
        check_choice("CommonCrawl: score", self.score, get_args(Score))
        check_positive("CommonCrawl: per_day", self.per_day, or_zero=True)
        check_positive("CommonCrawl: interval", self.interval)
        for name in ("unchanged", "boost"):
            value = getattr(self, name)
            if type(value) not in (int, float) or not abs(value) <= _MAX:
                raise BadInput(f"CommonCrawl: {name} is a number that is added to a score, not {value!r}")
        if type(self.new) is not bool:
            raise BadInput(f"CommonCrawl: new is True or False, not {self.new!r}")

    @property
    def beliefs(self) -> tuple[PageRank, ...]:
        return (PageRank(),) if self.score == "pagerank" else ()

    def __call__(self, pages: Pages, now: float) -> Floats:
        overdue = now - np.where(pages.is_new, pages.found, pages.last_fetch + self.interval)
        with np.errstate(over="ignore"):
            value = self._score(pages) + self.per_day * overdue / _DAY
        value += np.where(pages.is_new, self.boost * (overdue <= _RECENT), self.unchanged * _was_unchanged(pages))
        np.clip(value, -_MAX, _MAX, out=value)
        value[overdue < 0.0] -= 4.0 * _MAX
        return value if self.new else known_only(pages, value)

    def _score(self, pages: Pages) -> Floats:
        if self.score == "same":
            return np.zeros(len(pages))
        rank = np.clip(np.nan_to_num(pages.belief(PageRank())), 0.0, 1e300)
        most = float(rank.max(initial=0.0))
        return rank / most if most > 0.0 else rank


def _was_unchanged(pages: Pages) -> NDArray[np.bool_]:
    return (pages.fetches > 1) & (pages.last_change < pages.last_fetch)
