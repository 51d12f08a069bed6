"""What do estimators of change rates have in common?

Which fetches say something of a rate, what is believed of pages that were not fetched twice, and how a rate is told to
people.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.policy.by_host import hosts_in, spread
from sought.policy.estimator import Fetches, Rows
from sought.policy.pages import Floats, Pages

DAY = 86400.0
YEAR = 365.25 * DAY
ONE_A_YEAR = 1 / YEAR  # of all pages, as long as no page at all was fetched twice
_LEAST_GAP, _MOST_GAP = 1e-6, 100 * YEAR  # times are kept to the microsecond; nothing is a century old


def refetches(fetches: Fetches) -> NDArray[np.bool_]:
    """Which fetches tell whether a page has changed over a known time: not the first, and not one at once again."""
    return np.isfinite(fetches.time) & np.isfinite(fetches.gap) & (fetches.gap >= _LEAST_GAP)


def gaps(fetches: Fetches, which: NDArray[np.bool_]) -> Floats:
    """Seconds since the fetch before; one over a century counts as a century."""
    return np.minimum(fetches.gap[which], _MOST_GAP)


def filled(pages: Pages, rows: Rows, rates: Floats) -> Floats:
    """The rates of some rows; the others get the mean rate of these on their host, else of all, else one a year."""
    if not len(rows):
        return np.full(len(pages), ONE_A_YEAR)
    hosts, host = hosts_in(pages), pages.host[rows]
    mean, count = np.full(hosts, rates.mean()), np.bincount(host, minlength=hosts)
    np.divide(np.bincount(host, rates, hosts), count, out=mean, where=count > 0)
    out = spread(mean, pages.host)
    out[rows] = rates
    return out


def told(rate: float, fetches: float, changes: float, **more: Any) -> dict[str, Any]:
    """A rate and what it comes from; `fetches` are those after which it was known whether the page had changed."""
    return {"rate_a_day": float(rate) * DAY, "fetches": int(fetches), "changes": int(changes), **more}


UNKNOWN: dict[str, Any] = {"fetches": 0, "changes": 0}  # the terms of a row without history
