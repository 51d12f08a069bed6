"""Where in the whole archive are the captures of a URL?

A file is *finished* when its CDXJ covers all of it; otherwise it is *growing* and its lines are in memory: those of the
CDXJ as far as that goes, the rest read from the WARC file, which is the record.
"""

from pathlib import Path

from sought.archive import cdxj, decode, files
from sought.archive.members import damaged, walk
from sought.archive.record import Capture, Kind, Place, Position, Record
from sought.archive.writer import full_disk_told
from sought.web.message import Response


class Growing:
    """The captures in one WARC file, known up to `end`, a boundary between records."""

    def __init__(self, folder: Path, number: int) -> None:
        self.path, self.number = files.warc_path(folder, number), number
        self._cdxj = files.cdxj_path(folder, number)
        known = cdxj.covered(self._cdxj, self.path.name)
        if known is None or known > self.path.stat().st_size:
            self.end, self.lines = 0, cdxj.Lines([])
        else:
            self.end, self.lines = known, cdxj.Lines(cdxj.load(self._cdxj))

    def catch_up(self, *, forgive_torn_tail: bool) -> None:
        """Read what was added to the WARC file."""
        for offset, length, content in walk(self.path, self.end, forgive_torn_tail=forgive_torn_tail):
            record = outcome_at(self.path, Place(self.number, offset, length), content)
            if record is not None and record.response is not None:
                self.add(record.response, record.kind, record.digest, record.place)
            self.end = offset + length

    def add(self, response: Response, kind: Kind, digest: str, place: Place) -> None:
        if kind in ("response", "revisit"):
            self.lines.add(cdxj.line(response, kind, digest, place, self.path.name))

    def finish(self, end: int) -> None:
        """Write the CDXJ file, which covers the WARC file up to `end`."""
        with full_disk_told(self._cdxj):
            self.lines.write(self._cdxj, self.path.name, end)


def outcome_at(path: Path, place: Place, content: bytes) -> Record | None:
    """What a record tells; one that is whole and yet makes no sense is damage."""
    try:
        return decode.outcome(content, place)
    except (ValueError, KeyError) as error:
        raise damaged(path, place.offset, f"{error}") from None


class Catalogue:
    """All files of a folder, each finished or growing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._finished: dict[int, cdxj.SortedFile] = {}
        self._growing: dict[int, Growing] = {}
        self._last = 0

    def refresh(self) -> Position:
        """Take up what came since and say where the archive ends now: another process may be writing."""
        numbers = files.numbers(self._folder)
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

    def mend(self) -> Growing | None:
        """Finish every file but the last, and give the last to write on; None if there is none yet."""
        numbers = files.numbers(self._folder)
        for number in numbers[:-1]:
            self._take(number, last=False)
            if number in self._growing:
                self._growing[number].finish(self._growing[number].end)
                self.settle(number)
        return self.grow(numbers[-1]) if numbers else None

    def grow(self, number: int) -> Growing:
        """The last file, which this process writes."""
        growing = self._growing[number] = Growing(self._folder, number)
        growing.catch_up(forgive_torn_tail=True)
        return growing

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
            self._growing[number] = Growing(self._folder, number)
        self._growing[number].catch_up(forgive_torn_tail=last)

    def captures(self, url: str) -> list[Capture]:
        """Every capture of exactly this URL, by time."""
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
