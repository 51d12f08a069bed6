"""One record becomes one gzip member, in which no other seems to begin.

Behind damage the next record is looked for by the first bytes of a member.  A page may hold such bytes, and a whole
record behind them: what deflate cannot make smaller it stores as it is.  If such a page's own record were damaged, the
record that the page brought would be taken for one of the archive's.  So a member that holds these bytes anywhere but
at its start is written in stored blocks, and a block ends within every `1f 8b 08`: the head of the next block is
between.
"""

import struct
import zlib
from collections.abc import Iterator

from isal import isal_zlib

MAGIC = b"\x1f\x8b\x08\x00"  # deflate, no optional fields: every member this room writes
_GZIP = 31
_HEAD = MAGIC + bytes(5) + b"\xff"
_SPLIT, _KEPT = MAGIC[:3], 2
_BLOCK = 0x7000  # bytes; of heads of blocks so short no byte but the first is 1f or 8b, or follows one


def packed(content: bytes, level: int) -> bytes:
    """The member.  It is as small as `level` makes it, but for the few that have to be stored."""
    member: bytes = isal_zlib.compress(content, level, _GZIP)
    return member if member.find(MAGIC, 1) < 0 else _stored(content)


def _stored(content: bytes) -> bytes:
    blocks = list(_blocks(content))
    parts = [_HEAD]
    for number, block in enumerate(blocks, 1):
        parts += [struct.pack("<BHH", number == len(blocks), len(block), len(block) ^ 0xFFFF), block]
    parts.append(struct.pack("<II", zlib.crc32(content), len(content) & 0xFFFFFFFF))
    return b"".join(parts)


def _blocks(content: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(content):
        found = content.find(_SPLIT, start, start + _BLOCK)
        stop = min(found + _KEPT if found >= 0 else start + _BLOCK, len(content))
        yield content[start:stop]
        start = stop
