"""Known pages by the share of fetches at which they were found changed."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sought.beliefs.ages import ages, known_only
from sought.web.expression import brief
from sought.web.pages import Floats, Pages

_TIE = 1e-10  # two shares of counts up to 65,535 differ by more


@brief
@dataclass(frozen=True)
class Frequency:
    """`Freq` of Tan & Mitra (Clustering-Based Incremental Web Crawling, ACM TOIS 2010): by past change frequency.

    That is the share of a page's fetches after the first at which it was found changed.  Departures, where the paper
    says nothing: pages fetched only once come first; ties are broken by the age of the copy.
    """

    paper: ClassVar[str] = "tan-mitra-2010"

    def __call__(self, pages: Pages, now: float) -> Floats:
        again = np.maximum(pages.fetches.astype(np.float64) - 1.0, 0.0)
        share = np.full(len(pages), 2.0)  # pages fetched once: before all others
        np.divide(pages.changes, again, out=share, where=again > 0.0)
        np.minimum(share, 1.0, out=share, where=again > 0.0)
        age = ages(pages, now)
        return known_only(pages, share + _TIE * age / max(float(age.max(initial=0.0)), 1.0))
