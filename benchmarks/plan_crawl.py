"""A crawl directory of any size: made-up pages in real tables.

Hosts have sizes, pages numbers of links and words frequencies with heavy tails.  A fetched page has links, a vector of
its words, a history and what else a crawl stores of it, but no copy of its own: all share one record of the archive.
A page that was never fetched has an address and one anchor.  Everything comes from one seed.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from benchmarks.plan_words import LANGUAGE, Words, vectors
from sought.record.config import FILE
from sought.record.directory import Directory
from sought.record.history import put_outcome
from sought.record.outcome import Outcome
from sought.record.store import Details, row_key
from sought.record.table import LIFE_ROW, NO_ROW, Source, State
from sought.record.workload import WorkloadQueries
from sought.web.message import Response
from sought.web.sketch import SKETCH_SIZE
from sought.web.url import fingerprint

NOW = 1.7e9
DAY = 86400.0
HTML = (("Content-Type", "text/html; charset=utf-8"),)
_SEED = 6
_BATCH = 20_000
_LINKS, _LOCAL, _MOST = 15.0, 0.75, 200  # of a page, on average; share within its host; at most
_FETCHES = 2.0  # of a fetched page, on average
_CHANGED, _GONE, _DOUBTED = 0.3, 0.03, 0.01  # shares of later fetches, of fetched pages, of those that a link left

_CONFIG = """seeds = ["https://www.site0.example/"]
[agent]
contact = "bench@example.org"
[scope]
everywhere = true
[crawl]
budget = "{budget} per week"
[demand]
max_queries = {queries}
"""

Rows = NDArray[np.int64]
Random = np.random.Generator
Report = Callable[[int], None]


class Size(NamedTuple):
    """`fetched` is the share of URLs that were."""

    urls: int
    queries: int
    fetched: float


class Sites(NamedTuple):
    """Pages of a host are neighbours in number; the first is its home."""

    host: NDArray[np.uint32]
    home: Rows
    pages: Rows


def make(path: Path, size: Size, report: Report) -> int:
    """Make a crawl of that size where there is none; returns how many links it has."""
    path.mkdir(parents=True)
    path.joinpath(FILE).write_text(_CONFIG.format(budget=max(1, size.urls // 20), queries=size.queries))
    directory = Directory.open(path)
    try:
        return _Making(directory, size).fill(report)
    finally:
        directory.close()


class _Making:
    def __init__(self, directory: Directory, size: Size) -> None:
        self.directory, self.store, self.size = directory, directory.store, size
        self.dice = np.random.default_rng(_SEED)
        self.words = Words(size.queries)
        self.sites = _sites(size.urls, self.dice)
        self.links = 0

    def fill(self, report: Report) -> int:
        self._ask()
        hosts = self.directory.repository.hosts
        for number, pages in enumerate(self.sites.pages.tolist()):
            hosts.at(f"https://www.site{number}.example").known = pages
        copy = self.directory.archive.append(Response("https://www.site0.example/", 200, headers=HTML, raw=b"x"))
        self.place = (copy.place.file, copy.place.offset, copy.place.length)
        for first in range(0, self.size.urls, _BATCH):
            self._rows(np.arange(first, min(first + _BATCH, self.size.urls)))
            self.store.commit()
            report(first)
        self.directory.measuring.adopt()
        return self.links

    def _ask(self) -> None:
        """A workload whose terms pages can be counted by."""
        count = len(self.words.queries)
        rate = 100.0 / np.arange(10.0, 10.0 + count)
        keys, nobody = np.arange(count, dtype=np.uint64), np.zeros(count, np.bool_)
        asked = WorkloadQueries(self.words.queries, keys, rate / rate.sum(), nobody, rate)
        self.directory.measuring.begin(asked, (LANGUAGE,))
        self.words.number(self.directory.measuring.vocabulary)

    def _rows(self, rows: Rows) -> None:
        named = self.words.drawn(self.dice, (len(rows), 3))
        self._birth(rows, named)
        is_fetched = self.dice.random(len(rows)) < self.size.fetched
        is_fetched |= np.isin(rows, self.sites.home)
        self._fetched(rows[is_fetched], named[is_fetched])
        for row, text in zip(rows[~is_fetched].tolist(), self.words.texts(named[~is_fetched, 1:]), strict=True):
            self.store.put(row_key(b"a", row) + crc32(text.encode()).to_bytes(4, "big"), text.encode())

    def _birth(self, rows: Rows, named: Rows) -> None:
        host = self.sites.host[rows]
        spellings = [
            f"https://www.site{site}.example/{words.replace(' ', '/', 1).replace(' ', '-')}-{row}"
            for row, site, words in zip(rows.tolist(), host.tolist(), self.words.texts(named), strict=True)
        ]
        home = self.sites.home[host]
        birth: dict[str, NDArray[Any]] = {
            "key": np.fromiter(map(fingerprint, spellings), np.uint64, len(rows)),
            "host": host,
            "via": np.where(home == rows, NO_ROW, home).astype(np.uint32),
            "depth": np.minimum(1 + (rows - home) // 1000, 60).astype(np.uint16),
            "source": np.full(len(rows), Source.LINK, np.uint8),
            "found": NOW - self.dice.uniform(90.0, 400.0, len(rows)) * DAY,
        }
        self.store.put_urls(self.directory.repository.table.append(birth), birth, spellings)

    def _fetched(self, rows: Rows, named: Rows) -> None:
        gone = self.dice.random(len(rows)) < _GONE
        times = NOW - self.dice.uniform(2.0, 60.0, len(rows)) * DAY
        history = list(self._history(times, gone))
        self._pages(rows, times, gone, history)
        for row, fetches in zip(rows.tolist(), history, strict=True):
            for each in fetches:
                put_outcome(self.store, row, each)
        data, bounds = vectors(self.words, self.words.drawn(self.dice, (len(rows), self.words.long)), named)
        for i in np.flatnonzero(~gone).tolist():
            self.store.put(row_key(b"d", int(rows[i])), data[bounds[i] : bounds[i + 1]].tobytes())
        for row, targets in _links(rows, self.sites, self.dice):
            self.store.put(row_key(b"l", row), targets.tobytes())
            self.links += len(targets)

    def _history(self, times: NDArray[np.float64], gone: NDArray[np.bool_]) -> Iterator[list[Outcome]]:
        """Each page's fetches, the last of them at its time."""
        count = np.minimum(self.dice.geometric(1.0 / _FETCHES, len(times)), 8)
        ends = np.cumsum(count)
        gaps = self.dice.exponential(30.0 * DAY, ends[-1]) + DAY
        changed = self.dice.random(ends[-1]) < _CHANGED
        gains = self.dice.pareto(1.2, ends[-1]) * 1e-7
        for last, end, fetches, went in zip(times.tolist(), ends.tolist(), count.tolist(), gone.tolist(), strict=True):
            at = slice(end - fetches, end)
            before = [0.0, *np.cumsum(gaps[at])[:-1].tolist()][::-1]
            kinds = ["new", *np.where(changed[at], "changed", "same-text").tolist()[1:]]
            found = [
                Outcome(last - ago, kind, 200, gain=gain if kind != "same-text" else 0.0, seen_gap=gap)
                for ago, kind, gain, gap in zip(before, kinds, gains[at].tolist(), gaps[at].tolist(), strict=True)
            ]
            found[0].seen_gap = -1.0
            if went:
                found[-1].kind, found[-1].status, found[-1].fate = "status-404", 404, 1
            yield found

    def _pages(
        self, rows: Rows, times: NDArray[np.float64], gone: NDArray[np.bool_], history: list[list[Outcome]]
    ) -> None:
        life = np.zeros(len(rows), LIFE_ROW)
        for name in ("last_change", "not_before", "signal", "linked", "unlinked"):
            life[name] = -np.inf
        life["last_fetch"], life["alias"], life["size"] = times, NO_ROW, 5000
        life["fetches"] = [len(fetches) for fetches in history]
        life["changes"] = [sum(each.kind == "changed" for each in fetches) for fetches in history]
        life["state"], life["status"] = np.where(gone, State.GONE, State.LIVE), np.where(gone, 404, 200)
        life["failures"] = gone
        doubted = self.dice.random(len(rows)) < _DOUBTED
        life["unlinked"][doubted] = NOW - DAY
        sketches = self.dice.integers(0, 1 << 32, (len(rows), SKETCH_SIZE), np.uint32)
        contents = self.dice.integers(1, 1 << 62, len(rows)).tolist()
        for i, row in enumerate(rows.tolist()):
            details = Details(language=LANGUAGE, sketch=sketches[i].tobytes(), content=contents[i], place=self.place)
            details.links_time = float(times[i])
            self.store.put_page(row, life[i].tobytes(), details)


