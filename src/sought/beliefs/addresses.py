"""What can be read from the address of a page?  Its depth, top-level domain, directory and words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import int64, uint8, uint64, void
from numpy.typing import NDArray

from sought.web.compiled import Int, cached, compiled, readable
from sought.web.mixing import mixed

Numbers = NDArray[np.int64]
Hashes = NDArray[np.uint64]

_START, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_SLASH, _QUERY, _DOT, _COLON, _BRACKET, _PERCENT = (np.uint8(ord(sign)) for sign in "/?.:[%")
_NONE = np.uint64(0)
_ROUGH = np.uint64(12)  # bits of a hash that a float64 has no room for


@dataclass(frozen=True, eq=False)
class Addresses:
    """Of each address: the slashes of its path, hashes of top-level domain (0: none) and directory, and its words.

    The words of address i are words[bounds[i]:bounds[i + 1]], as hashes: runs of letters, digits and %, in lower case.
    """

    depth: Numbers
    domain: Hashes
    folder: Hashes
    words: Hashes
    bounds: Numbers


def read_addresses(urls: Sequence[str]) -> Addresses:
    """Read canonical URLs."""
    texts = [url.encode() for url in urls]
    return read_bytes(np.fromiter(map(len, texts), np.int64, len(texts)), texts)


def read_bytes(lengths: NDArray[np.integer], texts: Sequence[bytes]) -> Addresses:
    """Read canonical URLs that are joined, with their lengths."""
    data = np.frombuffer(b"".join(texts), np.uint8)
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    depth, bounds = np.zeros(len(lengths), np.int64), np.zeros(len(lengths) + 1, np.int64)
    domain, folder = np.zeros((2, len(lengths)), np.uint64)
    words = np.empty(len(data) // 2 + len(lengths), np.uint64)
    _read(data, ends, depth, domain, folder, words, bounds)
    return Addresses(depth, domain, folder, words[: bounds[-1]], bounds)


def folder_numbers(addresses: Addresses) -> NDArray[np.float64]:
    """Directories as numbers that a float holds exactly."""
    return (mixed(addresses.folder) >> _ROUGH).astype(np.float64)


def domain_of(host: str) -> str:
    """`.org` for `www.example.org`; nothing for bare names and numbers."""
    label = host.rpartition(".")[2]
    return f".{label}" if "." in host and not label.isdigit() and not host.startswith("[") else ""


def domain_hash(name: str) -> int:
    """The hash of a top-level domain in `Addresses.domain`."""
    return int(read_addresses([f"http://a{name}/"]).domain[0])


@compiled
def _lower(sign: Int) -> Int:
    """A letter, digit or % of a word; 0 for all that separates words."""
    if 65 <= sign <= 90:
        return sign + 32
    return sign if 97 <= sign <= 122 or 48 <= sign <= 57 or sign == _PERCENT else 0


@compiled
def _domain(data: NDArray[np.uint8], start: Int, stop: Int) -> Int:
    """The hash of a host's top-level domain; the host may have a port."""
    state, letters, dots = _START, 0, 0
    for i in range(start, stop):
        sign = data[i]
        if sign in (_COLON, _BRACKET):
            break
        if sign == _DOT:
            state, letters, dots = _START, 0, dots + 1
        else:
            state = (state ^ np.uint64(sign)) * _PRIME
            letters += 1 if not 48 <= sign <= 57 else 0
    return state if dots and letters else _NONE


@cached(void(readable(uint8), readable(int64), int64[::1], uint64[::1], uint64[::1], uint64[::1], int64[::1]))
def _read(
    data: NDArray[np.uint8],
    ends: Numbers,
    depth: Numbers,
    domain: Hashes,
    folder: Hashes,
    words: Hashes,
    bounds: Numbers,
) -> None:
    count = 0
    for u in range(len(depth)):
        i = ends[u]
        while i + 1 < ends[u + 1] and not (data[i] == _SLASH and data[i + 1] == _SLASH):
            i += 1
        start = i + 2
        whole, word, letters, slashes, in_path = _START, _START, 0, 0, True
        for at in range(start, ends[u + 1]):
            sign = data[at]
            in_path = in_path and sign != _QUERY
            whole = (whole ^ np.uint64(sign)) * _PRIME
            if sign == _SLASH and in_path:
                if not slashes:
                    domain[u] = _domain(data, start, at)
                slashes += 1
                folder[u] = whole
            lower = _lower(sign)
            if lower:
                word = (word ^ np.uint64(lower)) * _PRIME
                letters += 1
            elif letters:
                words[count] = word
                count, word, letters = count + 1, _START, 0
        if letters:
            words[count] = word
            count += 1
        depth[u], bounds[u + 1] = slashes, count
