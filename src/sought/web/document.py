"""What a page says, once its HTML has been digested."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Shingles = NDArray[np.uint64]
Sketch = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Link:
    """A link as found on a page: canonical target, the words on it, and whether the page vouches for it."""

    url: str
    anchor: str = ""
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class PageCounts:
    """What seed 004 counts on a page (its content features)."""

    images: int = 0
    tables: int = 0
    words: int = 0
    text_bytes: int = 0
    emails: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A digested page.

    `text` is everything visible, `main` without navigation and boilerplate.  `content` is 64 bits of title and text:
    equal means the same page to a reader.  `shingles` is the set of its word 10-grams, sorted and hashed; `sketch` is a
    small sample of that set (near-duplicates, estimated difference between versions).  `size` is that of its source in
    bytes.  `feeds` are the addresses of feeds that it announces.  `refused` names the bound that a hostile page broke;
    everything else is then empty.
    """

    title: str = ""
    text: str = ""
    main: str = ""
    language: str = ""
    headings: tuple[str, ...] = ()
    links: tuple[Link, ...] = ()
    canonical: str = ""
    base: str = ""
    noindex: bool = False
    nofollow: bool = False
    counts: PageCounts = PageCounts()
    content: int = 0
    shingles: Shingles = field(default_factory=lambda: np.zeros(0, np.uint64))
    sketch: Sketch = field(default_factory=lambda: np.zeros(0, np.uint32))
    refused: str = ""
    size: int = 0
    feeds: tuple[str, ...] = ()
