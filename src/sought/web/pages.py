"""Everything the crawler has observed or believes about every known URL, as columns.

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
    """Which row links to which: sources[i] to targets[bounds[i]:bounds[i + 1]].  Sources ascend."""

    sources: NDArray[np.uint32]
    bounds: NDArray[np.int64]
    targets: NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Pages:
    """A frozen table of NumPy columns of equal length; times are seconds since 1970.

    `key` is a hash of the URL: it tells rows apart and says nothing else.  `last_fetch` is -inf for a URL that was
    never fetched, or brought the text of another page which is there no longer; `last_change` for one never seen to
    change, `signal` (what a sitemap says of its last change) for one no signal has come for.

    Pages that are fetched tell of those they link to.  `linked` is when a page that links to this one was last fetched
    and still did; `unlinked` when a link to it was last found to be gone from a page fetched again; -inf is never.
    Only pages that stand for themselves count, and sitemaps, which are lists of links, too.  A page was *seen* when it
    was fetched or linked, whatever came last; it is *doubted* if it was unlinked after that.  `live`: a copy that
    stands for itself is in hand, searchable or not.

    `beliefs` holds a column for each belief that the policy reads, by the belief's
    value (see estimator.py).  `pace` is how many fetches a second the crawl's budget allows in the long run; 0 if that
    is not known.  `links` is there for policies whose attribute `reads_links` is true (policy.py).
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
        """The column of a belief; whoever calls a policy fills in all that `beliefs_of` names."""
        if about not in self.beliefs:
            raise LookupError(f"the policy reads {about!r}, and the pages have no such column of beliefs")
        return self.beliefs[about]

    @classmethod
    def column_names(cls) -> tuple[str, ...]:
        """What is observed of every row; `beliefs`, `pace` and `links` are none of them."""
        return tuple(f.name for f in fields(cls) if f.name not in ("beliefs", "pace", "links"))


NEVER = -np.inf


def pieces(size: int) -> Iterator[slice]:
    """Slices that together are a column: worked on one by one, ten million rows need no room but for the result."""
    step = 1 << 17
    return (slice(start, start + step) for start in range(0, size, step))
