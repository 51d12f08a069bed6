"""A crawl directory whose pages can be searched, made without fetching them; and what people ask of it.

Pages and queries are in the language of the site that is crawled meanwhile (site.py), whose words have the frequencies
of a natural one; pages have lengths with a heavy tail.  Everything comes from one seed.
"""

import json
import random
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.site import language
from sought.crawl.cycle import INDEX_PAGES
from sought.index import Entry
from sought.record.config import FILE
from sought.record.directory import Directory
from sought.record.store import Details
from sought.record.table import LIFE_ROW, NO_ROW, Source, State
from sought.web.url import fingerprint, origin

_SEED = 1998
_TITLE, _COMMON = 4, 50  # words of a title, none of which is among so many that are used most
_LENGTH, _SPREAD, _MOST = 300, 0.8, 3_000  # words of a page: median, logarithmic deviation, at most
_OF_A_HOST = 100  # pages
_ASKED = (0.2, 0.45, 0.35)  # shares of queries of one, two and three words

_CONFIG = """seeds = {seeds}
[agent]
contact = "bench@example.org"
[scope]
hosts = {hosts}
[crawl]
policy = "BreadthFirst()"
budget = "1000000000 per hour"
revisit_after = "1000d"
[politeness]
delay = 0.0
latency_factor = 0.0
[fetch]
allow_networks = ["127.0.0.0/8"]
"""

Report = Callable[[int], None]


class Text(NamedTuple):
    """What a page says."""

    url: str
    title: str
    body: str


class Pages:
    """So many made-up pages, the same every time."""

    def __init__(self, count: int) -> None:
        self.count = count
        words, weights = language(random.Random(_SEED))  # noqa: S311  the same words every time
        self._words = np.array(words)
        self._often = _shares(np.array(weights))
        self._seldom = _shares(np.array(weights[_COMMON:]))
        self._titles = _COMMON + _drawn(np.random.default_rng(_SEED), self._seldom, (count, _TITLE))

    def texts(self) -> Iterator[Text]:
        dice = np.random.default_rng(_SEED + 1)
        lengths = np.clip(dice.lognormal(np.log(_LENGTH), _SPREAD, self.count), _TITLE, _MOST).astype(np.int64)
        for number, (title, length) in enumerate(zip(self._titles, lengths.tolist(), strict=True)):
            named = self._words[title].tolist()
            body = self._words[_drawn(dice, self._often, (length,))].tolist()
            host = f"https://www.site{number // _OF_A_HOST}.example"
            yield Text(f"{host}/{named[0]}/{'-'.join(named[1:])}-{number}", " ".join(named), " ".join([*named, *body]))

    def queries(self, count: int) -> list[str]:
        """Different queries, or as many as there are: some words of some title, so that each has an answer."""
        dice, found = np.random.default_rng(_SEED + 2), dict[str, None]()
        for _ in range(20):
            pages = dice.integers(0, self.count, count)
            lengths = 1 + dice.choice(len(_ASKED), count, p=_ASKED)
            some = self._words[dice.permuted(self._titles[pages], axis=1)].tolist()
            found.update((" ".join(dict.fromkeys(words[:n])), None) for n, words in zip(lengths, some, strict=True))
            if len(found) >= count:
                break
        return list(found)[:count]


def make(path: Path, pages: Pages, seeds: list[str], report: Report) -> None:
    """Make a crawl of these pages where there is none; it goes on with the seeds, as fast as it can."""
    path.mkdir(parents=True)
    hosts = sorted({url.split("/")[2].partition(":")[0] for url in seeds})
    path.joinpath(FILE).write_text(_CONFIG.format(seeds=json.dumps(seeds), hosts=json.dumps(hosts)))
    directory = Directory.open(path)
    try:
        texts, first = pages.texts(), 0
        while some := list(islice(texts, INDEX_PAGES)):
            _enter(directory, first, some)
            first += len(some)
            report(first)
    finally:
        directory.close()


def _enter(directory: Directory, first: int, texts: list[Text]) -> None:
    """As fetched just now; one commit, as a crawl makes it."""
    now = time.time()
    rows = np.arange(first, first + len(texts))
    hosts = [directory.repository.hosts.at(origin(text.url)).number for text in texts]
    birth: dict[str, NDArray[Any]] = {
        "key": np.fromiter((fingerprint(text.url) for text in texts), np.uint64, len(texts)),
        "host": np.array(hosts, np.uint32),
        "via": np.full(len(texts), NO_ROW, np.uint32),
        "depth": np.ones(len(texts), np.uint16),
        "source": np.full(len(texts), Source.LOAD, np.uint8),
        "found": np.full(len(texts), now),
    }
    directory.store.put_urls(directory.repository.table.append(birth), birth, [text.url for text in texts])
    life = np.zeros(1, LIFE_ROW)
    for name in ("last_change", "not_before", "signal", "linked", "unlinked"):
        life[name] = -np.inf
    life["last_fetch"], life["alias"], life["fetches"], life["state"], life["status"] = now, NO_ROW, 1, State.LIVE, 200
    for row in rows.tolist():
        directory.store.put_page(row, life.tobytes(), Details(language="en"))
    directory.store.commit()
    directory.index.update([Entry(row, *text, "", "en", now) for row, text in zip(rows.tolist(), texts, strict=True)])
    directory.writer.commit_index()


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    ends: NDArray[np.float64] = np.cumsum(weights) / weights.sum()
    return ends


def _drawn(dice: np.random.Generator, ends: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.int64]:
    return np.minimum(np.searchsorted(ends, dice.random(shape)), len(ends) - 1)
