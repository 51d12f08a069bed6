"""Which files of a search index are damaged?  Tantivy ends each with its checksum, and never looks at it by itself."""

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

_END = struct.Struct("<II")  # how long the footer is, and a mark
_MARK = 1337
_WINDOW = 1 << 20


def damaged_files(folder: Path) -> Iterator[str]:
    """One line for each file that is not as it was written; nothing if there is no index."""
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
            if why := _wrong(file):
                yield f"index/{file.name} {why}"


def _wrong(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            size = opened.seek(-_END.size, 2)
            length, mark = _END.unpack(opened.read(_END.size))
            if mark != _MARK or length > size:
                return "is cut or damaged"
            opened.seek(size - length)
            told = json.loads(opened.read(length))["crc"]
            opened.seek(0)
            return "" if told == _checksum(opened, size - length) else "is damaged: its checksum is another"
    except (OSError, ValueError, KeyError, TypeError) as error:
        return f"cannot be read: {error}"


def _checksum(file: IO[bytes], length: int) -> int:
    found = 0
    while length > 0 and (piece := file.read(min(_WINDOW, length))):
        found, length = zlib.crc32(piece, found), length - len(piece)
    return found
