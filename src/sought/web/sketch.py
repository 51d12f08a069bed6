"""How similar are two texts?  Exactly, by shingles; in 256 bytes, by a sketch; in six look-ups, by bands.

Shingles: A. Broder, On the resemblance and containment of documents, 1997.  Sketch: one permutation hashing (Li, Owen,
Zhang, 2012) with empty bins filled by optimal densification (Shrivastava, 2017).  Nothing here depends on a process or
a version: what is stored must stay comparable for ever.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, cached, compiled, readable
from sought.web.document import Shingles, Sketch

SHINGLE_WORDS = 10
SKETCH_SIZE = 64
# Two texts at resemblance J share a band with probability 1 - (1 - J³)⁶: 0.92 at 0.7, 0.03 at 0.17.
BANDS, BAND_ROWS = 6, 3
NEAR_DUPLICATE = 0.65  # resemblance from which two pages count as one: four fifths of all phrases in common

Words = NDArray[np.uint64]
_HASHES = types.uint64[::1]

_MULTIPLY_1, _MULTIPLY_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)  # murmur3's finaliser
_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_ROLL = np.uint64(0x9E3779B97F4A7C15)
_EMPTY_BIN = 1 << 32
_BEYOND = 1
_MAX_BUCKET = 32  # hashes with the same highest bits; a page with more is repetitive or hostile
# For each byte: its lower case; 0 if it separates words; _BEYOND if it starts a character beyond ASCII.
_ASCII = np.array([ord(chr(c).lower()) if chr(c).isalnum() else 0 for c in range(128)] + [_BEYOND] * 128, np.uint8)


def words(text: str) -> Words:
    """A hash of every word, in order.  A word is a run of letters and digits in any case, or a Han or kana sign."""
    return _words(_utf8(text))


def shingles(text: str, k: int = SHINGLE_WORDS) -> Shingles:
    """The set of runs of k words (of all words, if there are fewer), hashed and sorted."""
    return _set_of(_shingles(_utf8(text), k)[0])


def shingled(text: bytes) -> tuple[Shingles, int]:
    """The shingles of a text in UTF-8, and how many words it has."""
    hashes, count = _shingles(np.frombuffer(text, np.uint8), SHINGLE_WORDS)
    return _set_of(hashes), count


def _utf8(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)


def _set_of(hashes: Shingles) -> Shingles:
    if not _spread(hashes):
        hashes.sort()
    return hashes[: _unique(hashes)]


def difference(a: Shingles, b: Shingles) -> float:
    """1 - |A∩B| / |A∪B|; 0 for two empty texts."""
    if not len(a) and not len(b):
        return 0.0
    common = int(_common(a, b))
    return 1.0 - common / (len(a) + len(b) - common)


def sketch(text: Shingles) -> Sketch:
    """The least shingle of each of 64 parts; the sketch of an empty text is empty."""
    return _sketch(text) if len(text) else np.zeros(0, np.uint32)


def similarity(a: Sketch, b: Sketch) -> float:
    """Estimate of |A∩B| / |A∪B|, with a standard error of at most 0.07."""
    if len(a) != len(b):
        return 0.0
    return float(np.count_nonzero(a == b)) / len(a) if len(a) else 1.0


def bands(text: Sketch) -> tuple[int, ...]:
    """Keys of a text: near-duplicates probably share one, other texts hardly ever."""
    return tuple(_bands(text).tolist()) if len(text) else ()


@compiled
def _mix(h: Int) -> Int:
    h = (h ^ (h >> np.uint64(33))) * _MULTIPLY_1
    h = (h ^ (h >> np.uint64(33))) * _MULTIPLY_2
    return h ^ (h >> np.uint64(33))


@compiled
def _fold(code: Int) -> Int:
    """Lower case of the Latin, Greek and Cyrillic letters that come in pairs."""
    if (0xC0 <= code < 0xDF and code != 0xD7) or 0x391 <= code < 0x3AA or 0x410 <= code < 0x430:
        return code + 32
    if 0x400 <= code < 0x410:
        return code + 80
    if 0x100 <= code < 0x138 or 0x14A <= code < 0x178 or 0x460 <= code < 0x482 or 0x48A <= code < 0x4C0:
        return code | 1
    if 0x139 <= code < 0x149 or 0x179 <= code < 0x17F:
        return code + (code & 1)
    return code


@compiled
def _separates(code: Int) -> Bool:
    """Punctuation and signs: Latin-1 (but three letters), general, CJK, full width."""
    if code < 0xC0:
        return code not in (0xAA, 0xB5, 0xBA)
    if code < 0x3021:
        return 0x2000 <= code < 0x2070 or 0x3000 <= code < 0x3005 or code >= 0x3008
    if 0xFF00 <= code < 0xFF66:
        return not (0xFF10 <= code < 0xFF1A or 0xFF21 <= code < 0xFF3B or 0xFF41 <= code < 0xFF5B)
    return 0xFE50 <= code < 0xFE70


@compiled
def _is_word(code: Int) -> Bool:
    """Scripts written without spaces between words: kana and Han."""
    return 0x3040 <= code < 0x3100 or 0x3400 <= code < 0xA000 or 0xF900 <= code < 0xFB00 or 0x20000 <= code < 0x32000


@compiled
def _decode(data: NDArray[np.uint8], i: Int) -> tuple[Int, Int]:
    """The character of two to four bytes at i, and its width."""
    first = np.int64(data[i])
    width = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
    code = first & (0x7F >> width)
    for j in range(i + 1, min(i + width, data.size)):
        code = code << 6 | np.int64(data[j]) & 63
    return code, width


@compiled
def _write_words(data: NDArray[np.uint8], out: Words) -> Int:
    count, i, inside, h = 0, 0, False, _FNV_START
    while i < data.size:
        folded: Int = np.int64(_ASCII[data[i]])
        width, alone = 1, False
        if folded == _BEYOND:
            code, width = _decode(data, i)
            folded, alone = 0 if _separates(code) else _fold(code), _is_word(code)
        i += width
        if inside and (folded == 0 or alone):
            out[count] = _mix(h)
            count, inside, h = count + 1, False, _FNV_START
        if folded:
            inside, h = True, (h ^ np.uint64(folded)) * _FNV_PRIME
        if alone:
            out[count] = _mix(h)
            count, inside, h = count + 1, False, _FNV_START
    if inside:
        out[count] = _mix(h)
        count += 1
    return count


@cached(_HASHES(readable(types.uint8)))
def _words(data: NDArray[np.uint8]) -> Words:
    out = np.empty(data.size, np.uint64)
    return out[: _write_words(data, out)].copy()


@compiled
def _roll(text: Words, k: Int, out: Shingles) -> None:
    """Polynomial hash of every window of k words, mixed."""
    h, highest = np.uint64(0), np.uint64(1)
    for _ in range(k):
        highest *= _ROLL
    for i in range(text.size):
        h = h * _ROLL + text[i]
        if i >= k:
            h -= highest * text[i - k]
        if i >= k - 1:
            out[i - k + 1] = _mix(h)


@cached(types.Tuple((_HASHES, types.int64))(readable(types.uint8), types.int64))  # type: ignore[no-untyped-call]  # numba's
def _shingles(data: NDArray[np.uint8], k: Int) -> tuple[Shingles, Int]:
    text = np.empty(data.size, np.uint64)
    count = _write_words(data, text)
    k = min(k, count)
    out = np.empty(count - k + 1 if k else 0, np.uint64)
    _roll(text[:count], k, out)
    return out, count


@cached(types.boolean(_HASHES))
def _spread(hashes: Shingles) -> Bool:
    """Bucket-sort evenly spread hashes by their highest bits; False, and nothing sorted, if they are not even."""
    bits = np.uint64(0)
    buckets: Int = 1
    while buckets < hashes.size:
        bits, buckets = bits + np.uint64(1), buckets * 2
    shift, ends = np.uint64(64) - max(bits, np.uint64(1)), np.zeros(max(buckets, 2), np.int64)
    for h in hashes:
        ends[np.int64(h >> shift)] += 1
    if ends.max() > _MAX_BUCKET:
        return False
    ends = np.cumsum(ends)
    out = np.empty_like(hashes)
    for h in hashes:
        bucket = np.int64(h >> shift)
        ends[bucket] -= 1
        out[ends[bucket]] = h
    for i in range(out.size):
        h, at = out[i], i
        while at and hashes[at - 1] > h:
            hashes[at] = hashes[at - 1]
            at -= 1
        hashes[at] = h
    return True


@cached(types.int64(_HASHES))
def _unique(text: Shingles) -> Int:
    """Move the distinct values of a sorted array to its front and return their number."""
    count = min(text.size, 1)
    for i in range(1, text.size):
        if text[i] != text[i - 1]:
            text[count] = text[i]
            count += 1
    return count


@cached(types.int64(readable(types.uint64), readable(types.uint64)))
def _common(a: Shingles, b: Shingles) -> Int:
    i = j = count = 0
    while i < a.size and j < b.size:
        if a[i] == b[j]:
            i, j, count = i + 1, j + 1, count + 1
        elif a[i] < b[j]:
            i += 1
        else:
            j += 1
    return count


@cached(types.uint32[::1](readable(types.uint64)))
def _sketch(text: Shingles) -> Sketch:
    least = np.full(SKETCH_SIZE, _EMPTY_BIN, np.int64)
    for h in text:
        part = np.int64(h >> np.uint64(58))
        least[part] = min(least[part], np.int64(h & np.uint64(0xFFFFFFFF)))
    out = np.empty(SKETCH_SIZE, np.uint32)
    for place in range(SKETCH_SIZE):
        donor: Int = place
        attempt = np.uint64(0)
        while least[donor] == _EMPTY_BIN:
            attempt += np.uint64(1)
            donor = np.int64(_mix(np.uint64(place + 1) * _ROLL + attempt) >> np.uint64(58))
        out[place] = least[donor]
    return out


@cached(_HASHES(readable(types.uint32)))
def _bands(text: Sketch) -> NDArray[np.uint64]:
    out = np.empty(BANDS, np.uint64)
    for band in range(BANDS):
        h = np.uint64(band + 1)
        for row in range(BAND_ROWS):
            h = _mix(h * _ROLL + np.uint64(text[band * BAND_ROWS + row]))
        out[band] = h
    return out
