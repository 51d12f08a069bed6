"""What does the policy expect of the fetches it could make now?"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.crawl.outcome import said
from sought.policy import Pages
from sought.policy.policy import Expected


class Outlook(NamedTuple):
    """The price of a fetch, and what there is to gain by fetching new pages, and known ones; None: it does not say."""

    price: float | None = None
    new: float | None = None
    known: float | None = None

    @property
    def to_gain(self) -> dict[str, float | None]:
        return {"new": self.new, "known": self.known}

    def quality(self, worth_of_answers: float | None) -> float | None:
        """What attention finds, of that and what the crawler expects that it could find."""
        if worth_of_answers is None or self.new is None or self.known is None:
            return None
        whole = worth_of_answers + self.new + self.known
        return worth_of_answers / whole if whole > 0.0 else None


def outlook(told: Expected | None, pages: Pages, may: NDArray[np.bool_]) -> Outlook:
    """As of a plan, over the rows that may be fetched."""
    if told is None:
        return Outlook()
    gain = np.where(may & (told.gain > 0.0), told.gain, 0.0)  # NaN is not
    of_new = float(gain[pages.is_new].sum())
    return Outlook(said(told.price), of_new, float(gain.sum()) - of_new)


def demand(report: dict[str, Any], ahead: Outlook) -> dict[str, Any]:
    """What is known of the answers, and what is hoped for."""
    return {**report, "to_gain": ahead.to_gain, "quality": ahead.quality(report.get("worth_of_answers"))}