def anchor(url: str) -> str:
    """What links to a page call it: the words of the last part of its address."""
    return " ".join(url.rsplit("/", 1)[-1].split("-")[:2])


def _sites(urls: int, dice: Random) -> Sites:
    sizes = np.minimum(3.0 * (dice.pareto(0.9, urls // 3 + 1) + 1.0), urls / 50 + 3.0).astype(np.int64)
    ends = np.minimum(np.cumsum(sizes), urls)
    ends = ends[: int(np.searchsorted(ends, urls)) + 1]
    pages = np.diff(ends, prepend=0)
    return Sites(np.repeat(np.arange(len(ends), dtype=np.uint32), pages), ends - pages, pages)


def _links(rows: Rows, sites: Sites, dice: Random) -> Iterator[tuple[int, NDArray[np.uint32]]]:
    """Lists of different targets: most on the same host, and those that come early there are linked more often."""
    degrees = np.minimum(dice.lognormal(0.0, 1.0, len(rows)) * _LINKS / np.exp(0.5) + 1.0, _MOST).astype(np.int64)
    sources = np.repeat(rows, degrees)
    host = sites.host[sources]
    host = np.where(dice.random(len(host)) < _LOCAL, host, dice.random(len(host)) ** 2 * len(sites.home)).astype(
        np.int64
    )
    targets = sites.home[host] + (sites.pages[host] * dice.random(len(host)) ** 3).astype(np.int64)
    pairs = np.unique(sources[targets != sources] << 32 | targets[targets != sources])
    of, to = pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.uint32)
    bounds = np.append(np.searchsorted(of, rows), len(of))
    for row, start, stop in zip(rows.tolist(), bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        yield row, to[start:stop]
