"""Which files are the log?  Those that one small file names; whoever replaces that file has changed the log."""

from pathlib import Path

import msgspec

from sought.demand.disk import write_through
from sought.demand.frames import Kind
from sought.web.errors import CrawlDamaged

_FILE = "manifest.json"


class Segment(msgspec.Struct, frozen=True):
    """An immutable Parquet file; `oldest` and `newest` are times of searches or events (tallies have none)."""

    name: str
    kind: Kind
    oldest: float | None
    newest: float | None = None  # of old logs not known
    crc: int | None = None  # CRC-32 of the file; of old logs not known


class Manifest(msgspec.Struct, frozen=True):
    """Segments in the order in which they were written, and the file that takes live searches."""

    version: int = 0
    segments: tuple[Segment, ...] = ()
    live: str = "live-0.jsonl"


def read_manifest(folder: Path) -> Manifest:
    """An empty one if there is no log; raises CrawlDamaged if there are files of a log and nothing names them."""
    try:
        return msgspec.json.decode((folder / _FILE).read_bytes(), type=Manifest)
    except FileNotFoundError:
        if (folder / _FILE).is_symlink() or any(folder.glob("*.parquet")):
            raise unusable(folder / _FILE, "it is missing") from None
        return Manifest()
    except (msgspec.MsgspecError, OSError) as error:
        raise unusable(folder / _FILE, str(error)) from None


def unusable(path: Path, why: str) -> CrawlDamaged:
    """A file of a log, which lies in the folder of a crawl."""
    remedy = f"put it back from a backup, or run 'sought check {path.parent.parent} --repair' to go on without it"
    return CrawlDamaged(f"cannot use {path}: {why}; {remedy}")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace it at once; on disk when this returns."""
    new = folder / f"{_FILE}.new"
    write_through(new, msgspec.json.encode(manifest))
    new.rename(folder / _FILE)
