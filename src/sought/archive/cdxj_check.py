"""Which CDXJ files disagree with their WARC files?  Checked while all records are read anyway."""

from pathlib import Path

from sought.archive import cdxj, files
from sought.archive.record import Position, Record


class CdxjCheck:
    """Takes every record of an archive in order; `wrong` are the numbers of files whose CDXJ must be rewritten."""

    def __init__(self, folder: Path) -> None:
        self.wrong: set[int] = set()
        self._folder = folder
        self._number, self._lines = 0, list[tuple[int, bytes]]()

    def add(self, record: Record) -> None:
        place, response = record.place, record.response
        if place.file != self._number:
            self._compare()
            self._number = place.file
        if response is not None and record.kind in ("response", "revisit"):
            name = files.warc_name(place.file)
            self._lines.append((place.offset, cdxj.line(response, record.kind, record.digest, place, name)))

    def finish(self, end: Position) -> list[int]:
        """Call after the last record; the CDXJ of the file being written may cover less."""
        self._compare()
        for number in files.present(self._folder):
            path, size = files.cdxj_path(self._folder, number), files.warc_path(self._folder, number).stat().st_size
            covered_bytes = cdxj.covered(path, files.warc_name(number))
            if (number != end.file and covered_bytes != size) or (covered_bytes is None and path.exists()):
                self.wrong.add(number)
        return sorted(self.wrong)

    def _compare(self) -> None:
        path, name = files.cdxj_path(self._folder, self._number), files.warc_name(self._number)
        covered_bytes = cdxj.covered(path, name) if self._number else None
        if covered_bytes is not None:
            lines = sorted(line for offset, line in self._lines if offset < covered_bytes)
            if lines != cdxj.load(path):
                self.wrong.add(self._number)
        self._lines = []
