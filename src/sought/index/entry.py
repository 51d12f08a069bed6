"""What goes into the index, and what does a search return?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A page to index.  `row` is its identity: a later entry of the same row replaces it."""

    row: int
    url: str
    title: str = ""
    body: str = ""
    anchors: str = ""
    language: str = ""
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found.  `snippet` is plain text; `highlights` are start and end of the query words in it."""

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

    `relaxed`: no page matches all of the query, so these match some of it.  `elapsed` is in seconds.
    """

    hits: tuple[Hit, ...] = ()
    total: int = 0
    relaxed: bool = False
    elapsed: float = 0.0
