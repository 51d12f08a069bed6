"""How is a response kept, and read back?

1. `append` encodes the answer as records (`encode`) and passes them to the `writer`.
2. At `max_bytes` the file is synced, its CDXJ is written (`cdxj`), and the next file begins.
3. `records` reads the files in order (`members`, `decode`); `find` looks up URL and time (`catalogue`).
4. `open` for writing cuts off an incomplete last record and writes missing CDXJ files.
5. Damage in the middle is raised, or, if somebody wants to know of it (`on_damage`), told and passed over.

One process writes; any number may read at the same time with `writable=False`.
"""

import time as clock
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from sought.archive import encode, files, members
from sought.archive.catalogue import Catalogue, DamageHandler, GrowingFile, outcome_at, outcomes
from sought.archive.damage import ENDS_EARLY, Damage, set_aside
from sought.archive.record import Capture, Original, Place, Position, Record, Stored
from sought.archive.revisits import complete
from sought.archive.writer import FileWriter
from sought.web.errors import BadInput
from sought.web.message import Response

_START = Position(0, 0)


@dataclass(frozen=True, slots=True)
class _Tail:
    """The file being written and its captures."""

    writer: FileWriter
    growing: GrowingFile


class Archive:
    """WARC files in one folder.  `repaired`: how many bytes of an incomplete last record `open` cut off."""

    def __init__(self, folder: Path, software: str, max_bytes: int, on_damage: DamageHandler | None = None) -> None:
        self.folder, self._software, self._max_bytes = folder, software, max_bytes
        self.repaired = 0
        self._on_damage = on_damage or self._refuse
        self._catalogue = Catalogue(folder, self._on_damage)
        self._tail: _Tail | None = None

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        software: str,
        max_bytes: int = 1 << 30,
        writable: bool = True,
        expected_end: Position = _START,
        on_damage: DamageHandler | None = None,
    ) -> Self:
        """Records were complete up to `expected_end` once: what cannot be read before it is damage, and is kept."""
        archive = cls(folder, software, max_bytes, on_damage)
        if writable:
            folder.mkdir(parents=True, exist_ok=True)
            archive._tail = archive._mended(expected_end)
        elif not folder.is_dir():
            raise BadInput(f"{folder} is not an archive: there is no such directory")
        return archive

    @classmethod
    def rebuild_catalogue(cls, folder: Path, software: str, numbers: Iterable[int], end: Position) -> None:
        """Write the CDXJ of some files again, from what can be read; the archive is complete up to `end`."""
        for number in numbers:
            path = files.cdxj_path(folder, number)
            if path.is_dir():
                set_aside(path)
            path.unlink(missing_ok=True)
        cls.open(folder, software=software, expected_end=end, on_damage=lambda _: None).close()

    def _refuse(self, damage: Damage) -> None:
        path = files.warc_path(self.folder, damage.file)
        raise (
            members.damaged(path, damage.start, damage.reason)
            if damage.stop
            else files.missing(self.folder, damage.file)
        )

    def _mended(self, expected_end: Position) -> _Tail:
        last = self._catalogue.mend(expected_end)
        if last is None or last.number < expected_end.file:
            if expected_end.file:
                self._on_damage(Damage(expected_end.file, 0, 0, "the file is missing"))
            return self._begin(max(files.next_number(self.folder), expected_end.file + 1))
        size = last.path.stat().st_size
        if last.number == expected_end.file and size < expected_end.offset:
            return self._begin_behind(last, Damage(last.number, size, expected_end.offset, ENDS_EARLY))
        self.repaired = size - last.end
        return self._begun(_Tail(FileWriter(last.path, last.end), last))

    def _begin_behind(self, last: GrowingFile, lost: Damage) -> _Tail:
        """Leave a file that has lost its end, and begin another: no position may be used twice."""
        self._on_damage(lost)
        last.finish(last.path.stat().st_size)
        self._catalogue.settle(last.number)
        return self._begin(files.next_number(self.folder))

    def _begin(self, number: int) -> _Tail:
        path = files.warc_path(self.folder, number)
        writer = FileWriter(path, 0)
        return self._begun(_Tail(writer, self._catalogue.grow(number)))

    def _begun(self, tail: _Tail) -> _Tail:
        """Write the warcinfo record with which every file starts."""
        if tail.writer.end == 0:
            tail.writer.add(encode.warcinfo(tail.writer.path.name, self._software, clock.time()))
        return tail

    # Writing

    def append(self, response: Response, original: Original | None = None) -> Stored:
        """Store the outcome of a fetch.  `original` is the earlier response that this one may repeat."""
        encoded = encode.outcome(response, original)
        place = self._add(encoded.record, encoded.request)
        self._writing.growing.add(response, encoded.kind, encoded.digest, place)
        return Stored(place, encoded.digest, encoded.kind == "revisit")

    def note(self, uri: str, body: bytes, content_type: str, time: float) -> Place:
        """Store something that did not come by HTTP, under a URI such as `urn:sought:seeds`."""
        return self._add(encode.resource(uri, body, content_type, time))

    def flush(self, sync: bool) -> None:
        """Make everything appended visible to readers; with `sync` it survives a power cut."""
        self._writing.writer.flush(sync=sync)

    @property
    def _writing(self) -> _Tail:
        if self._tail is None:
            raise BadInput(f"the archive {self.folder} is not open for writing")
        return self._tail

    def _add(self, record: bytes, request: bytes = b"") -> Place:
        if self._writing.writer.end >= self._max_bytes:
            self._rotate()
        tail = self._writing
        return Place(tail.growing.number, tail.writer.add(record + request), len(record))

    def _rotate(self) -> None:
        """Finish the file and begin the next.  Every step can be repeated if the disk is full."""
        full = self._writing
        full.writer.flush(sync=True)
        full.growing.finish(full.writer.end)
        self._tail = self._begin(full.growing.number + 1)
        self._catalogue.settle(full.growing.number)
        full.writer.close()

    # Reading

    @property
    def end(self) -> Position:
        """The position after the last complete record."""
        if self._tail is not None:
            return Position(self._tail.growing.number, self._tail.writer.end)
        return self._catalogue.refresh()

    def records(self, since: Position | None = None) -> Iterator[Record]:
        """Every outcome in the order of writing, from `since` (a record's or the archive's `end`) on."""
        self._publish()
        numbers, since = self._catalogue.numbers(), since or _START
        if since.file and since.file not in numbers:
            self._on_damage(Damage(since.file, 0, 0, "the file is missing"))
        return self._outcomes([number for number in numbers if number >= since.file], since)

    def _outcomes(self, numbers: list[int], since: Position) -> Iterator[Record]:
        for number in numbers:
            path, start = files.warc_path(self.folder, number), since.offset if number == since.file else 0
            size = path.stat().st_size
            if start > size:
                self._on_damage(
                    Damage(number, size, start, f"it has {size} bytes, but records up to {start} are expected")
                )
            for record, _ in outcomes(path, number, start, self._damage_filter(size, is_last=number == numbers[-1])):
                if record is not None:
                    yield record

    def _damage_filter(self, size: int, *, is_last: bool) -> DamageHandler:
        """Report damage, but not an incomplete record at the end of the last file while another process writes."""

        def on_damage(damage: Damage) -> None:
            if not (is_last and damage.stop >= size and self._tail is None):
                self._on_damage(damage)

        return on_damage

    def read(self, place: Place) -> Response:
        """The response as recorded; a revisit has no body (`find` adds it)."""
        response = self._record(place).response
        if response is None:
            raise BadInput(f"{files.warc_name(place.file)} holds a note, not a response, at offset {place.offset}")
        return response

    def captures(self, url: str) -> list[Capture]:
        """The captures of a URL, by time."""
        if self._tail is None:
            self._catalogue.refresh()
        return self._catalogue.captures(url)

    def find(self, url: str, at: float | None = None) -> Response | None:
        """The URL as it was: the last capture at or before `at`, else the first after it; the latest without `at`.

        A revisit is returned with the body that it repeats; it is skipped if its original is missing.
        """
        captures = self.captures(url)
        instant = float("inf") if at is None else round(at, 6)
        before = [capture for capture in captures if capture.time <= instant]
        for capture in [*reversed(before), *captures[len(before) :]]:
            if (response := complete(self._record(capture.place), self.captures, self._record)) is not None:
                return response
        return None

    def _record(self, place: Place) -> Record:
        tail = self._tail
        if tail is not None and place.file == tail.growing.number and place.end.offset > tail.writer.written:
            self._publish()
        path = files.warc_path(self.folder, place.file)
        member = members.read(path, place.offset, place.length)
        record = outcome_at(path, place, member.content)
        if record is None:
            raise members.damaged(path, place.offset, "a record without an outcome")
        return record

    def _publish(self) -> None:
        if self._tail is not None:
            self._tail.writer.flush(sync=False)

    # Closing

    def close(self) -> None:
        """Sync, write the last file's CDXJ and close everything; also after an error."""
        tail, self._tail = self._tail, None
        try:
            if tail is not None:
                tail.writer.flush(sync=True)
                tail.growing.finish(tail.writer.end)
        finally:
            if tail is not None:
                tail.writer.close()
            self._catalogue.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
