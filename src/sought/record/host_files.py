"""What do robots.txt, sitemaps and feeds change in the tables?"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sought.fetch.robots import RobotsFetch, redirected
from sought.fetch.sitemaps import Sitemap, read_sitemap
from sought.record.discovery import REFUSED, Discovery
from sought.record.hosts import Host, Hosts
from sought.record.links import SitemapLists
from sought.record.retries import DAY
from sought.record.table import NO_ROW, Source, Table
from sought.web.message import Response
from sought.web.url import hostname, origin

MAX_SITEMAPS = 50
MAX_FEEDS = 5  # announced by pages of a host: many sites have one for every page
SITEMAP_EVERY = DAY
_Listed = tuple[str, float | None]
_Rows = NDArray[np.int64]


class HostFiles:
    """Applies answers that are not pages."""

    def __init__(self, hosts: Hosts, discovery: Discovery, table: Table, lists: SitemapLists) -> None:
        self.hosts = hosts
        self.discovery = discovery
        self.table = table
        self.lists = lists
        self.robots_chain: dict[str, str] = {}

    def robots(self, response: Response) -> None:
        """A robots.txt, or a redirect on the way to one: the last answer of the chain applies to the first host."""
        first = self.robots_chain.pop(response.url, response.url)
        if target := redirected(response):
            self.robots_chain = {target: first}
            return
        host = self.hosts.at(origin(first))
        self.hosts.set_robots(host, RobotsFetch.from_response(response))
        for url in host.robots.sitemaps if host.robots else ():
            self._add_sitemap(host, url)
        self.hosts.count(host, "robots")

    def sitemap(self, response: Response) -> tuple[str, list[int]]:
        """Enter its pages and when they changed; returns (the outcome, rows that must be stored)."""
        host = self.hosts.at(origin(response.url))
        host.sitemaps[response.url] = response.time + SITEMAP_EVERY
        kind, sitemap = "sitemap", Sitemap()
        if target := redirected(response):
            self._add_sitemap(host, target)
            kind = "sitemap-moved"
        elif response.failure or response.status != 200:
            kind = "sitemap-failed"
        elif response.body:
            sitemap = _read(response)
            kind = _kind(sitemap)
        changed = self._take(host, response, sitemap)
        self.hosts.count(host, kind)
        return kind, changed

    def _take(self, host: Host, response: Response, sitemap: Sitemap) -> list[int]:
        """Entries of a damaged file count; but only a complete one shows which pages are no longer listed."""
        for child in sitemap.children:
            self._add_sitemap(host, child)
        rows = self._rows(sitemap.pages, response.time)
        changed = self._signal(rows, sitemap.pages)
        if sitemap.problem or not (sitemap.pages or sitemap.children):
            relisted = self.lists.failed(host, response.url)
        else:
            listed = np.unique(rows[rows != REFUSED]).astype(np.uint32)
            enter = self.lists.window if sitemap.is_feed else self.lists.read
            relisted = enter(host, response.url, listed, response.time)
        return [*changed.tolist(), *relisted.tolist()]

    def announced(self, host: Host, feeds: Sequence[str], now: float) -> None:
        """A page of the host announces these feeds; the first few are read like sitemaps."""
        for url in feeds:
            if host.feeds < MAX_FEEDS and (owner := self._add_sitemap(host, url)):
                host.feeds += 1
                self.hosts.changed.add(host.number)
                self.lists.announced(owner, url, now)

    def _add_sitemap(self, host: Host, url: str) -> Host | None:
        """A sitemap belongs to its own origin, whose robots.txt applies; returns this host if the sitemap is new."""
        where = origin(url)
        owner = host if where == host.origin else self.hosts.at(where) if hostname(url) == host.name else None
        if not owner:
            self.hosts.refuse(host, "sitemap-elsewhere")
        elif len(owner.sitemaps) < MAX_SITEMAPS and self.discovery.admission.covers(where):
            is_new = url not in owner.sitemaps
            owner.sitemaps.setdefault(url, -math.inf)
            self.hosts.changed.add(owner.number)
            return owner if is_new else None
        return None

    def _rows(self, pages: Sequence[_Listed], now: float) -> _Rows:
        rows = self.discovery.admit([url for url, _ in pages], NO_ROW, 1, Source.SITEMAP, now)
        self.discovery.flush()
        return np.array(rows, np.int64)

    def _signal(self, rows: _Rows, pages: Sequence[_Listed]) -> _Rows:
        """Set the `signal` of rows, for each the last time given; returns the rows whose signal has changed."""
        modified = np.array([time for _, time in pages], np.float64)  # no time is NaN
        dated = (rows != REFUSED) & ~np.isnan(modified)
        rows, column = rows[dated], self.table.columns["signal"]
        before = column[rows]
        column[rows] = modified[dated]
        return np.unique(rows[column[rows] != before])


def _kind(sitemap: Sitemap) -> str:
    """The name under which the outcome is counted."""
    if sitemap.refused:
        return f"sitemap-{sitemap.refused}"
    name = "feed" if sitemap.is_feed else "sitemap"
    return f"{name}-damaged" if sitemap.problem else name


def _read(response: Response) -> Sitemap:
    """The sitemap; one that cannot be read does not stop the crawl or a replay."""
    try:
        return read_sitemap(response.body, response.url, response.header("content-type"))
    except Exception as error:  # noqa: BLE001  whatever it was, only this file is affected
        return Sitemap(problem=f"not readable: {type(error).__name__}")
