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

from sought.web import records, tags, tokens, visible, zones
from sought.web.compiled import Int, cached, compiled, readable
from sought.web.main_text import MAX_PARTS, main_text
from sought.web.records import (
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
    value,
    write_note,
)
from sought.web.tags import (
    BREAKOUT,
    FOREIGN,
    HEADING,
    HIDDEN,
    INLINE,
    IS_HIDDEN,
    KIND,
    PLACES,
    PLAIN,
    RAW,
    ROLE,
    SCRIPT,
    TAGS,
    TITLE,
    VOID,
    A,
    word,
)
from sought.web.tokens import (
    BANG,
    DASH,
    GT,
    LT,
    QUESTION,
    SLASH,
    Bytes,
    Ints,
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
from sought.web.visible import NO_BYTE, OUT, SPACED, copy, separate
from sought.web.zones import COUNTERS, DEPTH, LIFELESS, MAX_DEPTH, UNSEEN, no_zones, zone

MAX_ATTRIBUTES = 512  # on one tag
MAX_TAGS = 1_000_000
REASONS = ("", "nesting", "attributes", "tags")
_MAX_TITLE = 10_000  # bytes of source
_REASON, _TAGS, _OUTSIDE, _IN_FOREIGN, _TITLED, _PARTS, _RULES, _COUNTERS = range(17, 25)  # counters of a pass
_ROLE_MAIN = np.uint64(word("main"))


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
    now[SPACED] = 1
    _RUN(np.frombuffer(source, np.uint8), buffers, parts, values, no_zones(), now)
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
def _text(data: Bytes, i: Int, end: Int, stop: Int, stack: Ints, buffers: Buffers, parts: Ints, now: Ints) -> Int:
    """Text, if it is seen, and whose it is; where the byte `stop` stands."""
    place, begin, before = zone(stack), i, now[OUT]
    if place >= UNSEEN:
        while i < end and data[i] != stop:
            i += 1
    else:
        i = copy(data, i, end, stop, buffers[TEXT], now)
        last = now[_PARTS] - 1
        if now[OUT] > before and (last < 0 or parts[last, 1] != place):
            parts[last + 1, 0], parts[last + 1, 1] = before, place
            now[_PARTS] += 1
    now[_OUTSIDE] += i - begin
    return i


@compiled
def _said(data: Bytes, values: Ints, serial: Int) -> tuple[bool, bool]:
    """Whether the tag is hidden, and whether it has the main role."""
    begin, end = value(values, ROLE, serial)
    return values[IS_HIDDEN, 0] == serial, end - begin == 4 and read_name(data, begin, True)[1] == _ROLE_MAIN


@compiled
def _raw(
    data: Bytes, i: Int, name_end: Int, end: Int, bits: Int, stack: Ints, buffers: Buffers, parts: Ints, now: Ints
) -> Int:
    """The content of a raw text element: of titles the first counts, most others are not seen."""
    stop = data.size if bits & PLAIN else raw_end(data, end, i + 1, name_end, bits & SCRIPT != 0)
    if not bits & HIDDEN:
        return _text(data, end, stop, NO_BYTE, stack, buffers, parts, now)
    now[_OUTSIDE] += stop - end
    if bits & KIND == TITLE and not now[_TITLED] and not now[_IN_FOREIGN]:
        write_note(TITLE, data, 0, 0, data, end, min(stop, end + _MAX_TITLE), buffers, now)
        now[_TITLED] = 1
    return stop


@compiled
def _bound_broken(attributes: Int, stack: Ints, now: Ints) -> Int:
    if stack[COUNTERS, DEPTH] > MAX_DEPTH:
        return 1
    if attributes > MAX_ATTRIBUTES:
        return 2
    return 3 if now[_TAGS] > MAX_TAGS else 0


@compiled
def _start_tag(
    data: Bytes,
    i: Int,
    end: Int,
    name_end: Int,
    name: Int,
    bits: Int,
    values: Ints,
    stack: Ints,
    buffers: Buffers,
    parts: Ints,
    now: Ints,
) -> Int:
    """Take in the start tag at i, and the whole content of a raw text element; where to go on."""
    if zone(stack) != LIFELESS:
        look_at(data, bits, values, i, buffers, now)
    if bits & BREAKOUT:
        now[_IN_FOREIGN] = 0
    if bits & VOID or (now[_IN_FOREIGN] and data[end - 2] == SLASH):
        return end
    if bits & RAW:
        return _raw(data, i, name_end, end, bits, stack, buffers, parts, now)
    hidden, main = _said(data, values, i)
    zones.start(stack, name, bits, hidden, main)
    now[_IN_FOREIGN] += bits & FOREIGN != 0
    return end


@compiled
def _end_tag(data: Bytes, name: Int, bits: Int, stack: Ints, buffers: Buffers, now: Ints) -> None:
    if bits & KIND == A:
        end_link(data, buffers, now)
    elif bits & HEADING:
        end_heading(data, buffers, now)
    elif bits & FOREIGN and now[_IN_FOREIGN]:
        now[_IN_FOREIGN] -= 1
    zones.end(stack, name, bits)


@compiled
def _tag(data: Bytes, i: Int, closing: Int, values: Ints, stack: Ints, buffers: Buffers, parts: Ints, now: Ints) -> Int:
    """Read the tag at i; where to go on.  A tag that the page ends in is none."""
    name_end, low, high = read_name(data, i + 1 + closing, False)
    end, attributes = read_attributes(data, name_end, values, i)
    if end > data.size:
        return data.size
    bits, name = meaning(low, high, TAGS), np.int64(low ^ high)
    now[_TAGS] += 1
    if not bits & INLINE:
        separate(buffers[TEXT], now)
    if closing:
        _end_tag(data, name, bits, stack, buffers, now)
    else:
        end = _start_tag(data, i, end, name_end, name, bits, values, stack, buffers, parts, now)
        now[_REASON] = _bound_broken(attributes, stack, now)
    return end


@compiled
def _declaration(data: Bytes, i: Int, stack: Ints, buffers: Buffers, parts: Ints, now: Ints) -> Int:
    """Comments, and what is read as one: `<!x>`, `<?x>`, `</ >`; in svg and math also CDATA, which is text."""
    if stands(data, i + 1, BANG, DASH, DASH):
        return comment_end(data, i)
    section = cdata_end(data, i) if now[_IN_FOREIGN] else i
    if section > i:
        return _text(data, min(i + 9, section), section, NO_BYTE, stack, buffers, parts, now) + 3
    return find_byte(data, i + 1, GT) + 1


@compiled
def _step(data: Bytes, i: Int, values: Ints, stack: Ints, buffers: Buffers, parts: Ints, now: Ints) -> Int:
    """Read what stands at i; where to go on."""
    next_ = data[i + 1] if data[i] == LT and i + 1 < data.size else 0
    closing = next_ == SLASH and i + 2 < data.size and is_letter(data[i + 2])
    if closing or is_letter(next_):
        return _tag(data, i, np.int64(closing), values, stack, buffers, parts, now)
    if next_ in (SLASH, BANG, QUESTION):
        return _declaration(data, i, stack, buffers, parts, now)
    plain = data[i] == LT  # not of a tag
    return _text(data, i, i + 1 if plain else data.size, NO_BYTE if plain else LT, stack, buffers, parts, now)


@compiled
def _pass(data: Bytes, buffers: Buffers, parts: Ints, values: Ints, stack: Ints, now: Ints) -> None:
    i: Int = np.int64(0)  # a plain 0 is a type of its own to numba: everything would be compiled twice
    while i < data.size and not now[_REASON]:
        i = _step(data, i, values, stack, buffers, parts, now)
    now[OUT] -= 1 if now[OUT] and now[SPACED] else 0
    end_link(data, buffers, now)
    end_heading(data, buffers, now)


_TABLE = types.int64[:, ::1]
_SIGNATURE = types.void(readable(types.uint8), types.uint8[:, ::1], _TABLE, _TABLE, _TABLE, types.int64[::1])


def _machine_code(rules: int) -> Callable[[Bytes, Buffers, Ints, Ints, Ints, Ints], None]:
    """The pass, compiled.  The cache watches this file only: `rules` tells it of changes in the others."""

    @cached(_SIGNATURE)
    def run(data: Bytes, buffers: Buffers, parts: Ints, values: Ints, stack: Ints, now: Ints) -> None:
        now[_RULES] = rules
        _pass(data, buffers, parts, values, stack, now)

    return run


_MODULES = (records, tags, tokens, visible, zones)
_RUN = _machine_code(zlib.crc32(b"".join(Path(str(part.__file__)).read_bytes() for part in _MODULES)))
