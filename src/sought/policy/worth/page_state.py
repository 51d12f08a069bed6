"""What is the state of every page now?  Its beliefs as finite, bounded numbers."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.belief import Belief
from sought.beliefs.death_rate import DeathRate, LinkDoubt, MoveShare
from sought.beliefs.edit_loss import EditLoss
from sought.beliefs.entry_value import EntryValue
from sought.beliefs.find_rate import FindRate
from sought.beliefs.first_finds import FirstFinds
from sought.beliefs.gone_by_signs import GoneBySigns
from sought.beliefs.presence import Presence, SearchValue
from sought.beliefs.prospect import MainQuery, MainShare
from sought.beliefs.rate_history import DAY
from sought.beliefs.signal_quality import SignalStrength
from sought.policy.worth.index import expected_lifetime
from sought.web.pages import Floats, Pages

EDITS = BayesRate()
BELIEFS: tuple[Belief, ...] = (
    *(EntryValue(), SearchValue(), Presence(), EditLoss(), EDITS),
    *(DeathRate(), MoveShare(), GoneBySigns(), FindRate(), FirstFinds(), MainQuery(), MainShare()),
    *(SignalStrength(), LinkDoubt()),
)
_UNASKED = 0.02  # of the search value of an average page: every page may have so much for queries not asked yet
_MOST_VALUE, _MOST_RATE, _MOST_LINKS, _SUREST = 1e12, 24.0 / DAY, 1e4, 20.0


class PageState(NamedTuple):
    """Columns.  Of pages that are not `live`: no age, and nothing that could be lost."""

    is_new: NDArray[np.bool_]
    live: NDArray[np.bool_]
    age: Floats  # since its last fetch
    unseen: Floats  # since it was last seen to be there
    lives: Floats  # how much of the time ahead it lives
    death: Floats  # a second
    gone: Floats  # the probability that it has gone already, by signs
    moves: Floats  # of pages that go, the share that only moves
    entry: Floats  # what a first fetch gains
    shown: Floats  # its visible score in the answers
    needed: Floats  # what the answers would lose without it
    edit: Floats  # what a fetch gains after an edit
    edits: Floats  # a second
    edited: Floats  # the probability that it was edited, by what a sitemap says
    finds: Floats  # unknown pages that it will link to, a second
    reveals: Floats  # unknown pages that a first fetch leads to
    silent: Floats  # what a page may be worth that was fetched and never answered, or was not there
    floor: float  # the worth of a page that no query asks for


def page_state_of(pages: Pages, now: float, horizon: float) -> PageState:
    """Of all pages."""

    def believed(about: Any, most: float) -> Floats:
        column = pages.belief(about)
        return np.where(column > 0.0, np.minimum(column, most), 0.0)  # NaN is nothing

    live = pages.live & ~pages.is_new
    shown, needed = (np.where(live, believed(each, _MOST_VALUE), 0.0) for each in (SearchValue(), Presence()))
    entry = np.where(pages.is_new, believed(EntryValue(), _MOST_VALUE), 0.0)
    typical = _mean(shown, live) or _mean(entry, pages.is_new)
    floor = _UNASKED * typical or 1.0
    death = believed(DeathRate(), _MOST_RATE)
    never_seen = ~pages.is_new & ~pages.live & (pages.changes == 0)  # it failed, or was not there
    age, unseen = (_since(now, time, live) for time in (pages.last_fetch, np.maximum(pages.last_fetch, pages.linked)))
    is_signalled = (pages.signal > pages.last_fetch) & (pages.signal <= now)
    return PageState(
        is_new=pages.is_new,
        live=live,
        age=age,
        unseen=unseen + believed(LinkDoubt(), 1.0) * (age - unseen),
        lives=expected_lifetime(death, horizon),
        death=death,
        gone=np.where(live, believed(GoneBySigns(), 1.0), 0.0),
        moves=believed(MoveShare(), 1.0),
        entry=np.where(pages.is_new, entry + floor, 0.0),
        silent=np.where(never_seen, floor * 0.5 ** np.minimum(pages.fetches, 60), 0.0),
        shown=np.maximum(shown, needed) + floor,
        needed=needed + floor,
        edit=believed(EditLoss(), _MOST_VALUE) + _UNASKED * floor,
        edits=believed(EDITS, _MOST_RATE),
        edited=np.where(live & is_signalled, -np.expm1(-believed(SignalStrength(), _SUREST)), 0.0),
        finds=believed(FindRate(), _MOST_LINKS / DAY),
        reveals=believed(FirstFinds(), _MOST_LINKS),
        floor=floor,
    )


def _mean(values: Floats, which: NDArray[np.bool_]) -> float:
    return float(values.sum()) / max(1, int(np.count_nonzero(which)))


def _since(now: float, time: Floats, live: NDArray[np.bool_]) -> Floats:
    return np.maximum(now - np.where(live, time, now), 0.0)
