"""What is known of a page once its HTML has been digested?"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Shingles = NDArray[np.uint64]
Sketch = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Link:
    """A link on a page: canonical target, anchor text, and whether it is marked nofollow."""

    url: str
    anchor: str = ""
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class PageCounts:
    """The content features of tan-mitra-2010."""

    images: int = 0
    tables: int = 0
    words: int = 0
    text_bytes: int = 0
    emails: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A digested page.

    `text` is everything visible, `main` without navigation and boilerplate.  `content` is a 64-bit hash of title and
    text: if it is equal, readers see the same page.  `shingles` is the set of its word 10-grams, hashed and sorted;
    `sketch` is a small sample of that set, for near-duplicates and the difference between versions.  `size` is the size
    of the source in bytes.  `feeds` are the addresses of feeds that it announces.  `refused` names the bound that a
    hostile page exceeded; everything else is then empty.
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
