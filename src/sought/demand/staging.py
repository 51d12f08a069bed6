"""How do many rows become visible at once?  They are staged in a folder that nobody reads until it is complete."""

import fcntl
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from sought.demand.disk import write_through
from sought.demand.frames import (
    SCHEMAS,
    RowKind,
    fold_tallies,
    frame,
    kind_of,
    latest_tallies,
    new_tallies,
    replaced_tallies,
    tally_lines,
)
from sought.demand.manifest import Segment
from sought.demand.rows import Row

_PREFIX = "staging-"
_ROWS = 100_000  # in memory at a time, and in a segment


class Staging:
    """The part files of one write.

    Its folder is locked while its process lives, so folders of killed processes can be recognised and removed.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder))
        self.parts: list[Segment] = []
        self._rows: dict[RowKind, list[Row]] = {kind: [] for kind in RowKind}
        self._tallies: list[Path] = []
        self._written = 0
        self._lock = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)

    def add(self, row: Row) -> None:
        kind = kind_of(row)
        self._rows[kind].append(row)
        if len(self._rows[kind]) >= _ROWS:
            self._flush(kind)

    def finish(self, known: dict[RowKind, pl.DataFrame], since: float) -> None:
        """Write all rows that are not yet known to part files, and fold lines of tallies.

        Tallies that were no longer in force at `since` are left out.  So a dump that is imported every night needs
        space only for its new rows.
        """
        for kind in RowKind:
            self._flush(kind)
        for part in self.parts.copy():
            self._drop_known(part, known[part.kind])
        if self._tallies:
            tallies = new_tallies(fold_tallies(pl.scan_parquet(self._tallies)), known[RowKind.TALLIES])
            replaced = replaced_tallies(latest_tallies([known[RowKind.TALLIES], tallies]), since)
            self.write(RowKind.TALLIES, tallies.join(replaced, on=replaced.columns, how="anti", maintain_order="left"))

    def _drop_known(self, part: Segment, known: pl.DataFrame) -> None:
        rows = pl.read_parquet(self.folder / part.name)
        new = rows.join(known, on=known.columns, how="anti", maintain_order="left")
        if len(new) < len(rows):
            self.parts.remove(part)
            self.write(part.kind, new)

    def write(self, kind: RowKind, rows: pl.DataFrame) -> list[Segment]:
        """Write one more part file, none if there are no rows; it is on disk when this returns."""
        if rows.is_empty():
            return []
        self._written += 1
        name = f"{self._written:06}-{kind}.parquet"
        crc = _write(self.folder / name, rows.select(list(SCHEMAS[kind])))
        part = Segment(name, kind, *span(kind, rows), crc)
        self.parts.append(part)
        return [part]

    def _flush(self, kind: RowKind) -> None:
        rows, self._rows[kind] = self._rows[kind], []
        if not rows:
            return
        if kind is not RowKind.TALLIES:
            self.write(kind, frame(kind, rows))
            return
        lines = self.folder / f"lines-{len(self._tallies)}"
        _write(lines, tally_lines(rows))
        self._tallies.append(lines)


def span(kind: RowKind, rows: pl.DataFrame) -> tuple[float | None, float | None]:
    if kind is RowKind.TALLIES:
        return None, None
    times = rows["time"].to_numpy()
    return float(times.min()), float(times.max())


def _write(path: Path, rows: pl.DataFrame) -> int:
    """Write rows; returns the checksum of the file."""
    buffer = io.BytesIO()
    rows.write_parquet(buffer)
    write_through(path, buffer.getbuffer())
    return zlib.crc32(buffer.getbuffer())


def sweep(folder: Path, kept: Sequence[str]) -> None:
    """Remove stagings and unnamed segments of killed processes.  Call it under the lock."""
    for path in folder.iterdir():
        if path.name.startswith(_PREFIX):
            _remove_staging(path)
        elif path.name.endswith((".parquet", ".jsonl")) and path.name not in kept:
            path.unlink()


def _remove_staging(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    except BlockingIOError:
        pass  # its process lives
    finally:
        os.close(descriptor)
