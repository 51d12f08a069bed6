"""Where in a text are some terms?  The compiled loop over its pieces.

Like `pieces.read`, but only for wanted terms.
"""

from collections.abc import Sequence

import numba
import numpy as np
from numpy.typing import NDArray

from sought.index.pieces import (
    AGAIN,
    AT,
    LACKING,
    LACKS,
    NOW,
    PIECE,
    PLACED,
    READ,
    Arena,
    Eights,
    Places,
    Progress,
    Slots,
    copy_progress,
    find,
    initial,
    inlined,
    next_piece,
)
from sought.web.compiled import Function, Int

INSIDE = -1  # a non-ASCII piece that has a term somewhere in its reading
Wanted = NDArray[np.uint64]  # a row per term: its length, and its bytes with a space after them

_0, _HALF, _BYTE, _SPACE, _G = (np.uint64(number) for number in (0, 0xFFFFFFFF, 0xFF, 0x20, ord("g")))


def encode_terms(terms: Sequence[str]) -> Wanted:
    """Terms in the format of `spot`."""
    spaced = [f"{term} ".encode() for term in terms]
    width = -(-max(map(len, spaced), default=0) // 8) * 8
    rows = [len(each).to_bytes(8, "little") + each.ljust(width, b"\0") for each in spaced]
    joined = b"".join(rows) or bytes(8)
    return np.frombuffer(joined, "<u8").reshape(-1, 1 + width // 8)[: len(rows)]


def _called(function: Function) -> Function:
    """Without releasing the GIL: it takes only microseconds."""
    return numba.njit(cache=True, _nrt=False)(function)  # type: ignore[call-overload,no-any-return]  # as in pieces


@inlined
def _same(arena: Arena, at: Int, length: Int, terms: Wanted, term: Int) -> Int:
    """Whether a whole reading is a term."""
    if terms[term, 0] != length:
        return False
    i, last = 0, (np.int64(length) + 7) >> 3
    while i < last and arena[at + i] == terms[term, 1 + i]:
        i += 1
    return i == last


@inlined
def _byte(eight: Int, at: Int) -> Int:
    return (eight >> np.uint64(8 * (at & 7))) & _BYTE


@inlined
def _stands_at(arena: Arena, at: Int, terms: Wanted, term: Int) -> Int:
    """Whether a term is at a byte of the arena."""
    i, last = 0, np.int64(terms[term, 0])
    while i < last and _byte(arena[(at + i) >> 3], at + i) == _byte(terms[term, 1 + (i >> 3)], i):
        i += 1
    return i == last


@inlined
def _inside(arena: Arena, at: Int, length: Int, terms: Wanted) -> Int:
    """Whether any of the words of a reading is a term."""
    first, stop, is_start = 8 * at, 8 * at + np.int64(length), True
    for byte in range(first, stop):
        if is_start:
            for term in range(len(terms)):
                if byte + np.int64(terms[term, 0]) <= stop and _stands_at(arena, byte, terms, term):
                    return True
        is_start = _byte(arena[byte >> 3], byte) == _SPACE
    return False


@inlined
def _shown(arena: Arena, entry: Int, is_word: Int, terms: Wanted) -> Int:
    """The term of a piece, or INSIDE; the number of terms if it has none."""
    length = arena[entry] & _HALF
    at = entry + 2 + ((np.int64(arena[entry] >> np.uint64(32)) + 7) >> 3)
    if is_word:
        for term in range(len(terms)):
            if _same(arena, at, length, terms, term):
                return term
        return len(terms)
    return INSIDE if _inside(arena, at, length, terms) else len(terms)


@_called
def spot(
    text: Eights,
    progress: Progress,
    terms: Wanted,
    spots: Places,
    lacking: Places,
    slots: Slots,
    arena: Arena,
    seed: np.uint64,
) -> int:
    """Write start, stop and term of pieces that have one, until the text ends or `spots` is full.

    Returns READ or LACKING; call it again after unknown pieces have been learned, as `pieces.read`.
    """
    progress[NOW, LACKS] = 0
    copy_progress(progress, PIECE, NOW)
    initials = initial(_G)  # the Dutch stemmer removes ge-; otherwise a term has the initial of its word
    for term in range(len(terms)):
        initials |= initial(terms[term, 1])
    while progress[NOW, LACKS] < len(lacking) and progress[NOW, PLACED] < len(spots):
        start, small, hashed, first = next_piece(text, progress, seed, initials)
        if start < 0:
            break
        stop, lacks, placed = progress[NOW, AT], progress[NOW, LACKS], progress[NOW, PLACED]
        entry = find(text, start, stop, small, hashed, first, slots, arena)
        if not entry:
            if not lacks:
                copy_progress(progress, AGAIN, PIECE)
            lacking[lacks, 0], lacking[lacks, 1] = start, stop
            progress[NOW, LACKS] = lacks + 1
        elif not lacks:
            shown = _shown(arena, entry, small != _0, terms)
            if shown < len(terms):
                spots[placed, 0], spots[placed, 1], spots[placed, 2] = start, stop, shown
                progress[NOW, PLACED] = placed + 1
    lacks = progress[NOW, LACKS]
    if lacks:
        copy_progress(progress, NOW, AGAIN)
        progress[NOW, LACKS] = lacks
    return LACKING if lacks else READ
