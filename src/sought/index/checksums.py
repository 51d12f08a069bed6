"""Which files of a search index are damaged?  Tantivy writes a checksum at the end of each, but never checks it."""

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_END = struct.Struct("<II")  # length of the footer, and a magic number
_MARK = 1337
_WINDOW = 1 << 20


def damaged_files(folder: Path) -> Iterator[str]:
    """One line for each damaged file; nothing if there is no index."""
    meta = folder / "meta.json"
    if not meta.exists():
        return
    try:
        segments = [each["segment_id"].replace("-", "") for each in json.loads(meta.read_bytes())["segments"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        yield f"index/meta.json cannot be read: {error}"
        return
    for name in segments:
        for file in sorted(folder.glob(f"{name}.*")):
            if why := _problem(file):
                yield f"index/{file.name} {why}"


def _problem(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            size = stream.seek(-_END.size, 2)
            length, mark = _END.unpack(stream.read(_END.size))
            if mark != _MARK or length > size:
                return "is truncated or damaged"
            stream.seek(size - length)
            expected = json.loads(stream.read(length))["crc"]
            stream.seek(0)
            return "" if expected == _checksum(stream, size - length) else "is damaged: its checksum does not match"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"cannot be read: {error}"


def _checksum(file: IO[bytes], length: int) -> int:
    checksum = 0
    while length > 0 and (piece := file.read(min(_WINDOW, length))):
        checksum, length = zlib.crc32(piece, checksum), length - len(piece)
    return checksum
