"""What is known of pages after everything has been fetched in every cycle?  Their words, features and clusters.

A crawl begins in step with a world, and fetches all its pages in each of some cycles, so that there is nothing about
them that clusters could go by and this crawl does not know.
"""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.addresses import read_addresses
from sought.beliefs.clusters.clustering import Cluster
from sought.beliefs.clusters.collection import PageCollection, collect, places, vectors_of
from sought.beliefs.clusters.feature_names import GROUPS, Features, kind_of, names_of
from sought.beliefs.clusters.features import Described
from sought.beliefs.clusters.scaling import fit_scaling
from sought.beliefs.clusters.vectors import FeatureRows
from sought.beliefs.clusters.words import address_rows, page_rows
from sought.beliefs.holdings import Holdings
from sought.crawl.cycle import beliefs_in
from sought.lab.replay.replay import Replay
from sought.lab.replay.setting import Setting, pages_at_start, seen_in
from sought.lab.studies.experiment import Report
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.world import Numbers, World
from sought.policy import RoundRobin
from sought.record.table import State
from sought.web.pages import Floats, Pages

_SPARE = 2  # times as many fetches as pages: some lead elsewhere
ADDRESS, CONTENT = "words of addresses", "words of pages"
Table = NDArray[np.float32]


@dataclass(frozen=True)
class _Everything:
    """Fetches all that is left of a cycle; it reads a cluster so that the crawl notes how pages change."""

    @property
    def beliefs(self) -> tuple[Cluster]:
        return (Cluster(2, "dynamic"),)

    def __call__(self, pages: Pages, now: float) -> Floats:
        return RoundRobin()(pages, now)


@dataclass(frozen=True)
class Watched:
    """Of each page that has a copy: its number in the world, its host, at which share of its fetches it had changed.

    `words` are TF-IDF rows, `features` are scaled; by name, a row for each page.
    """

    world: World
    page: Numbers
    host: Numbers
    frequency: Floats
    words: Mapping[str, FeatureRows]
    features: Mapping[Features, Table]


def watched(
    world: World,
    setting: Setting,
    cycles: int,
    features: Sequence[Features],
    report: Report = lambda done, total: None,
) -> Watched:
    """After so many cycles (units of the setting)."""
    with _crawled(world, setting, cycles, report) as (seen, holdings):
        table = holdings.table
        rows = np.flatnonzero((table["state"] == State.LIVE) & (table["fetches"] > 0))
        collection = collect(holdings, rows)
        order = np.argsort(seen.keys)
        page = order[np.searchsorted(seen.keys, table["key"][rows], sorter=order)]
        again = np.maximum(table["fetches"][rows].astype(np.float64) - 1.0, 1.0)
        return Watched(
            seen,
            page,
            seen.sites[1][page],
            table["changes"][rows] / again,
            _words(holdings, collection, rows),
            {each: _features(holdings, collection, rows, each) for each in features},
        )


@contextmanager
def _crawled(world: World, setting: Setting, cycles: int, report: Report) -> Iterator[tuple[World, Holdings]]:
    setting = replace(setting, units=cycles, rounds=1)
    seen = seen_in(world, setting)
    demand = demand_of(seen.tallies, setting.split, seen.unit, setting.seed, setting.searches, seen.start)
    with tempfile.TemporaryDirectory(prefix="sought-lab-") as folder:
        run = Replay(Path(folder), seen, demand, _Everything(), setting)
        try:
            asyncio.run(run.run(_SPARE * pages_at_start(seen), None, report) if cycles else run.start())
            beliefs = beliefs_in(run.directory, _Everything())
            beliefs.pages()
            yield seen, beliefs.holdings
        finally:
            run.directory.abandon()


def _words(holdings: Holdings, collection: PageCollection, rows: Numbers) -> dict[str, FeatureRows]:
    addresses = read_addresses(holdings.store.spellings(rows.tolist()))
    features = {ADDRESS: address_rows(addresses, collection.words)}
    if collection.terms:
        terms = places(Described(holdings, collection).terms)
        features[CONTENT] = page_rows(vectors_of(holdings.measuring, rows), terms, collection.term_weights)
    return features


def _features(holdings: Holdings, collection: PageCollection, rows: Numbers, features: Features) -> Table:
    groups = GROUPS[features]
    raw = Described(holdings, collection).of(rows, groups)
    return fit_scaling(raw, [kind_of(name) for group in groups for name in names_of(group)])(raw)
