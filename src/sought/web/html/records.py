"""How do links, titles, headings and metas get from compiled code to Python?  As records in a buffer.

A record is a few fields, each ended by a byte that UTF-8 does not have.
"""

import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, compiled, noinline
from sought.web.html.tags import (
    ALT,
    BASE,
    CONTENT,
    EQUIV,
    FRAME,
    HEADING,
    HREF,
    HTML,
    IMAGE,
    KIND,
    LANG,
    LINK,
    META,
    NAME,
    REL,
    SRC,
    TABLE,
    TITLE,
    TYPE,
    TYPED,
    XML_LANG,
    A,
)
from sought.web.html.tokens import Bytes, Ints
from sought.web.html.visible import OUT

Note = tuple[int, bytes, bytes]  # the kind of tag, and two values
Buffers = NDArray[np.uint8]

MAX_RECORDS = 20_000
_LONG_TYPE = 18  # bytes: types of feeds are longer, those of style sheets and pictures are not
_MAX_WORDS = 2_500  # bytes of the text of a link or heading
_FIELD_END, _RECORD_END = 0xFF, 0xFE
# Rows of the buffers of a pass: the text, the records of links, the notes.
TEXT, LINKS, NOTES = range(3)
# Counters of a pass.  For the open link: where its attribute values begin and end, and where its text begins; for the
# open heading: its kind and where its text begins; then the first six again, for a link without text.
IMAGES, TABLES, LINKS_SIZE, NOTES_SIZE, _RECORDS = range(2, 7)
LINK_OPEN, _HREF, _HREF_END, _REL, _REL_END, _ALT, _ALT_END, _WORDS, _HEADING, _HEADING_WORDS = range(7, 17)
_WORDLESS = 24 - _HREF  # offset of these six


def link_records(written: bytes) -> list[bytes]:
    """The records of all <a>, <area>, <frame> and <iframe> with a target."""
    return written.split(b"\xfe")[:-1]


def link_fields(record: bytes) -> tuple[bytes, bytes, bytes]:
    """Target, rel, and text or alternative text."""
    href, rel, words = record.split(b"\xff")
    return href, rel, words


def notes(written: bytes) -> list[Note]:
    """<link> (rel, href and type, href), <meta> (name, content); others have only the second value."""
    return [_note(record) for record in written.split(b"\xfe")[:-1]]


def _note(record: bytes) -> Note:
    word, _, value = record[1:].partition(b"\xff")
    return record[0], word, value


@compiled
def _append(source: Bytes, begin: Int, end: Int, mark: Int, out: Bytes, at: Int) -> Int:
    """Write a field and its end mark; return the end."""
    for i in range(begin, end):
        out[at] = source[i]
        at += 1
    out[at] = mark
    return at + 1


@compiled
def _words(buffers: Buffers, begin: Int, counters: Ints) -> tuple[Int, Int]:
    """The text written since `begin`, without white space around it."""
    end = min(counters[OUT], begin + _MAX_WORDS)
    if begin < end and buffers[TEXT, begin] == 32:
        begin += 1
    if begin < end and buffers[TEXT, end - 1] == 32:
        end -= 1
    return begin, end


@compiled
def _is_room(size: Int, used: Int, buffers: Buffers, counters: Ints) -> Bool:
    counters[_RECORDS] += 1
    return used + size + 4 <= buffers.shape[1] and counters[_RECORDS] <= MAX_RECORDS


@compiled
def end_link(data: Bytes, buffers: Buffers, counters: Ints) -> None:
    """Write the record of the open link, if there is one."""
    noinline()
    if counters[LINK_OPEN]:
        counters[LINK_OPEN] = 0
        begin, end = _words(buffers, counters[_WORDS], counters)
        _write_link(data, np.int64(0), begin, end, buffers, counters)


@compiled
def _write_link(data: Bytes, which: Int, begin: Int, end: Int, buffers: Buffers, counters: Ints) -> None:
    noinline()
    href, href_end, rel, rel_end = (
        counters[which + _HREF],
        counters[which + _HREF_END],
        counters[which + _REL],
        counters[which + _REL_END],
    )
    alt, alt_end = counters[which + _ALT], counters[which + _ALT_END]
    if _is_room(
        href_end - href + rel_end - rel + max(end - begin, alt_end - alt), counters[LINKS_SIZE], buffers, counters
    ):
        out = buffers[LINKS]
        at = _append(data, href, href_end, _FIELD_END, out, counters[LINKS_SIZE])
        at = _append(data, rel, rel_end, _FIELD_END, out, at)
        if begin < end:
            at = _append(buffers[TEXT], begin, end, _RECORD_END, out, at)
        else:
            at = _append(data, alt, alt_end, _RECORD_END, out, at)
        counters[LINKS_SIZE] = at


