"""A crawl of answers that a test makes up: pages with words and links, some of them never fetched."""

import random
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from sought.beliefs.belief import Belief
from sought.beliefs.columns import Beliefs
from sought.crawl.cycle import beliefs_in
from sought.operate.view import View
from sought.record.directory import Directory
from sought.record.seeds import plant_seeds
from sought.record.workload_refresh import Refresh
from sought.web.policy import Policy
from tests.testing.counted_anew import opened
from tests.testing.demand_site import WORDS, answer, write_config
from tests.testing.following import follow

HOST = "http://a.example"


class LinkedSite:
    """Page 0 is the home; page i has some words of its own and links to others, the lower numbers more often."""

    def __init__(self, path: Path, pages: int, seed: int = 0, degree: int = 6) -> None:
        rng = random.Random(seed)
        self.path = write_config(path)
        self.links = {i: sorted({int(pages * rng.random() ** 2) for _ in range(degree)} - {i}) for i in range(pages)}
        self.texts = {i: " ".join(rng.choices(WORDS, k=rng.randint(3, 30))) for i in range(pages)}
        self.clock = 1e9

    @contextmanager
    def open(self) -> Iterator[Directory]:
        """Its directory, with seeds and workload."""
        with opened(self.path) as directory:
            plant_seeds(directory)
            Refresh(directory).finish(time.time())
            yield directory

    def url(self, i: int) -> str:
        return f"{HOST}/p{i}" if i else f"{HOST}/"

    def body(self, i: int) -> str:
        links = "".join(f"<a href={self.url(k)}>{WORDS[k % 10]} page</a> " for k in self.links[i])
        return f"<html lang=en><head><title>page {i}</title></head><body><p>{self.texts[i]}</p>{links}</body></html>"

    def fetch(self, directory: Directory, pages: Sequence[int]) -> None:
        """In this order, in one commit."""
        for i in pages:
            self.clock += 1.0
            row = directory.repository.known_row(self.url(i), self.clock)
            directory.writer.record(row, answer(self.url(i), self.body(i), time=self.clock))
        directory.writer.commit()

    def new(self, directory: Directory) -> list[int]:
        """Pages that are known and were never fetched."""
        table, store = directory.repository.table, directory.store
        rows = np.flatnonzero(np.isneginf(table["last_fetch"]))
        return [int(url.rsplit("/p", 1)[1]) for url in store.spellings(rows.tolist()) if "/p" in url]


def watched(directory: Directory, policy: Policy) -> Beliefs:
    """What a policy reads, kept up live."""
    beliefs = beliefs_in(directory, policy)
    follow(directory, beliefs.take)
    return beliefs


def column_of(beliefs: Beliefs, belief: Belief) -> np.ndarray:
    return np.array(beliefs.pages().belief(belief))


def stored_column(path: Path, belief: Belief) -> np.ndarray:
    """From the store alone."""
    with View(path) as view:
        return np.array(view.believed(belief))


def adjacency(directory: Directory) -> np.ndarray:
    """1 where a row links to another."""
    found = np.zeros((len(directory.repository.table),) * 2)
    for key, value in directory.store.scan(b"l"):
        found[int.from_bytes(key[1:], "big"), np.frombuffer(value, np.uint32)] = 1.0
    return found
