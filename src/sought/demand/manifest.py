"""Which files are the log?  Those that one small file names; whoever replaces that file has changed the log.

`format` says how the log is written.  A later format is refused, and so is a field that nobody knows: what is not
understood would be lost with the next write.  Format 1 had no number, and called the revision `version`.
"""

from pathlib import Path
from typing import Any

import msgspec

from sought.demand.disk import write_through
from sought.demand.frames import Kind
from sought.web.errors import BadInput, CrawlDamaged

FORMAT = 2
_FILE = "manifest.json"


class Segment(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An immutable Parquet file; `oldest` and `newest` are times of searches or events (tallies have none)."""

    name: str
    kind: Kind
    oldest: float | None
    newest: float | None = None  # of old logs not known


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Segments in the order in which they were written, and the file that takes live searches.

    Each write of it adds 1 to `revision`.
    """

    revision: int = 0
    segments: tuple[Segment, ...] = ()
    live: str = "live-0.jsonl"
    format: int = FORMAT


def read_manifest(folder: Path) -> Manifest:
    path = folder / _FILE
    try:
        data = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
        format_ = msgspec.convert(data.get("format", 1), int)
        if format_ == 1:
            data["revision"] = data.pop("version", 0)
        if format_ <= FORMAT:
            return msgspec.convert(data | {"format": FORMAT}, Manifest)
    except FileNotFoundError:
        return Manifest()
    except (msgspec.MsgspecError, RecursionError) as error:
        raise CrawlDamaged(f"cannot use {path}: {error}; put it back from a backup") from None
    raise BadInput(
        f"{path} was written by a newer version of sought (format {format_}, this one reads up to {FORMAT}): "
        "install that version or a later one"
    )


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Replace it at once; on disk when this returns."""
    new = folder / f"{_FILE}.new"
    write_through(new, msgspec.json.encode(manifest))
    new.rename(folder / _FILE)
