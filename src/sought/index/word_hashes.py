"""Which words, and which n-grams of a workload, does a text have?  Many texts at once, as one byte string.

A word is a run of letters, marks and numbers (categories L, M and N of Unicode: a vowel sign of Hindi is a mark), in
lower case, identified by a 64-bit hash.  Collisions are possible, but an attacker gains nothing from them: to be found
for a word, a page can simply contain it.
"""

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import boolean, int64, uint8, uint64, void
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, cached, compiled, readable

Bytes = NDArray[np.uint8]
Hashes = NDArray[np.uint64]
Ints = NDArray[np.int64]
Place = tuple[Int, Int, Int, Int, Int, Int]  # row, field and bytes of a word, then bytes of the host

HOST, PATH, ANCHOR, ADDRESS = range(4)  # sources of a text; an address is split into host and path
STOP, UNKNOWN = -2, -1  # instead of the number of a word
ROW_BITS, FIELD_BITS = 32, 4  # of a hit: its n-gram, then the row, then a bit for the field

_END = "\0"  # between texts; lower-casing does not depend on the other side
_SLASH, _COLON, _ASKS, _HASH = b"/:?#"
_BASIS, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_MIX = np.uint64(0x9E3779B97F4A7C15)
_1, _6, _29, _32, _63 = (np.uint64(n) for n in (1, 6, 29, 32, 63))
_FIELD, _ROW = np.uint64(FIELD_BITS), np.uint64(FIELD_BITS + ROW_BITS)
_KINDS, _TABLE = readable(uint8), (uint64[:, ::1], uint64[::1])


class Words(NamedTuple):
    """The words of texts in order: hashes, numbers of their texts, and byte ranges."""

    hashes: Hashes
    texts: Ints
    starts: Ints
    stops: Ints


class HashTable(NamedTuple):
    """A hash table from 64-bit keys to numbers, with open addressing; most slots are empty (key 0).

    Most lookups fail: `bits`, eight for each slot, show that without leaving the CPU cache.
    """

    slots: Hashes
    bits: Hashes


def lowered(texts: Sequence[str]) -> bytes:
    """Texts in lower case, joined by zero bytes."""
    joined = _END.join(texts)
    if joined.count(_END) >= max(len(texts), 1):
        joined = _END.join([text.replace(_END, " ") for text in texts])
    return joined.lower().encode("utf-8", "surrogatepass")


def words_of(data: bytes) -> Words:
    """The words of lowered texts."""
    most = len(data) // 2 + 1
    hashes, places = np.empty(most, np.uint64), np.empty((3, most), np.int64)
    count = _cut(np.frombuffer(data, np.uint8), kinds(), hashes, *places)
    return Words(hashes[:count], places[0, :count], places[1, :count], places[2, :count])


