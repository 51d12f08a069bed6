"""What a fetch was worth, in the form in which its outcome keeps it."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from sought.index.measure import Gains
from sought.record.outcome import Finished, Outcome

_HELPED = np.dtype(
    [("key", "<u8"), ("before", "<f4"), ("after", "<f4"), ("was", "<u4"), ("rank", "<u4"), ("gain", "<f4")]
)


class Helped(NamedTuple):
    """A query that a fetch helped (or hurt): its scores and ranks of the page before and after, and the gain.

    Rank 0: the page was not among the results.
    """

    key: int
    before: float
    after: float
    rank_before: int
    rank_after: int
    gain: float


class FetchGains(NamedTuple):
    """What a batch gained: a row of `gains` for each of `rows`, and the keys of the queries that these number."""

    rows: NDArray[np.int64]
    gains: Gains
    keys: NDArray[np.uint64]


def with_gains(finished: Sequence[Finished], batch: FetchGains | None) -> list[Finished]:
    """Fetches with what each was worth: that of its row to the last fetch of it that is an observation, else nothing.

    Without a batch nothing was measured.
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
    found = np.frombuffer(outcome.helped, _HELPED)
    return [Helped(*each) for each in found[np.argsort(-found["gain"], kind="stable")].tolist()]
