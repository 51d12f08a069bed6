"""Which of the terms people ask for does a page hold, and how often?

A *vector* is what measuring needs of a page, as an array of unsigned 32-bit numbers: its language, the number of terms
in each field of WORDED, then three numbers for each distinct term that some query asks for: the term, how often title
and body hold it (16 bits each), how often anchors and address do.  An empty array is a page that is not searchable.
Many vectors lie end to end in one array; `bounds` says where each starts and the last one stops.
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
_NOBODY = -1  # the mark of a term that no query asks for; below it: not one term but several, or none
_MAX_SEVERAL = 1 << 22  # terms of such pieces remembered

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
        """A run of them."""
        bounds = self.bounds[first : stop + 1]
        return Vectors(self.data[bounds[0] : bounds[-1]], bounds - bounds[0])

    def at(self, places: Iterable[int]) -> "Vectors":
        """Some of them."""
        return joined([self[place] for place in places])

    @property
    def languages(self) -> list[int]:
        """Those of all pages, each once."""
        found: list[int] = np.unique(self.data[self.bounds[:-1][np.diff(self.bounds) > 0]]).tolist()
        return found


def no_vectors(count: int) -> Vectors:
    """Of pages that are not searchable."""
    return Vectors(EMPTY, np.zeros(count + 1, np.int64))


def translated(old: Vectors, new: Vectors) -> list[int]:
    """The pages that have another language than before."""
    both = np.flatnonzero((np.diff(old.bounds) > 0) & (np.diff(new.bounds) > 0))
    found: list[int] = both[old.data[old.bounds[both]] != new.data[new.bounds[both]]].tolist()
    return found


def joined(vectors: Sequence[Vector]) -> Vectors:
    """Vectors end to end."""
    bounds = np.zeros(len(vectors) + 1, np.int64)
    np.cumsum([len(vector) for vector in vectors], out=bounds[1:])
    return Vectors(np.concatenate([EMPTY, *vectors]), bounds)


class Vocabulary:
    """The terms that queries ask for.  Numbers are given in order and never change; more terms may come."""

    def __init__(self, terms: Iterable[str] = ()) -> None:
        self.numbers: dict[str, int] = {}
        self.add(terms)

    def __len__(self) -> int:
        return len(self.numbers)

    def add(self, terms: Iterable[str]) -> list[str]:
        """Make terms known; returns those that were not."""
        fresh = [term for term in dict.fromkeys(terms) if term not in self.numbers]
        self.numbers.update(zip(fresh, range(len(self), len(self) + len(fresh)), strict=True))
        return fresh


class Counter:
    """Counts while the index reads: `read` each text of a page, `end_page`, and `take` the vectors of all pages.

    `met` is told of every language before its first page is read, so that its terms can be known by then.  If the
    vocabulary `grows`, all terms that are read enter it.
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
        self._known = 0  # terms there were when the lexicons were opened
        self._several, self._starts = array("i"), array("i", [0])
        self._counts: NDArray[np.uint64] = np.zeros(0, np.uint64)
        self._data: Vector = EMPTY  # room for the vectors of a batch

    def read(self, text: str, language: str) -> str:
        """As `analysis.reading`."""
        lexicon = self._lexicons.get(language)
        if lexicon is None or self._known < len(self._vocabulary):
            lexicon = self._opened(language)
        read = lexicon.reading(clip(text, MAX_TEXT), self._noted)
        self._bounds.append(self._noted.count)
        return read

    def end_page(self, language: str) -> None:
        self._languages.append(LANGUAGES.index(language))

    def take(self) -> Vectors:
        """The vectors of the pages read since the last time."""
        pages, marks = len(self._languages), self._noted.marks[: self._noted.count]
        if len(self._counts) < len(self._vocabulary):
            self._counts = np.zeros(2 * len(self._vocabulary), np.uint64)
        starts, several = np.frombuffer(self._starts, np.int32), np.frombuffer(self._several, np.int32)
        extra = int(np.diff(starts)[_NOBODY - 1 - marks[marks < _NOBODY]].sum(dtype=np.int64))
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

    def _opened(self, language: str) -> Lexicon:
        self._met(LANGUAGES.index(language))
        if self._known < len(self._vocabulary):  # lexicons remember words as terms that nobody asks for
            self._known, self._lexicons = len(self._vocabulary), {}
        opened = self._lexicons[language] = Lexicon(piece_reader(language), self._mark)
        return opened

    def _mark(self, reading: str) -> int:
        numbers = self._vocabulary.numbers
        if self._grows:
            self._vocabulary.add(reading.split())
            self._known = len(numbers)
        if reading and " " not in reading:
            return numbers.get(reading, _NOBODY)
        self._several.extend([numbers.get(term, _NOBODY) for term in reading.split()])
        self._starts.append(len(self._several))
        return _NOBODY - (len(self._starts) - 1)


@compiled
def _enter(data: Vector, counts: NDArray[np.uint64], end: Int, term: Int, field: Int) -> Int:
    """Count a term of the present page; returns where its vector now ends."""
    count, shift = counts[term], np.uint64(16 * field)
    if not count:
        data[end] = term
        end += EACH
    if (count >> shift) & _MANY != _MANY:
        counts[term] = count + (_ONE << shift)
    return end


@compiled
def _empty(data: Vector, counts: NDArray[np.uint64], start: Int, end: Int) -> None:
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

    `counts` has 16 bits of each term for each field; it is zero, here and afterwards.
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
                if mark >= _NOBODY:
                    length += 1
                    if mark >= 0:
                        end = _enter(data, counts, end, np.uint64(mark), field)
                else:
                    for k in range(starts[_NOBODY - 1 - mark], starts[_NOBODY - mark]):
                        length += 1
                        if several[k] >= 0:
                            end = _enter(data, counts, end, np.uint64(several[k]), field)
            data[head + 1 + field] = length
        _empty(data, counts, head + HEAD, end)
        bounds[p + 1] = end
