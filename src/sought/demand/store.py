"""How is the log stored, so that many processes can write, any can be killed, and readers never wait?

    manifest.json         names the files below that are the log
    000007-searches.parquet, 000008-events.parquet, 000009-tallies.parquet       never changed once named
    live-6.jsonl          the newest searches and events
    staging-*/            unfinished writes
    lock                  held briefly during a write

Invariant: whatever the manifest names is complete.  Everything else is left over from a killed process and removed by
the next write.
"""

import fcntl
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import polars as pl
from msgspec import structs

from sought.demand import live
from sought.demand.disk import PRIVATE_FOLDER, open_private, restrict_access
from sought.demand.frames import SCHEMAS, RowKind, frame
from sought.demand.manifest import Manifest, Segment, has_manifest, read_manifest, unusable, write_manifest
from sought.demand.rows import Event, Search
from sought.demand.staging import Staging, sweep
from sought.web.errors import CrawlBusy

_ROLL = 8 << 20  # bytes of live rows after which they become a segment
_ATTEMPTS = 20

Result = TypeVar("Result")
Choose = Callable[[RowKind, pl.DataFrame], pl.DataFrame]


class LogStore:
    """The files of one log."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tightened = False

    @contextmanager
    def locked(self) -> Iterator[Manifest]:
        """Hold the writers' lock; the system releases the lock of a killed process."""
        self.folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        if not self._tightened:
            restrict_access(self.folder)
            self._tightened = True
        if (self.folder / "lock").is_dir():
            raise unusable(self.folder / "lock", "it is a directory")
        with open(self.folder / "lock", "a", opener=open_private) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            manifest = read_manifest(self.folder)
            if not has_manifest(self.folder):
                write_manifest(self.folder, manifest)  # from now on, a missing manifest is damage
            yield manifest

    @contextmanager
    def staging(self) -> Iterator[Staging]:
        with self.locked() as manifest:
            sweep(self.folder, _names(manifest))
            staging = Staging(self.folder)
        try:
            yield staging
        finally:
            staging.close()

    def append(self, rows: Sequence[Search | Event]) -> None:
        with self.locked() as manifest:
            size = live.append(self.folder / manifest.live, rows)
        if size > _ROLL:
            self.roll()

    def roll(self) -> None:
        """Turn the live rows into segments."""
        with self.staging() as staging, self.locked() as manifest:
            for kind, rows in live.frames(self.folder / manifest.live).items():
                staging.write(kind, rows)
            emptied = structs.replace(manifest, live=f"live-{manifest.revision + 1}.jsonl")
            self._set_segments(emptied, staging, [*manifest.segments, *staging.parts])

    def commit(self, staging: Staging) -> None:
        """Make all rows of a finished staging visible at once."""
        with self.locked() as manifest:
            self._set_segments(manifest, staging, [*manifest.segments, *staging.parts])

    def rewrite(self, which: Callable[[Segment], bool], chosen: Choose) -> int:
        """Keep only the chosen rows of some segments; returns how many were removed.  They are then gone from disk."""

        def work(manifest: Manifest) -> int:
            segments = [segment for segment in manifest.segments if which(segment)]
            return self._rewrite(segments, chosen) if segments else 0

        return self._with_retry(work)

    def _rewrite(self, segments: list[Segment], chosen: Choose) -> int:
        removed = 0
        with self.staging() as staging:
            replacements: dict[Segment, list[Segment]] = {}
            for segment in segments:
                before = self._read(segment)
                after = chosen(segment.kind, before)
                if len(after) < len(before):
                    removed += len(before) - len(after)
                    replacements[segment] = staging.write(segment.kind, after)
            if not removed:
                return 0
            with self.locked() as manifest:
                if not replacements.keys() <= set(manifest.segments):
                    raise FileNotFoundError(self.folder)  # another process rewrote them meanwhile
                self._set_segments(
                    manifest, staging, [new for old in manifest.segments for new in replacements.get(old, [old])]
                )
        return removed

    def read(self, kind: RowKind, columns: list[str] | None = None) -> list[pl.DataFrame]:
        """Every row of a kind, segment by segment in the order of writing."""
        names = columns or list(SCHEMAS[kind])

        def work(manifest: Manifest) -> list[pl.DataFrame]:
            new = live.frames(self._live_file(manifest)).get(kind, frame(kind, []))
            written = [self._read(segment, names) for segment in manifest.segments if segment.kind is kind]
            return [*written, new.select(names)]

        return self._with_retry(work)

    def live_lines(self) -> list[Search | Event | None]:
        """Rows not yet in a segment; None for an unreadable line, which will be dropped."""
        return self._with_retry(lambda manifest: live.lines(self._live_file(manifest)))

    def clock(self, now: float) -> float:
        """`now`, or the time of the last segment if that is later: the clock may have been set back."""

        def work(manifest: Manifest) -> float:
            return max([now, *((self.folder / each.name).stat().st_mtime for each in manifest.segments)])

        return self._with_retry(work)

    def _with_retry(self, work: Callable[[Manifest], Result]) -> Result:
        """Call `work` with the manifest; again, if another process has just replaced some of its files."""
        for _ in range(_ATTEMPTS):
            manifest = read_manifest(self.folder)
            try:
                return work(manifest)
            except FileNotFoundError as error:
                if read_manifest(self.folder).revision == manifest.revision:
                    raise unusable(Path(error.filename or self.folder), "it is missing") from None
        raise CrawlBusy(f"{self.folder} is being rewritten all the time; try again later")

    def _live_file(self, manifest: Manifest) -> Path:
        path = self.folder / manifest.live
        if path.is_dir():
            raise unusable(path, "it is a directory")
        if not path.exists() and read_manifest(self.folder).revision != manifest.revision:
            raise FileNotFoundError(path)  # rolled meanwhile
        return path

    def _read(self, segment: Segment, columns: list[str] | None = None) -> pl.DataFrame:
        return read_segment(self.folder, segment, columns)

    def _set_segments(self, manifest: Manifest, staging: Staging, order: list[Segment]) -> None:
        """Make these the segments of the log; segments of the staging are moved and named."""
        revision = manifest.revision + 1
        named = []
        for segment in order:
            if segment in staging.parts:
                name = f"{revision:06}-{segment.name}"
                (staging.folder / segment.name).rename(self.folder / name)
                segment = structs.replace(segment, name=name)
            named.append(segment)
        after = Manifest(revision, tuple(named), manifest.live)
        write_manifest(self.folder, after)
        sweep(self.folder, _names(after))


def read_segment(folder: Path, segment: Segment, columns: list[str] | None = None) -> pl.DataFrame:
    """The rows of a segment.  The checksum is compared first: polars aborts the process on some damaged files."""
    path = folder / segment.name
    try:
        data = path.read_bytes()
        if segment.crc is not None and zlib.crc32(data) != segment.crc:
            raise unusable(path, "its checksum does not match")
        return pl.read_parquet(io.BytesIO(data), columns=columns)
    except FileNotFoundError:
        raise
    except (pl.exceptions.PolarsError, OSError) as error:
        raise unusable(path, str(error)) from None


def _names(manifest: Manifest) -> list[str]:
    return [*(segment.name for segment in manifest.segments), manifest.live]
