"""A world: recorded web history.

A *page* is a URL; a *version* is its answer from some time on, until the next version: a page, a redirect, or gone.
Versions are ordered by page, then by time.  Before its first version a page does not exist.  A version was digested
when it was recorded: its links are numbers of `links`, its words a vector over `terms` (index/vectors.py; of its title,
body and address: anchors are other pages' words).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.index.vectors import Vectors
from sought.web.document import Document, Link, PageCounts
from sought.web.message import Failure, Response
from sought.web.url import fingerprint, origin

WEEK = 7 * 86400.0
NOTHING = -1
_SOME_TEXT = "…"  # replay needs to know only that there is a text

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Ragged:
    """Lists of unsigned numbers, end to end; list i is `data[bounds[i]:bounds[i + 1]]`."""

    data: NDArray[np.uint32]
    bounds: Numbers

    def __getitem__(self, at: int) -> NDArray[np.uint32]:
        return self.data[self.bounds[at] : self.bounds[at + 1]]

    def __len__(self) -> int:
        return len(self.bounds) - 1


@dataclass(frozen=True)
class Versions:
    """One item of each column a version.

    `digest` is of the bytes, `content` of title and text: equal means the same to a reader.  `headers` are numbers of
    the world's `headers`.  `counts` has a row of Counts for each version.
    """

    page: NDArray[np.uint32]
    time: NDArray[np.float64]
    status: NDArray[np.uint16]
    headers: NDArray[np.uint32]
    size: NDArray[np.uint32]
    content: NDArray[np.uint64]
    digest: list[str]
    failure: list[str]
    language: list[str]
    title: list[str]
    headings: list[list[str]]
    canonical: list[str]
    refused: list[str]
    noindex: NDArray[np.bool_]
    nofollow: NDArray[np.bool_]
    has_text: NDArray[np.bool_]
    counts: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.page)


@dataclass(frozen=True)
class WorldDemand:
    """Demand: each query is asked so many times a week, from a time on and until it has a later line."""

    query: list[str] = field(default_factory=list)
    count: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    since: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.query)


Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class World:
    """See above.  `start` and `end` are the times of the first and the last snapshot, `unit` what lies between two.

    `files` are robots.txt and sitemaps, by URL and time.  `addresses` have the machine of each host, where it is known:
    hosts on one machine take turns.  `notes` say where all of it is from.
    """

    name: str
    start: float
    end: float
    unit: float
    seeds: tuple[str, ...]
    urls: list[str]
    versions: Versions
    headers: list[Headers]
    links: list[Link]
    link_lists: Ragged
    vectors: Vectors
    sketches: Ragged
    terms: list[str]
    files: list[Response] = field(default_factory=list)
    tallies: WorldDemand = field(default_factory=WorldDemand)
    addresses: dict[str, str] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)

    # ---- time

    @property
    def units(self) -> int:
        """How many units pass from start to end."""
        return round((self.end - self.start) / self.unit)

    @cached_property
    def first(self) -> Numbers:
        """Where the versions of each page begin, and one more item."""
        return np.searchsorted(self.versions.page, np.arange(len(self.urls) + 1)).astype(np.int64)

    @cached_property
    def until(self) -> NDArray[np.float64]:
        """When each version ends."""
        ends = np.full(len(self.versions), np.inf)
        same = self.versions.page[1:] == self.versions.page[:-1]
        ends[:-1][same] = self.versions.time[1:][same]
        return ends

    def at(self, time: float) -> Numbers:
        """The version in force of every page; NOTHING where it is not there yet."""
        begun = np.bincount(self.versions.page[self.versions.time <= time], minlength=len(self.urls))
        return np.where(begun > 0, self.first[:-1] + begun - 1, NOTHING)

    def live(self, time: float) -> Numbers:
        """The same, but in place of an error the last version before it: the page still exists."""
        versions = self.at(time)
        return np.where(versions == NOTHING, NOTHING, self.observed[versions])

    @cached_property
    def observed(self) -> Numbers:
        """For each version itself; for an error the last version of the page before it that is none, or NOTHING."""
        latest = np.maximum.accumulate(np.where(self.is_observation, np.arange(len(self.versions)), NOTHING))
        return np.where(latest >= self.first[self.versions.page], latest, NOTHING)

    @property
    def firsts(self) -> Numbers:
        """The first version of every page that has one."""
        return self.first[:-1][self.first[:-1] < self.first[1:]]

    def version(self, page: int, time: float) -> int:
        """The version of one page; NOTHING if it is not there yet."""
        first, stop = self.first[page], self.first[page + 1]
        return (
            int(first + np.searchsorted(self.versions.time[first:stop], time, "right")) - 1
            if self._is_there(page, time)
            else NOTHING
        )

    def _is_there(self, page: int, time: float) -> bool:
        first = self.first[page]
        return bool(first < self.first[page + 1] and self.versions.time[first] <= time)

    # ---- what there is

    @cached_property
    def pages(self) -> dict[str, int]:
        """The number of each URL."""
        return {url: number for number, url in enumerate(self.urls)}

    @cached_property
    def targets(self) -> Numbers:
        """The page that each link leads to; NOTHING where it is none of this world."""
        number = self.pages
        return np.fromiter((number.get(link.url, NOTHING) for link in self.links), np.int64, len(self.links))

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """The fingerprint of each URL, by which a crawl's table knows it."""
        return np.fromiter(map(fingerprint, self.urls), np.uint64, len(self.urls))

    @cached_property
    def sites(self) -> tuple[list[str], Numbers]:
        """The origins there are, and the number of each page's."""
        numbers: dict[str, int] = {}
        sites = np.array([numbers.setdefault(origin(url), len(numbers)) for url in self.urls], np.int64)
        return list(numbers), sites

    @cached_property
    def is_page(self) -> NDArray[np.bool_]:
        """Whether people can find a version: it is no redirect, not gone, not empty, not noindex."""
        v = self.versions
        shown = (v.status >= 200) & (v.status < 300) & v.has_text & ~v.noindex
        return shown & np.array(
            [not failure and not refused for failure, refused in zip(v.failure, v.refused, strict=True)], np.bool_
        )

    @cached_property
    def is_observation(self) -> NDArray[np.bool_]:
        """Whether an answer shows the state of a page: a page, a redirect, or gone; not an error."""
        v = self.versions
        is_answer = ((v.status >= 200) & (v.status < 400)) | np.isin(v.status, (404, 410))
        return is_answer & np.array([not failure for failure in v.failure], np.bool_)

    @property
    def ties(self) -> NDArray[np.uint32]:
        """The order of pages with equal scores: a hash of the URL."""
        return (self.keys >> np.uint64(32)).astype(np.uint32)

    def answer(self, version: int, time: float) -> Response:
        """The answer of a server: headers without a body."""
        v = self.versions
        failure = Failure(v.failure[version]) if v.failure[version] else None
        url = self.urls[int(v.page[version])]
        return Response(
            url, int(v.status[version]), headers=self.headers[int(v.headers[version])], time=time, failure=failure
        )

    def document(self, version: int) -> Document:
        """The digest of a version, without its texts."""
        v = self.versions
        text = _SOME_TEXT if v.has_text[version] else ""
        links = self.links
        return Document(
            title=v.title[version],
            text=text,
            main=text,
            language=v.language[version],
            headings=tuple(v.headings[version]),
            links=tuple([links[number] for number in self.link_lists[version].tolist()]),
            canonical=v.canonical[version],
            noindex=bool(v.noindex[version]),
            nofollow=bool(v.nofollow[version]),
            counts=PageCounts(*v.counts[version].tolist()),
            content=int(v.content[version]),
            sketch=self.sketches[version],
            refused=v.refused[version],
            size=int(v.size[version]),
        )

    def with_tallies(self, tallies: WorldDemand, **notes: Any) -> "World":
        """The same web with other demand."""
        return replace(self, tallies=tallies, notes=self.notes | notes)
