"""What goes into the index and what comes out: an entry per page, a hit per page found."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page to be found.  `row` is its identity: a later entry of the same row replaces it."""

    row: int
    url: str
    title: str = ""
    body: str = ""
    anchors: str = ""
    language: str = ""
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found.  `snippet` is plain text, `highlights` are start and end of the words in it that were asked for."""

    row: int
    url: str
    title: str
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    time: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of one page of results, best first, of `total`.

    `relaxed`: no page holds all that was asked for, so these hold some of it.  `elapsed` is in seconds.
    """

    hits: tuple[Hit, ...] = ()
    total: int = 0
    relaxed: bool = False
    elapsed: float = 0.0
