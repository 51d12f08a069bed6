"""What does it cost to rank a frontier by its impact on search, once more?

A made-up crawl is asked ten thousand queries, and the thousand neediest are matched with its frontier: first one of a
tenth of the URLs, then with the others added, which are about something else, then with ten times as many that match.
A cycle is all of Figure 4 of S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, between two commits:
its cost should follow what the needy queries match, not the number of pages.

There is nothing to run beside it: no crawler that can be had does this.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.memory import peak_mb
from sought.beliefs.holdings import Holdings
from sought.beliefs.search_impact.hybrid import SearchImpactSupplier
from sought.index import Entry
from sought.index.analysis import stemming
from sought.index.fields import texts
from sought.index.ngrams import Grams, MatchIndex
from sought.policy import SearchImpact
from sought.record.commit import Commit
from sought.record.config import Config
from sought.record.measuring import Measuring
from sought.record.store import Store, row_key
from sought.record.table import NO_ROW, Source, State, Table
from sought.record.workload import WorkloadQueries
from sought.web.url import fingerprint

_QUERIES, _WORDS = 10_000, 3000
_CRAWLED = 3000  # pages, of 100 words and 20 links
_MATCHING = 200  # URLs of a thousand are about a query, in the first frontier
_OFTEN = 1000  # the queries that they are about: those asked most
_BATCH = 20_000
_CYCLES = 5
_NOTHING = Commit((), {}, ())

Report = Callable[[int], None]


def run(urls: int = 1_000_000, report: Report = lambda _: None) -> dict[str, Any]:
    """Seconds of a cycle with a frontier of a tenth of `urls`, of all, and with ten times the matches."""
    folder = Path(tempfile.mkdtemp(prefix="sought-bench-"))
    try:
        crawl = _Crawl(folder / "store")
        matching = urls // 10 * _MATCHING // 1000
        few = crawl.measured(crawl.grown(urls // 10 - matching, matching, report))
        many = crawl.measured(crawl.grown(urls - urls // 10, 0, report))
        more = crawl.measured(crawl.grown(0, 9 * matching, report))
        speed = crawl.indexing_speed()
        crawl.store.close()
    finally:
        shutil.rmtree(folder)
    return {
        "queries": _QUERIES,
        "small_frontier": few,
        "large_frontier": many,
        "more_matches": more,
        "cycle_large_over_small": many["cycle_s"] / few["cycle_s"],
        "cycle_more_matches_over_large": more["cycle_s"] / many["cycle_s"],
        "index_texts_per_s": speed,
        "rss_mb": peak_mb(),
    }


class _Crawl:
    """A store and a table as a crawl has them, and the belief about its rows."""

    def __init__(self, path: Path) -> None:
        self.store, self.table = Store(path, writable=True), Table()
        self.dice = np.random.default_rng(0x1A9AC7)
        self.words = [f"w{number}ord" for number in range(_WORDS)]
        self.queries = list(_pairs_of(self.words, self.dice, _QUERIES))
        self.measuring = Measuring(Config(), self.store, self.table)
        rate = 100.0 / np.arange(10.0, 10.0 + _QUERIES)
        keys = np.arange(_QUERIES, dtype=np.uint64)
        self.measuring.begin(
            WorkloadQueries(self.queries, keys, rate / rate.sum(), np.zeros(_QUERIES, np.bool_), rate), ()
        )
        self.measuring.adopt()
        self._insert([f"https://www.home.example/{n}/{self._about()}" for n in range(_CRAWLED)])
        self._read_pages()
        self.holdings = Holdings(self.store, self.table, lambda: self.measuring)
        self.supplier = SearchImpactSupplier(SearchImpact(), self.holdings)

    def grown(self, plain: int, matching: int, report: Report) -> float:
        """Add URLs to the frontier; returns the seconds until they are ranked for the first time."""
        for first in range(0, plain, _BATCH):
            at, count = len(self.table), min(_BATCH, plain - first)
            self._insert([f"https://www.site{n // 5000}.example/an-ordinary-page-{n}" for n in range(at, at + count)])
            report(len(self.table))
        for first in range(0, matching, _BATCH):
            at, count = len(self.table), min(_BATCH, matching - first)
            self._insert([f"https://www.site{n // 5000}.example/{self._about()}-{n}" for n in range(at, at + count)])
        return self._cycle()

    def measured(self, first: float) -> dict[str, Any]:
        """What a cycle takes that follows another."""
        seconds = min(self._cycle() for _ in range(_CYCLES))
        found = self.supplier.queries.matches
        pairs = len(found.leaves) if found else 0
        needy = len(found.needy) if found else 0
        return {"urls": len(self.table), "needy": needy, "matches": pairs, "first_s": first, "cycle_s": seconds}

    def indexing_speed(self) -> float:
        """Texts a second from their spellings to an index that answers."""
        rows = np.arange(len(self.table))
        spellings, index = self.store.spellings(rows.tolist()), MatchIndex(Grams(self.queries))
        start = time.perf_counter()
        for first in range(0, len(rows), _BATCH):
            index.add(rows[first : first + _BATCH], spellings[first : first + _BATCH])
        index.matches(np.arange(1))
        return len(rows) / (time.perf_counter() - start)

    def _cycle(self) -> float:
        self.holdings.take(_NOTHING)
        self.supplier.take(_NOTHING)
        pages = self.table.pages()
        start = time.perf_counter()
        self.supplier.column(pages)
        return time.perf_counter() - start

    def _about(self) -> str:
        return self.queries[int(self.dice.integers(_OFTEN))].replace(" ", "-")

    def _read_pages(self) -> None:
        """Fetch all rows there are: each page holds its address and random words, and links to some others."""
        rows, counter = np.arange(len(self.table)), self.measuring.counter
        assert counter
        for row, url in zip(rows.tolist(), self.store.spellings(rows.tolist()), strict=True):
            body = " ".join(self.dice.choice(self.words, 100))
            for text in texts(Entry(row, url, body=body)):
                counter.read(text, stemming(""))
            counter.end_page(stemming(""))
            links = self.dice.integers(0, len(rows), 20).astype(np.uint32)
            self.store.put(row_key(b"l", row), links.tobytes())
        self.table["state"][:], self.table["last_fetch"][:], self.table["fetches"][:] = State.LIVE, 1.0, 1
        self.measuring.shift([], rows.tolist())
        self.measuring.save()
        self.store.commit()
        self.measuring.saved()

    def _insert(self, spellings: list[str]) -> None:
        count = len(spellings)
        birth: dict[str, NDArray[Any]] = {
            "key": np.fromiter(map(fingerprint, spellings), np.uint64, count),
            "host": (np.arange(len(self.table), len(self.table) + count) // 5000).astype(np.uint32),
            "via": np.full(count, NO_ROW, np.uint32),
            "depth": np.ones(count, np.uint16),
            "source": np.full(count, Source.LINK, np.uint8),
            "found": np.ones(count),
        }
        self.store.put_urls(self.table.append(birth), birth, spellings)
        self.store.commit()


def _pairs_of(words: list[str], dice: np.random.Generator, count: int) -> Iterator[str]:
    """Different queries of two words."""
    chosen = dice.choice(len(words) ** 2, count, replace=False)
    for pair in chosen.tolist():
        yield f"{words[pair // len(words)]} {words[pair % len(words)]}"
