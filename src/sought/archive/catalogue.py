"""Where in the whole archive are the captures of a URL?

A file is *finished* when its CDXJ covers all of it; otherwise it is *growing* and its lines are in memory: those of the
CDXJ as far as that goes, the rest read from the WARC file, which is the record.
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


def outcomes(path: Path, number: int, start: int, found: DamageHandler) -> Iterator[tuple[Record | None, int]]:
    """What each whole record of a file tells, if it is an outcome, and where it ends; `found` is told of the others."""

    def note(since: int, until: int, reason: str) -> None:
        found(Damage(number, since, until, reason))

    for offset, length, content in whole_members(path, start, note):
        record = None
        try:
            record = outcome_at(path, Place(number, offset, length), content)
        except CrawlDamaged as error:  # whole, and yet it makes no sense
            note(offset, offset + length, str(error.__cause__ or error.__context__ or error))
        yield record, offset + length


class GrowingFile:
    """The captures in one WARC file, known up to `end`, a boundary between records."""

    def __init__(self, folder: Path, number: int, *, trust: bool = True) -> None:
        """What a CDXJ file knows is taken over if it may be trusted."""
        self.path, self.number = files.warc_path(folder, number), number
        self._cdxj = files.cdxj_path(folder, number)
        known = cdxj.covered(self._cdxj, self.path.name) if trust else None
        if known is None or known > self.path.stat().st_size:
            self.end, self.lines = 0, cdxj.Lines([])
        else:
            self.end, self.lines = known, cdxj.Lines(cdxj.load(self._cdxj))
        self.finished = self.end  # so much was whole once

    def catch_up(self, found: DamageHandler, *, expected_end: float = math.inf) -> None:
        """Read what was added to the WARC file; a torn tail behind `expected_end` is left out and is no damage."""
        size = self.path.stat().st_size

        def note(damage: Damage) -> None:
            if damage.start == self.finished > 0:
                raise _MisledError
            if damage.stop < size or damage.start < max(expected_end, self.finished):
                found(damage)
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


class _MisledError(Exception):
    """A CDXJ file names as its end a place where no record ends: its lines are no better."""


def outcome_at(path: Path, place: Place, content: bytes) -> Record | None:
    """What a record tells; one that is whole and yet makes no sense is damage."""
    try:
        return decode.outcome(content, place)
    except (ValueError, KeyError) as error:
        raise damaged(path, place.offset, f"{error}") from None


class Catalogue:
    """All files of a folder, each finished or growing."""

    def __init__(self, folder: Path, found: DamageHandler) -> None:
        """`found` is told of damage, and may raise."""
        self._folder, self._found = folder, found
        self._finished: dict[int, cdxj.SortedFile] = {}
        self._growing: dict[int, GrowingFile] = {}
        self._last = 0

    def refresh(self) -> Position:
        """Take up what came since and say where the archive ends now: another process may be writing."""
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
        """Of the files there are; told are those that are missing before the last."""
        numbers = files.present(self._folder)
        for number in sorted({*range(1, numbers[-1])} - {*numbers}) if numbers else ():
            self._found(Damage(number, 0, 0, "the file is missing"))
        return numbers

    def mend(self, expected_end: Position) -> GrowingFile | None:
        """Finish every file but the last, and give the last to write on; None if there is none yet.

        What was `expected_end` to be there, and is there, is no torn tail.
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
        """The last file, which this process writes."""
        self._growing[number] = GrowingFile(self._folder, number)
        return self._caught_up(number, expected_end)

    def _caught_up(self, number: int, expected_end: float) -> GrowingFile:
        try:
            self._growing[number].catch_up(self._found, expected_end=expected_end)
        except _MisledError:
            self._growing[number] = GrowingFile(self._folder, number, trust=False)
            self._growing[number].catch_up(self._found, expected_end=expected_end)
        return self._growing[number]

    def settle(self, number: int) -> None:
        """A growing file has its CDXJ now: leave memory to others."""
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
        except (ValueError, IndexError):  # a line that is damaged: read the files that it may be of
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
        found = [cdxj.capture(text, url, number) for number, part in parts for text in part.starting(start)]
        return sorted((c for c in found if c is not None), key=lambda c: (c.time, c.place.end))

    def _forget(self, number: int) -> None:
        if number in self._finished:
            self._finished.pop(number).close()

    def close(self) -> None:
        for number in list(self._finished):
            self._forget(number)
