"""How is a text looked up piece by piece?  The loop over bytes, as machine code.

A *piece* is either a word of ASCII letters and digits, in lower case, or whatever stands between white space and holds
a character beyond ASCII, as it is.  A table of pieces is two arrays.  `arena` holds one entry after the other, in words
of eight bytes: the lengths of piece and reading, the piece, its reading with a space behind.  `slots` finds an entry,
by open addressing: half a slot is half of the piece's hash, the other half says where in the arena it is.  A hash only
proposes: the bytes decide.
"""

import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, cached
import numba
compiled = numba.njit(nogil=True, forceinline=True)

Bytes = NDArray[np.uint8]
Arena = NDArray[np.uint64]
Slots = NDArray[np.uint64]
Places = NDArray[np.int64]  # of each piece looked up: its start and stop in the text, and where its reading starts

MAX_WORD = 120  # a word of so many letters is none: long enough for words of three-byte scripts and for hex digests
# Often all that keeps an English page from being ASCII: these stand between words, as white space does.
PUNCTUATION = "\u00a0\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\u00b7\u00a9\u00ae\u00a7\u00ab\u00bb"

# How far a pass over a text has come (NOW), where the present piece began (PIECE), and from where to go on (AGAIN).
Progress = NDArray[np.int64]
NOW, PIECE, AGAIN = 0, 1, 2
AT, SIZE, PLACED, LACKS = 0, 1, 2, 3  # in the text, in the output, and pieces read and unknown so far
READ, LACKING, CRAMPED = 0, 1, 2  # how a pass over a text ends: at its end, with unknown pieces, or out of room

_SPACE, _MARK, _BEYOND = 0, 1, 2
_LAST_SPACE = 0x3000
_SPACES = np.array([chr(c).isspace() or chr(c) in PUNCTUATION for c in range(_LAST_SPACE + 1)])


def _kind(code: int) -> int:
    """What a byte is: a letter or digit (then its lower case), white space, a mark, part of a character beyond."""
    if code > 127:
        return _BEYOND
    return ord(chr(code).lower()) if chr(code).isalnum() else _SPACE if chr(code).isspace() else _MARK


_KINDS = np.array([_kind(code) for code in range(256)], np.uint8)
_LOW = np.uint64(0xFFFFFFFF)


