"""What policies expected of fetches, beside what was measured: the latest of them are on record.

Fetches of new pages and of known ones are kept apart, so many of each: key `x` of the store, the kind, and a place in a
ring.  A commit writes what it has fetched and nothing more; a rebuild makes the same rings again.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sought.record.outcome import Finished
from sought.record.store import Store

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


def noted(store: Store, kind: str, since: float) -> NDArray[np.void]:
    """The fetches of a kind that are on record, after a time; not in order."""
    records = np.frombuffer(b"".join(value for _, value in store.scan(_key(KINDS.index(kind)))), _RECORD)
    return records[records["time"] > since]


def _key(kind: int, place: int | None = None) -> bytes:
    """Of one, or what those of a kind begin with."""
    return b"x" + bytes([kind]) + (b"" if place is None else place.to_bytes(4, "big"))
