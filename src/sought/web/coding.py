"""How are content codings decoded, within a bound?

RFC 9110 §8.4.1 names gzip and deflate, RFC 7932 br, RFC 8878 zstd.  A decompression bomb costs `limit` bytes of memory
and the time to fill them.
"""

from collections.abc import Callable, Iterator
from typing import Any

import brotli
from isal import isal_zlib

from sought.web import zstd
from sought.web.message import Failure

MAX_CODINGS = 3
MAX_MEMBERS = 1000
_SLICE = 65536
_ZSTD_OPTIONS: dict[int, int] = {
    zstd.DecompressionParameter.window_log_max: 23
}  # 8 MB; RFC 9659: the most a server may ask of a client


class CodingError(ValueError):
    """A body that cannot be decoded; `start` is the part that could be."""

    def __init__(self, failure: Failure, detail: str, start: bytes = b"") -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail
        self.start = start


def decoded(raw: bytes, encoding: str, limit: int) -> bytes:
    """`raw` with the codings of a Content-Encoding header undone; raises CodingError beyond `limit` bytes."""
    codings = [name for name in (part.strip().lower() for part in encoding.split(",")) if name not in ("", "identity")]
    if len(codings) > MAX_CODINGS:
        raise CodingError(Failure.CODING, f"more than {MAX_CODINGS} content codings")
    for coding in reversed(codings):
        decoder = _DECODERS.get(coding)
        if decoder is None:
            raise CodingError(Failure.CODING, f"unknown content coding {coding[:40]!r}")
        raw = _decode(decoder, raw, limit) if raw else raw
    if len(raw) > limit:
        raise CodingError(Failure.EXPANSION, f"more than {limit} bytes", raw[:limit])
    return raw


Decoder = Callable[[bytes, int], Iterator[bytes]]


def _decode(decoder: Decoder, raw: bytes, limit: int) -> bytes:
    parts: list[bytes] = []
    size = 0
    try:
        for part in decoder(raw, limit + 1):
            parts.append(part)
            size += len(part)
            if size > limit:
                raise CodingError(Failure.EXPANSION, f"more than {limit} bytes decoded", b"".join(parts)[:limit])
    except _DAMAGE_ERRORS as error:
        raise CodingError(Failure.CODING, str(error)[:200], b"".join(parts)) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


class _DamagedError(Exception):
    """The compressed data ends early, or has an absurd number of members."""


# Any: the type stubs of isal take its error class for a value.
_DAMAGE_ERRORS: tuple[Any, ...] = (_DamagedError, isal_zlib.IsalError, brotli.error, zstd.ZstdError)


def _gzip(raw: bytes, limit: int) -> Iterator[bytes]:
    yield from _inflated(raw, limit, 31)


def _deflate(raw: bytes, limit: int) -> Iterator[bytes]:
    # The standard says zlib format; many servers send the bare stream. The two header bytes show which.
    zlib_format = len(raw) >= 2 and raw[0] & 0x0F == 8 and (raw[0] << 8 | raw[1]) % 31 == 0
    yield from _inflated(raw, limit, 15 if zlib_format else -15)


def _inflated(raw: bytes, limit: int, format_bits: int) -> Iterator[bytes]:
    """Fed in slices: the decompressor copies the rest after each member, and a million empty ones must stay linear."""
    stream = isal_zlib.decompressobj(wbits=format_bits)
    members = 1
    for start in range(0, len(raw), _SLICE):
        data = raw[start : start + _SLICE]
        while data:
            if stream.eof:
                if format_bits != 31 or not data.startswith(b"\x1f"):
                    return  # padding and garbage after the end: browsers ignore it
                members += 1
                if members > MAX_MEMBERS:
                    raise _DamagedError(f"more than {MAX_MEMBERS} gzip members")
                stream = isal_zlib.decompressobj(wbits=format_bits)
            yield stream.decompress(data, limit)
            data = stream.unused_data
    if not stream.eof:
        raise _DamagedError("compressed data ends early")


def _brotli(raw: bytes, limit: int) -> Iterator[bytes]:
    stream = brotli.Decompressor()
    yield stream.process(raw, output_buffer_limit=limit)
    while not stream.can_accept_more_data():
        yield stream.process(b"", output_buffer_limit=limit)
    if not stream.is_finished():
        raise _DamagedError("compressed data ends early")


def _zstd(raw: bytes, limit: int) -> Iterator[bytes]:
    """Frame by frame, in slices as in `_inflated`."""
    stream = zstd.ZstdDecompressor(options=_ZSTD_OPTIONS)
    frames = 1
    for start in range(0, len(raw), _SLICE):
        data = raw[start : start + _SLICE]
        while data or not (stream.eof or stream.needs_input):
            if stream.eof:
                frames += 1
                if frames > MAX_MEMBERS:
                    raise _DamagedError(f"more than {MAX_MEMBERS} zstd frames")
                stream = zstd.ZstdDecompressor(options=_ZSTD_OPTIONS)
            yield stream.decompress(data, limit)
            data = stream.unused_data
    if not stream.eof:
        raise _DamagedError("compressed data ends early")


_DECODERS: dict[str, Decoder] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
