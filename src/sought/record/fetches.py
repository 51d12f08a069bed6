"""What does a fetch tell those who learn from it?  One schema, made here from what came of each fetch."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sought.record.outcome import Finished
from sought.web.pages import Floats, Rows

PAGE, GONE, MOVED = range(3)  # fates


@dataclass(frozen=True, slots=True)
class Fetches:
    """Finished fetches as columns, in the order in which they were applied.

    `gap` is the seconds since the row's fetch before, inf at its first; `gain` the measured change of the quality's
    numerator, NaN where nobody measured.  `difference` is the share of its shingles that are others than at the fetch
    before; 1 at the first, and where the page has gone or moved.  `modified` is when the server says it was last
    modified, NaN if it does not say.  `signalled`: whether a signal later than the fetch before had arrived.

    Now and then a version becomes the base of a profile of changes; at later fetches `base_gap` is the seconds since it
    was fetched, and `drift` the share of shingles that differ from it.  Both are NaN at the fetch of a base itself.

    `fate` is what the row stands for now: a PAGE, nothing since it has GONE (also one that redirects to nowhere, or out
    of the crawl), or another since it has MOVED.  `doubted`: whether it was before this fetch (see Pages); `seen_gap`
    is the seconds since it was last seen by then, inf at the first fetch.  A fetch that failed has seen nothing.
    `found` URLs were never heard of before this fetch.  `expected` is the gain that the policy expected, and `chance`
    the probability with which it chose the row; NaN if it did not say.
    """

    row: Rows
    time: Floats
    gap: Floats
    changed: NDArray[np.bool_]
    gain: Floats
    difference: Floats
    modified: Floats
    signalled: NDArray[np.bool_]
    base_gap: Floats
    drift: Floats
    fate: NDArray[np.uint8]
    doubted: NDArray[np.bool_]
    seen_gap: Floats
    found: Rows
    expected: Floats
    chance: Floats

    def __len__(self) -> int:
        return len(self.row)


def fetches_of(finished: Sequence[Finished]) -> Fetches:
    """Those that have seen how a page is; one that failed has seen nothing."""
    seen = [each for each in finished if each.is_observation]
    return Fetches(
        row=np.array([each.row for each in seen], np.int64),
        time=np.array([each.outcome.time for each in seen]),
        gap=np.array([each.gap for each in seen]),
        changed=np.array([each.changed for each in seen], np.bool_),
        gain=np.array([np.nan if each.outcome.gain is None else each.outcome.gain for each in seen]),
        difference=np.array([each.difference for each in seen]),
        modified=np.array([each.outcome.modified or np.nan for each in seen]),
        signalled=np.array([each.outcome.signalled for each in seen], np.bool_),
        base_gap=np.array([_or_nan(each, each.outcome.base_gap) for each in seen]),
        drift=np.array([_or_nan(each, each.outcome.drift) for each in seen]),
        fate=np.array([each.outcome.fate for each in seen], np.uint8),
        doubted=np.array([each.outcome.doubted for each in seen], np.bool_),
        seen_gap=np.array([each.outcome.seen_gap if each.outcome.seen_gap >= 0.0 else np.inf for each in seen]),
        found=np.array([each.outcome.found for each in seen], np.int64),
        expected=np.array([each.outcome.expected for each in seen], np.float64),  # None is NaN
        chance=np.array([each.outcome.chance for each in seen], np.float64),
    )


def _or_nan(each: Finished, value: float) -> float:
    """Where there was a base to compare with."""
    return value if each.outcome.base_gap >= 0.0 else np.nan
