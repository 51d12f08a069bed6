"""How is a text looked up piece by piece?  The compiled loop over bytes.

A *piece* is either a word of ASCII letters and digits, in lower case, or a run between white space that has a character
beyond ASCII, unchanged.  A table of pieces is two arrays.  `arena` has the entries end to end, in words of
eight bytes: the lengths of piece and reading, a mark, the piece, its reading with a space after it.  `slots` finds an
entry by open addressing: half a slot is half of the piece's hash, the other half its position in the arena.  After the
hash the bytes are compared, too.  The meaning of a mark is not known here: marks are returned for each piece.

Texts are read eight bytes at a time (L. Lamport, Multiple byte processing with full-word instructions, 1975): most
words are one such read, without a branch on their length.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import Function, Int

Eights = NDArray[np.uint64]  # of a text: item i is its bytes i to i + 7, the first one lowest
Bytes = NDArray[np.uint8]
Arena = NDArray[np.uint64]
Slots = NDArray[np.uint64]
Places = NDArray[np.int64]  # of each piece looked up: its start and stop in the text, and where its reading starts
Marks = NDArray[np.int32]  # of each piece looked up
# The position of a pass over a text (NOW), of the current piece (PIECE), and from where to continue (AGAIN).
Progress = NDArray[np.int64]
NOW, PIECE, AGAIN = 0, 1, 2
AT, SIZE, PLACED, LACKS = 0, 1, 2, 3  # in the text, in the output, and pieces read and unknown so far
READ, LACKING, CRAMPED = 0, 1, 2  # results of a pass over a text: finished, unknown pieces, or buffers full

MAX_WORD = 120  # longer words are dropped; enough for words of three-byte scripts and for hex digests
# Often the only non-ASCII characters of an English page: these separate words, as white space does.
PUNCTUATION = "\u00a0\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\u00b7\u00a9\u00ae\u00a7\u00ab\u00bb"

_SPACE, _MARK, _LETTER, _BEYOND = 0, 1, 2, 3
_LAST_SPACE = 0x3000
_SPACES = np.array([chr(c).isspace() or chr(c) in PUNCTUATION for c in range(_LAST_SPACE + 1)])
_KINDS = np.array(
    [_LETTER if chr(c).isalnum() else _SPACE if chr(c).isspace() else _MARK for c in range(128)] + [_BEYOND] * 128,
    np.uint8,
)
_0, _1, _2, _7, _8, _32, _33, _56 = (np.uint64(number) for number in (0, 1, 2, 7, 8, 32, 33, 56))
ANY_INITIAL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SIXTY_THREE = np.uint64(63)
_BYTE, _HALF = np.uint64(0xFF), np.uint64(0xFFFFFFFF)
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x80) * _ONES
_SMALL = np.uint64(0x20) * _ONES  # the bit that makes letters lower case, and that digits have
_TO_A, _TO_Z = np.uint64(0x80 - ord("a")) * _ONES, np.uint64(0x80 - ord("z") - 1) * _ONES
_TO_0, _TO_9 = np.uint64(0x80 - ord("0")) * _ONES, np.uint64(0x80 - ord("9") - 1) * _ONES


# `_nrt` is missing in numba's types: these functions allocate no arrays, so reference counting is off.


def inlined(function: Function) -> Function:
    """Decorate parts of the loop that must be inlined: a call would take as long as the work."""
    return numba.njit(nogil=True, forceinline=True, _nrt=False)(function)  # type: ignore[call-overload,no-any-return]  # _nrt


def called(function: Function) -> Function:
    """Decorate functions that Python calls, always with the same types: compiled once and cached."""
    return numba.njit(cache=True, nogil=True, _nrt=False)(function)  # type: ignore[call-overload,no-any-return]  # _nrt


def eights(buffer: bytes | Bytes) -> Eights:
    """Overlapping 64-bit words of a buffer: item i has bytes i to i + 7."""
    return np.ndarray((len(buffer) - 7,), np.uint64, buffer, strides=(1,))


@inlined
def initial(letters: Int) -> Int:
    """The bit of a word's first letter; some letters share a bit with a digit."""
    return _1 << (letters & _SIXTY_THREE)


