"""What is a crawl directory made of?  Here the real things; the laboratory puts recorded ones in their place."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sought.archive import Archive, Damage, Original, Place, Position, Record, Stored
from sought.index import Entry, Index
from sought.index.vectors import Counter, Vocabulary
from sought.record.clock import Clock, WallClock
from sought.record.leases import Leases, Visit
from sought.web.digest import digest
from sought.web.document import Document
from sought.web.message import Response


class Recording(Protocol):
    """An archive, as `Archive`."""

    @property
    def end(self) -> Position: ...
    def append(self, response: Response, original: Original | None = None) -> Stored: ...
    def note(self, uri: str, body: bytes, content_type: str, time: float) -> Place: ...
    def flush(self, sync: bool) -> None: ...
    def records(self, since: Position | None = None) -> Iterator[Record]: ...
    def read(self, place: Place) -> Response: ...
    def close(self) -> None: ...


class Indexing(Protocol):
    """A search index, as `Index`, for whoever fills it."""

    @property
    def languages(self) -> Sequence[str]: ...
    def update(self, entries: Sequence[Entry], counter: Counter | None = None) -> None: ...
    def delete(self, rows: Iterable[int]) -> None: ...
    def rows(self) -> NDArray[np.uint64]: ...
    def holding(self, terms: Sequence[str]) -> NDArray[np.uint64]: ...
    def commit(self) -> None: ...
    def close(self) -> None: ...


class Leasing(Protocol):
    """What was sent and not yet answered, as `Leases`."""

    unanswered: list[Visit]

    def add(self, visit: Visit) -> None: ...
    def keep(self, visits: Iterable[Visit]) -> None: ...
    def close(self) -> None: ...


def _archive(folder: Path, software: str, expected_end: Position, on_damage: Callable[[Damage], None]) -> Recording:
    return Archive.open(folder, software=software, expected_end=expected_end, on_damage=on_damage)


def _index(folder: Path) -> Indexing:
    return Index.open(folder, writable=True)


def _counter(vocabulary: Vocabulary, met: Callable[[int], None]) -> Counter:
    return Counter(vocabulary, met)


@dataclass(frozen=True)
class DirectoryParts:
    """How each part is opened, given its folder or file.

    The archive is told, too, up to where it is known to be whole, and whom to tell of damage.
    """

    archive: Callable[[Path, str, Position, Callable[[Damage], None]], Recording] = _archive
    index: Callable[[Path], Indexing] = _index
    leases: Callable[[Path], Leasing] = Leases
    digest: Callable[[Response, str], Document] = digest
    counter: Callable[[Vocabulary, Callable[[int], None]], Counter] = _counter
    clock: Clock = field(default_factory=WallClock)
