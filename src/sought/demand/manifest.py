"""Which files are the log?  Those named in one small file, which is replaced atomically.

`format` is the version of the log's format.  Later formats and unknown fields are refused, because the next write would
lose them.  Format 1 had no number, and called the revision `version`.
"""

from pathlib import Path
from typing import Any

import msgspec

from sought.demand.disk import write_through
from sought.demand.frames import RowKind
from sought.web.errors import BadInput, LogDamaged

FORMAT = 2
_FILE = "manifest.json"


class Segment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An immutable Parquet file; `oldest` and `newest` are times of searches or events (tallies have none)."""

    name: str
    kind: RowKind
    oldest: float | None
    newest: float | None = None  # unknown in old logs
    crc: int | None = None  # CRC-32 of the file; unknown in old logs


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Segments in the order in which they were written, and the file that takes live searches.

    Each write of it adds 1 to `revision`.
    """

    revision: int = 0
    segments: tuple[Segment, ...] = ()
    live: str = "live-0.jsonl"
    format: int = FORMAT


def read_manifest(folder: Path) -> Manifest:
    """An empty one if there is no log; raises LogDamaged if there are files of a log but no manifest."""
    path = folder / _FILE
    try:
        data = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        format_ = msgspec.convert(data.get("format", 1), int)
        if format_ == 1:
            data["revision"] = data.pop("version", 0)
        if format_ <= FORMAT:
            return msgspec.convert(data | {"format": FORMAT}, Manifest)
    except FileNotFoundError:
        if (folder / _FILE).is_symlink() or any(folder.glob("*.parquet")):
            raise unusable(folder / _FILE, "it is missing") from None
        return Manifest()
    except (msgspec.MsgspecError, RecursionError, OSError) as error:
        raise unusable(path, str(error)) from None
    raise BadInput(
        f"{path} was written by a newer version of sought (format {format_}, this one reads up to {FORMAT}): "
        "install that version or a later one"
    )


def has_manifest(folder: Path) -> bool:
    return (folder / _FILE).exists()


def unusable(path: Path, why: str) -> LogDamaged:
    """The error for an unusable file of a log in the folder of a crawl."""
    why = why.replace(str(path), path.name)
    what = f"{path.parent.name}/{path.name} cannot be used: {why}"
    remedy = f"put it back from a backup, or run 'sought check {path.parent.parent} --repair' to go on without it"
    return LogDamaged(what, f"cannot use {path}: {why}; {remedy}")


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace the manifest atomically; it is on disk when this returns."""
    new = folder / f"{_FILE}.new"
    write_through(new, msgspec.json.encode(manifest))
    new.rename(folder / _FILE)
