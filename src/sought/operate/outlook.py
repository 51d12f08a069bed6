"""What does the policy expect of the fetches it could make now?"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.operate.calibration import LEAST
from sought.record.outcome import said
from sought.web.pages import Pages
from sought.web.policy import Expected

SILENT = "the policy of this crawl expects nothing of fetches; Worth() does"
NOBODY_ASKED = "nobody has asked anything yet"


class Outlook(NamedTuple):
    """The price of a fetch, and what there is to gain by fetching new pages, and known ones; None: not known.

    `why` says what is missing, by the name of the figure: price, new, known.
    """

    price: float | None = None
    new: float | None = None
    known: float | None = None
    why: Mapping[str, str] = {}

    @property
    def to_gain(self) -> dict[str, float | None]:
        return {"new": self.new, "known": self.known}

    def quality(self, worth_of_answers: float | None) -> float | None:
        """What attention finds, of that and what the crawler expects that it could find."""
        if worth_of_answers is None or self.new is None or self.known is None:
            return None
        whole = worth_of_answers + self.new + self.known
        return worth_of_answers / whole if whole > 0.0 else None


def outlook(told: Expected | None, pages: Pages, may: NDArray[np.bool_], measured: int) -> Outlook:
    """As of a plan, over the rows that may be fetched; `measured` fetches are what all expectations rest on.

    A policy that expects nothing at all of new pages, while there are some, does not know what they would bring.
    """
    if told is None:
        return Outlook(why=dict.fromkeys(("price", "new", "known"), SILENT))
    if measured < LEAST:
        few = f"too few fetches were measured: {measured}, and {LEAST} are needed"
        return Outlook(why=dict.fromkeys(("price", "new", "known"), few))
    why = {} if said(told.price) is not None else {"price": SILENT}
    sums = {}
    for name, rows in (("new", may & pages.is_new), ("known", may & ~pages.is_new)):
        gain = told.gain[rows]
        sums[name] = float(gain[gain > 0.0].sum())  # NaN is not
        if name == "new" and len(gain) and not sums[name]:
            why["new"] = f"nothing is known of what {len(gain):,} pages would bring that were never fetched"
    return Outlook(said(told.price), None if "new" in why else sums["new"], sums["known"], why)


def demand(report: dict[str, Any], ahead: Outlook) -> dict[str, Any]:
    """What is known of the answers, and what is hoped for; `not_known` says why a figure is None."""
    quality = ahead.quality(report.get("worth_of_answers"))
    told = {**report, "to_gain": ahead.to_gain, "quality": quality}
    return {**told, "not_known": _not_known(report, ahead, quality)}


def _not_known(report: dict[str, Any], ahead: Outlook, quality: float | None) -> dict[str, str]:
    """By the name of the figure: price, to_gain_new, to_gain_known, quality."""
    if not report:
        return dict.fromkeys(("price", "quality", "to_gain_new", "to_gain_known"), NOBODY_ASKED)
    found = {name if name == "price" else f"to_gain_{name}": why for name, why in ahead.why.items()}
    if quality is None:
        found["quality"] = ahead.why.get("new") or ahead.why.get("known") or "no query has an answer yet"
    return found
