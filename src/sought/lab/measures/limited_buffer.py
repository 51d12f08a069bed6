"""Limited buffer: if only B pages could be kept, the share of them that is hot.

    P_BC = 100·|{p in the buffer: I(p) ≥ I(r_B)}| / B,  r_B the B-th most important of T live pages

J. Cho, H. Garcia-Molina, L. Page, Efficient Crawling Through URL Ordering, WWW7 1998, §2.2.  Ideal 100, random 100·B/T.
The buffer sees what the crawl fetches, in order.  When it is full the page with the fewest backlinks seen so far goes,
the oldest first among equals; a page just fetched that has fewer than any other is not taken in.  B is a share of the
pages live at the beginning; copies held then are taken in first, in the order of a hash.
"""

from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np

from sought.lab.measures.importance import IMPORTANCES, Importance, weighed
from sought.lab.measures.measure import Floats, check_choice, check_share, named
from sought.lab.replay.run import Run
from sought.lab.worlds.world import NOTHING, Numbers, World
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class LimitedBuffer:
    """NaN where there are no pages at the beginning."""

    buffer: float = 0.1
    importance: Importance = "backlinks"

    def __post_init__(self) -> None:
        check_share("buffer", self.buffer)
        check_choice("importance", self.importance, IMPORTANCES)

    @property
    def name(self) -> str:
        share = f"{self.buffer:g}" if self.buffer != LimitedBuffer.buffer else ""
        return named("p_bc", share, "pagerank" * (self.importance == "pagerank"))

    def __call__(self, run: Run) -> Floats:
        values, size, buffer = np.full(len(run.moments), np.nan), 0, _Buffer(run.world, 0)
        for web in weighed(run, self.importance):
            if not web.moment.unit:
                size = round(self.buffer * len(web.pages)) or min(1, len(web.pages))
                buffer = _Buffer(run.world, size)
                buffer.begin(run.searchable(run.copies))
            part = web.moment.fetched
            versions = run.searchable(run.log.version[part])
            for page, version in zip(run.log.page[part].tolist(), versions.tolist(), strict=True):
                buffer.fetch(page, version)
            if size:
                values[web.moment.unit] = 100 * len(buffer.kept.keys() & set(web.hot(size).tolist())) / size
        return values


@dataclass
class _Buffer:
    """`kept` says of each page in the buffer when it came; the heap holds (backlinks, when, page) of these.

    Backlinks only grow in number, so an item that has too few is put right when it comes to the top.
    """

    world: World
    size: int
    kept: dict[int, int] = field(default_factory=dict)
    _heap: list[tuple[int, int, int]] = field(default_factory=list)
    _links: dict[int, Numbers] = field(default_factory=dict)
    _fetches: int = 0

    def __post_init__(self) -> None:
        self._backlinks = np.zeros(len(self.world.urls), np.int64)

    def begin(self, copies: Numbers) -> None:
        pages = np.flatnonzero(copies != NOTHING)
        pages = pages[np.lexsort((pages, self.world.ties[pages]))]
        for page in pages.tolist():
            self._see_links(page, int(copies[page]))
        for page in pages.tolist():
            self._take(page)

    def fetch(self, page: int, version: int) -> None:
        """`version` is NOTHING if the page is gone."""
        if page == NOTHING:
            return
        if version != NOTHING:
            self._see_links(page, version)
            self._take(page)
        elif self.kept.pop(page, None) is not None:
            self._heap = [item for item in self._heap if item[2] != page]
            heapify(self._heap)

    def _see_links(self, page: int, version: int) -> None:
        targets = np.unique(self.world.targets[self.world.link_lists[version]])
        targets = targets[(targets != NOTHING) & (targets != page)]
        known = self._links.get(page)
        fresh = targets if known is None else np.setdiff1d(targets, known)
        self._backlinks[fresh] += 1
        self._links[page] = targets if known is None else np.union1d(known, fresh)

    def _take(self, page: int) -> None:
        if page in self.kept:
            return
        self._fetches += 1
        if len(self.kept) >= self.size and not self._make_room(int(self._backlinks[page])):
            return
        self.kept[page] = self._fetches
        heappush(self._heap, (int(self._backlinks[page]), self._fetches, page))

    def _make_room(self, backlinks: int) -> bool:
        """Drop the least important page, unless it is more important than the new one."""
        while self._heap:
            seen, came, least = self._heap[0]
            now = int(self._backlinks[least])
            if now == seen:
                break
            heapreplace(self._heap, (now, came, least))
        if not self._heap or self._heap[0][0] > backlinks:
            return False
        del self.kept[heappop(self._heap)[2]]
        return True


MEASURES = (
    LimitedBuffer(),
    LimitedBuffer(importance="pagerank"),
)
