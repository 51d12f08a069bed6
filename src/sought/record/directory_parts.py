"""What is a crawl directory made of?  The real parts; the laboratory replaces them by recorded ones."""

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


class ArchivePart(Protocol):
    """What a crawl needs of `Archive`."""

    @property
    def end(self) -> Position: ...
    def append(self, response: Response, original: Original | None = None) -> Stored: ...
    def note(self, uri: str, body: bytes, content_type: str, time: float) -> Place: ...
    def flush(self, sync: bool) -> None: ...
    def records(self, since: Position | None = None) -> Iterator[Record]: ...
    def read(self, place: Place) -> Response: ...
    def close(self) -> None: ...


class IndexPart(Protocol):
    """What a crawl needs of `Index`."""

    @property
    def languages(self) -> Sequence[str]: ...
    def update(self, entries: Sequence[Entry], counter: Counter | None = None) -> None: ...
    def delete(self, rows: Iterable[int]) -> None: ...
    def rows(self) -> NDArray[np.uint64]: ...
    def holding(self, terms: Sequence[str]) -> NDArray[np.uint64]: ...
    def commit(self) -> None: ...
    def close(self) -> None: ...


class LeasesPart(Protocol):
    """What a crawl needs of `Leases`."""

    unanswered: list[Visit]

    def add(self, visit: Visit) -> None: ...
    def keep(self, visits: Iterable[Visit]) -> None: ...
    def close(self) -> None: ...


def _archive(folder: Path, software: str, expected_end: Position, on_damage: Callable[[Damage], None]) -> ArchivePart:
    return Archive.open(folder, software=software, expected_end=expected_end, on_damage=on_damage)


def _index(folder: Path) -> IndexPart:
    return Index.open(folder, writable=True)


def _counter(vocabulary: Vocabulary, met: Callable[[int], None]) -> Counter:
    return Counter(vocabulary, met)


@dataclass(frozen=True)
class DirectoryParts:
    """How each part is opened, given its folder or file.

    `archive` is also given the user agent, the position up to which the archive is known to be complete, and a function
    that damage is reported to.
    """

    archive: Callable[[Path, str, Position, Callable[[Damage], None]], ArchivePart] = _archive
    index: Callable[[Path], IndexPart] = _index
    leases: Callable[[Path], LeasesPart] = Leases
    digest: Callable[[Response, str], Document] = digest
    counter: Callable[[Vocabulary, Callable[[int], None]], Counter] = _counter
    clock: Clock = field(default_factory=WallClock)
