"""How are times, digests, headers and reasons written as fields of a record, and parsed?

Header text was decoded as UTF-8 with surrogate escapes, so the server's bytes are restored.  Characters that could end
a line (NUL, CR, LF) or split a name are replaced; well-formed headers are unchanged.
"""

import calendar
import hashlib
import math
import os
import re
import time as clock
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sought.web.errors import BadURL
from sought.web.message import Why

Headers = tuple[tuple[str, str], ...]

_WELL_FORMED = re.compile(r"(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+: [^\0\r\n]*\r\n)*")
_NOT_A_TOKEN = re.compile(r"[^!#$%&'*+\-.^_`|~0-9A-Za-z]")
_LINE_BREAKING = re.compile(r"[\0\r\n]")
_UNESCAPABLE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_PAIRS = [first + second for first in _BASE32 for second in _BASE32]
_SHIFTS = range(150, -1, -10)
_ADDRESS = re.compile(r"[!-~]+")


def checked_uri(uri: str) -> str:
    """The URI, if it has only printable ASCII and no spaces, as canonical URLs do; else BadURL."""
    if not _ADDRESS.fullmatch(uri):
        raise BadURL(f"an archive cannot store this URI; use printable ASCII without spaces: {uri[:200]!r}")
    return uri


def one_line(text: str) -> str:
    """Replace characters that would end the line by spaces."""
    return _LINE_BREAKING.sub(" ", text)


def encoded(text: str) -> bytes:
    """The bytes from which the text was decoded; other lone surrogates become U+FFFD."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return _UNESCAPABLE.sub("\ufffd", text).encode("utf-8", "surrogateescape")


def header_lines(headers: Sequence[tuple[str, str]]) -> str:
    lines = "".join([f"{name}: {value}\r\n" for name, value in headers])
    if _WELL_FORMED.fullmatch(lines):
        return lines
    return "".join([f"{_NOT_A_TOKEN.sub('_', name) or '_'}: {one_line(value)}\r\n" for name, value in headers])


def parsed_headers(lines: Iterable[str]) -> Headers:
    """Name and value of each line; lines without a colon are skipped."""
    split = [line.partition(":") for line in lines]
    return tuple([(name, value.strip(" \t")) for name, colon, value in split if colon])


def digest(data: bytes) -> str:
    """`sha1:` and 32 letters of base32 (RFC 4648), two at a time: the standard library takes twice as long."""
    number = int.from_bytes(hashlib.sha1(data, usedforsecurity=False).digest(), "big")
    return "sha1:" + "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


def record_id() -> str:
    """A random UUID (RFC 9562, version 4)."""
    h = os.urandom(16).hex()
    return f"<urn:uuid:{h[:8]}-{h[8:12]}-4{h[13:16]}-8{h[17:20]}-{h[20:]}>"


@lru_cache(maxsize=16)
def date(time: float) -> str:
    """`2024-01-31T12:00:00.123456Z` (WARC 1.1 allows fractions of a second); called several times per record."""
    seconds, micro = divmod(round(round(time, 6) * 1e6), 1_000_000)
    return f"{_date_of_second(seconds)}.{micro:06d}Z"


def instant(text: str) -> float:
    """Seconds since 1970 of a WARC date, with or without a fraction; raises ValueError."""
    second, _, fraction = text.removesuffix("Z").partition(".")
    micro = int((fraction + "000000")[:6])
    return (_second_of_date(second) * 1_000_000 + micro) / 1e6


@lru_cache(maxsize=16)
def _date_of_second(second: int) -> str:
    return clock.strftime("%Y-%m-%dT%H:%M:%S", clock.gmtime(second))


@lru_cache(maxsize=16)
def _second_of_date(text: str) -> int:
    return calendar.timegm(clock.strptime(text, "%Y-%m-%dT%H:%M:%S"))


def why_line(why: Why) -> str:
    """The line of a record.

    >>> why_line(Why(3, 0.25, 0.5, None, "new", "Worth()"))
    '3 0.25/0.5/nan/new Worth()'
    """
    expected = f"/{_number_text(why.expected)}/{_number_text(why.chance)}"
    if why.purpose:
        expected += f"/{why.purpose}"
    elif why.expected is why.chance is None:
        expected = ""
    return f"{why.rank} {why.value!r}{expected} {why.policy}"


def parsed_why(line: str) -> Why | None:
    """The inverse of `why_line`; None if the line has another form."""
    try:
        rank, numbers, policy = line.split(" ", 2)
        first, *others = numbers.split("/")
        expected, chance = (*map(float, others[:2]), math.nan, math.nan)[:2]
        return Why(int(rank), float(first), _optional(expected), _optional(chance), "".join(others[2:3]), policy)
    except ValueError:
        return None


def _number_text(number: float | None) -> str:
    return "nan" if number is None else repr(number)


def _optional(value: float) -> float | None:
    return None if math.isnan(value) else value
