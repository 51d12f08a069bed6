"""What is on this page?  One linear pass over its bytes; no tree is built, so no page can be slow.

1. Tokens are read as a browser reads them (`tokens`).
2. Visible text (`zones`) is written out, white space collapsed (`visible`).
3. Links with their text, titles, headings and metas are written out as records for Python (`records`).
4. The parts of the text in the zone of the main content are the main text (`zones`).
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import types

from sought.web.compiled import Int, cached, compiled, noinline, readable
from sought.web.html import (
    attributes,
    end_tags,
    foreign_tags,
    formatting,
    implied_end_tags,
    open_elements,
    records,
    start_tags,
    table_tags,
    tags,
    text_admission,
    tokens,
    visible,
    zones,
)
from sought.web.html.attributes import attribute_bits, is_shown
from sought.web.html.doctype import is_quirks
from sought.web.html.end_tags import end as end_element
from sought.web.html.foreign_tags import foreign_bits, is_html
from sought.web.html.formatting import rebuild, source_hash
from sought.web.html.open_elements import (
    BLOCK_CLOSED,
    CLOSED,
    HEADING_CLOSED,
    LINK_CLOSED,
    MAX_OPEN,
    QUIRKS,
    TEMPLATES,
    foreign,
    outer_zone,
    start_page,
    zone,
)
from sought.web.html.records import (
    IMAGES,
    LINKS,
    LINKS_SIZE,
    NOTES,
    NOTES_SIZE,
    TABLES,
    TEXT,
    Buffers,
    Note,
    end_heading,
    end_link,
    link_records,
    notes,
    record_element,
    write_note,
)
from sought.web.html.start_tags import MISPLACED, open_element, start
from sought.web.html.table_tags import AGAIN, EMPTY, IGNORED
from sought.web.html.tags import (
    FOREIGN,
    FORMATTING,
    HIDDEN,
    HTML,
    IMAGE,
    INLINE,
    KIND,
    NUMBER,
    PLACES,
    PLAIN,
    RAW,
    SCRIPT,
    SELF_CLOSING,
    SHADOW,
    SHADOW_MODE,
    TAGS,
    TITLE,
    number,
)
from sought.web.html.text_admission import admit_text, is_blank, is_foreign, leave_link
from sought.web.html.tokens import (
    BANG,
    DASH,
    GT,
    LT,
    QUESTION,
    SLASH,
    Bytes,
    Ints,
    behind_newline,
    cdata_end,
    comment_end,
    find_byte,
    is_letter,
    look_up,
    matches_at,
    raw_end,
    read_attributes,
    read_name,
)
from sought.web.html.visible import NO_BYTE, OUT, SPACED, copy, separate
from sought.web.html.zones import LIFELESS, MAX_PARTS, UNSEEN, main_text

MAX_TAGS, _MAX_TITLE = 1_000_000, 10_000  # of a page; bytes of source
REASONS = ("", "tags")
_REASON, _TAGS, _OUTSIDE, _TITLED, _PARTS, _RULES = range(17, 23)  # counters of a pass
_COUNTERS = 40
_TEMPLATE, _PRE, _LISTING = number("template"), number("pre"), number("listing")
_UNKNOWN_TAG, _MIX = np.uint64(1 << 63), np.uint64(tags.MIX)


@dataclass(frozen=True, slots=True)
class Markup:
    """The result of the pass: the text as written, its main part, and records."""

    text: bytes
    main: bytes
    links: list[bytes]
    notes: list[Note]
    images: int
    tables: int
    outside: int  # bytes that are not tags or comments
    refused: str

    def pairs(self, kind: int) -> list[tuple[bytes, bytes]]:
        return [(word, value) for its_kind, word, value in self.notes if its_kind == kind]

    def values(self, kind: int) -> list[bytes]:
        return [value for its_kind, _, value in self.notes if its_kind == kind]


def read(source: bytes) -> Markup:
    """Read HTML in UTF-8."""
    buffers, parts = np.empty((3, len(source) + 64), np.uint8), np.empty((len(source) // 3 + 2, 2), np.int64)
    counters, values = np.zeros(_COUNTERS, np.int64), np.full((PLACES, 3), -1)
    counters[SPACED], counters[QUIRKS] = 1, is_quirks(source)
    stack = np.empty((MAX_OPEN, open_elements.COLUMNS), np.int64)
    formats = np.empty((formatting.MAX_ROWS, formatting.COLUMNS), np.int64)
    _RUN(np.frombuffer(source, np.uint8), buffers, parts, values, stack, formats, counters)
    count = counters.tolist()
    text = buffers[TEXT, : count[OUT]].tobytes()
    return Markup(
        text,
        main_text(text, parts[: count[_PARTS]].tolist()) if count[_PARTS] <= MAX_PARTS else text,
        link_records(buffers[LINKS, : count[LINKS_SIZE]].tobytes()),
        notes(buffers[NOTES, : count[NOTES_SIZE]].tobytes()),
        count[IMAGES],
        count[TABLES],
        count[_OUTSIDE],
        REASONS[count[_REASON]],
    )


@compiled
def _text(
    data: Bytes, i: Int, end: Int, stop: Int, stack: Ints, formats: Ints, buffers: Buffers, parts: Ints, counters: Ints
) -> Int:
    """Take in text up to the byte `stop`; return its position.  In svg and math NUL is a character."""
    noinline()
    nul, blank = is_foreign(stack, counters), is_blank(data, i, end, stop)
    seen = admit_text(blank, stack, formats, counters)
    if not blank:
        leave_link(stack, counters)
    _finish_closed(data, buffers, counters)
    return _written(data, i, end, stop, seen, nul, False, stack, buffers, parts, counters)


@compiled
def _written(
    data: Bytes,
    i: Int,
    end: Int,
    stop: Int,
    admit_text: bool,
    nul: bool,
    literal: bool,
    stack: Ints,
    buffers: Buffers,
    parts: Ints,
    counters: Ints,
) -> Int:
    """Write text, if it is visible, and the zone it is in; return the position of the byte `stop`."""
    noinline()
    place, begin, before = zone(stack, counters), i, counters[OUT]
    if place >= UNSEEN or not admit_text:
        while i < end and data[i] != stop:
            i += 1
    else:
        i = copy(data, i, end, stop, nul, literal, buffers[TEXT], counters)
        last = counters[_PARTS] - 1
        if counters[OUT] > before and (last < 0 or parts[last, 1] != place):
            parts[last + 1, 0], parts[last + 1, 1] = before, place
            counters[_PARTS] += 1
    counters[_OUTSIDE] += i - begin
    return i


@compiled
def _raw(
    data: Bytes,
    i: Int,
    name_end: Int,
    end: Int,
    bits: Int,
    place: Int,
    values: Ints,
    stack: Ints,
    buffers: Buffers,
    parts: Ints,
    counters: Ints,
) -> Int:
    """Take in the content of a raw text element: the first title is recorded, most others are invisible."""
    noinline()
    stop = data.size if bits & PLAIN else raw_end(data, end, i + 1, name_end, bits & SCRIPT != 0)
    if not bits & HIDDEN:
        leave_link(stack, counters)
        _finish_closed(data, buffers, counters)
        return _written(data, end, stop, np.int64(NO_BYTE), True, True, True, stack, buffers, parts, counters)
    counters[_OUTSIDE] += stop - end
    if bits & KIND == TITLE and not counters[_TITLED] and place != LIFELESS:
        write_note(TITLE, data, 0, 0, data, end, min(stop, end + _MAX_TITLE), buffers, counters)
        counters[_TITLED] = 1
    if foreign(stack, counters) and stop < data.size:  # its end tag ends no element of svg that has its name
        stop = min(read_attributes(data, read_name(data, stop + 2, False)[0], values, stop)[0], np.int64(data.size))
    return stop


@compiled
def _finish_closed(data: Bytes, buffers: Buffers, counters: Ints) -> None:
    """Write the records of links and headings that have been closed."""
    if counters[CLOSED] & LINK_CLOSED:
        end_link(data, buffers, counters)
    if counters[CLOSED] & HEADING_CLOSED:
        end_heading(data, buffers, counters)
    if counters[CLOSED] & BLOCK_CLOSED:
        separate(buffers[TEXT], counters)
    counters[CLOSED] = 0


@compiled
def _start_tag(
    data: Bytes,
    i: Int,
    end: Int,
    name_end: Int,
    tag: Int,
    bits: Int,
    values: Ints,
    stack: Ints,
    formats: Ints,
    buffers: Buffers,
    parts: Ints,
    counters: Ints,
) -> Int:
    """Take in the start tag at i, with the content of a raw text element; return where to go on."""
    noinline()
    bits = attribute_bits(data, tag, bits, values, i, stack, counters)
    outcome = start(stack, formats, counters, tag, bits)
    misplaced, outcome = outcome >= MISPLACED, outcome % MISPLACED
    _finish_closed(data, buffers, counters)
    if outcome in (IGNORED, AGAIN):
        if bits & KIND == HTML and not counters[TEMPLATES]:
            record_element(data, bits, values, i, buffers, counters)
        return end
    if bits & FOREIGN or (foreign(stack, counters) and not is_html(stack, counters, tag)):
        bits = foreign_bits(stack, counters, tag, bits)
    elif tag == _TEMPLATE and values[SHADOW_MODE, 0] == i and is_shown(data, values, i, stack, counters):
        bits |= SHADOW
    place = outer_zone(stack, counters, misplaced)
    if bits & KIND == IMAGE:  # its alternative text is text
        leave_link(stack, counters)
        _finish_closed(data, buffers, counters)
    if place != LIFELESS:
        record_element(data, bits, values, i, buffers, counters)
    if outcome == EMPTY:
        return end
    if bits & PLAIN:
        open_element(stack, formats, counters, tag, bits, misplaced, np.int64(0))
        rebuild(stack, formats, counters, False)
    if bits & RAW:
        return _raw(data, i, name_end, end, bits, place, values, stack, buffers, parts, counters)
    hashed = source_hash(data, name_end, end) if bits & FORMATTING else np.int64(0)
    open_element(stack, formats, counters, tag, bits, misplaced, hashed)
    return behind_newline(data, end) if tag in (_PRE, _LISTING) else end


@compiled
def _tag(
    data: Bytes,
    i: Int,
    closing: Int,
    values: Ints,
    stack: Ints,
    formats: Ints,
    buffers: Buffers,
    parts: Ints,
    counters: Ints,
) -> Int:
    """Read the tag at i; return where to go on.  An unfinished tag at the end of the page is ignored."""
    noinline()
    name_end, low, high = read_name(data, i + 1 + closing, False)
    end, self_closing = read_attributes(data, name_end, values, i)
    if end > data.size:
        return data.size
    bits = look_up(low, high, TAGS)
    tag = bits >> NUMBER if bits else np.int64((low ^ (high * _MIX)) | _UNKNOWN_TAG)
    bits &= (1 << NUMBER) - 1
    counters[_TAGS] += 1
    if not bits & INLINE:
        separate(buffers[TEXT], counters)
    if closing:
        end_element(stack, formats, counters, tag, bits)
        _finish_closed(data, buffers, counters)
    else:
        bits |= SELF_CLOSING * self_closing
        end = _start_tag(data, i, end, name_end, tag, bits, values, stack, formats, buffers, parts, counters)
        counters[_REASON] = counters[_TAGS] > MAX_TAGS
    return end


@compiled
def _declaration(data: Bytes, i: Int, stack: Ints, formats: Ints, buffers: Buffers, parts: Ints, counters: Ints) -> Int:
    """Read a comment, or what counts as one: `<!x>`, `<?x>`, `</ >`; in svg and math also CDATA, which is text."""
    noinline()
    if matches_at(data, i + 1, BANG, DASH, DASH):
        return comment_end(data, i)
    section = cdata_end(data, i) if foreign(stack, counters) else i
    if section > i:
        begin, nul = min(i + 9, section), is_foreign(stack, counters)
        blank = is_blank(data, begin, section, np.int64(NO_BYTE))
        seen = admit_text(blank, stack, formats, counters)
        if not blank:
            leave_link(stack, counters)
        _finish_closed(data, buffers, counters)
        end = np.int64(NO_BYTE)
        return _written(data, begin, section, end, seen, nul, True, stack, buffers, parts, counters) + 3
    return find_byte(data, i + 1, GT) + 1


@compiled
def _step(
    data: Bytes, i: Int, values: Ints, stack: Ints, formats: Ints, buffers: Buffers, parts: Ints, counters: Ints
) -> Int:
    """Read the token at i; return where to go on."""
    next_ = data[i + 1] if data[i] == LT and i + 1 < data.size else 0
    closing = next_ == SLASH and i + 2 < data.size and is_letter(data[i + 2])
    if closing or is_letter(next_):
        return _tag(data, i, np.int64(closing), values, stack, formats, buffers, parts, counters)
    if next_ in (BANG, QUESTION) or (next_ == SLASH and i + 2 < data.size):
        return _declaration(data, i, stack, formats, buffers, parts, counters)
    plain = data[i] == LT  # a `<` that starts no tag
    end, stop = (i + 1, np.int64(NO_BYTE)) if plain else (np.int64(data.size), np.int64(LT))
    return _text(data, i, end, stop, stack, formats, buffers, parts, counters)


@compiled
def _pass(data: Bytes, buffers: Buffers, parts: Ints, values: Ints, stack: Ints, formats: Ints, counters: Ints) -> None:
    i: Int = np.int64(0)  # numba gives a literal 0 its own type: everything would be compiled twice
    start_page(stack, counters)
    while i < data.size and not counters[_REASON]:
        i = _step(data, i, values, stack, formats, buffers, parts, counters)
    counters[OUT] -= 1 if counters[OUT] and counters[SPACED] else 0
    end_link(data, buffers, counters)
    end_heading(data, buffers, counters)


_TABLE = types.int64[:, ::1]
_SIGNATURE = types.void(readable(types.uint8), types.uint8[:, ::1], _TABLE, _TABLE, _TABLE, _TABLE, types.int64[::1])


def _machine_code(rules: int) -> Callable[[Bytes, Buffers, Ints, Ints, Ints, Ints, Ints], None]:
    """The pass, compiled.  numba's cache checks this file only: `rules` is a checksum of the others."""

    @cached(_SIGNATURE)
    def run(
        data: Bytes, buffers: Buffers, parts: Ints, values: Ints, stack: Ints, formats: Ints, counters: Ints
    ) -> None:
        counters[_RULES] = rules
        _pass(data, buffers, parts, values, stack, formats, counters)

    return run


_MODULES = (
    *(attributes, text_admission, implied_end_tags),
    *(end_tags, foreign_tags, formatting, open_elements, records, start_tags, table_tags),
    *(tags, tokens, visible, zones),
)
_RUN = _machine_code(zlib.crc32(b"".join(Path(str(part.__file__)).read_bytes() for part in _MODULES)))
