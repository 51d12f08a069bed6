"""Which query terms does a page have, and how often?

A *vector* has what measuring needs of a page, as an array of unsigned 32-bit numbers: its language, the number of terms
in each field of WORDED, then three numbers for each distinct term of any query: the term, its counts in title and body
(16 bits each), its counts in anchors and address.  An empty array is a page that is not searchable.  Many vectors are
stored end to end in one array; `bounds` has the start of each and the end of the last.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import int32, int64, types, uint32, uint64
from numpy.typing import NDArray

from sought.index.analysis import LANGUAGES, MAX_TEXT, clip, piece_reader
from sought.index.fields import WORDED
from sought.index.lexicon import Lexicon, TextMarks
from sought.web.compiled import Int, cached, compiled

FIELDS = len(WORDED)
HEAD = 1 + FIELDS
EACH = 3
_ONE, _32, _MANY, _LOW = (np.uint64(number) for number in (1, 32, 0xFFFF, 0xFFFFFFFF))
_UNKNOWN = -1  # the mark of a term of no query; below it: a piece with several terms, or none
_MAX_SEVERAL = 1 << 22  # terms of such pieces in memory

Vector = NDArray[np.uint32]
EMPTY: Vector = np.zeros(0, np.uint32)


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors end to end."""

    data: Vector
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def __getitem__(self, at: int) -> Vector:
        return self.data[self.bounds[at] : self.bounds[at + 1]]

    def some(self, first: int, stop: int) -> "Vectors":
        """A range of them."""
        bounds = self.bounds[first : stop + 1]
        return Vectors(self.data[bounds[0] : bounds[-1]], bounds - bounds[0])

    def at(self, places: Iterable[int]) -> "Vectors":
        """Some of them."""
        return joined([self[place] for place in places])

    @property
    def languages(self) -> list[int]:
        """The distinct languages of all pages."""
        languages: list[int] = np.unique(self.data[self.bounds[:-1][np.diff(self.bounds) > 0]]).tolist()
        return languages


def no_vectors(count: int) -> Vectors:
    """Empty vectors, of pages that are not searchable."""
    return Vectors(EMPTY, np.zeros(count + 1, np.int64))


def translated(old: Vectors, new: Vectors) -> list[int]:
    """The pages whose language has changed."""
    both = np.flatnonzero((np.diff(old.bounds) > 0) & (np.diff(new.bounds) > 0))
    pages: list[int] = both[old.data[old.bounds[both]] != new.data[new.bounds[both]]].tolist()
    return pages


def joined(vectors: Sequence[Vector]) -> Vectors:
    """Vectors end to end."""
    bounds = np.zeros(len(vectors) + 1, np.int64)
    np.cumsum([len(vector) for vector in vectors], out=bounds[1:])
    return Vectors(np.concatenate([EMPTY, *vectors]), bounds)


class Vocabulary:
    """The terms of queries.  Numbers are assigned in order and never change; terms may be added."""

    def __init__(self, terms: Iterable[str] = ()) -> None:
        self.numbers: dict[str, int] = {}
        self.add(terms)

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, terms: Iterable[str]) -> list[str]:
        """Add terms; returns the new ones."""
        fresh = [term for term in dict.fromkeys(terms) if term not in self.numbers]
        self.numbers.update(zip(fresh, range(len(self), len(self) + len(fresh)), strict=True))
        return fresh


