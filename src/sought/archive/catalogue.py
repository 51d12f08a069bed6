"""Where in the whole archive are the captures of a URL?

A file is *finished* when its CDXJ covers all of it; otherwise it is *growing* and its lines are in memory, from the
CDXJ and, beyond that, from the WARC file itself.
"""

import math
from collections.abc import Callable, Iterator
from pathlib import Path

from sought.archive import cdxj, decode, files
from sought.archive.damage import Damage
from sought.archive.members import damaged, whole_members
from sought.archive.record import Capture, Kind, Place, Position, Record
from sought.archive.writer import disk_full_errors
from sought.web.errors import CrawlDamaged
from sought.web.message import Response

DamageHandler = Callable[[Damage], None]


def outcomes(path: Path, number: int, start: int, on_damage: DamageHandler) -> Iterator[tuple[Record | None, int]]:
    """The outcome of each complete record of a file (None: it has none), and its end; damage goes to `on_damage`."""

    def note(since: int, until: int, reason: str) -> None:
        on_damage(Damage(number, since, until, reason))

    for offset, length, content in whole_members(path, start, note):
        record = None
        try:
            record = outcome_at(path, Place(number, offset, length), content)
        except CrawlDamaged as error:  # complete, but invalid
            note(offset, offset + length, str(error.__cause__ or error.__context__ or error))
        yield record, offset + length


class GrowingFile:
    """The captures in one WARC file, known up to `end`, a boundary between records."""

    def __init__(self, folder: Path, number: int, *, trust: bool = True) -> None:
        """With `trust`, lines of an existing CDXJ file are used."""
        self.path, self.number = files.warc_path(folder, number), number
        self._cdxj = files.cdxj_path(folder, number)
        known = cdxj.covered(self._cdxj, self.path.name) if trust else None
        if known is None or known > self.path.stat().st_size:
            self.end, self.lines = 0, cdxj.Lines([])
        else:
            self.end, self.lines = known, cdxj.Lines(cdxj.load(self._cdxj))
        self.finished = self.end  # complete up to here once

    def catch_up(self, on_damage: DamageHandler, *, expected_end: float = math.inf) -> None:
        """Read what was added to the WARC file; a torn tail behind `expected_end` is left out and is no damage."""
        size = self.path.stat().st_size

        def note(damage: Damage) -> None:
            if damage.start == self.finished > 0:
                raise _UntrustedCdxjError
            if damage.stop < size or damage.start < max(expected_end, self.finished):
                on_damage(damage)
                self.end = damage.stop

        for record, end in outcomes(self.path, self.number, self.end, note):
            if record is not None and record.response is not None:
                self.add(record.response, record.kind, record.digest, record.place)
            self.end = end

    def add(self, response: Response, kind: Kind, digest: str, place: Place) -> None:
        if kind in ("response", "revisit"):
            self.lines.add(cdxj.line(response, kind, digest, place, self.path.name))

    def finish(self, end: int) -> None:
        """Write the CDXJ file, which covers the WARC file up to `end`."""
        with disk_full_errors(self._cdxj):
            self.lines.write(self._cdxj, self.path.name, end)


class _UntrustedCdxjError(Exception):
    """A CDXJ file ends where no record ends, so its lines cannot be trusted either."""


def outcome_at(path: Path, place: Place, content: bytes) -> Record | None:
    """The outcome of a record; raises CrawlDamaged if the record is invalid."""
    try:
        return decode.outcome(content, place)
    except (ValueError, KeyError) as error:
        raise damaged(path, place.offset, f"{error}") from None


class Catalogue:
    """All files of a folder, each finished or growing."""

    def __init__(self, folder: Path, on_damage: DamageHandler) -> None:
        """`on_damage` is called with damage, and may raise."""
        self._folder, self._on_damage = folder, on_damage
        self._finished: dict[int, cdxj.SortedFile] = {}
        self._growing: dict[int, GrowingFile] = {}
        self._last = 0

    def refresh(self) -> Position:
        """Read what another process has written since; returns the end of the archive."""
        numbers = self.numbers()
        self._forget(self._last)  # the last file may have grown again
        for number in numbers:
            self._take(number, last=number == numbers[-1])
        self._last = numbers[-1] if numbers else 0
        if self._last in self._growing:
            return Position(self._last, self._growing[self._last].end)
        return (
            Position(self._last, files.warc_path(self._folder, self._last).stat().st_size)
            if numbers
            else Position(0, 0)
        )

    def numbers(self) -> list[int]:
        """The numbers of existing files; missing files before the last are reported as damage."""
        numbers = files.present(self._folder)
        for number in sorted({*range(1, numbers[-1])} - {*numbers}) if numbers else ():
            self._on_damage(Damage(number, 0, 0, "the file is missing"))
        return numbers

    def mend(self, expected_end: Position) -> GrowingFile | None:
        """Finish every file but the last, and return the last for writing; None if there is no file.

        Records before `expected_end` are never cut off.
        """
        numbers = self.numbers()
        for number in numbers[:-1]:
            self._take(number, last=False)
            if number in self._growing:
                self._growing[number].finish(self._growing[number].end)
                self.settle(number)
        if not numbers:
            return None
        last = numbers[-1]
        return self.grow(last, expected_end.offset if last == expected_end.file else 0)

    def grow(self, number: int, expected_end: int = 0) -> GrowingFile:
        """Make a file the one that this process writes."""
        self._growing[number] = GrowingFile(self._folder, number)
        return self._caught_up(number, expected_end)

    def _caught_up(self, number: int, expected_end: float) -> GrowingFile:
        try:
            self._growing[number].catch_up(self._on_damage, expected_end=expected_end)
        except _UntrustedCdxjError:
            self._growing[number] = GrowingFile(self._folder, number, trust=False)
            self._growing[number].catch_up(self._on_damage, expected_end=expected_end)
        return self._growing[number]

    def settle(self, number: int) -> None:
        """Release the lines of a file whose CDXJ has been written."""
        self._finished[number] = cdxj.SortedFile(files.cdxj_path(self._folder, number))
        del self._growing[number]

    def _take(self, number: int, *, last: bool) -> None:
        if number in self._finished:
            return
        path, index = files.warc_path(self._folder, number), files.cdxj_path(self._folder, number)
        if cdxj.covered(index, path.name) == path.stat().st_size:
            self._finished[number] = cdxj.SortedFile(index)
            self._growing.pop(number, None)
            return
        if number not in self._growing:
            self._growing[number] = GrowingFile(self._folder, number)
        self._caught_up(number, 0 if last else math.inf)

    def captures(self, url: str) -> list[Capture]:
        """Every capture of exactly this URL, by time."""
        try:
            return self._captures(url)
        except (ValueError, IndexError):  # a damaged line: read the WARC files themselves
            for number in list(self._finished):
                self._forget(number)
            for number in self._growing.keys() | set(files.present(self._folder)):
                self._growing[number] = GrowingFile(self._folder, number, trust=False)
                self._caught_up(number, 0)
            return self._captures(url)

    def _captures(self, url: str) -> list[Capture]:
        start = cdxj.prefix(url)
        parts: list[tuple[int, cdxj.SortedFile | cdxj.Lines]]
        parts = [*self._finished.items(), *((number, growing.lines) for number, growing in self._growing.items())]
        captures = [cdxj.capture(text, url, number) for number, part in parts for text in part.starting(start)]
        return sorted((c for c in captures if c is not None), key=lambda c: (c.time, c.place.end))

    def _forget(self, number: int) -> None:
        if number in self._finished:
            self._finished.pop(number).close()

    def close(self) -> None:
        for number in list(self._finished):
            self._forget(number)
