"""What do estimators learn from?  Finished fetches as columns.

`fetches_of` makes them from the outcomes of a crawl.  A simulation gives the columns that it has
(`Fetches.from_columns`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sought.record.outcome import Finished
from sought.web.pages import Floats, Rows

PAGE, GONE, MOVED = range(3)  # fates


@dataclass(frozen=True, slots=True)
class Fetches:
    """Finished fetches as columns, in the order in which they were applied.

    `gap` is the seconds since the row's previous fetch, inf at its first.  `gain` is the measured change of the
    quality's numerator, NaN if it was not measured.  `difference` is the share of the page's shingles that changed
    since the previous fetch; 1 at the first, and if the page is gone or has moved.  `modified` is when the server says
    the page was last modified, NaN if it does not say.  `signalled`: whether a signal has arrived since the previous
    fetch.

    Now and then a version becomes the base of a profile of changes.  At later fetches `base_gap` is the seconds since
    the base was fetched, and `drift` the share of shingles that differ from it.  Both are NaN at the fetch of a base.

    `fate` is what the row stands for now: PAGE; GONE (also if it redirects to nowhere, or out of the crawl); or MOVED,
    if it redirects to another row.  `doubted`: whether a link to it had vanished before this fetch (see Pages).
    `seen_gap` is the seconds since the page was last fetched or seen linked, inf at the first fetch; failed fetches do
    not count.  `found` is the number of URLs first found by this fetch.  `expected` is the gain that the policy
    expected, and `chance` the probability with which it chose the row; NaN if the policy does not give them.
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

    @classmethod
    def from_columns(
        cls, row: ArrayLike, time: ArrayLike, gap: ArrayLike, changed: ArrayLike, **others: ArrayLike
    ) -> "Fetches":
        """These columns, and defaults that mean "not known" for all others."""
        given: dict[str, ArrayLike] = {"row": row, "time": time, "gap": gap, "changed": changed, **others}
        if unknown := given.keys() - _TYPES.keys():
            raise TypeError(f"no columns of Fetches: {', '.join(sorted(unknown))}")
        columns = {name: np.asarray(column, _TYPES[name]) for name, column in given.items()}
        count = len(columns["row"])
        derived = {"difference": columns["changed"].astype(np.float64), "seen_gap": columns["gap"]}
        nothing = {name: np.full(count, np.nan if kind is np.float64 else 0, kind) for name, kind in _TYPES.items()}
        return cls(**{**nothing, **derived, **columns})


_TYPES: dict[str, type[np.generic]] = {
    "row": np.int64,
    "time": np.float64,
    "gap": np.float64,
    "changed": np.bool_,
    "gain": np.float64,
    "difference": np.float64,
    "modified": np.float64,
    "signalled": np.bool_,
    "base_gap": np.float64,
    "drift": np.float64,
    "fate": np.uint8,
    "doubted": np.bool_,
    "seen_gap": np.float64,
    "found": np.int64,
    "expected": np.float64,
    "chance": np.float64,
}


def fetches_of(finished: Sequence[Finished]) -> Fetches:
    """The fetches that are observations; failed ones show nothing of the page."""
    seen = [each for each in finished if each.is_observation]
    outcomes = [each.outcome for each in seen]
    return Fetches.from_columns(
        row=[each.row for each in seen],
        time=[each.time for each in outcomes],
        gap=[each.gap for each in seen],
        changed=[each.changed for each in seen],
        gain=[_or_nan(each.gain) for each in outcomes],
        difference=[each.difference for each in seen],
        modified=[each.modified or np.nan for each in outcomes],
        signalled=[each.signalled for each in outcomes],
        base_gap=[each.base_gap if each.base_gap >= 0.0 else np.nan for each in outcomes],
        drift=[each.drift if each.base_gap >= 0.0 else np.nan for each in outcomes],
        fate=[each.fate for each in outcomes],
        doubted=[each.doubted for each in outcomes],
        seen_gap=[each.seen_gap if each.seen_gap >= 0.0 else np.inf for each in outcomes],
        found=[each.found for each in outcomes],
        expected=[_or_nan(each.expected) for each in outcomes],
        chance=[_or_nan(each.chance) for each in outcomes],
    )


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value
