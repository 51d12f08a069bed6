"""Which score will a page have for a query?  Predicted before it is fetched, by a tree over features of both.

The features of S. Pandey, C. Olston, Crawl Ordering by Search Impact, WSDM 2008, §6.1: how much of the query is in the
address and in anchors, how important the page and how specific the query is.  The words of all anchors of a row are
taken together.

S' of §5.1 and §6.1 is learned from pairs of a fetched page and a query that match by address and anchors; the target is
the score that the page then had, 0 if it does not answer the query or was no page.  Scores are in units that are
comparable across queries (`units` in query_impact.py).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sought.beliefs.leaf_tree import LeafTree, fit_tree
from sought.beliefs.search_impact.matching import Matching
from sought.index.measure import GainMeasure
from sought.index.ngrams import gram_shares
from sought.index.vectors import joined
from sought.record.measuring import Measuring
from sought.record.table import State, Table

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Features = NDArray[np.float32]

NAMES = (
    *("words in host", "n-grams in host", "words in path", "n-grams in path", "words in anchors", "n-grams in anchors"),
    *("anchors", "log in-links", "log PageRank", "slashes", "mean score of host", "words of query", "weight of query"),
)


def features(
    matching: Matching, table: Table, log_ranks: Floats, units: Floats, rows: Rows, queries: Rows, host_means: Floats
) -> Features:
    """Features of pairs of a row and a query, in the order of NAMES; `host_means` are those of the pairs."""
    out = np.empty((len(rows), len(NAMES)), np.float32)
    out[:, :6] = gram_shares(matching.index, rows, queries)
    out[:, 6] = matching.anchors[rows]
    out[:, 7] = np.log1p(table["inlinks"][rows])
    out[:, 8] = log_ranks[rows]
    out[:, 9] = matching.slashes[rows]
    out[:, 10] = host_means
    out[:, 11] = matching.lengths[queries]
    out[:, 12] = units[queries]
    return out


_PAIRS = 20_000  # to learn from
_QUERIES = 20_000  # searched for them at most
_BATCH = 128
_EACH = 200  # pairs of one query
_READ = 1024  # pages at once
_HOST_PRIOR = 20.0  # pairs with the mean of all in the mean of a host
_PRIOR = 0.1  # score of a matching page before anything is learned
KNOWN = (State.LIVE, State.ALIAS, State.GONE)  # fetched, with a known result


@dataclass(frozen=True, eq=False)
class Guess:
    """A tree whose leaves hold observed scores, and the mean scores of hosts."""

    tree: LeafTree
    host_means: Floats
    mean: float

    def leaves(
        self, matching: Matching, table: Table, log_ranks: Floats, units: Floats, rows: Rows, queries: Rows
    ) -> NDArray[np.int32]:
        """The leaf of each pair."""
        hosts = table["host"][rows]
        known = hosts < len(self.host_means)
        means = np.full(len(rows), self.mean)
        means[known] = self.host_means[hosts[known]]
        return self.tree.predict_leaf(features(matching, table, log_ranks, units, rows, queries, means))


def no_guess() -> Guess:
    """The guess before anything is learned: every matching page will be a result, all with the same score."""
    nothing = fit_tree(np.zeros((0, len(NAMES)), np.float32), np.zeros(0))
    means, quantiles = (np.full_like(column, _PRIOR) for column in (nothing.means, nothing.quantiles))
    return Guess(replace(nothing, means=means, quantiles=quantiles), np.zeros(0), _PRIOR)


def fit_guess(matching: Matching, measuring: Measuring, log_ranks: Floats, units: Floats, asked: Rows) -> Guess:
    """Fit to a sample of pairs with these queries, which come in random order."""
    measure, table = measuring.measure, measuring.table
    if measure is None:
        return no_guess()
    rows, queries = _pairs(matching, table, measuring.ties, asked)
    if not len(rows):
        return no_guess()
    target = _scores(measure, measuring, rows, queries) / units[queries]
    hosts, half = table["host"][rows].astype(np.int64), (measuring.ties(rows) & 1).astype(np.int64)
    mean, size = float(target.mean()), int(hosts.max()) + 1
    weights = np.ones(len(target)), target
    count, total = (np.bincount(2 * hosts + half, w, 2 * size).reshape(size, 2).astype(np.float64) for w in weights)
    others = _means(count, total, mean)[hosts, 1 - half]  # of the other half, so that no pair sees its own score
    known = features(matching, table, log_ranks, units, rows, queries, others)
    return Guess(fit_tree(known, target), _means(count.sum(axis=1), total.sum(axis=1), mean), mean)


def _means(count: Floats, total: Floats, mean: float) -> Floats:
    """Means of hosts, shrunk to the mean of all."""
    return (total + _HOST_PRIOR * mean) / (count + _HOST_PRIOR)


def _pairs(
    matching: Matching, table: Table, ties: Callable[[Rows], NDArray[np.uint32]], asked: Rows
) -> tuple[Rows, Rows]:
    matched_rows, matched_queries, count = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], 0
    for first in range(0, min(len(asked), _QUERIES), _BATCH):
        some = matching.telling(asked[first : first + _BATCH])
        bounds, rows = matching.index.matches(some)
        query = np.repeat(np.arange(len(some)), np.diff(bounds))
        fetched = np.isin(table["state"][rows], KNOWN)
        rows, query = rows[fetched], query[fetched]
        kept = first_of_each(query, ties(rows), _EACH)
        matched_rows.append(rows[kept])
        matched_queries.append(some[query[kept]])
        count += len(kept)
        if count >= _PAIRS:
            break
    return np.concatenate(matched_rows)[:_PAIRS], np.concatenate(matched_queries)[:_PAIRS]


def first_of_each(group: Rows, order: NDArray[np.generic], most: int) -> Rows:
    """Indices of the first `most` items of each group in an order; `group` ascends, and so do the indices."""
    sizes = np.bincount(group)
    if sizes.max(initial=0) <= most:
        return np.arange(len(group))
    ranked = np.lexsort((order, group))
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(ranked[place < most])


def _scores(measure: GainMeasure, measuring: Measuring, rows: Rows, queries: Rows) -> Floats:
    """The scores of fetched pages."""
    pairs = rows * len(measure.queries) + queries
    order = np.argsort(pairs)
    wanted, scores = pairs[order], np.zeros(len(pairs))
    pages = np.unique(rows)
    for first in range(0, len(pages), _READ):
        some = pages[first : first + _READ]
        matches = measure.matches(some, joined([measuring.vector(row) for row in some.tolist()]))
        pair = matches.pages.astype(np.int64) * len(measure.queries) + matches.queries
        at = np.searchsorted(wanted, pair)
        held = np.append(wanted, -1)[at] == pair
        scores[order[at[held]]] = matches.scores[held]
    return scores