class Counter:
    """Counts terms while pages are indexed: `read` each text of a page, `end_page`, and `take` the vectors.

    `met` is called with every language before its first page, so that its terms can be added.  If the vocabulary
    `grows`, all terms are added to it.
    """

    def __init__(
        self, vocabulary: Vocabulary, met: Callable[[int], None] = lambda _: None, *, grows: bool = False
    ) -> None:
        self._vocabulary = vocabulary
        self._met = met
        self._grows = grows
        self._noted = TextMarks()
        self._bounds = [0]
        self._languages: list[int] = []
        self._lexicons: dict[str, Lexicon] = {}
        self._known = 0  # size of the vocabulary when the lexicons were opened
        self._several, self._starts = array("i"), array("i", [0])
        self._counts: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._data: Vector = EMPTY  # buffer for the vectors of a batch

    def read(self, text: str, language: str) -> str:
        """Like `analysis.reading`, and count the terms."""
        lexicon = self._lexicons.get(language)
        if lexicon is None or self._known < len(self._vocabulary):
            lexicon = self._open(language)
        read = lexicon.reading(clip(text, MAX_TEXT), self._noted)
        self._bounds.append(self._noted.count)
        return read

    def end_page(self, language: str) -> None:
        self._languages.append(LANGUAGES.index(language))

    def take(self) -> Vectors:
        """The vectors of the pages since the last call."""
        pages, marks = len(self._languages), self._noted.marks[: self._noted.count]
        if len(self._counts) < len(self._vocabulary):
            self._counts = np.zeros(2 * len(self._vocabulary), np.uint64)
        starts, several = np.frombuffer(self._starts, np.int32), np.frombuffer(self._several, np.int32)
        extra = int(np.diff(starts)[_UNKNOWN - 1 - marks[marks < _UNKNOWN]].sum(dtype=np.int64))
        size, bounds = pages * HEAD + (len(marks) + extra) * EACH, np.zeros(pages + 1, np.int64)
        if len(self._data) < size:
            self._data = np.empty(size + size // 2, np.uint32)
        languages, fields = np.array(self._languages, np.int32), np.array(self._bounds, np.int64)
        _count(marks, fields, languages, starts, several, self._counts, self._data, bounds)
        self._forget()
        return Vectors(self._data[: bounds[-1]].copy(), bounds)

    def _forget(self) -> None:
        self._noted.count, self._bounds, self._languages = 0, [0], []
        if len(self._several) + len(self._starts) > _MAX_SEVERAL:
            self._lexicons, self._several, self._starts = {}, array("i"), array("i", [0])

    def _open(self, language: str) -> Lexicon:
        self._met(LANGUAGES.index(language))
        if self._known < len(self._vocabulary):  # lexicons may have cached new terms as unknown
            self._known, self._lexicons = len(self._vocabulary), {}
        opened = self._lexicons[language] = Lexicon(piece_reader(language), self._mark)
        return opened

    def _mark(self, reading: str) -> int:
        numbers = self._vocabulary.numbers
        if self._grows:
            self._vocabulary.add(reading.split())
            self._known = len(numbers)
        if reading and " " not in reading:
            return numbers.get(reading, _UNKNOWN)
        self._several.extend([numbers.get(term, _UNKNOWN) for term in reading.split()])
        self._starts.append(len(self._several))
        return _UNKNOWN - (len(self._starts) - 1)


@compiled
def _count_term(data: Vector, counts: NDArray[np.uint64], end: Int, term: Int, field: Int) -> Int:
    """Count a term of the current page; returns the end of its vector."""
    count, shift = counts[term], np.uint64(16 * field)
    if not count:
        data[end] = term
        end += EACH
    if (count >> shift) & _MANY != _MANY:
        counts[term] = count + (_ONE << shift)
    return end


@compiled
def _move_counts(data: Vector, counts: NDArray[np.uint64], start: Int, end: Int) -> None:
    """Move the counts of the terms of a vector into it."""
    for at in range(start, end, EACH):
        term = np.uint64(data[at])
        data[at + 1], data[at + 2] = counts[term] & _LOW, counts[term] >> _32
        counts[term] = 0


@cached(
    types.void(
        *(int32[::1], int64[::1], int32[::1], int32[::1], int32[::1]),
        *(uint64[::1], uint32[::1], int64[::1]),
    )
)
def _count(
    marks: NDArray[np.int32],
    fields: NDArray[np.int64],
    languages: NDArray[np.int32],
    starts: NDArray[np.int32],
    several: NDArray[np.int32],
    counts: NDArray[np.uint64],
    data: Vector,
    bounds: NDArray[np.int64],
) -> None:
    """Vectors from marks: those of field f of page p are `marks[fields[4p + f]:fields[4p + f + 1]]`.

    `counts` has 16 bits for each field of each term; it is zero before and after.
    """
    end: Int = np.int64(0)
    for p in range(len(languages)):
        head = end
        end += HEAD
        data[head] = languages[p]
        for field in range(FIELDS):
            length = 0
            for i in range(fields[FIELDS * p + field], fields[FIELDS * p + field + 1]):
                mark = marks[i]
                if mark >= _UNKNOWN:
                    length += 1
                    if mark >= 0:
                        end = _count_term(data, counts, end, np.uint64(mark), field)
                else:
                    for k in range(starts[_UNKNOWN - 1 - mark], starts[_UNKNOWN - mark]):
                        length += 1
                        if several[k] >= 0:
                            end = _count_term(data, counts, end, np.uint64(several[k]), field)
            data[head + 1 + field] = length
        _move_counts(data, counts, head + HEAD, end)
        bounds[p + 1] = end
