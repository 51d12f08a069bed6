"""The best results of every query, kept while pages come and go: as sorting everything would say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index import Entry
from sought.index.curves import Curves
from sought.index.exact import Exact
from sought.index.measure import GainMeasure
from sought.index.scorers import BM25, Inlinks, TfIdfPageRank
from sought.index.top import Top
from sought.index.vectors import EMPTY, joined
from sought.index.visibility import Visibility
from sought.web.errors import BadInput
from tests.testing.plain_measure import counted, counter_of, rows_of, survey

QUERIES, PAGES = 3, 12
TIES = np.array([5, 1, 1, 9, 0, 7, 7, 7, 3, 2, 0, 4], np.uint32)  # some are equal
SCORE = st.sampled_from([0, 0, 1, 2, 3, 4, 5, 6])
CHANGE = st.tuples(st.integers(0, PAGES - 1), st.integers(0, QUERIES - 1), SCORE)
PAIRS = st.dictionaries(st.tuples(st.integers(0, PAGES - 1), st.integers(0, QUERIES - 1)), SCORE)


def columns(scores):
    """(page, query, score, tie) of results by their pairs of page and query."""
    pairs = np.array(list(scores), np.uint32).reshape(-1, 2)
    pages, queries = pairs[:, 0].copy(), pairs[:, 1].copy()
    return pages, queries, np.array(list(scores.values()), np.float32), TIES[pages]


def ranked(scores, query):
    """(score, tie, page) of all results, best first."""
    return sorted(((s, int(TIES[p]), p) for (p, q), s in scores.items() if q == query and s), reverse=True)


def kept(top, query):
    """The same, of those remembered."""
    n = top.size[query]
    each = top.scores[query, :n], top.ties[query, :n], top.pages[query, :n]
    return list(zip(*(column.tolist() for column in each), strict=True))


def agrees(top, scores):
    """What is kept is the beginning of what there is, and long enough where it is not said to be short."""
    for query in range(len(top)):
        wanted, held = ranked(scores, query), kept(top, query)
        assert held == wanted[: len(held)]
        assert len(held) <= 2 * top.k
        if top.short[query]:
            assert len(held) < min(top.k, len(wanted)) or top.floors[query] > 0
        else:
            assert len(held) >= min(top.k, len(wanted))


def change(top, scores, changes):
    """Enter changes in one batch; how many pages came among the first k, one by one."""
    rows, entered = [], [0] * len(top)
    for page, query, score in changes:
        before = scores.get((page, query), 0)
        was, scores[page, query] = ranked(scores, query)[: top.k], score
        now = ranked(scores, query)[: top.k]
        entered[query] += any(p == page for _, _, p in now) and all(p != page for _, _, p in was)
        rows.append((page, query, before, score))
    pages, queries, before, after = np.array(rows, np.float64).reshape(-1, 4).T
    numbers = pages.astype(np.uint32)
    top.shift(numbers, queries.astype(np.uint32), before.astype(np.float32), after.astype(np.float32), TIES[numbers])
    return entered


@settings(deadline=None, max_examples=400)
@given(
    first=PAIRS,
    batches=st.lists(st.tuples(st.lists(CHANGE, max_size=12), st.booleans()), max_size=6),
    k=st.integers(1, 3),
)
def test_the_best_are_those_of_sorting(first, batches, k):
    """Pages enter, rise, fall and leave; what is short is said, and mended."""
    top, scores = Top(QUERIES, k), dict(first)
    top.fill(*columns(scores))
    agrees(top, scores)
    for changes, mend in batches:
        top.forget_entered()
        assert top.entered.tolist() == [0] * QUERIES
        assert change(top, scores, changes) == top.entered.tolist()
        agrees(top, scores)
        if mend:
            top.mend(*columns(scores))
            assert not top.short.any()
            agrees(top, scores)


def test_a_list_that_hides_nothing_any_more_is_whole():
    """When all that was not remembered has left, whatever comes is known, however low."""
    scores = {(0, 0): 6, (1, 0): 5, (2, 0): 4}
    top = Top(1, 1)
    top.fill(*columns(scores))
    change(top, scores, [(2, 0, 0), (0, 0, 0), (1, 0, 0), (3, 0, 1)])
    assert kept(top, 0) == [(1, 9, 3)]
    assert not top.short[0]


@settings(deadline=None, max_examples=300)
@given(
    first=PAIRS,
    floors=st.lists(st.integers(0, 6), min_size=QUERIES, max_size=QUERIES),
    batches=st.lists(st.tuples(st.lists(CHANGE, max_size=8), st.booleans()), max_size=6),
    k=st.integers(1, 2),
)
def test_what_need_not_be_told_is_not_missed(first, floors, batches, k):
    """Changes below the floors are left out; still the list is right, or is said to be short and can be mended."""
    top, scores = Top(QUERIES, k), dict(first)
    pages, queries, values, ties = columns(scores)
    top.fill(pages, queries, values, ties, np.array(floors, np.float32))
    assert (top.floors <= floors).all()
    agrees(top, scores)
    for changes, mend in batches:
        for page, query, score in changes:
            before = scores.get((page, query), 0)
            if max(before, score) >= top.floors[query]:
                change(top, scores, [(page, query, score)])
            else:
                scores[page, query] = score
        agrees(top, scores)
        if mend:
            top.mend(*columns(scores))
            assert not top.short.any()
            agrees(top, scores)


@settings(deadline=None, max_examples=50)
@given(PAIRS)
def test_impact_of_pages(scores):
    """Views are the weights of queries that show a page, clicks those times the visibility of its rank; and floors."""
    top, weights, visibility = Top(QUERIES, 2), np.array([1.0, 2.5, 10]), Visibility()
    top.fill(*columns(scores))
    views, clicks = np.zeros(PAGES + 1), np.zeros(PAGES + 1)
    for query, weight in enumerate(weights):
        best = ranked(scores, query)[:2]
        for rank, (_, _, page) in enumerate(best, 1):
            views[page] += weight
            clicks[page] += weight * visibility.table(2)[rank]
        assert top.floor()[query] == (best[1][0] if len(best) == 2 else 0)
        assert top.floor(1)[query] == (best[0][0] if best else 0)
        assert top.mean()[query] == sum(score for score, _, _ in best) / 2
    assert top.views(weights, PAGES + 1) == pytest.approx(views)
    assert top.clicks(weights, visibility, PAGES + 1) == pytest.approx(clicks)


def test_bad_input_is_refused():
    """A silly k; a page beyond the rows; a result that is not there; a query that is not there."""
    for k in (0, -1, 2.0, True):
        with pytest.raises(BadInput, match="k is"):
            Top(1, k)  # type: ignore[arg-type]  # that is the point
    top = Top(QUERIES, 2)
    top.fill(*columns({(7, 0): 1, (3, 0): 2}))
    with pytest.raises(IndexError, match="page 7 of 7"):
        top.views(np.ones(QUERIES), 7)
    one = np.ones(1, np.uint32)
    with pytest.raises(ValueError, match="query 1 has no page 1"):
        top.shift(one, one, one.astype(np.float32), np.zeros(1, np.float32), one)
    with pytest.raises(IndexError):
        top.fill(one, 3 * one, one.astype(np.float32), one)


WORDS = ["boat", "lake", "city", "york"]
ASKED = [*WORDS, "boat lake", "city york"]
TEXT = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
ENTRY = st.builds(Entry, st.just(0), st.just(""), st.just(""), TEXT, TEXT, st.sampled_from(["en", "en", "de"]))
BATCH = st.dictionaries(st.integers(0, PAGES - 1), st.none() | ENTRY | ENTRY, max_size=PAGES)


@pytest.mark.parametrize("scorer", [BM25(), Inlinks(), TfIdfPageRank()], ids=repr)
@pytest.mark.parametrize("estimator", [Exact(), Curves(), Curves(depth=3), Curves(depth=1)], ids=repr)
@settings(deadline=None, max_examples=12)
@given(first=st.lists(ENTRY, min_size=PAGES, max_size=PAGES), batches=st.lists(BATCH, max_size=4), mend=st.booleans())
def test_a_measure_feeds_it(scorer, estimator, first, batches, mend):
    """However deep the lists of a measure look, and although many of their scores are equal."""
    measure = GainMeasure(ASKED, np.ones(len(ASKED)), scorer=scorer, estimator=estimator)
    counter = counter_of(measure, ["en", "de"])
    vectors = counted(first, counter)
    survey(measure, vectors, np.arange(PAGES, dtype=np.float64))
    measure.top = Top(len(ASKED), 2)
    rows = rows_of(vectors)
    measure.fill([(rows[:5], TIES[:5], vectors.some(0, 5)), (rows[5:], TIES[5:], vectors.some(5, PAGES))])
    copies = dict(enumerate(vectors[i] for i in range(PAGES)))

    def held():
        found = measure.matches(rows, joined([copies[row] for row in range(PAGES)]))
        return found, dict(
            zip(zip(found.pages.tolist(), found.queries.tolist(), strict=True), found.scores.tolist(), strict=True)
        )

    agrees(measure.top, held()[1])
    for batch in batches:
        read = counted([entry for entry in batch.values() if entry], counter)
        new, at = {}, 0
        for row, entry in batch.items():
            new[row] = read[at] if entry else EMPTY
            at += entry is not None
        changed = np.array(list(batch), np.int64)
        measure.shift(changed, TIES[changed], joined([copies[row] for row in batch]), joined(list(new.values())))
        copies.update(new)
        found, scores = held()
        agrees(measure.top, scores)
        if mend:
            measure.top.mend(found.pages, found.queries, found.scores, TIES[found.pages])
            assert not measure.top.short.any()
            agrees(measure.top, scores)
