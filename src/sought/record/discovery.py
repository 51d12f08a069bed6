"""Which row is a URL, and which words point at it?  New URLs get their rows here."""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sought.record.admission import Admission
from sought.record.hosts import Host, Hosts
from sought.record.keys import ABSENT
from sought.record.store import Store, row_key
from sought.record.table import BIRTH, NO_ROW, Source, State, Table
from sought.web.document import Link
from sought.web.url import fingerprint, origin

_CACHE = 200_000
_MAX_REANCHORED = 1_000_000
REFUSED = -1


class Discovery:
    """Finds or makes the rows of URLs.

    New rows get their numbers at once but enter the table in `flush`, all of a batch together: one array operation a
    column instead of one a URL.
    """

    def __init__(self, table: Table, store: Store, hosts: Hosts, admission: Admission) -> None:
        self.table = table
        self.store = store
        self.hosts = hosts
        self.admission = admission
        self.rows: dict[str, int] = {}
        self.followed: dict[int, tuple[Link, int]] = {}  # by id of the Link, which is kept so that its id stays unique
        self.anchors: set[tuple[int, int]] = set()
        self.fresh_anchors: dict[int, list[tuple[int, bytes]]] = {}  # of this batch, not in the store yet
        self.reanchored: set[int] = set()  # indexed pages that have new anchor texts
        self.births: list[tuple[int, int, int, int, int, float]] = []
        self.new_urls: list[str] = []

    def row(self, url: str) -> int:
        """The row of a known URL, or ABSENT."""
        row = self.rows.get(url, REFUSED)
        if row != REFUSED:
            return row
        return int(self.table.find(np.array([fingerprint(url)], np.uint64))[0])

    def admit(self, urls: Sequence[str], via: int, depth: int, source: Source, now: float) -> list[int]:
        """Rows of these URLs; new URLs get one if they are admitted, else REFUSED."""
        rows = self.rows
        unknown = [u for u in dict.fromkeys(urls) if u not in rows]
        if unknown:
            keys = np.fromiter(map(fingerprint, unknown), np.uint64, len(unknown))
            for url, key, row in zip(unknown, keys.tolist(), self.table.find(keys).tolist(), strict=True):
                rows[url] = row if row != ABSENT else self._judge(url, key, via, depth, source, now)
        admitted = [rows[u] for u in urls]
        if unknown and depth > self.admission.max_depth:  # too deep from this page, perhaps not from another
            for url in unknown:
                if rows[url] == REFUSED:
                    del rows[url]
        return admitted

    def follow(self, links: Sequence[Link], via: int, now: float) -> list[int]:
        """Rows of a page's links, as `admit`; their texts are kept as anchors.

        Digesting returns the same Link objects for the navigation on all pages of a site, so a link that was followed
        once is looked up by the identity of its object.
        """
        done = self.followed
        fresh = [link for link in links if id(link) not in done]
        if fresh:
            depth = int(self.table.columns["depth"][via]) + 1
            rows = self.admit([link.url for link in fresh], via, depth, Source.LINK, now)
            self._keep_anchors(fresh, rows)
            done.update((id(link), (link, row)) for link, row in zip(fresh, rows, strict=True))
        targets = [done[id(link)][1] for link in links]
        for link, row in zip(fresh, rows, strict=True) if fresh else ():
            if row == REFUSED:
                del done[id(link)]
        return targets

    def force(self, url: str, now: float) -> int:
        """A row for a URL that is on record, even if the rules do not admit it."""
        row = self.rows[url] = self._birth(url, fingerprint(url), NO_ROW, 0, Source.LOAD, now)
        return row

    def _judge(self, url: str, key: int, via: int, depth: int, source: Source, now: float) -> int:
        where = origin(url)
        host = self.hosts.by_origin.get(where)
        why = self.admission.judge(url, where, host, depth)
        if why:
            if not host and why != "scope":  # hosts outside the scope are not remembered one by one
                host = self.hosts.at(where)
            self.refuse(host, why)
            return REFUSED
        return self._birth(url, key, via, depth, source, now)

    def refuse(self, host: Host | None, why: str) -> None:
        """Count a URL that was not admitted, for its host and for the crawl."""
        if host:
            self.hosts.refuse(host, why)
        self.admission.refused[why] = self.admission.refused.get(why, 0) + 1

    def _birth(self, url: str, key: int, via: int, depth: int, source: Source, now: float) -> int:
        host = self.hosts.at(origin(url))
        host.known += 1
        self.hosts.changed.add(host.number)
        row = len(self.table) + len(self.new_urls)
        self.births.append((key, host.number, via, depth, int(source), now))
        self.new_urls.append(url)
        return row

    def _keep_anchors(self, links: Sequence[Link], rows: Sequence[int]) -> None:
        """Keep which texts point at which row."""
        seen, size, states, live = self.anchors, len(self.table), self.table.columns["state"], int(State.LIVE)
        for link, row in zip(links, rows, strict=True):
            if row == REFUSED or not link.anchor:
                continue
            text = link.anchor.encode()
            mark = (row, zlib.crc32(text))
            if mark not in seen:
                seen.add(mark)
                self.fresh_anchors.setdefault(row, []).append((mark[1], text))
                if row < size and states[row] == live:
                    self.reanchored.add(row)
                self.store.put(row_key(b"a", row) + mark[1].to_bytes(4, "big"), text)

    def committed(self) -> None:
        self.fresh_anchors.clear()
        if len(self.reanchored) > _MAX_REANCHORED:
            self.reanchored.clear()

    def flush(self) -> None:
        """Enter the batch's new rows into table and store; afterwards the caches may be dropped."""
        if self.new_urls:
            self._enter()
        for cache in (self.rows, self.followed, self.anchors):
            if len(cache) > _CACHE:
                cache.clear()

    def _enter(self) -> None:
        births = zip(BIRTH.items(), zip(*self.births, strict=True), strict=True)
        columns: dict[str, NDArray[Any]] = {name: np.array(values, kind) for (name, kind), values in births}
        first = self.table.append(columns)
        self.store.put_urls(first, columns, self.new_urls)
        self.births, self.new_urls = [], []
