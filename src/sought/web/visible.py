"""What does a run of source text look like?  White space collapsed, character references resolved."""

import re
from html import unescape
from html.entities import html5

import numpy as np

from sought.web.compiled import Int, compiled
from sought.web.tags import word
from sought.web.tokens import Bytes, Ints, is_letter

OUT, SPACED = range(2)  # the first counters of a pass: bytes written, and whether the last of them was a space
AMP, HASH, SEMICOLON = b"&#;"
NO_BYTE = 256

_MAX_REFERENCES = 300_000  # rare character references that are resolved; beyond, all stay as they are
_MAX_VALUE = 32_768  # bytes of an attribute
_REFERENCES = np.array([word(name) for name in ("lt", "gt", "amp", "quot", "nbsp", "apos")], np.uint64)
_REFERENT = np.array([60, 62, 0, 34, 32, 39])
_OTHER, _SPACE, _ODD = np.arange(3, dtype=np.uint64)
_CLASS = np.array(
    [_SPACE if c <= 32 else _ODD if c in b"<&\xc2\xe1\xe2\xe3" else _OTHER for c in range(256)], np.uint64
)
_REPLACEMENT = 0xFFFD


def is_resolved(written: bytes) -> bool:
    return b"&" not in written and b"\0" not in written


def resolved(written: bytes) -> str:
    """Written text as a string, with the rarer character references; NUL is an `&` that is no more one of them."""
    text = written.decode("utf-8", "replace")
    if b"&" in written and written.count(b"&") <= _MAX_REFERENCES:
        text = " ".join(unescape(text).split())
    return text.replace("\0", "&") if b"\0" in written else text


# In an attribute a name without semicolon is one only at the end of a word: `?a=1&copy=2` has none.
_IN_ATTRIBUTE = re.compile(
    r"&(?:#(?:[0-9]{1,9}|[xX][0-9a-fA-F]{1,8})(?![0-9a-fA-F]);?|[A-Za-z][A-Za-z0-9]{1,31}(?:;|(?![A-Za-z0-9=])))"
)


def attribute(source: bytes) -> str:
    """The value of an attribute, without white space around it; nothing if it is longer than any that is meant."""
    if len(source) > _MAX_VALUE:
        return ""
    text = source.decode("utf-8", "replace")
    return (_IN_ATTRIBUTE.sub(_referent, text) if "&" in text else text).strip()


def _referent(found: re.Match[str]) -> str:
    reference = found[0]
    return unescape(reference) if reference[1] == "#" else html5.get(reference[1:], reference)


@compiled
def copy(data: Bytes, i: Int, end: Int, stop: Int, out: Bytes, now: Ints) -> Int:
    """Text goes out until the byte `stop`; where that stands.  No branch on white space: it comes too irregularly."""
    at: Int = np.uint64(now[OUT])  # unsigned, for compiled code looks whether a signed index is negative
    spaced: Int = np.uint64(now[SPACED])
    i, end, one = np.uint64(i), np.uint64(end), np.uint64(1)
    while i < end:
        c = data[i]
        kind: Int = _CLASS[c]
        if kind != _ODD:
            out[at] = np.uint8(32) if kind else c
            at += one - (kind & spaced)
            spaced = kind
            i += one
            continue
        if c == stop:
            break
        code, width = (
            _reference(data, np.int64(i), np.int64(end))
            if c == AMP
            else _beyond_ascii(data, np.int64(i), np.int64(end))
        )
        i += np.uint64(width)
        kind = np.uint64(code == 32)
        if code == _REPLACEMENT:
            out[at], out[at + one] = 0xEF, 0xBF
            at, code = at + one + one, np.int64(0xBD)
        out[at] = code
        at += one - (kind & spaced)
        spaced = kind
    now[OUT], now[SPACED] = np.int64(at), np.int64(spaced)
    return np.int64(i)


@compiled
def separate(out: Bytes, now: Ints) -> None:
    """What comes next is another word."""
    if not now[SPACED]:
        out[now[OUT]] = 32
        now[OUT] += 1
        now[SPACED] = 1


@compiled
def _beyond_ascii(data: Bytes, i: Int, end: Int) -> tuple[Int, Int]:
    """A space for the white space of Unicode (as Python has it), with its width; else the byte itself."""
    first, second, third = data[i], data[i + 1] if i + 1 < end else 0, data[i + 2] if i + 2 < end else 0
    if first == 0xC2 and (second == 0xA0 or second == 0x85):  # U+00A0, U+0085
        return np.int64(32), np.int64(2)
    general = first == 0xE2 and second == 0x80 and (0x80 <= third <= 0x8A or third in (0xA8, 0xA9, 0xAF))
    mathematical = first == 0xE2 and second == 0x81 and third == 0x9F
    other = (first == 0xE3 and second == 0x80 and third == 0x80) or (first == 0xE1 and second == 0x9A and third == 0x80)
    if general or mathematical or other:  # U+2000–200A, 2028, 2029, 202F; U+205F; U+3000, U+1680
        return np.int64(32), np.int64(3)
    return np.int64(first), np.int64(1)


@compiled
def _reference(data: Bytes, i: Int, end: Int) -> tuple[Int, Int]:
    """The byte a character reference stands for, and its width.

    An `&` that is text becomes NUL, which no text has, so that the references left to Python are resolved only once.
    A number too long for any character becomes U+FFFD: Python would raise.
    """
    next_ = data[i + 1] if i + 1 < end else 32
    if next_ == HASH:
        return _number(data, i, end)
    if not is_letter(next_):
        return np.int64(0), np.int64(1)
    name, shift, j = np.uint64(0), np.uint64(0), i + 1
    while j < end and j < i + 6 and data[j] != SEMICOLON:
        name |= np.uint64(data[j]) << shift
        shift += np.uint64(8)
        j += 1
    if j < end and data[j] == SEMICOLON:
        for k in range(len(_REFERENCES)):
            if name == _REFERENCES[k]:
                return np.int64(_REFERENT[k]), np.int64(j + 1 - i)
    return np.int64(AMP), np.int64(1)


@compiled
def _number(data: Bytes, i: Int, end: Int) -> tuple[Int, Int]:
    code: Int = np.int64(0)
    j = i + 2
    while j < end and 48 <= data[j] <= 57:
        code, j = min(code * 10 + np.int64(data[j]) - 48, np.int64(1 << 24)), j + 1
    if j - i <= 5 and j < end and data[j] == SEMICOLON and 32 <= code < 127:
        return np.int64(0 if code == AMP else code), np.int64(j + 1 - i)
    while j < end and (97 <= data[j] | 32 <= 102 or data[j] | 32 == 120 or 48 <= data[j] <= 57):
        j += 1
    if j - i > 11:
        return np.int64(_REPLACEMENT), np.int64(j - i + (j < end and data[j] == SEMICOLON))
    return np.int64(AMP), np.int64(1)
