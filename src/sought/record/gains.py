"""What did a fetch gain, and in which unit?  Gains as outcomes keep them.

The unit is that of the scorer.  Gains by another scorer are neither added to the present ones nor learned from.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sought.index.measure import Gains
from sought.record.outcome import Finished, Outcome
from sought.record.store import Store
from sought.record.table import Table

_HELPED = np.dtype(
    [("key", "<u8"), ("before", "<f4"), ("after", "<f4"), ("was", "<u4"), ("rank", "<u4"), ("gain", "<f4")]
)


class Helped(NamedTuple):
    """A query that a fetch helped (or hurt): the score and rank of the page before and after, and the gain.

    Rank 0: the page was not among the results.
    """

    key: int
    before: float
    after: float
    rank_before: int
    rank_after: int
    gain: float


class FetchGains(NamedTuple):
    """What a batch gained: one entry of `gains` for each of `rows`; `keys` are those of the queries it numbers."""

    rows: NDArray[np.int64]
    gains: Gains
    keys: NDArray[np.uint64]


def with_gains(finished: Sequence[Finished], batch: FetchGains | None) -> list[Finished]:
    """The fetches with their gains.

    The gain of a row belongs to the last fetch of it that is an observation; other fetches gain 0.  Without a batch
    nothing was measured, and gains stay None.
    """
    if batch is None:
        return list(finished)
    rows, gains, keys = batch
    best = np.zeros(gains.query.shape, _HELPED)
    best["key"] = keys[gains.query]
    columns = (gains.before, gains.after, gains.rank_before, gains.rank_after, gains.query_gain)
    for name, column in zip(("before", "after", "was", "rank", "gain"), columns, strict=True):
        best[name] = column
    place = {row: i for i, row in enumerate(rows.tolist())}
    last = {each.row: number for number, each in enumerate(finished) if each.is_observation}
    result = []
    for number, each in enumerate(finished):
        i = place.get(each.row, -1) if last.get(each.row) == number else -1
        gain, affected, helped = 0.0, 0, b""
        if i >= 0:
            gain, affected = float(gains.gain[i]), int(gains.affected[i])
            helped = best[i, : int(gains.reported[i])].tobytes()
        outcome = replace(each.outcome, gain=gain, affected=affected, helped=helped)
        result.append(each._replace(outcome=outcome))
    return result


def helped(outcome: Outcome) -> list[Helped]:
    """The queries a fetch helped most, the most helped first."""
    queries = np.frombuffer(outcome.helped, _HELPED)
    return [Helped(*each) for each in queries[np.argsort(-queries["gain"], kind="stable")].tolist()]


_UNIT = "currency"  # in the store


def gains_since(scorer: str, store: Store, table: Table) -> float:
    """The time after which gains are in the unit of this scorer, which may differ from that of the last run."""
    before, since = store.meta(_UNIT, (scorer, -np.inf))
    return float(since) if before == scorer else float(table["last_fetch"].max(initial=-np.inf))


def save_unit(scorer: str, since: float, store: Store) -> None:
    """Store with the next commit since when gains are in the unit of a scorer."""
    store.put_meta(_UNIT, (scorer, since))
