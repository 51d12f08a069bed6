"""What has the crawler observed, and what does it believe, about every known URL?

One row is one URL, fetched or not.  A policy reads these columns and nothing else, so the same policy ranks a live
crawl and a recorded web.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


class Links(NamedTuple):
    """Links between rows: sources[i] links to targets[bounds[i]:bounds[i + 1]].  Sources are sorted."""

    sources: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    targets: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Pages:
    """A frozen table of NumPy columns of equal length; times are seconds since 1970.

    `key` is a hash of the URL; it only tells rows apart.  `last_fetch` is -inf for a URL that was never fetched, or
    that duplicated a page which is gone; `last_change` if no change was seen; `signal` (the last change by a sitemap or
    feed) if there was no signal.

    `linked` is when a page with a link to this one was last fetched; `unlinked` when a link to it was last found
    removed; -inf is never.  Duplicates and redirects do not count as linking pages; sitemaps do.  A page was *seen*
    when it was last fetched or linked; it is *doubted* if it was unlinked after that.  `live`: the crawl has a copy
    that is no duplicate, searchable or not.

    `beliefs` has a column for each belief that the policy reads, by the belief's value.  `pace` is how many fetches a
    second the budget allows in the long run; 0 if unknown.  `links` is set for policies whose attribute `reads_links`
    is true (policy.py).
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
    live: NDArray[np.bool_]
    linked: Floats
    unlinked: Floats
    beliefs: Mapping[Any, Floats] = field(default_factory=dict)
    pace: float = 0.0
    links: Links | None = None

    def __len__(self) -> int:
        return len(self.host)

    @property
    def is_new(self) -> NDArray[np.bool_]:
        return np.isneginf(self.last_fetch)

    def belief(self, about: Any) -> Floats:
        """The column of a belief; callers of a policy must fill in all that `beliefs_of` names."""
        if about not in self.beliefs:
            raise LookupError(f"the policy reads {about!r}, and the pages have no such column of beliefs")
        return self.beliefs[about]

    @classmethod
    def column_names(cls) -> tuple[str, ...]:
        """The observed columns: all fields but `beliefs`, `pace` and `links`."""
        return tuple(f.name for f in fields(cls) if f.name not in ("beliefs", "pace", "links"))


NEVER = -np.inf


def pieces(size: int) -> Iterator[slice]:
    """Slices that cover a column: processing them one by one needs little memory beyond the result."""
    step = 1 << 17
    return (slice(start, start + step) for start in range(0, size, step))
