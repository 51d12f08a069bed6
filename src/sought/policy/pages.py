"""Everything the crawler has observed or believes about every known URL, as columns.

One row is one URL, fetched or not.  A policy reads these columns and nothing else, so the same policy ranks a live
crawl and a recorded web.
"""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pages:
    """A frozen table of NumPy columns of equal length; times are seconds since 1970.

    `last_fetch` is -inf for a URL that was never fetched, `last_change` for one never seen to change, `signal` (what
    a sitemap says of its last change) for one no signal has come for.
    """

    host: NDArray[np.uint32]
    depth: NDArray[np.uint16]
    found: Floats
    last_fetch: Floats
    last_change: Floats
    fetches: NDArray[np.uint16]
    changes: NDArray[np.uint16]
    inlinks: NDArray[np.uint32]
    signal: Floats

    def __len__(self) -> int:
        return len(self.host)

    @property
    def is_new(self) -> NDArray[np.bool_]:
        return np.isneginf(self.last_fetch)

    @classmethod
    def column_names(cls) -> tuple[str, ...]:
        return tuple(f.name for f in fields(cls))


NEVER = -np.inf
