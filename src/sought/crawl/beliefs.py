"""What a policy believes of pages: the columns of its estimators, learnt from every fetch."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sought.crawl.outcome import Finished, Outcome
from sought.crawl.prospects import Prospects
from sought.crawl.store import Store
from sought.crawl.table import Table
from sought.policy import Belief, Fetches, Learner, Pages, Prospect

_AT_ONCE = 100_000
Told = Mapping[Any, Callable[[NDArray[np.uint64]], NDArray[np.float64]]]  # columns, by the keys of rows
_decode = msgspec.msgpack.Decoder(Outcome).decode


class Beliefs:
    """Those that one policy reads; made from the history in the store, then kept up with what is fetched."""

    def __init__(
        self,
        wanted: Sequence[Belief],
        store: Store,
        table: Table,
        since: float,
        prospects: Callable[[], Prospects],
        told: Told = {},  # noqa: B006  nobody writes to it
    ) -> None:
        """Gains of fetches up to `since` are in another unit.  Beliefs that are `told` come from elsewhere."""
        self.table = table
        self.told = {belief: told[belief] for belief in wanted if belief in told}
        self.prospects = prospects() if Prospect() in wanted else None
        self.learners: dict[object, Learner] = {
            belief: belief.learner()
            for belief in wanted
            if not isinstance(belief, Prospect) and belief not in self.told
        }
        if self.learners:
            for some in history(store, since):
                self.learn(some)

    def learn(self, finished: Sequence[Finished]) -> None:
        """Take in fetches that have been applied."""
        seen = [each for each in finished if each.is_observation]
        if seen and self.learners:
            fetches = Fetches(
                row=np.array([each.row for each in seen], np.int64),
                time=np.array([each.outcome.time for each in seen]),
                gap=np.array([each.gap for each in seen]),
                changed=np.array([each.changed for each in seen]),
                gain=np.array([np.nan if each.outcome.gain is None else each.outcome.gain for each in seen]),
            )
            for learner in self.learners.values():
                learner.learn(fetches)

    def pages(self) -> Pages:
        """The table as the policy sees it."""
        pages = self.table.pages()
        columns: dict[object, NDArray[np.float64]] = {b: each.column(pages) for b, each in self.learners.items()}
        if self.prospects:
            columns[Prospect()] = self.prospects.column()
        columns |= {belief: tell(self.table["key"]) for belief, tell in self.told.items()}
        return self.table.pages(columns)


def history(store: Store, since: float) -> Iterator[list[Finished]]:
    """All fetches on record, page by page; gains of those up to `since` are left out."""
    found: list[Finished] = []
    row, last = -1, -np.inf
    for key, value in store.scan(b"o"):
        here, outcome = int.from_bytes(key[1:5], "big"), _decode(value)
        if here != row:
            row, last = here, -np.inf
        if outcome.time <= since:
            outcome.gain = None
        found.append(Finished(row, outcome, outcome.time - last))
        if found[-1].is_observation:
            last = outcome.time
        if len(found) >= _AT_ONCE:
            yield found
            found = []
    yield found
