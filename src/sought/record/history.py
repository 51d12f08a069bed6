"""What came of every fetch, and which policy chose it?

Outcomes are in the store under `o`, the row, and the time in microseconds.
"""

from collections.abc import Iterator

import msgspec
import numpy as np

from sought.record.outcome import Finished, Outcome
from sought.record.store import Store, row_key
from sought.web.message import Why
from sought.web.registry import same_spelling

_BATCH = 100_000
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Outcome).decode


def put_outcome(store: Store, row: int, outcome: Outcome) -> None:
    """Store it with the next commit."""
    store.put(row_key(b"o", row) + int(outcome.time * 1e6).to_bytes(8, "big"), _encode(outcome))


def page_history(store: Store, row: int) -> Iterator[Outcome]:
    """The fetches of one page, in order of time."""
    for _, value in store.scan(row_key(b"o", row)):
        yield _decode(value)


def all_outcomes(store: Store) -> Iterator[tuple[int, Outcome]]:
    """Every fetch with its row, row by row."""
    for key, value in store.scan(b"o"):
        yield int.from_bytes(key[1:5], "big"), _decode(value)


def finished_fetches(store: Store, since: float) -> Iterator[list[Finished]]:
    """All fetches on record, row by row and in batches; gains of fetches up to `since` are left out."""
    batch: list[Finished] = []
    row, last = -1, -np.inf
    for here, outcome in all_outcomes(store):
        if here != row:
            row, last = here, -np.inf
        if outcome.time <= since:
            outcome.gain = None
        batch.append(Finished(row, outcome, max(0.0, outcome.time - last)))  # a clock may have been set back
        if outcome.is_observation:
            last = outcome.time
        if len(batch) >= _BATCH:
            yield batch
            batch = []
    yield batch


class ChoiceLog:
    """Why pages were chosen: puts it into outcomes, which name their policy by its number in `policies`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.policies = [same_spelling(each) for each in store.meta("policies", [])]

    def note(self, outcome: Outcome, why: Why) -> None:
        outcome.rank, outcome.value, outcome.expected, outcome.chance, outcome.purpose, policy = why
        policy = same_spelling(policy)
        if policy not in self.policies:
            self.policies.append(policy)
            self.store.put_meta("policies", self.policies)
        outcome.policy = self.policies.index(policy)
