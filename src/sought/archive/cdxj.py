"""Where are the captures of a URL?  One sorted CDXJ file per finished WARC file, as pywb reads them.

    com,example)/path 20240131120000 {"url":…,"mime":…,"status":…,"digest":…,"length":…,"offset":…,"filename":…,…}

The key is the SURT form of the URL ("sort-friendly URI reordering transform"): `http://www.example.com/A/?b=1&a=2` has
the key `com,example)/a?a=2&b=1`, so a host's pages are neighbours.  The rules are those of the `surt` package that pywb
uses (lower case, no `www.`, sorted parameters, no trailing slash, one level of escaping); canonical URLs have no
session identifiers.  Different URLs may share a key: the line contains the URL itself.

`time` is an addition: the same instant to the microsecond.  The first line, `!meta {"filename":…,"size":…}`, says how
much of the WARC file the lines cover, and sorts before any key.  A lookup is a binary search in the mapped file.
"""

import mmap
import os
import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote, unquote_to_bytes

import msgspec

from sought.archive.fields import date
from sought.archive.record import Capture, Kind, Place
from sought.web.message import Response

_REVISIT = "warc/revisit"


class _Fields(msgspec.Struct):
    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str
    time: str


class _Meta(msgspec.Struct):
    filename: str
    size: int


_decode_fields = msgspec.json.Decoder(_Fields).decode
_encode = msgspec.json.Encoder().encode


def line(response: Response, kind: Kind, digest: str, place: Place, filename: str) -> bytes:
    """The line of a response or revisit, without a line break."""
    mime = _REVISIT if kind == "revisit" else _mime(response)
    when = date(response.time)
    stamp = f"{when[:4]}{when[5:7]}{when[8:10]}{when[11:13]}{when[14:16]}{when[17:19]}"
    fields = _Fields(
        response.url,
        mime,
        str(response.status),
        digest.removeprefix("sha1:"),
        str(place.length),
        str(place.offset),
        filename,
        f"{response.time:.6f}",
    )
    return f"{surt_key(response.url)} {stamp} ".encode() + _encode(fields)


def _mime(response: Response) -> str:
    """The server's media type, unless it is invalid or would look like a revisit."""
    mime = response.media_type
    return mime if mime and mime.isascii() and len(mime) < 100 and mime != _REVISIT else "unk"


def prefix(url: str) -> bytes:
    """The prefix of the lines of a URL."""
    return surt_key(url).encode() + b" "


def capture(text: bytes, url: str, file: int) -> Capture | None:
    """The capture in a line; None if it is of another URL.  Raises ValueError or IndexError if it is damaged."""
    fields = _decode_fields(text.split(b" ", 2)[2])
    if fields.url != url:
        return None
    kind: Kind = "revisit" if fields.mime == _REVISIT else "response"
    return Capture(float(fields.time), kind, Place(file, int(fields.offset), int(fields.length)))


class Lines:
    """The lines of a growing file.  Sorted on demand: sorting a sorted list with a new tail is cheap."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines, self._sorted = lines, False

    def add(self, text: bytes) -> None:
        self._lines.append(text)
        self._sorted = False

    def _sort(self) -> None:
        if not self._sorted:
            self._lines.sort()
            self._sorted = True

    def starting(self, start: bytes) -> Iterator[bytes]:
        self._sort()
        for index in range(bisect_left(self._lines, start), len(self._lines)):
            if not self._lines[index].startswith(start):
                return
            yield self._lines[index]

    def write(self, path: Path, filename: str, size: int) -> None:
        """Replace the file at `path` atomically."""
        self._sort()
        part = path.with_suffix(".part")
        if path.is_dir():
            path.rename(path.with_name(f"{path.name}.damaged"))
        try:
            with part.open("wb") as file:
                file.write(b"!meta " + _encode(_Meta(filename, size)) + b"\n")
                file.writelines(text + b"\n" for text in self._lines)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except OSError:
            part.unlink(missing_ok=True)
            raise


class SortedFile:
    """A finished CDXJ file, memory-mapped."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def starting(self, start: bytes) -> Iterator[bytes]:
        at = self._first_not_below(start)
        while self._map[at : at + len(start)] == start:
            end = self._map.find(b"\n", at)
            yield self._map[at:end]
            at = end + 1

    def _first_not_below(self, start: bytes) -> int:
        """Offset of the first line not below `start`.  Invariant: low and high are starts of lines."""
        low, high = 0, len(self._map)
        while low < high:
            middle = self._map.rfind(b"\n", low, (low + high) // 2) + 1 or low
            if self._map[middle : middle + len(start)] < start:
                low = self._map.find(b"\n", middle) + 1 or len(self._map)
            else:
                high = middle
        return low

    def close(self) -> None:
        self._map.close()


def covered(path: Path, filename: str) -> int | None:
    """How many bytes of the WARC file the CDXJ file covers; None if it is missing or unusable."""
    try:
        with path.open("rb") as file:
            first = file.readline(1000)
            file.seek(-1, os.SEEK_END)
            ends_well = file.read(1) == b"\n"
        meta = msgspec.json.decode(first.removeprefix(b"!meta "), type=_Meta)
    except (OSError, msgspec.DecodeError):
        return None
    if not first.startswith(b"!meta "):
        return None
    return meta.size if ends_well and meta.filename == filename else None


def load(path: Path) -> list[bytes]:
    """The lines of a CDXJ file."""
    return path.read_bytes().splitlines()[1:]


def captured(path: Path, filename: str) -> Iterator[tuple[str, int]]:
    """URL and offset of each readable capture in a CDXJ file."""
    for text in load(path) if covered(path, filename) is not None else ():
        try:
            fields = _decode_fields(text.split(b" ", 2)[2])
            yield fields.url, int(fields.offset)
        except (IndexError, ValueError):  # msgspec's errors are ValueErrors
            continue


_WWW = re.compile(r"^www\d*\.")
_PLAIN = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"


def surt_key(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if not rest:
        return url.lower()
    authority, _, path = rest.partition("/")
    path, _, query = path.partition("?")
    if "%" in path or "//" in path or path.startswith("/"):
        path = _normalised(path)
    text = f"{_reversed(scheme, authority)})/{path.removesuffix('/').lower()}"
    return f"{text}?{_sorted(query)}" if query else text


@lru_cache(maxsize=4096)
def _reversed(scheme: str, authority: str) -> str:
    host, _, port = authority.lower().partition("]:" if authority.startswith("[") else ":")
    host = _WWW.sub("", host.strip("[]"), count=1)
    name = ",".join(reversed(host.split(".")))
    return name if port in ("", {"http": "80", "https": "443"}.get(scheme)) else f"{name}:{port}"


def _sorted(query: str) -> str:
    if "%" in query:
        query = _unescaped(query)
    parameters = query.lower().split("&")
    if len(parameters) > 1:
        parameters.sort(key=lambda parameter: parameter.split("=", 1))
    return "&".join(parameters)


def _normalised(path: str) -> str:
    kept: list[str] = []
    parts = _unescaped(path).split("/")
    for part in parts[:-1]:
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return "/".join([*kept, parts[-1]])


def _unescaped(text: str) -> str:
    """Unescape until nothing changes, then escape the few characters that must be."""
    data = text.encode()
    while (plain := unquote_to_bytes(data)) != data:
        data = plain
    return quote(data, safe=_PLAIN)