@inlined
def _mix(h: Int) -> Int:
    h = (h ^ (h >> _33)) * np.uint64(0xFF51AFD7ED558CCD)  # murmur3's finaliser
    h = (h ^ (h >> _33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> _33)


@inlined
def _chunk(text: Eights, at: Int, stop: Int, small: Int) -> Int:
    """Up to eight bytes of a text before `stop`, in lower case if `small` is set."""
    chunk = text[np.uint64(at)] | small
    return chunk if stop - at >= 8 else chunk & ((_1 << np.uint64(8 * (stop - at))) - _1)


@inlined
def _same(text: Eights, start: Int, stop: Int, small: Int, arena: Arena, entry: Int) -> Int:
    at = start
    while at < stop and arena[entry + 2 + ((at - start) >> 3)] == _chunk(text, at, stop, small):
        at += 8
    return at >= stop


@inlined
def find(text: Eights, start: Int, stop: Int, small: Int, hashed: Int, first: Int, slots: Slots, arena: Arena) -> Int:
    """The position of a piece in the arena; 0 if it is unknown."""
    mask, length = np.uint64(len(slots) - 1), np.uint64(stop - start)
    at = hashed & mask
    while slots[at]:
        entry = slots[at] & _HALF
        if (
            slots[at] >> _32 == hashed >> _32
            and arena[entry + _2] == first
            and arena[entry] >> _32 == length
            and (length <= _8 or _same(text, start, stop, small, arena, np.int64(entry)))
        ):
            return np.int64(entry)
        at = (at + _1) & mask
    return 0


@called
def place(slots: Slots, arena: Arena, entry: Int, stop: Int, seed: np.uint64) -> None:
    """Insert the new entries from `entry` to `stop` into the slots."""
    mask = np.uint64(len(slots) - 1)
    while entry < stop:
        length, reading = np.int64(arena[entry] >> _32), np.int64(arena[entry] & _HALF)
        hashed = seed
        for i in range(length >> 3):
            hashed = _mix(hashed ^ arena[entry + 2 + i])
        hashed = _mix(hashed ^ (arena[entry + 2 + (length >> 3)] if length & 7 else _0))
        at = hashed & mask
        while slots[at]:
            at = (at + _1) & mask
        slots[at] = (hashed & ~_HALF) | np.uint64(entry)
        entry += 2 + ((length + 7) >> 3) + ((reading + 7) >> 3)


@inlined
def _space(text: Eights, at: Int) -> Int:
    """The length of white space or punctuation beyond ASCII at this position; 0 if there is none."""
    byte = np.int64(text[at])
    first, second, third = byte & 0xFF, byte >> 8 & 63, byte >> 16 & 63
    if first < 0xE0:
        code, length = (first & 31) << 6 | second, 2
    else:
        code, length = (first & 15) << 12 | second << 6 | third, 3
    return length if first < 0xF0 and code <= _LAST_SPACE and _SPACES[code] else 0


@inlined
def _end(text: Eights, at: Int) -> Int:
    """The end of the piece that has a character beyond ASCII at `at`."""
    while at < len(text) - 1:
        byte = text[at] & _BYTE
        if _KINDS[byte] == _SPACE or (byte >= np.uint64(0xC0) and _space(text, at)):
            break
        at += 1
    return at


@inlined
def _word(text: Eights, at: Int, seed: Int) -> tuple[Int, Int, Int]:
    """The end of the ASCII word that starts here, its hash, and its first eight letters.

    Additions compare all bytes at once: the highest bit of each byte is the result, and no sum overflows a byte.
    """
    hashed, first, length = seed, _0, _8
    while length == _8:
        chunk = text[np.uint64(at)]
        plain, small = chunk & ~_HIGH, (chunk | _SMALL) & ~_HIGH
        letters = (small + _TO_A) & ~(small + _TO_Z)
        digits = (plain + _TO_0) & ~(plain + _TO_9)
        others = ~((letters | digits) & ~chunk) & _HIGH
        mask = ((others & (~others + _1)) >> _7) - _1  # the bytes before the first other one
        length = ((mask & _ONES) * _ONES) >> _56
        hashed = _mix(hashed ^ (small & mask))
        first = first if first else small & mask
        at += np.int64(length)
    return at, hashed, first


@inlined
def _hash(text: Eights, at: Int, stop: Int, seed: Int) -> Int:
    hashed = seed
    while stop - at >= 8:
        hashed = _mix(hashed ^ text[at])
        at += 8
    return _mix(hashed ^ _chunk(text, at, stop, _0))


@inlined
def copy_progress(progress: Progress, target: Int, source: Int) -> None:
    for i in range(4):
        progress[target, i] = progress[source, i]


@inlined
def next_piece(text: Eights, progress: Progress, seed: Int, initials: Int) -> tuple[Int, Int, Int, Int]:
    """Advance past the next piece: returns its start (-1: none), its lower-case mask, its hash and first chunk.

    ASCII words with other `initials` are skipped.
    """
    at = progress[NOW, AT]
    while at < len(text) - 1:
        kind, start = _KINDS[text[np.uint64(at)] & _BYTE], at
        if kind == _LETTER:
            at, hashed, first = _word(text, at, seed)
            if at - start < MAX_WORD and initials & initial(first):
                progress[NOW, AT] = at
                return start, _SMALL, hashed, first
            continue
        space = 1 if kind == _SPACE else _space(text, at) if kind == _BEYOND else 0
        if kind == _BEYOND and not space:
            # What looked like ASCII words was the start of this piece.
            copy_progress(progress, NOW, PIECE)
            start = progress[NOW, AT]
            at = progress[NOW, AT] = _end(text, at)
            return start, _0, _hash(text, start, at, seed), _chunk(text, start, at, _0)
        at += max(space, 1)
        if space:
            progress[NOW, AT] = at
            copy_progress(progress, PIECE, NOW)
    progress[NOW, AT] = at
    return -1, _0, _0, _0


@inlined
def _write(
    progress: Progress, start: Int, out: Eights, places: Places, marks: Marks, base: Int, arena: Arena, entry: Int
) -> None:
    size, placed = progress[NOW, SIZE], progress[NOW, PLACED]
    places[placed, 0], places[placed, 1], places[placed, 2] = start, progress[NOW, AT], size
    marks[base + placed] = np.int64(arena[entry + 1])
    length, reading = np.int64(arena[entry] >> _32), np.int64(arena[entry] & _HALF)
    entry += 2 + ((length + 7) >> 3)
    for i in range((reading + 7) >> 3):
        out[size + 8 * i] = arena[entry + i]
    progress[NOW, SIZE] = size + reading
    progress[NOW, PLACED] = placed + 1


@called
def read(
    text: Eights,
    progress: Progress,
    out: Eights,
    places: Places,
    marks: Marks,
    base: Int,
    lacking: Places,
    slots: Slots,
    arena: Arena,
    seed: np.uint64,
) -> int:
    """Write the readings of a text's pieces to `out`, each followed by a space; returns READ, LACKING or CRAMPED.

    The last item of `text` is after its end.  After an unknown piece, only further unknown ones are collected in
    `lacking`.  Unless the result is READ, call it again: it continues before the obstacle.  From `base` on, `marks` has
    room for as many pieces as `places`.
    """
    progress[NOW, LACKS] = 0
    copy_progress(progress, PIECE, NOW)
    while progress[NOW, LACKS] < len(lacking):
        start, small, hashed, first = next_piece(text, progress, seed, ANY_INITIAL)
        if start < 0:
            break
        stop, lacks = progress[NOW, AT], progress[NOW, LACKS]
        entry = find(text, start, stop, small, hashed, first, slots, arena)
        if not entry:
            if not lacks:
                copy_progress(progress, AGAIN, PIECE)
            lacking[lacks, 0], lacking[lacks, 1] = start, stop
            progress[NOW, LACKS] = lacks + 1
        elif not lacks:
            if progress[NOW, SIZE] + np.int64(arena[entry] & _HALF) > len(out) - 8 or progress[NOW, PLACED] == len(
                places
            ):
                copy_progress(progress, NOW, PIECE)
                return CRAMPED
            _write(progress, start, out, places, marks, base, arena, entry)
    lacks = progress[NOW, LACKS]
    if lacks:
        copy_progress(progress, NOW, AGAIN)
        progress[NOW, LACKS] = lacks
    return LACKING if lacks else READ
