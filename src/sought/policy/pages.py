"""Everything the crawler has observed or believes about every known URL, as columns.

One row is one URL, fetched or not.  A policy reads these columns and nothing else, so the same policy ranks a live
crawl and a recorded web.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pages:
    """A frozen table of NumPy columns of equal length; times are seconds since 1970.

    `key` is a hash of the URL: it tells rows apart and says nothing else.  `last_fetch` is -inf for a URL that was
    never fetched, `last_change` for one never seen to change, `signal` (what a sitemap says of its last change) for
    one no signal has come for.  `beliefs` holds a column for each belief that the policy reads, by the belief's
    value (see estimator.py).  `pace` is how many fetches a second the crawl's budget allows in the long run; 0 if that
    is not known.
    """

    key: NDArray[np.uint64]
    host: NDArray[np.uint32]
    depth: NDArray[np.uint16]
    found: Floats
    last_fetch: Floats
    last_change: Floats
    fetches: NDArray[np.uint16]
    changes: NDArray[np.uint16]
    inlinks: NDArray[np.uint32]
    signal: Floats
    beliefs: Mapping[Any, Floats] = field(default_factory=dict)
    pace: float = 0.0

    def __len__(self) -> int:
        return len(self.host)

    @property
    def is_new(self) -> NDArray[np.bool_]:
        return np.isneginf(self.last_fetch)

    def belief(self, about: Any) -> Floats:
        """The column of a belief; whoever calls a policy fills in all that `beliefs_of` names."""
        if about not in self.beliefs:
            raise LookupError(f"the policy reads {about!r}, and the pages have no such column of beliefs")
        return self.beliefs[about]

    @classmethod
    def column_names(cls) -> tuple[str, ...]:
        """What is observed of every row; `beliefs` and `pace` are none of them."""
        return tuple(f.name for f in fields(cls) if f.name not in ("beliefs", "pace"))


NEVER = -np.inf


def pieces(size: int) -> Iterator[slice]:
    """Slices that together are a column: worked on one by one, ten million rows need no room but for the result."""
    step = 1 << 17
    return (slice(start, start + step) for start in range(0, size, step))
