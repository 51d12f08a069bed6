"""The column of `EntryValue`: features of new pages, and a model that every first fetch teaches."""

from typing import Any

import numpy as np

from sought.crawl.supply.entry.record import FirstFetches
from sought.crawl.supply.entry.signs import Signs
from sought.crawl.supply.growth import Growth
from sought.crawl.supply.holdings import Holdings
from sought.crawl.supply.supplier import Column, Committed
from sought.policy import Pages
from sought.policy.entry_model import WEIGHTS, EntryModel, Known, fit, prior
from sought.policy.entry_value import EntryValue
from sought.policy.pages import pieces

_GROWTH = 0.1  # so many more first fetches, and the model is fitted again


class EntryValues:
    """Expectations for new rows; 0 for the others."""

    def __init__(self, belief: EntryValue, holdings: Holdings) -> None:
        self.table = holdings.table
        self.signs = Signs(holdings)
        self.fetched = FirstFetches(holdings.store, holdings.measuring.since)
        self.growth = Growth(_GROWTH)
        self.model = EntryModel()

    def take(self, committed: Committed) -> None:
        """Keep what was known of pages that are no longer new, and what they have brought."""
        fetches, known = self.table.columns["fetches"], len(self.signs)
        first = [
            each
            for each in committed.finished
            if each.row < known and fetches[each.row] == 1 and each.is_observation and each.outcome.gain is not None
        ]
        if first:
            rows = np.array([each.row for each in first], np.int64)
            said = [(each.outcome.time, each.outcome.gain, each.outcome.chance) for each in first]
            times, gains, chances = np.array(said, np.float64).T  # None is NaN
            self.fetched.add(rows, times, gains, chances, self.signs.of(rows))
        self.signs.heritage.take(committed)

    def column(self, pages: Pages) -> Column:
        if self.growth.is_due(self.fetched.count, 0):
            rows, gain, chance, known = self.fetched.latest()
            self.model = fit(known, gain, chance)
            self.signs.learn(rows, gain)
        self.signs.look(pages)
        value, new = np.zeros(len(pages)), np.flatnonzero(pages.is_new)
        for piece in pieces(len(new)):
            value[new[piece]] = self.model.expected(self.signs.of(new[piece]))
        return value

    def terms(self, row: int) -> dict[str, Any]:
        """What is known of a row, what is made of it before anything is learnt, and what was."""
        known = self.signs.of(np.array([row], np.int64))
        return {
            "known": {name: float(column[0]) for name, column in zip(Known._fields, known, strict=True)},
            "left_by": self.signs.testators(row),
            "before_learning": float(prior(known)[0]),
            "weights": dict(zip(WEIGHTS, self.model.weights, strict=True)),
            "learnt_from": self.model.learnt_from,
        }
