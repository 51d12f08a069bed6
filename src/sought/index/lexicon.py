"""What are the terms of each word of a language?  A cache, because most words occur again and again."""

import os
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sought.index.pieces import (
    CRAMPED,
    LACKS,
    NOW,
    PLACED,
    READ,
    SIZE,
    Arena,
    Bytes,
    Marks,
    Places,
    Progress,
    Slots,
    eights,
    place,
    read,
)
from sought.index.spots import Wanted, spot

# More than the words of any one text, so that all fit even if the cache is cleared in the middle of it.
_MAX_PIECES = 1 << 18  # cached for a language
_MAX_BYTES = 1 << 24  # of them and their readings
_MAX_LACKING = 1 << 15  # unknown pieces learned at once
_MAX_SPOTS = 256


class ReadText(NamedTuple):
    """A text and its reading.  `places` has start, stop and start of the reading of each piece."""

    text: bytes
    reading: bytes
    places: Places


class TextMarks:
    """The marks of the pieces of several texts, one text after the other."""

    def __init__(self) -> None:
        self.marks: Marks = np.empty(1 << 14, np.int32)
        self.count = 0


class Lexicon:
    """The readings of pieces of text, in one language.

    Invariant: entries are results of `learn` and `mark`, and at most half of all slots are used.  When it is full, it
    is cleared.
    """

    def __init__(
        self, learn: Callable[[Sequence[str]], Sequence[str]], mark: Callable[[str], int] = lambda _: 0
    ) -> None:
        """`learn` computes the readings of pieces, `mark` the mark of a reading."""
        self._learn = learn
        self._mark = mark
        self._noted = TextMarks()
        self._lock = Lock()
        self._seed = np.frombuffer(os.urandom(8), np.uint64)[0]
        # Buffers for most texts; those for longer ones are freed.
        self._progress: Progress = np.zeros((3, 4), np.int64)
        self._out: Bytes = np.empty(1 << 16, np.uint8)
        self._places: Places = np.empty((1 << 13, 3), np.int64)
        self._lacking: Places = np.empty((_MAX_LACKING, 2), np.int64)
        self._spots: Places = np.empty((_MAX_SPOTS, 3), np.int64)
        self._forget()

    def reading(self, text: str, noted: TextMarks | None = None) -> str:
        """The readings of all pieces of a text, with spaces between them; their marks are added to `noted`."""
        encoded = text.encode("utf-8", "replace")
        with self._lock:
            out, _ = self._read(encoded, noted)
            return out.tobytes().decode()

    def placed(self, text: str) -> ReadText:
        """The same, and where the pieces are."""
        encoded = text.encode("utf-8", "replace")
        with self._lock:
            out, places = self._read(encoded, None)
            return ReadText(encoded, out.tobytes(), places.copy())

    def spotted(self, text: str, wanted: Wanted) -> tuple[bytes, list[list[int]]]:
        """The text in bytes; start, stop and term (or INSIDE) of the first pieces that have wanted terms."""
        encoded = text.encode("utf-8", "replace")
        with self._lock:
            eight, progress = eights(encoded + bytes(8)), self._progress
            progress[NOW] = 0
            while spot(eight, progress, wanted, self._spots, self._lacking, self._slots, self._arena, self._seed):
                self._learn_lacking(encoded)
            return encoded, self._spots[: progress[NOW, PLACED]].tolist()

    def _forget(self) -> None:
        self._slots: Slots = np.zeros(1 << 12, np.uint64)
        self._arena: Arena = np.zeros(1 << 13, np.uint64)
        self._used = 1  # 0 is an empty slot
        self._count = 0

    def _read(self, encoded: bytes, noted: TextMarks | None) -> tuple[Bytes, Places]:
        """The result is valid until the next call."""
        if noted is None:
            noted, self._noted.count = self._noted, 0
        text, progress, out, places = eights(encoded + bytes(8)), self._progress, self._out, self._places
        progress[NOW] = 0
        while True:
            table = (self._lacking, self._slots, self._arena, self._seed)
            if noted.count + len(places) > len(noted.marks):
                noted.marks = _grown(noted.marks, noted.count + len(places))
            ended = read(text, progress, eights(out), places, noted.marks, noted.count, *table)
            if ended == READ:
                noted.count += int(progress[NOW, PLACED])
                return out[: progress[NOW, SIZE]], places[: progress[NOW, PLACED]]
            if ended == CRAMPED:
                out, places = _grown(out, len(out) + 1), _grown(places, len(places) + 1)
            else:
                self._learn_lacking(encoded)

    def _learn_lacking(self, encoded: bytes) -> None:
        lacking = self._lacking[: self._progress[NOW, LACKS]]
        self._enter([encoded[start:stop] for start, stop in lacking.tolist()])

    def _enter(self, pieces: list[bytes]) -> None:
        # Only ASCII pieces are lower-cased: case may matter for the analysis of others.
        pieces = list(dict.fromkeys(piece.lower() if piece.isascii() else piece for piece in pieces))
        readings = self._learn([piece.decode() for piece in pieces])
        entries = np.frombuffer(b"".join(map(_entry, pieces, readings, map(self._mark, readings))), "<u8")
        if self._count + len(pieces) > _MAX_PIECES or 8 * self._used > _MAX_BYTES:
            self._forget()
        first, self._used, self._count = self._used, self._used + len(entries), self._count + len(pieces)
        self._arena = _grown(self._arena, self._used)
        self._arena[first : self._used] = entries
        if 2 * self._count > len(self._slots):
            self._slots, first = np.zeros(1 << (2 * self._count).bit_length(), np.uint64), 1
        place(self._slots, self._arena, first, self._used, self._seed)


def _entry(piece: bytes, reading: str, mark: int) -> bytes:
    """A piece, its reading and its mark in the format of the arena."""
    spaced = f"{reading} ".encode()
    head = (len(piece) << 32 | len(spaced)).to_bytes(8, "little") + mark.to_bytes(8, "little", signed=True)
    return head + piece.ljust(-(-len(piece) // 8) * 8, b"\0") + spaced.ljust(-(-len(spaced) // 8) * 8, b"\0")


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, or a larger copy with room for at least `size` rows."""
    if size <= len(array):
        return array
    longer = np.empty((2 * size, *array.shape[1:]), array.dtype)
    longer[: len(array)] = array
    return longer
