"""What a fetch was worth, in the form in which its outcome keeps it."""

from typing import NamedTuple

import numpy as np

from sought.index.measure import Gains
from sought.record.outcome import Outcome

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


def note(outcomes: list[Outcome | None], gains: Gains, keys: np.ndarray) -> None:
    """Write the gains of a batch into the outcomes of its fetches; None where no fetch was behind it."""
    told = np.zeros(gains.query.shape, _HELPED)
    told["key"] = keys[gains.query]
    columns = (gains.before, gains.after, gains.rank_before, gains.rank_after, gains.query_gain)
    for name, column in zip(("before", "after", "was", "rank", "gain"), columns, strict=True):
        told[name] = column
    worth = zip(outcomes, gains.gain.tolist(), gains.affected.tolist(), gains.told.tolist(), strict=True)
    for i, (outcome, gain, affected, count) in enumerate(worth):
        if outcome is not None:
            outcome.gain, outcome.affected = gain, affected
            outcome.helped = told[i, :count].tobytes()


def helped(outcome: Outcome) -> list[Helped]:
    """The queries a fetch helped most, the most helped first."""
    found = np.frombuffer(outcome.helped, _HELPED)
    return [Helped(*each) for each in found[np.argsort(-found["gain"], kind="stable")].tolist()]
