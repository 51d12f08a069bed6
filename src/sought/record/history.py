"""What came of every fetch, page by page: in the store under `o`, the row, and the time in microseconds."""

from collections.abc import Iterator

import msgspec
import numpy as np

from sought.record.outcome import Finished, Outcome
from sought.record.store import Store, row_key

_BATCH = 100_000
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Outcome).decode


def put_outcome(store: Store, row: int, outcome: Outcome) -> None:
    """Store it with the next commit."""
    store.put(row_key(b"o", row) + int(outcome.time * 1e6).to_bytes(8, "big"), _encode(outcome))


def page_history(store: Store, row: int) -> Iterator[Outcome]:
    """The fetches of one page, in their order."""
    for _, value in store.scan(row_key(b"o", row)):
        yield _decode(value)


def all_outcomes(store: Store) -> Iterator[tuple[int, Outcome]]:
    """Every fetch with the row of its page, page by page."""
    for key, value in store.scan(b"o"):
        yield int.from_bytes(key[1:5], "big"), _decode(value)


def finished_fetches(store: Store, since: float) -> Iterator[list[Finished]]:
    """All fetches on record, page by page, so many at once; gains of those up to `since` are left out."""
    found: list[Finished] = []
    row, last = -1, -np.inf
    for here, outcome in all_outcomes(store):
        if here != row:
            row, last = here, -np.inf
        if outcome.time <= since:
            outcome.gain = None
        found.append(Finished(row, outcome, max(0.0, outcome.time - last)))  # a clock may have been set back
        if outcome.is_observation:
            last = outcome.time
        if len(found) >= _BATCH:
            yield found
            found = []
    yield found
