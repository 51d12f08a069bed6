"""Which cycle is it, what has been fetched in it, and how much can be?

Cycles are counted from the time at which the first page was found: 0, 1, 2, …  A cycle begins early by a millionth of
its length, because a replay has rounded times exactly where cycles begin.
"""

import math

import numpy as np
from numpy.typing import NDArray

from sought.web.errors import BadInput
from sought.web.mixing import mixed, salt
from sought.web.pages import Floats, Pages

WEEK = 604800.0
_EARLY = 1e-6
_PART = 10  # one in so many known pages is fetched in a cycle while the pace is not known

Flags = NDArray[np.bool_]


def check_cycle(name: str, value: object) -> None:
    """Check the length of a cycle."""
    if type(value) not in (int, float) or not 1 <= value < math.inf:  # type: ignore[operator]  # a number
        raise BadInput(f"{name} is a number of seconds from 1, not {value!r}")


def first_discovery(pages: Pages) -> float:
    """When cycle 0 began; pages found later do not change it."""
    return float(pages.found.min()) if len(pages) else 0.0


def cycles_at(times: Floats, first: float, cycle: float) -> Floats:
    """The number of the cycle that each time lies in; -inf for never."""
    return np.floor((times - first) / cycle + _EARLY)


def cycle_now(pages: Pages, now: float, cycle: float) -> int:
    """The number of the present cycle."""
    return int(cycles_at(np.array([now]), first_discovery(pages), cycle)[0])


def began(pages: Pages, now: float, cycle: float) -> float:
    """When the present cycle began."""
    return first_discovery(pages) + (cycle_now(pages, now, cycle) - _EARLY) * cycle


def in_cycle(pages: Pages, now: float, cycle: float) -> Flags:
    """Rows that were fetched in the present cycle."""
    fetched: Flags = pages.last_fetch >= began(pages, now, cycle)
    return fetched


def changed_in_cycle(pages: Pages, now: float, cycle: float) -> Flags:
    """Rows that were found changed in the present cycle."""
    start = began(pages, now, cycle)
    changed: Flags = (pages.last_change >= start) & (pages.last_fetch >= start)
    return changed


def sampled_from(pages: Pages, fetched: Flags) -> Flags:
    """Rows that a cycle can sample: those fetched before it began, for a first fetch does not show a change."""
    frame: Flags = ~pages.is_new & ~(fetched & (pages.fetches < 2))
    return frame


def resources(pages: Pages, cycle: float) -> int:
    """R, the number of fetches in a cycle: by the crawl's pace, else a tenth of the known pages; at least one."""
    if pages.pace > 0:
        return max(1, int(min(pages.pace * cycle * (1 + 1e-9), 2.0**62)))
    return max(1, int(np.count_nonzero(~pages.is_new)) // _PART)


def dice(pages: Pages, now: float, cycle: float) -> NDArray[np.uint64]:
    """A random number for each row that is drawn once in every cycle."""
    return mixed(pages.key ^ salt(cycle_now(pages, now, cycle)))
