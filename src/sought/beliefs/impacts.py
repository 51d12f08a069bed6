"""How many clicks and views in search does each fetched page have, a week?

I_C and I_V of Tran, Turk, Cambazoglu & Nejdl (SIGIR 2015, §3), from the query log up to the time at which the workload
was drawn; it is read at most as often as that.  If the log has no clicks (or views), they are expected from the present
ranks: I_V(p) = Σ_q f_q·[rank ≤ 10], and I_C(p) = Σ_q f_q·I(rank), without ranks beyond 10.
"""

import time
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.belief import Column
from sought.beliefs.holdings import Holdings
from sought.beliefs.top_results import top_of
from sought.index import normal
from sought.index.visibility import Visibility
from sought.record.commit import Commit
from sought.record.workload import FOLDER, query_log, selection
from sought.web.errors import LogDamaged
from sought.web.url import fingerprint

FIRST = 10  # results that people see

Logged = tuple[NDArray[np.uint64], Column]  # keys of pages, and their impact

Impact = Literal["clicks", "views"]
IMPACTS: tuple[Impact, ...] = get_args(Impact)


class PageImpacts:
    """Clicks and views of every row; shared through `Holdings`."""

    def __init__(self, holdings: Holdings) -> None:
        self.table = holdings.table
        self.measuring = holdings.measuring
        self.path = holdings.store.path.parent
        self._asked: object = None  # the workload for which the log was read
        self._logged: dict[Impact, Logged] = {}

    def take(self, committed: Commit) -> None:
        """Columns are computed when they are read."""

    @property
    def basis(self) -> object:
        """Another object after a new workload was drawn: then all impacts may have changed."""
        return self.measuring.asked.rate

    def of(self, kind: Impact) -> Column:
        """The impact of every row; 0 for rows never fetched."""
        keys, counts = self._in_log(kind)
        rows = self.table.find(keys)
        known = (rows >= 0) & (self.table.columns["fetches"][rows] > 0)
        if not known.any():
            return self._expected(kind)
        return _added(rows[known], counts[known], len(self.table))

    def _in_log(self, kind: Impact) -> Logged:
        if self._asked is not self.measuring.asked:
            self._asked = self.measuring.asked
            self._logged.clear()
        if kind not in self._logged:
            self._logged[kind] = self._read(kind)
        return self._logged[kind]

    def _read(self, kind: Impact) -> Logged:
        if not (self.path / FOLDER).exists():
            return np.zeros(0, np.uint64), np.zeros(0)
        from sought.demand import Action  # not loaded by crawls without a log
        from sought.demand.impact import impact

        config, now = self.measuring.config, self.measuring.drawn_at
        now = now if np.isfinite(now) else time.time()
        action = Action.CLICK if kind == "clicks" else Action.VIEW
        try:
            urls, counts = impact(query_log(self.path, config), action, now, normal, selection(config))
        except LogDamaged:  # reported where the workload is drawn
            return np.zeros(0, np.uint64), np.zeros(0)
        return np.array([fingerprint(url) for url in urls], np.uint64), counts

    def _expected(self, kind: Impact) -> Column:
        top, asked = top_of(self.measuring, FIRST), self.measuring.asked
        if top is None:
            return np.zeros(len(self.table))
        rate = np.where(asked.held_out, 0.0, asked.rate)
        by_rank = np.ones(FIRST) if kind == "views" else Visibility(asked.exponent).table(FIRST)[1:]
        shown = np.arange(FIRST) < top.size[:, None]
        return _added(top.pages[:, :FIRST][shown], (rate[:, None] * by_rank)[shown], len(self.table))


def _added(rows: NDArray[Any], counts: Column, size: int) -> Column:
    """Counts by row, as floats even if there are none."""
    return np.bincount(rows, counts, size).astype(np.float64)
