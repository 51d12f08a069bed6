"""The outlook: the price of a fetch, and what the policy expects of all fetches that it could make now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.operate.calibration import LEAST
from sought.operate.known import AnswerReport
from sought.record.outcome import number_or_none
from sought.web.pages import Pages
from sought.web.policy import Expected

SILENT = "the policy of this crawl expects nothing of fetches; Worth() does"
NOBODY_ASKED = "nobody has asked anything yet"


class Outlook(NamedTuple):
    """The price of a fetch, and what fetches of new and of known pages would gain in all; None: not known.

    `why` has the reason for each figure that is None: price, new, known.
    """

    price: float | None = None
    new: float | None = None
    known: float | None = None
    why: Mapping[str, str] = {}

    @property
    def to_gain(self) -> dict[str, float | None]:
        return {"new": self.new, "known": self.known}

    def quality(self, worth_of_answers: float | None) -> float | None:
        """X"""
        if worth_of_answers is None or self.new is None or self.known is None:
            return None
        whole = worth_of_answers + self.new + self.known
        return worth_of_answers / whole if whole > 0.0 else None


def outlook(expected: Expected | None, pages: Pages, may: NDArray[np.bool_], measured: int) -> Outlook:
    """As of a plan, over the rows that `may` be fetched; `measured` fetches are what all expectations rest on.

    A policy that expects nothing at all of new pages, while there are some, does not know what they would gain.
    """
    if expected is None:
        return Outlook(why=dict.fromkeys(("price", "new", "known"), SILENT))
    if measured < LEAST:
        few = f"too few fetches were measured: {measured}, and {LEAST} are needed"
        return Outlook(why=dict.fromkeys(("price", "new", "known"), few))
    why = {} if number_or_none(expected.price) is not None else {"price": SILENT}
    sums = {}
    for name, rows in (("new", may & pages.is_new), ("known", may & ~pages.is_new)):
        gain = expected.gain[rows]
        sums[name] = float(gain[gain > 0.0].sum())  # NaN is not
        if name == "new" and len(gain) and not sums[name]:
            why["new"] = f"nothing is known of what {len(gain):,} pages would bring that were never fetched"
    return Outlook(number_or_none(expected.price), None if "new" in why else sums["new"], sums["known"], why)


@dataclass(frozen=True, kw_only=True)
class AnswerOutlook(AnswerReport):
    """How well queries are answered now, and what is still to gain by fetches of new and of known pages.

    `not_known` has the reason for each figure that is None: price, quality, to_gain_new, to_gain_known.
    """

    to_gain: Mapping[str, float | None]
    quality: float | None
    not_known: Mapping[str, str]


def demand(report: Mapping[str, Any], ahead: Outlook) -> AnswerOutlook:
    """What `Measuring.report` says of the answers, with the outlook."""
    quality = ahead.quality(report.get("worth_of_answers"))
    not_known = _not_known(report, ahead, quality)
    return AnswerOutlook.read(report, to_gain=ahead.to_gain, quality=quality, not_known=not_known)


def _not_known(report: Mapping[str, Any], ahead: Outlook, quality: float | None) -> dict[str, str]:
    if not report:
        return dict.fromkeys(("price", "quality", "to_gain_new", "to_gain_known"), NOBODY_ASKED)
    reasons = {name if name == "price" else f"to_gain_{name}": why for name, why in ahead.why.items()}
    if quality is None:
        reasons["quality"] = ahead.why.get("new") or ahead.why.get("known") or "no query has an answer yet"
    return reasons