@compiled
def value(values: Ints, place: Int, serial: Int) -> tuple[Int, Int]:
    """Begin and end of an attribute's value; empty if the tag has no such attribute."""
    if values[place, 0] != serial:
        return np.int64(0), np.int64(0)
    return values[place, 1], values[place, 2]


@compiled
def _start_link(data: Bytes, kind: Int, values: Ints, serial: Int, buffers: Buffers, counters: Ints) -> None:
    """Start a link: <a> ends the open one; <area>, <frame> and <iframe> have no text and may be inside one."""
    noinline()
    which = np.int64(0 if kind == A else _WORDLESS)
    if kind == A:
        end_link(data, buffers, counters)
    counters[which + _HREF], counters[which + _HREF_END] = value(values, SRC if kind == FRAME else HREF, serial)
    counters[which + _REL], counters[which + _REL_END] = value(values, REL, serial)
    counters[which + _ALT], counters[which + _ALT_END] = value(values, ALT, serial)
    has_target = counters[which + _HREF] < counters[which + _HREF_END]
    if kind == A:
        counters[LINK_OPEN], counters[_WORDS] = has_target, counters[OUT]
    elif has_target:
        _write_link(data, which, np.int64(0), np.int64(0), buffers, counters)


@compiled
def write_note(
    kind: Int,
    data: Bytes,
    word_at: Int,
    word_end: Int,
    source: Bytes,
    begin: Int,
    end: Int,
    buffers: Buffers,
    counters: Ints,
) -> None:
    noinline()
    if (begin < end or kind == BASE) and _is_room(
        end - begin + word_end - word_at, counters[NOTES_SIZE], buffers, counters
    ):
        out, at = buffers[NOTES], counters[NOTES_SIZE]
        out[at] = kind
        at = _append(data, word_at, word_end, _FIELD_END, out, at + 1)
        counters[NOTES_SIZE] = _append(source, begin, end, _RECORD_END, out, at)


@compiled
def _take_note(data: Bytes, kind: Int, values: Ints, serial: Int, buffers: Buffers, counters: Ints) -> None:
    """Write the note of a <link>, <meta>, <base> or <html>."""
    noinline()
    word_at, word_end = value(values, NAME if kind == META else REL, serial)
    begin, end = value(values, CONTENT if kind == META else LANG if kind == HTML else HREF, serial)
    if kind == META and word_at == word_end:
        word_at, word_end = value(values, EQUIV, serial)
    if kind == HTML and begin == end:
        begin, end = value(values, XML_LANG, serial)
    if kind != BASE or values[HREF, 0] == serial:
        write_note(kind, data, word_at, word_end, data, begin, end, buffers, counters)
    if kind == LINK:
        word_at, word_end = value(values, TYPE, serial)
        if word_end - word_at > _LONG_TYPE:
            write_note(TYPED, data, word_at, word_end, data, begin, end, buffers, counters)


@compiled
def end_heading(data: Bytes, buffers: Buffers, counters: Ints) -> None:
    noinline()
    if counters[_HEADING]:
        begin, end = _words(buffers, counters[_HEADING_WORDS], counters)
        write_note(counters[_HEADING], data, 0, 0, buffers[TEXT], begin, end, buffers, counters)
        counters[_HEADING] = 0


@compiled
def record_element(data: Bytes, bits: Int, values: Ints, serial: Int, buffers: Buffers, counters: Ints) -> None:
    """Add a start tag to counts and records."""
    noinline()
    kind = bits & KIND
    if bits & HEADING:
        end_heading(data, buffers, counters)
    if kind == IMAGE:
        counters[IMAGES] += 1
        if counters[LINK_OPEN] and counters[_ALT] == counters[_ALT_END]:
            counters[_ALT], counters[_ALT_END] = value(values, ALT, serial)
    elif kind > TITLE:
        counters[_HEADING], counters[_HEADING_WORDS] = kind, counters[OUT]
    elif kind > FRAME and kind != TITLE:
        _take_note(data, kind, values, serial, buffers, counters)
    elif kind and kind != TITLE:
        _start_link(data, kind, values, serial, buffers, counters)
    elif bits & TABLE:
        counters[TABLES] += 1