@compiled
def _mix(h: Int) -> Int:
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)  # murmur3's finaliser
    h = (h ^ (h >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@compiled
def _chunk(text: Bytes, at: Int, stop: Int) -> Int:
    """Eight bytes of a text, or as many as there are, as a number."""
    packed = np.uint64(0)
    for i in range(min(stop - at, 8)):
        packed |= np.uint64(text[at + i]) << np.uint64(8 * i)
    return packed


@compiled
def _lowered(text: Bytes, at: Int, stop: Int) -> Int:
    packed = np.uint64(0)
    for i in range(min(stop - at, 8)):
        packed |= np.uint64(_KINDS[text[at + i]]) << np.uint64(8 * i)
    return packed


@compiled
def _same(text: Bytes, start: Int, stop: Int, beyond: Bool, arena: Arena, entry: Int) -> Bool:
    if np.int64(arena[entry] >> np.uint64(32)) != stop - start:
        return False
    for i in range((stop - start + 7) >> 3):
        at = start + 8 * i
        if arena[entry + 1 + i] != (_chunk(text, at, stop) if beyond else _lowered(text, at, stop)):
            return False
    return True


@compiled
def _find(
    text: Bytes, start: Int, stop: Int, beyond: Bool, hashed: Int, first: Int, slots: Slots, arena: Arena
) -> Int:
    """Where in the arena a piece of a text is entered; 0 if nowhere."""
    mask = len(slots) - 1
    at = np.int64(hashed) & mask
    while slots[at]:
        if slots[at] >> np.uint64(32) == hashed >> np.uint64(32):
            entry = np.int64(slots[at] & _LOW)
            if stop - start <= 8:
                if arena[entry + 1] == first and np.int64(arena[entry] >> np.uint64(32)) == stop - start:
                    return entry
            elif _same(text, start, stop, beyond, arena, entry):
                return entry
        at = (at + 1) & mask
    return 0


@cached
def place(slots: Slots, arena: Arena, entry: int, stop: int, seed: np.uint64) -> None:
    """Make the entries from here to `stop` known; they are not yet."""
    mask = len(slots) - 1
    while entry < stop:
        length, reading = np.int64(arena[entry] >> np.uint64(32)), np.int64(arena[entry] & _LOW)
        hashed = seed
        for i in range(length >> 3):
            hashed = _mix(hashed ^ arena[entry + 1 + i])
        hashed = _mix(hashed ^ (arena[entry + 1 + (length >> 3)] if length & 7 else np.uint64(0)))
        at = np.int64(hashed) & mask
        while slots[at]:
            at = (at + 1) & mask
        slots[at] = (hashed >> np.uint64(32) << np.uint64(32)) | np.uint64(entry)
        entry += 1 + ((length + 7) >> 3) + ((reading + 7) >> 3)


@compiled
def _space(text: Bytes, at: Int) -> Int:
    """The length of the white space or punctuation beyond ASCII that stands here; 0 if something else does."""
    first = np.int64(text[at])
    if first < 0xE0:
        code, length = (first & 31) << 6 | (np.int64(text[at + 1]) & 63), 2
    elif first < 0xF0:
        code = (first & 15) << 12 | (np.int64(text[at + 1]) & 63) << 6 | (np.int64(text[at + 2]) & 63)
        length = 3
    else:
        return 0
    return length if code <= _LAST_SPACE and _SPACES[code] else 0


@compiled
def _end(text: Bytes, at: Int) -> Int:
    """Where the piece that goes on at a character beyond ASCII ends."""
    while at < len(text):
        kind = _KINDS[text[at]]
        if kind == _SPACE or (kind == _BEYOND and text[at] >= 0xC0 and _space(text, at)):
            break
        at += 1
    return at


@compiled
def _remember(progress: Progress, row: Int) -> None:
    for i in range(4):
        progress[row, i] = progress[NOW, i]


@compiled
def _go_back(progress: Progress, row: Int) -> None:
    for i in range(4):
        progress[NOW, i] = progress[row, i]


@compiled
def _keep(progress: Progress) -> None:
    for i in range(4):
        progress[AGAIN, i] = progress[PIECE, i]


@compiled
def _word(text: Bytes, at: Int, seed: Int) -> tuple[Int, Int, Int]:
    """Where the word of ASCII that starts here stops, its hash, and its first eight letters."""
    hashed, first, packed, shift = seed, np.uint64(0), np.uint64(0), np.uint64(0)
    while at < len(text):
        letter = _KINDS[text[np.uint64(at)]]
        if letter <= _BEYOND:
            break
        packed |= np.uint64(letter) << shift
        shift += np.uint64(8)
        at += 1
        if shift == np.uint64(64):
            first = first if first else packed
            hashed, packed, shift = _mix(hashed ^ packed), np.uint64(0), np.uint64(0)
    return at, _mix(hashed ^ packed), first if first else packed


@compiled
def _hash(text: Bytes, at: Int, stop: Int, seed: Int) -> Int:
    hashed = seed
    while stop - at >= 8:
        hashed = _mix(hashed ^ _chunk(text, at, stop))
        at += 8
    return _mix(hashed ^ _chunk(text, at, stop))


@compiled
def _next_piece(text: Bytes, progress: Progress, seed: Int) -> tuple[Int, Bool, Int, Int]:
    """Go on behind the next piece: its start (-1: there is none), is it beyond ASCII, its hash, its first eight bytes."""
    at = progress[NOW, AT]
    while at < len(text):
        kind, start = _KINDS[text[at]], at
        if kind > _BEYOND:
            at, hashed, first = _word(text, at, seed)
            if at - start < MAX_WORD:
                progress[NOW, AT] = at
                return start, False, hashed, first
            continue
        space = 1 if kind == _SPACE else _space(text, at) if kind == _BEYOND else 0
        if kind == _BEYOND and not space:
            # What has been taken for words of ASCII was the start of this.
            _go_back(progress, PIECE)
            start = progress[NOW, AT]
            at = progress[NOW, AT] = _end(text, at)
            return start, True, _hash(text, start, at, seed), _chunk(text, start, at)
        at += max(space, 1)
        if space:
            progress[NOW, AT] = at
            _remember(progress, PIECE)
    progress[NOW, AT] = at
    return -1, False, seed, seed


@compiled
def _write(progress: Progress, start: Int, out: Bytes, places: Places, arena: Arena, entry: Int) -> None:
    size, placed = progress[NOW, SIZE], progress[NOW, PLACED]
    places[placed, 0], places[placed, 1], places[placed, 2] = start, progress[NOW, AT], size
    length, reading = np.int64(arena[entry] >> np.uint64(32)), np.int64(arena[entry] & _LOW)
    entry += 1 + ((length + 7) >> 3)
    for i in range((reading + 7) >> 3):
        packed = arena[entry + i]
        for k in range(8):
            out[np.uint64(size + 8 * i) + np.uint64(k)] = np.uint8(packed >> np.uint64(8 * k))
    progress[NOW, SIZE] = size + reading
    progress[NOW, PLACED] = placed + 1


@cached
def read(
    text: Bytes,
    progress: Progress,
    out: Bytes,
    places: Places,
    lacking: Places,
    slots: Slots,
    arena: Arena,
    seed: np.uint64,
) -> int:
    """Write the readings of a text's pieces to `out`, a space behind each; how that ended.

    Past an unknown piece it only looks for more of them, to note in `lacking`.  Unless it ended at the end of the text
    it is to be called again, and goes on from before what was in the way.
    """
    progress[NOW, LACKS] = 0
    _remember(progress, PIECE)
    while progress[NOW, LACKS] < len(lacking):
        start, beyond, hashed, first = _next_piece(text, progress, seed)
        if start < 0:
            break
        stop, lacks = progress[NOW, AT], progress[NOW, LACKS]
        entry = _find(text, start, stop, beyond, hashed, first, slots, arena)
        if entry and not lacks:
            # Readings are written eight bytes at a time.
            room = len(out) - progress[NOW, SIZE] - np.int64(arena[entry] & _LOW) - 8
            if room < 0 or progress[NOW, PLACED] == len(places):
                _go_back(progress, PIECE)
                return CRAMPED
            _write(progress, start, out, places, arena, entry)
        elif not entry:
            if not lacks:
                _keep(progress)
            lacking[lacks, 0], lacking[lacks, 1] = start, stop
            progress[NOW, LACKS] = lacks + 1
    lacks = progress[NOW, LACKS]
    if lacks:
        _go_back(progress, AGAIN)
        progress[NOW, LACKS] = lacks
    return LACKING if lacks else READ
