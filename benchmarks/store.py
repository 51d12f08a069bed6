"""Ten million URLs: insert them, find them again, rank them all."""

import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.memory import peak_mb
from sought.crawl.plan import Limits, choose
from sought.policy import BreadthFirst, Split
from sought.record.store import Store
from sought.record.table import NO_ROW, Source, Table
from sought.web.url import fingerprint

_BATCH = 20_000
_LINKED = 60  # pages of one directory, so that spellings share beginnings as real ones do


def run(urls: int = 10_000_000, report: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
    """Seconds, memory and disk of a table of `urls` URLs, kept the way a crawl keeps them."""
    folder = Path(tempfile.mkdtemp(prefix="sought-bench-"))
    try:
        return _measure(folder / "store", urls, report)
    finally:
        shutil.rmtree(folder)


def _measure(path: Path, urls: int, report: Callable[[int], None]) -> dict[str, Any]:
    store, table = Store(path, writable=True), Table()
    start = time.perf_counter()
    for first in range(0, urls, _BATCH):
        _insert(store, table, _spellings(first, min(_BATCH, urls - first)))
        report(first + _BATCH)
    store.close()
    inserted = time.perf_counter() - start
    start = time.perf_counter()
    step = max(1, urls // 50)
    sample = [u for first in range(0, urls, step) for u in _spellings(first, min(2000, urls - first))]
    rows = table.find(np.fromiter(map(fingerprint, sample), np.uint64, len(sample)))
    looked_up = time.perf_counter() - start
    missing = int(np.count_nonzero(rows < 0))
    table["last_fetch"][::10] = np.random.default_rng(1).uniform(0, 1e6, len(table["last_fetch"][::10]))
    ranked = {}
    for policy in (BreadthFirst(), Split()):
        start = time.perf_counter()
        chosen, _ = choose(policy, table, table.pages(), 2e6, Limits(10_000, 1000, 0.0), np.zeros(0, np.int64))
        ranked[type(policy).__name__] = time.perf_counter() - start
    peak = peak_mb()
    size = sum(f.stat().st_size for f in path.rglob("*") if f.is_file())
    return {
        "urls": len(table),
        "inserts_per_s": len(table) / inserted,
        "lookups_per_s": len(sample) / looked_up,
        "lookups_missing": missing,
        "rank_s": max(ranked.values()),
        "rank_s_by_policy": ranked,
        "chosen": len(chosen),
        "rss_mb": peak,
        "bytes_per_url": size / len(table),
        "reopen_s": _reopen(path, len(table)),
    }


def _insert(store: Store, table: Table, spellings: list[str]) -> None:
    """What discovery does with a batch of links, all of them new."""
    keys = np.fromiter(map(fingerprint, spellings), np.uint64, len(spellings))
    fresh = table.find(keys) < 0
    if not fresh.all():
        raise AssertionError("the benchmark's URLs are distinct")
    count = len(spellings)
    birth: dict[str, NDArray[Any]] = {
        "key": keys,
        "host": np.full(count, len(table) // 5000, np.uint32),
        "via": np.full(count, NO_ROW, np.uint32),
        "depth": np.full(count, min(len(table) // 500_000, 60), np.uint16),
        "source": np.full(count, Source.LINK, np.uint8),
        "found": np.full(count, 1.0),
    }
    first = table.append(birth)
    store.put_urls(first, birth, spellings)
    store.commit()


def _spellings(first: int, count: int) -> list[str]:
    return [
        f"https://www.site{n // 5000}.example/section-{n // _LINKED}/an-ordinary-page-{n}"
        for n in range(first, first + count)
    ]


def _reopen(path: Path, expected: int) -> float:
    start = time.perf_counter()
    store = Store(path, writable=False)
    size = len(store.load())
    store.close()
    if size != expected:
        raise AssertionError(f"{size} of {expected} URLs were there again")
    return time.perf_counter() - start