def table_of(keys: Hashes, numbers: Ints) -> HashTable:
    """A table of numbers, which may be negative, by distinct keys other than 0."""
    size = 1 << max(2 * len(keys), 8).bit_length()
    table = HashTable(np.zeros((size, 2), np.uint64), np.zeros(size // 8, np.uint64))
    _place(keys, numbers.astype(np.int64).view(np.uint64), *table)
    return table


@cache
def kinds() -> Bytes:
    """For every character, whether it is part of words."""
    is_word = np.zeros(0x110000, np.uint8)
    assigned = [*range(0x40000), *range(0xE0000, 0xE1000)]  # beyond, unassigned or private use
    is_word[assigned] = [unicodedata.category(chr(code))[0] in "LMN" for code in assigned]
    is_word.flags.writeable = False
    return is_word


@compiled
def _width(lead: Int) -> Int:
    return 1 if lead < 0x80 else 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


@compiled
def _in_word(data: Bytes, i: Int, kinds: Bytes) -> Bool:
    """Whether the character at i is part of a word."""
    width = _width(data[i])
    if width == 1:
        return kinds[data[i]] != 0
    code = np.int64(data[i]) & (0x7F >> width)
    for k in range(1, width):
        code = code << 6 | (np.int64(data[i + k]) & 0x3F)
    return kinds[code] != 0


@compiled
def _skip(data: Bytes, i: Int, kinds: Bytes) -> Int:
    """The start of the next word, or the end of the text."""
    while i < data.size and data[i] and not _in_word(data, i, kinds):
        i += _width(data[i])
    return i


@compiled
def _word(data: Bytes, i: Int, kinds: Bytes) -> tuple[Int, Int]:
    """Hash and end of the word that starts at i."""
    bits = _BASIS
    while i < data.size and _in_word(data, i, kinds):
        after = i + _width(data[i])
        while i < after:
            bits = (bits ^ np.uint64(data[i])) * _PRIME
            i += 1
    bits = (bits ^ bits >> _32) * _MIX
    return max(bits ^ bits >> _32, _1), i


@compiled
def _bit(key: Int, bits: Hashes) -> tuple[Int, Int]:
    """The index and shift of a key's bit."""
    place = (key * _MIX) >> _29
    return place >> _6 & np.uint64(bits.size - 1), place & _63


@compiled
def _look_up(key: Int, table: HashTable) -> Int:
    """The number of a key, or UNKNOWN."""
    slots, bits = table
    word, shift = _bit(key, bits)
    if not bits[word] >> shift & _1:
        return np.int64(UNKNOWN)
    mask = np.uint64(len(slots) - 1)
    at = (key * _MIX) >> _32 & mask
    while slots[at, 0]:
        if slots[at, 0] == key:
            return np.int64(slots[at, 1])
        at = (at + _1) & mask
    return np.int64(UNKNOWN)


@cached(void(readable(uint64), readable(uint64), *_TABLE))
def _place(keys: Hashes, numbers: Hashes, slots: Hashes, bits: Hashes) -> None:
    mask = np.uint64(len(slots) - 1)
    for i in range(keys.size):
        at = (keys[i] * _MIX) >> _32 & mask
        while slots[at, 0]:
            at = (at + _1) & mask
        slots[at, 0], slots[at, 1] = keys[i], numbers[i]
        word, shift = _bit(keys[i], bits)
        bits[word] |= _1 << shift


@cached(int64(readable(uint8), _KINDS, uint64[::1], int64[::1], int64[::1], int64[::1]))
def _cut(data: Bytes, kinds: Bytes, hashes: Hashes, texts: Ints, starts: Ints, stops: Ints) -> Int:
    """Write all words; returns their number."""
    count, text, i = 0, 0, _skip(data, 0, kinds)
    while i < data.size:
        if data[i]:
            texts[count], starts[count] = text, i
            hashes[count], i = _word(data, i, kinds)
            stops[count] = i
            count += 1
        else:
            text, i = text + 1, i + 1
        i = _skip(data, i, kinds)
    return count


@compiled
def _host(data: Bytes, i: Int) -> tuple[Int, Int]:
    """Begin and end of the host of the address at i."""
    begin, end = i, i
    while end < data.size and data[end]:
        c = data[end]
        if c == _COLON and begin == i and end + 2 < data.size and data[end + 1] == data[end + 2] == _SLASH:
            begin = end = end + 3
        elif c in (_SLASH, _ASKS, _HASH):
            break
        else:
            end += 1
    return begin, end


@compiled
def _field(field: Int, start: Int, stop: Int, begin: Int, end: Int) -> Int:
    """The bit of an n-gram's field; n-grams that reach from host into path have that of ADDRESS."""
    if field == ADDRESS and start >= end:
        field = PATH
    elif field == ADDRESS and begin <= start and stop <= end:
        field = HOST
    return _1 << np.uint64(field)


@compiled
def _extend_chain(
    word: Int, known: Int, place: Place, grams: HashTable, chain: Ints, starts: Ints, out: Hashes, count: Int
) -> Int:
    """Append a word to the chain and write its n-grams; returns how many of them may continue."""
    row, field, start, stop, begin, end = place
    alive = 0
    for n in range(min(known, chain.size - 1), 0, -1):
        chain[n], starts[n] = UNKNOWN, starts[n - 1]
        if chain[n - 1] >= 0:
            chain[n] = _look_up(np.uint64(chain[n - 1] + 1) << _32 | np.uint64(word + 1), grams)
        if chain[n] >= 0:
            alive = max(alive, n)
            out[count[0]] = np.uint64(chain[n]) << _ROW | row | _field(field, starts[n], stop, begin, end)
            count[0] += 1
    chain[0], starts[0] = word, start
    out[count[0]] = np.uint64(word) << _ROW | row | _field(field, start, stop, begin, end)
    count[0] += 1
    return alive + 1


@cached(
    boolean(
        *(readable(uint8), _KINDS, readable(int64), int64, *_TABLE, *_TABLE),
        *(int64[::1], int64[::1], uint64[::1], int64[::1]),
    )
)
def find(
    data: Bytes,
    kinds: Bytes,
    rows: Ints,
    field: Int,
    words: Hashes,
    word_bits: Hashes,
    grams: Hashes,
    gram_bits: Hashes,
    chain: Ints,
    starts: Ints,
    out: Hashes,
    reached: Ints,
) -> Bool:
    """Write the known n-grams of texts while there is room; returns whether all texts are done.

    `reached` is where to begin, and then where it ended: text, byte, hits.  A text that did not fit is restarted.
    `chain` and `starts` are scratch: the n-grams that end with the last word, by length, and their starts.
    """
    text, i, known, begin, end, fresh = reached[0], reached[1], 0, 0, 0, True
    count = reached[2:]
    count[0] = done = 0
    while i < data.size:
        if fresh and field == ADDRESS:
            begin, end = _host(data, i)
        start = _skip(data, i, kinds)
        if start == data.size:
            break
        fresh = not data[start]
        if fresh:
            text, i, known, done = text + 1, start + 1, 0, count[0]
            reached[0], reached[1] = text, i
            continue
        bits, i = _word(data, start, kinds)
        word = _look_up(bits, HashTable(words, word_bits))
        if word >= 0:
            if count[0] + chain.size > out.size:
                count[0] = done
                return False
            place = (np.uint64(rows[text]) << _FIELD, field, start, i, begin, end)
            known = _extend_chain(word, known, place, HashTable(grams, gram_bits), chain, starts, out, count)
        elif word == UNKNOWN:
            known = 0
    return True
