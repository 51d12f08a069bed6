"""The score of each version of each page for each query, which only the judge knows.

A page is scored by its own words (title, body, address), with statistics of the world at its start, frozen: stale and
live copies are then scored alike, and a repository in step with the Web has quality 1.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sought.graph.links import links_of
from sought.graph.walks import pr
from sought.index.measure import GainMeasure
from sought.index.quality import Matches, Tie
from sought.index.scorers import BM25, Scorer
from sought.index.slabs import scatter
from sought.index.statistics import Census
from sought.index.visibility import Visibility
from sought.lab.judge.evaluator import Evaluator
from sought.lab.worlds.demand import Demand
from sought.lab.worlds.restricted_vectors import ABSENT, restricted
from sought.lab.worlds.world import NOTHING, Numbers, World

Floats = NDArray[np.float64]
Scores = NDArray[np.float32]


@dataclass(frozen=True)
class Results:
    """Lists of results one after the other, each from rank 1 on: one item of each column a result."""

    query: NDArray[np.uint32]
    version: NDArray[np.uint32]
    score: Scores
    rank: Numbers

    def top(self, k: int) -> "Results":
        """The first k of every list."""
        kept = self.rank <= k
        return Results(self.query[kept], self.version[kept], self.score[kept], self.rank[kept])


@dataclass(frozen=True)
class Ranked:
    """Columns are ordered by query, then as results are: by score, the larger tie first among equals.

    `pairs` are version and query of every match as one number, ascending, and `scores` go with these.
    """

    query: NDArray[np.uint32]
    version: NDArray[np.uint32]
    score: Scores
    pairs: Numbers
    scores: Scores
    queries: int

    @staticmethod
    def of(versions: Numbers, queries: NDArray[np.uint32], scores: Scores, ties: Numbers, count: int) -> "Ranked":
        """Of matches that ascend by version, then by query; `ties` order versions of equal score, the largest first."""
        by_tie = np.argsort(ties, kind="stable")
        place = np.empty(len(ties), np.uint32)
        place[by_tie] = np.arange(len(ties))
        sizes = np.bincount(queries, minlength=count)
        stops = np.cumsum(sizes)
        keys = np.empty(len(queries), np.uint64)
        scatter(queries, scores.view(np.uint32), place[versions], stops - sizes, keys)
        for start, stop in zip((stops - sizes).tolist(), stops.tolist(), strict=True):
            keys[start:stop].sort()
        np.invert(keys, out=keys)
        return Ranked(
            np.repeat(np.arange(count, dtype=np.uint32), sizes),
            by_tie.astype(np.uint32)[keys & np.uint64(0xFFFFFFFF)],
            (keys >> np.uint64(32)).astype(np.uint32).view(np.float32),
            versions * count + queries,
            scores,
            count,
        )

    def lists(self, versions: Numbers) -> Results:
        """The results of all queries if these are the versions of the pages; NOTHING is not shown."""
        held = np.zeros(1 + max(int(self.version.max(initial=0)), int(versions.max(initial=0))), np.bool_)
        held[versions[versions != NOTHING]] = True
        at = np.flatnonzero(held[self.version])
        query = self.query[at]
        return Results(query, self.version[at], self.score[at], places(query) + 1)

    def scores_of(self, versions: Numbers, queries: NDArray[np.uint32]) -> Scores:
        """The score of each of these versions for the query beside it; 0 if it does not match."""
        wanted = np.where(versions == NOTHING, NOTHING, versions * self.queries + queries)
        order = np.argsort(wanted)  # searching in ascending order is many times as fast
        wanted = wanted[order]
        at = np.searchsorted(self.pairs, wanted)
        known = at < len(self.pairs)
        known[known] = self.pairs[at[known]] == wanted[known]
        scores = np.zeros(len(wanted), np.float32)
        scores[order[known]] = self.scores[at[known]]
        return scores


def places(lists: NDArray[np.uint32]) -> Numbers:
    """How many come before each in its list, where a list is a run of equal numbers."""
    at = np.arange(len(lists))
    starts = np.ones(len(lists), np.bool_)
    starts[1:] = lists[1:] != lists[:-1]
    return at - np.maximum.accumulate(np.where(starts, at, 0))


# ---- Scores of all versions for all queries.


@dataclass(frozen=True)
class Judge:
    """The queries that version v matches are `queries[bounds[v]:bounds[v + 1]]`, ascending, and their scores likewise.

    Versions that are no page match none.
    """

    world: World
    demand: Demand
    bounds: Numbers
    queries: NDArray[np.uint32]
    scores: NDArray[np.float32]
    visibility: Visibility = Visibility()  # noqa: RUF009  a frozen value
    tie: Tie = "hash"

    def of(self, version: int) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
        """The queries that one version matches, and its scores."""
        part = slice(self.bounds[version], self.bounds[version + 1])
        return self.queries[part], self.scores[part]

    def matches(self, pages: Numbers, versions: Numbers) -> Matches:
        """Of these pages in these versions; NOTHING matches nothing."""
        held = versions >= 0
        starts, stops = self.bounds[versions[held]], self.bounds[versions[held] + 1]
        sizes = stops - starts
        at = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
        return Matches(np.repeat(pages[held], sizes).astype(np.uint32), self.queries[at], self.scores[at])

    @cached_property
    def ties(self) -> NDArray[np.uint32]:
        return self.world.ties

    @cached_property
    def ranked(self) -> Ranked:
        """All matches of versions, in the order of results."""
        numbers = np.empty(len(self.ties), np.int64)
        numbers[np.lexsort((np.arange(len(self.ties)), self.ties))] = np.arange(len(self.ties))
        versions = np.repeat(np.arange(len(self.world.versions)), np.diff(self.bounds))
        return Ranked.of(versions, self.queries, self.scores, numbers[self.world.versions.page], len(self.demand))

    def evaluator(self) -> Evaluator:
        """A new evaluator, without pages."""
        return Evaluator(np.zeros(len(self.demand)), self.ties, self.visibility, self.tie)


def judge_of(
    world: World,
    demand: Demand,
    scorer: Scorer = BM25(),  # noqa: B008  a frozen value
    tie: Tie = "hash",
) -> Judge:
    """Scores all pages of a world for all queries that are ever asked of it."""
    measure = GainMeasure(demand.texts, np.zeros(len(demand)), scorer=scorer)
    pages = np.flatnonzero(world.is_page)
    vectors = world.vectors.at(pages.tolist())
    for language in vectors.languages:
        measure.filing.read(language)
    vectors = restricted(vectors, numbers_of(world.terms, measure.vocabulary.numbers))
    place = np.full(len(world.versions), ABSENT)
    place[pages] = np.arange(len(pages))
    start = world.live(world.start)
    now = place[start[start != NOTHING]]
    now = now[now != ABSENT]
    census = Census(len(measure.vocabulary))
    at_start = vectors.at(now.tolist())
    census.add(at_start)
    importance = _importance(world, scorer)[world.versions.page] if not scorer.is_sum else None
    measure.freeze(census.statistics(importance))
    if not scorer.is_sum:  # such scores are scaled by the smallest and the largest of the results at the start
        measure.fill([(pages[now], world.ties[world.versions.page[pages[now]]], at_start)])
    return _judge(world, demand, measure.matches(pages, vectors), tie)


def numbers_of(terms: list[str], numbers: dict[str, int]) -> NDArray[np.int32]:
    """The number that each term has in a vocabulary."""
    return np.fromiter((numbers.get(term, ABSENT) for term in terms), np.int32, len(terms))


def _judge(world: World, demand: Demand, matches: Matches, tie: Tie) -> Judge:
    order = np.argsort(matches.pages.astype(np.uint64) << np.uint64(32) | matches.queries)
    bounds = np.zeros(len(world.versions) + 1, np.int64)
    np.cumsum(np.bincount(matches.pages, minlength=len(world.versions)), out=bounds[1:])
    return Judge(world, demand, bounds, matches.queries[order], matches.scores[order], tie=tie)


def _importance(world: World, scorer: Scorer) -> Floats:
    """In-links, or PageRank, of every page at the start."""
    sources, targets = links_at(world, world.live(world.start))
    if scorer.importance == "in-links":
        return np.bincount(targets, minlength=len(world.urls)).astype(np.float64)
    return pr(links_of(sources, targets, len(world.urls)))


def links_at(world: World, versions: Numbers) -> tuple[Numbers, Numbers]:
    """Links between pages in these versions of all pages: each pair once, without links to oneself."""
    held = np.flatnonzero(versions >= 0)
    lists = world.link_lists
    starts, stops = lists.bounds[versions[held]], lists.bounds[versions[held] + 1]
    sizes = stops - starts
    at = np.repeat(starts - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())
    sources, targets = np.repeat(held, sizes), world.targets[lists.data[at]]
    kept = (targets >= 0) & (targets != sources)
    pairs = np.unique(sources[kept] * len(world.urls) + targets[kept])
    return pairs // len(world.urls), pairs % len(world.urls)
