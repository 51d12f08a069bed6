"""What is on this page, and where?  One linear pass over its bytes; no tree is built, so no page can be slow.

1. Tokens are read as a browser reads them (`tokens`).
2. Text that is seen (`zones`) is written out, white space collapsed (`visible`).
3. What Python wants to look at is written out as records: links with their words, titles, headings, metas.
4. Of the written text, the parts in the zone that holds what the page is about are its main text.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import types

from sought.web.compiled import Int, apart, cached, compiled, readable
from sought.web.html import attributes as said_by
from sought.web.html import (
    end_tags,
    foreign_tags,
    formatting,
    open_elements,
    records,
    start_tags,
    table_tags,
    tags,
    tokens,
    visible,
    zones,
)
from sought.web.html import text_admission as admission
from sought.web.html.attributes import is_shown, said
from sought.web.html.doctype import is_old
from sought.web.html.end_tags import end as end_element
from sought.web.html.foreign_tags import foreign_bits, is_html
from sought.web.html.formatting import rebuild, source_hash
from sought.web.html.main_text import MAX_PARTS, main_text
from sought.web.html.open_elements import (
    BLOCK_CLOSED,
    CLOSED,
    HEADING_CLOSED,
    LINK_CLOSED,
    MAX_OPEN,
    QUIRKS,
    TEMPLATES,
    foreign,
    place_of,
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
    look_at,
    notes,
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
from sought.web.html.text_admission import admitted, is_blank, is_foreign, leave_link
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
    meaning,
    raw_end,
    read_attributes,
    read_name,
    stands,
)
from sought.web.html.visible import NO_BYTE, OUT, SPACED, copy, separate
from sought.web.html.zones import LIFELESS, UNSEEN

MAX_TAGS = 1_000_000
REASONS = ("", "tags")
_MAX_TITLE = 10_000  # bytes of source
_REASON, _TAGS, _OUTSIDE, _TITLED, _PARTS, _RULES = range(17, 23)  # counters of a pass
_COUNTERS = 40
_TEMPLATE, _PRE, _LISTING = number("template"), number("pre"), number("listing")
_UNKNOWN_TAG, _MIX = np.uint64(1 << 63), np.uint64(tags.MIX)


@dataclass(frozen=True, slots=True)
class Markup:
    """What the pass found: the text as it was written, its main part, and records."""

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
    size = len(source)
    buffers, parts = np.empty((3, size + 64), np.uint8), np.empty((size // 3 + 2, 2), np.int64)
    now, values = np.zeros(_COUNTERS, np.int64), np.full((PLACES, 3), -1)
    now[SPACED], now[QUIRKS] = 1, is_old(source)
    stack = np.empty((MAX_OPEN, open_elements.COLUMNS), np.int64)
    formats = np.empty((formatting.MAX_ROWS, formatting.COLUMNS), np.int64)
    _RUN(np.frombuffer(source, np.uint8), buffers, parts, values, stack, formats, now)
    count = now.tolist()
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
    data: Bytes, i: Int, end: Int, stop: Int, stack: Ints, formats: Ints, buffers: Buffers, parts: Ints, now: Ints
) -> Int:
    """Text between tags; where the byte `stop` stands."""
    apart()
    nul, blank = is_foreign(stack, now), is_blank(data, i, end, stop)
    seen = admitted(blank, stack, formats, now)
    if not blank:
        leave_link(stack, now)
    _finish_closed(data, buffers, now)
    return _written(data, i, end, stop, seen, nul, False, stack, buffers, parts, now)


@compiled
def _written(
    data: Bytes,
    i: Int,
    end: Int,
    stop: Int,
    admitted: bool,
    nul: bool,
    literal: bool,
    stack: Ints,
    buffers: Buffers,
    parts: Ints,
    now: Ints,
) -> Int:
    """Text, if it is seen, and whose it is; where the byte `stop` stands."""
    apart()
    place, begin, before = zone(stack, now), i, now[OUT]
    if place >= UNSEEN or not admitted:
        while i < end and data[i] != stop:
            i += 1
    else:
        i = copy(data, i, end, stop, nul, literal, buffers[TEXT], now)
        last = now[_PARTS] - 1
        if now[OUT] > before and (last < 0 or parts[last, 1] != place):
            parts[last + 1, 0], parts[last + 1, 1] = before, place
            now[_PARTS] += 1
    now[_OUTSIDE] += i - begin
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
    now: Ints,
) -> Int:
    """The content of a raw text element: of titles the first counts, most others are not seen."""
    apart()
    stop = data.size if bits & PLAIN else raw_end(data, end, i + 1, name_end, bits & SCRIPT != 0)
    if not bits & HIDDEN:
        leave_link(stack, now)
        _finish_closed(data, buffers, now)
        return _written(data, end, stop, np.int64(NO_BYTE), True, True, True, stack, buffers, parts, now)
    now[_OUTSIDE] += stop - end
    if bits & KIND == TITLE and not now[_TITLED] and place != LIFELESS:
        write_note(TITLE, data, 0, 0, data, end, min(stop, end + _MAX_TITLE), buffers, now)
        now[_TITLED] = 1
    if foreign(stack, now) and stop < data.size:  # its end tag ends no element of svg that has its name
        stop = min(read_attributes(data, read_name(data, stop + 2, False)[0], values, stop)[0], np.int64(data.size))
    return stop


@compiled
def _finish_closed(data: Bytes, buffers: Buffers, now: Ints) -> None:
    """Links and headings that have ended have all their words."""
    if now[CLOSED] & LINK_CLOSED:
        end_link(data, buffers, now)
    if now[CLOSED] & HEADING_CLOSED:
        end_heading(data, buffers, now)
    if now[CLOSED] & BLOCK_CLOSED:
        separate(buffers[TEXT], now)
    now[CLOSED] = 0


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
    now: Ints,
) -> Int:
    """Take in the start tag at i, and the whole content of a raw text element; where to go on."""
    apart()
    bits = said(data, tag, bits, values, i, stack, now)
    found = start(stack, formats, now, tag, bits)
    misplaced, found = found >= MISPLACED, found % MISPLACED
    _finish_closed(data, buffers, now)
    if found in (IGNORED, AGAIN):
        if bits & KIND == HTML and not now[TEMPLATES]:
            look_at(data, bits, values, i, buffers, now)
        return end
    if bits & FOREIGN or (foreign(stack, now) and not is_html(stack, now, tag)):
        bits = foreign_bits(stack, now, tag, bits)
    elif tag == _TEMPLATE and values[SHADOW_MODE, 0] == i and is_shown(data, values, i, stack, now):
        bits |= SHADOW
    place = place_of(stack, now, misplaced)
    if bits & KIND == IMAGE:  # its alternative text is text
        leave_link(stack, now)
        _finish_closed(data, buffers, now)
    if place != LIFELESS:
        look_at(data, bits, values, i, buffers, now)
    if found == EMPTY:
        return end
    if bits & PLAIN:
        open_element(stack, formats, now, tag, bits, misplaced, np.int64(0))
        rebuild(stack, formats, now, False)
    if bits & RAW:
        return _raw(data, i, name_end, end, bits, place, values, stack, buffers, parts, now)
    hashed = source_hash(data, name_end, end) if bits & FORMATTING else np.int64(0)
    open_element(stack, formats, now, tag, bits, misplaced, hashed)
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
    now: Ints,
) -> Int:
    """Read the tag at i; where to go on.  A tag that the page ends in is none."""
    apart()
    name_end, low, high = read_name(data, i + 1 + closing, False)
    end, self_closing = read_attributes(data, name_end, values, i)
    if end > data.size:
        return data.size
    bits = meaning(low, high, TAGS)
    tag = bits >> NUMBER if bits else np.int64((low ^ (high * _MIX)) | _UNKNOWN_TAG)
    bits &= (1 << NUMBER) - 1
    now[_TAGS] += 1
    if not bits & INLINE:
        separate(buffers[TEXT], now)
    if closing:
        end_element(stack, formats, now, tag, bits)
        _finish_closed(data, buffers, now)
    else:
        bits |= SELF_CLOSING * self_closing
        end = _start_tag(data, i, end, name_end, tag, bits, values, stack, formats, buffers, parts, now)
        now[_REASON] = now[_TAGS] > MAX_TAGS
    return end


@compiled
def _declaration(data: Bytes, i: Int, stack: Ints, formats: Ints, buffers: Buffers, parts: Ints, now: Ints) -> Int:
    """Comments, and what is read as one: `<!x>`, `<?x>`, `</ >`; in svg and math also CDATA, which is text."""
    apart()
    if stands(data, i + 1, BANG, DASH, DASH):
        return comment_end(data, i)
    section = cdata_end(data, i) if foreign(stack, now) else i
    if section > i:
        begin, nul = min(i + 9, section), is_foreign(stack, now)
        blank = is_blank(data, begin, section, np.int64(NO_BYTE))
        seen = admitted(blank, stack, formats, now)
        if not blank:
            leave_link(stack, now)
        _finish_closed(data, buffers, now)
        end = np.int64(NO_BYTE)
        return _written(data, begin, section, end, seen, nul, True, stack, buffers, parts, now) + 3
    return find_byte(data, i + 1, GT) + 1


@compiled
def _step(
    data: Bytes, i: Int, values: Ints, stack: Ints, formats: Ints, buffers: Buffers, parts: Ints, now: Ints
) -> Int:
    """Read what stands at i; where to go on."""
    next_ = data[i + 1] if data[i] == LT and i + 1 < data.size else 0
    closing = next_ == SLASH and i + 2 < data.size and is_letter(data[i + 2])
    if closing or is_letter(next_):
        return _tag(data, i, np.int64(closing), values, stack, formats, buffers, parts, now)
    if next_ in (BANG, QUESTION) or (next_ == SLASH and i + 2 < data.size):
        return _declaration(data, i, stack, formats, buffers, parts, now)
    plain = data[i] == LT  # not of a tag
    end, stop = (i + 1, np.int64(NO_BYTE)) if plain else (np.int64(data.size), np.int64(LT))
    return _text(data, i, end, stop, stack, formats, buffers, parts, now)


@compiled
def _pass(data: Bytes, buffers: Buffers, parts: Ints, values: Ints, stack: Ints, formats: Ints, now: Ints) -> None:
    i: Int = np.int64(0)  # a plain 0 is a type of its own to numba: everything would be compiled twice
    start_page(stack, now)
    while i < data.size and not now[_REASON]:
        i = _step(data, i, values, stack, formats, buffers, parts, now)
    now[OUT] -= 1 if now[OUT] and now[SPACED] else 0
    end_link(data, buffers, now)
    end_heading(data, buffers, now)


_TABLE = types.int64[:, ::1]
_SIGNATURE = types.void(readable(types.uint8), types.uint8[:, ::1], _TABLE, _TABLE, _TABLE, _TABLE, types.int64[::1])


def _machine_code(rules: int) -> Callable[[Bytes, Buffers, Ints, Ints, Ints, Ints, Ints], None]:
    """The pass, compiled.  The cache watches this file only: `rules` tells it of changes in the others."""

    @cached(_SIGNATURE)
    def run(data: Bytes, buffers: Buffers, parts: Ints, values: Ints, stack: Ints, formats: Ints, now: Ints) -> None:
        now[_RULES] = rules
        _pass(data, buffers, parts, values, stack, formats, now)

    return run


_MODULES = (
    *(admission, said_by),
    *(end_tags, foreign_tags, formatting, open_elements, records, start_tags, table_tags),
    *(tags, tokens, visible, zones),
)
_RUN = _machine_code(zlib.crc32(b"".join(Path(str(part.__file__)).read_bytes() for part in _MODULES)))
