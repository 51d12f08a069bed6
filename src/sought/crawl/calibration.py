"""What policies expected of fetches, beside what was measured: the latest of them are on record.

Fetches of new pages and of known ones are kept apart, so many of each: key `x` of the store, the kind, and a place in a
ring.  A commit writes what it has fetched and nothing more; a rebuild makes the same rings again.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.crawl.outcome import Finished, said
from sought.crawl.store import Store
from sought.policy.calibration import LEAST, Calibration, calibration, slope_interval

KEPT = 10_000  # fetches of each kind
KINDS = ("new_pages", "known_pages")
_COUNTS = "expectations"  # fetches of each kind that were ever noted
_RECORD = np.dtype([(name, "<f8") for name in ("time", "expected", "chance", "gain")])


def note_expected(finished: Sequence[Finished], store: Store) -> None:
    """Put measured fetches of which something was expected into the store's batch; to be called once a commit."""
    told = [each for each in finished if each.outcome.expected is not None and each.outcome.gain is not None]
    if not told:
        return
    counts: list[int] = store.meta(_COUNTS, [0] * len(KINDS))
    for each in told:
        kind, outcome = int(math.isfinite(each.gap)), each.outcome
        numbers = (outcome.time, outcome.expected, outcome.chance, outcome.gain)
        store.put(_key(kind, counts[kind] % KEPT), np.array(numbers, np.float64).tobytes())  # None is NaN
        counts[kind] += 1
    store.put_meta(_COUNTS, counts)


def expected_against_measured(store: Store, since: float) -> dict[str, Calibration]:
    """By kind, without those of which nothing was expected; gains of fetches up to `since` are in another unit."""
    found = {}
    for name in KINDS:
        records = noted(store, name, since)
        if len(records):
            found[name] = calibration(*(records[column] for column in ("expected", "gain", "chance")))
    return found


def judged(store: Store, since: float) -> dict[str, dict[str, Any]]:
    """The same as JSON has it, with an interval of the slope (80 %), and in words how far it can be trusted."""
    told = {}
    for kind, found in expected_against_measured(store, since).items():
        records = noted(store, kind, since)
        low, high = slope_interval(*(records[column] for column in ("expected", "gain", "chance")))
        numbers = {name: said(value) for name, value in found._asdict().items()}
        told[kind] = {**numbers, "slope_low": said(low), "slope_high": said(high), "verdict": verdict(found, low, high)}
    return told


def verdict(found: Calibration, low: float, high: float) -> str:
    """How far expectations can be trusted, in a sentence.

    >>> nan = float("nan")
    >>> verdict(Calibration(3), nan, nan)
    'too few fetches to tell: 3, and 10 are needed'
    >>> verdict(Calibration(40, -13.0), -20.0, -6.0)
    'expectations were wrong: fetches that were expected to gain more have gained less'
    """
    if found.fetches < LEAST:
        return f"too few fetches to tell: {found.fetches}, and {LEAST} are needed"
    if math.isnan(found.slope):
        return "nothing to tell: the same gain was expected of all fetches"
    if found.slope < 0.0:
        chance = "" if high < 0.0 else " (this may be chance)"
        return f"expectations were wrong: fetches that were expected to gain more have gained less{chance}"
    if low <= 0.0:
        return "not certain yet: that the expected and the measured gains agree may be chance"
    if low <= 1.0 <= high:
        return "expectations agree with what was measured"
    return "expectations were too far apart" if high < 1.0 else "expectations were too close together"


def noted(store: Store, kind: str, since: float) -> NDArray[np.void]:
    """The fetches of a kind that are on record, after a time; not in order."""
    records = np.frombuffer(b"".join(value for _, value in store.scan(_key(KINDS.index(kind)))), _RECORD)
    return records[records["time"] > since]


def _key(kind: int, place: int | None = None) -> bytes:
    """Of one, or what those of a kind begin with."""
    return b"x" + bytes([kind]) + (b"" if place is None else place.to_bytes(4, "big"))
