"""Did fetches gain what policies expected?  Expected and measured gains of the latest fetches.

Two ring buffers in the store, of fetches of new pages and of known ones: key `x`, the kind, and the place in the ring.
A commit writes its own fetches only; a rebuild makes the same rings again.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sought.record.outcome import Finished
from sought.record.store import Store

KEPT = 10_000  # fetches of each kind
KINDS = ("new_pages", "known_pages")
_COUNTS = "expectations"  # the number of fetches of each kind so far
_RECORD = np.dtype([(name, "<f8") for name in ("time", "expected", "chance", "gain")])


def note_expected(finished: Sequence[Finished], store: Store) -> None:
    """Store measured fetches with an expected gain with the next commit; to be called once a commit."""
    both = [each for each in finished if each.outcome.expected is not None and each.outcome.gain is not None]
    if not both:
        return
    counts: list[int] = store.meta(_COUNTS, [0] * len(KINDS))
    for each in both:
        kind, outcome = int(math.isfinite(each.gap)), each.outcome
        numbers = (outcome.time, outcome.expected, outcome.chance, outcome.gain)
        store.put(_key(kind, counts[kind] % KEPT), np.array(numbers, np.float64).tobytes())  # None is NaN
        counts[kind] += 1
    store.put_meta(_COUNTS, counts)


def noted(store: Store, kind: str, since: float) -> NDArray[np.void]:
    """The stored fetches of a kind after a time, in no order."""
    records = np.frombuffer(b"".join(value for _, value in store.scan(_key(KINDS.index(kind)))), _RECORD)
    return records[records["time"] > since]


def _key(kind: int, place: int | None = None) -> bytes:
    """The key of one place; without one, the prefix of a kind."""
    return b"x" + bytes([kind]) + (b"" if place is None else place.to_bytes(4, "big"))
