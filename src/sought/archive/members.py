"""Which whole records does a file hold, and where does damage begin?

A record is one gzip member, so it can be read knowing its offset alone, and its checksum tells whether it is whole.
Damage has two shapes.  A *torn tail* is what a crash leaves: the last write did not get through.  Nothing finished lies
behind it, so it may be cut.  Anything else is damage in the middle: it stays as it is, and whoever reads on
(`whole_members`) goes on with the next whole record behind it.  A record never begins within another, whatever a page
holds (encode.py).
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from isal import isal_zlib

from sought.archive.encode import MAGIC, MAX_BLOCK
from sought.web.errors import CrawlDamaged

_WINDOW = 1 << 18
_PIECE = 1 << 14  # the decompressor copies the unused rest after each member: keep it short
_MAX_MEMBER = MAX_BLOCK + (1 << 24)
_NotDeflateError = cast("type[Exception]", isal_zlib.IsalError)  # its stub declares an instance


class Member(NamedTuple):
    """One decompressed record and its position."""

    offset: int
    length: int
    content: bytes


class TornError(Exception):
    """The bytes at `offset` are not a complete member."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset, self.reason = offset, reason


class _Source:
    """A file read in pieces; unused bytes can be given back."""

    def __init__(self, file: BinaryIO, start: int, stop: int) -> None:
        self.file, self.position, self.stop = file, start, stop
        self._window, self._at = b"", 0
        file.seek(start)

    def take(self) -> bytes:
        if self._at == len(self._window):
            left = self.stop - self.position
            self._window, self._at = self.file.read(min(_WINDOW, left)) if left > 0 else b"", 0
        piece = self._window[self._at : self._at + _PIECE]
        self._at += len(piece)
        self.position += len(piece)
        return piece

    def give_back(self, count: int) -> None:
        self._at -= count
        self.position -= count


OnDamage = Callable[[int, int, str], None]  # called with start, stop and reason of a damaged range


def whole_members(path: Path, start: int, on_damage: OnDamage) -> Iterator[Member]:
    """Every whole member from `start` on, to where the file ends now; `on_damage` is told of what lies between them."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        while start < size:
            try:
                source = _Source(file, start, size)
                while (member := _next(source)) is not None:
                    yield member
                return
            except TornError as torn:
                start = next((at for at in _starts(file, torn.offset + 1) if _holds_record(file, at, size)), size)
                on_damage(torn.offset, start, torn.reason)


def walk(path: Path, start: int, *, forgive_torn_tail: bool) -> Iterator[Member]:
    """Every whole member from `start` on, to where the file ends now; raises CrawlDamaged where one is not whole."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        if start > size:
            raise CrawlDamaged(
                f"{path} has {size} bytes, but records up to {start} are expected; restore it from a copy"
            )
        source = _Source(file, start, size)
        try:
            while (member := _next(source)) is not None:
                yield member
        except TornError as torn:
            if not (forgive_torn_tail and _is_tail(file, torn.offset, size)):
                raise damaged(path, torn.offset, torn.reason) from None


def read(path: Path, offset: int, length: int) -> Member:
    """The member at a known position."""
    try:
        with path.open("rb", buffering=0) as file:
            member = _next(_Source(file, offset, offset + length))
    except FileNotFoundError:
        raise CrawlDamaged(f"{path} is missing; restore it from a copy") from None
    except TornError as torn:
        raise damaged(path, offset, torn.reason) from None
    if member is None or member.length != length:
        raise damaged(path, offset, f"no record of {length} bytes")
    return member


def damaged(path: Path, offset: int, reason: str) -> CrawlDamaged:
    return CrawlDamaged(
        f"{path} is damaged at offset {offset} ({reason}); restore it from a copy, "
        "or, if it belongs to a crawl, run 'sought check DIR --repair'"
    )


def _next(source: _Source) -> Member | None:
    """The member at the source's position; None at the end of the file."""
    offset = source.position
    decoder = isal_zlib.decompressobj(wbits=31)
    piece = source.take()
    if not piece:
        return None
    if not piece.startswith(MAGIC[: len(piece)]):
        raise TornError(offset, "no record starts here")
    parts: list[bytes] = []
    size = 0
    while piece:
        try:
            parts.append(decoder.decompress(piece))
        except _NotDeflateError as error:
            raise TornError(offset, str(error)) from None
        size += len(parts[-1])
        if size > _MAX_MEMBER:
            raise TornError(offset, "larger than any record")
        if decoder.eof:
            source.give_back(len(decoder.unused_data))
            return Member(offset, source.position - offset, parts[0] if len(parts) == 1 else b"".join(parts))
        piece = source.take()
    raise TornError(offset, "the file ends within a record")


def _is_tail(file: BinaryIO, damage: int, size: int) -> bool:
    """Whether no complete record follows the damage.

    Also for a member that just ends: a flipped bit can make the decoder run on to the end of the file.
    """
    return not any(_holds_record(file, at, size) for at in _starts(file, damage + 1))


def _starts(file: BinaryIO, offset: int) -> Iterator[int]:
    """The offsets at which a member could start, from `offset` on."""
    overlap = len(MAGIC) - 1
    file.seek(offset)
    window = file.read(_WINDOW)
    while len(window) > overlap:
        at = window.find(MAGIC)
        while at >= 0:
            yield offset + at
            at = window.find(MAGIC, at + 1)
        offset += len(window) - overlap
        file.seek(offset)
        window = file.read(_WINDOW)


def _holds_record(file: BinaryIO, offset: int, size: int) -> bool:
    try:
        member = _next(_Source(file, offset, size))
    except TornError:
        return False
    return member is not None and member.content.startswith(b"WARC/")
