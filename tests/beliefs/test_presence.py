"""What a page is worth in the answers now: by definition, by both estimators, and as a crawl keeps it up."""

import copy
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.beliefs.columns import Beliefs
from sought.beliefs.presence import Presence, SearchValue, Values
from sought.index.curves import Curves
from sought.index.exact import Exact
from sought.index.lists import HeldResults, Lists, ListsOf
from sought.index.measure import GainMeasure
from sought.index.quality import Matches, quality
from sought.index.visibility import Visibility
from sought.operate.explain import explain
from sought.operate.view import View
from sought.record.directory import Directory
from sought.record.workload import WorkloadQueries
from sought.record.workload_refresh import Refresh
from sought.web.pages import Pages
from sought.web.url import canonical
from tests.testing.counted_anew import ask
from tests.testing.demand_site import QUERIES, Fate, answer, write_config
from tests.testing.linked_site import LinkedSite, column_of, watched
from tests.testing.plain_measure import survey
from tests.testing.shifted_entries import ENTRY, PAGES, SCORERS, TIES, WEIGHTS
from tests.testing.shifted_entries import Pages as Copies

VISIBILITY = Visibility()
CURVES = [Curves(depth=0), Curves(depth=0, integral="midpoint"), Curves(depth=0, ranks="paper"), Curves(), Curves(5)]

# ---- lists


def columns(matrix: dict[tuple[int, int], float]) -> Matches:
    """Scores of pages for queries."""
    pairs = np.array(list(matrix), np.uint32).reshape(-1, 2)
    return Matches(pairs[:, 0].copy(), pairs[:, 1].copy(), np.array(list(matrix.values()), np.float32))


def by_definition(matrix: dict[tuple[int, int], float], page: int, weights: np.ndarray, ties: np.ndarray) -> Any:
    """What quality loses if a page keeps its ranks and is worth nothing, and if it leaves them to others."""
    others = {pair: score for pair, score in matrix.items() if pair[0] != page}
    all_there = quality(columns(matrix), columns(matrix), weights, ties).numerator
    worthless = quality(columns(matrix), columns(others), weights, ties).numerator
    without = quality(columns(others), columns(others), weights, ties).numerator
    return all_there - worthless, all_there - without


def filled(kind: ListsOf, matrix: dict[tuple[int, int], float], ties: np.ndarray, queries: int = 3) -> Lists:
    found, lists = columns(matrix), kind.open(queries, VISIBILITY)
    lists.fill(found.queries, found.scores, ties[found.pages])
    return lists


def held(lists: Lists, found: Matches, ties: np.ndarray) -> HeldResults:
    return lists.held(found.queries, found.scores, ties[found.pages])


def gain_of_leaving(lists: Lists, found: Matches, ties: np.ndarray, i: int) -> float:
    """Of one result, in a copy of the lists."""
    some = slice(i, i + 1)
    scores = found.scores[some]
    shifts = copy.deepcopy(lists).shift(found.queries[some], scores, 0 * scores, ties[found.pages[some]])
    return float(shifts.gain[0])


LEVELS = st.sampled_from([0.25, 0.5, 0.5, 1.0, 1.5, 3.0])
MATRIX = st.dictionaries(st.tuples(st.integers(0, 39), st.integers(0, 2)), LEVELS | st.floats(0.125, 8, width=32))
HASHES = np.random.default_rng(3).permutation(1 << 16)[:1000].astype(np.uint32)


@settings(deadline=None)
@given(MATRIX)
def test_exact_by_definition(matrix):
    """Gross and net of every page are differences of quality; leaving and entering agree; nothing changes."""
    found, lists = columns(matrix), filled(Exact(), matrix, HASHES)
    before, weights = lists.attention(), np.array([1.0, 0.5, 3.0])
    worth = held(lists, found, HASHES)
    for page in {page for page, _ in matrix}:
        own = found.pages == page
        expected = by_definition(matrix, page, weights, HASHES)
        for part, whole in zip(worth, expected, strict=True):
            assert np.sum((weights[found.queries] * part)[own]) == pytest.approx(whole, abs=1e-9)
    for i, page in enumerate(found.pages.tolist()):
        assert worth.net[i] == pytest.approx(worth.gross[i] - gain_of_leaving(lists, found, HASHES, i), abs=1e-9)
        apart = copy.deepcopy(lists)
        some = found.queries[i : i + 1], found.scores[i : i + 1], np.zeros(1, np.float32), HASHES[page : page + 1]
        apart.shift(*some)
        assert worth.net[i] == pytest.approx(before[found.queries[i]] - apart.attention()[found.queries[i]], abs=1e-9)
        assert worth.net[i] == pytest.approx(apart.entry(*some[:2])[0], abs=1e-9)
    assert np.all((worth.net > 0) & (worth.net <= worth.gross))
    assert np.bincount(found.queries, worth.gross, 3) == pytest.approx(before, abs=1e-9)
    assert lists.attention().tolist() == before.tolist()


def test_exact_while_lists_grow_and_shrink():
    """Sums that are kept for long lists are those of the lists as they are, to the bit, wherever these have moved."""
    rng = np.random.default_rng(5)
    lists, matrix = Exact().open(3, VISIBILITY), dict[tuple[int, int], float]()
    for _ in range(25):
        pages = np.unique(rng.integers(0, 1000, 60))
        queries = rng.integers(0, 3, len(pages)).astype(np.uint32)
        pairs = list(zip(pages.tolist(), queries.tolist(), strict=True))
        after = np.ceil(rng.exponential(size=len(pages)) * 20).astype(np.float32) * (rng.random(len(pages)) < 0.8)
        before = np.array([matrix.get(pair, 0.0) for pair in pairs], np.float32)
        lists.shift(queries, before, after.astype(np.float32), HASHES[pages])
        matrix |= zip(pairs, after.tolist(), strict=True)
        matrix = {pair: score for pair, score in matrix.items() if score}
        found, again = columns(matrix), filled(Exact(), matrix, HASHES)
        kept, fresh = held(lists, found, HASHES), held(again, found, HASHES)
        assert kept.gross.tolist() == fresh.gross.tolist()
        assert kept.net.tolist() == fresh.net.tolist()
    assert lists.counts.min() > 100
    for i in rng.integers(0, len(found.pages), 50).tolist():
        assert kept.net[i] == pytest.approx(kept.gross[i] - gain_of_leaving(lists, found, HASHES, i), abs=1e-9)


@pytest.mark.parametrize("kind", CURVES, ids=repr)
@settings(deadline=None, max_examples=40)
@given(MATRIX)
def test_curves_say_what_their_shift_says(kind, matrix):
    """Gross at the rank that `shift` sees, net by the gain of leaving, never beyond what can be; nothing changes."""
    found, lists = columns(matrix), filled(kind, matrix, HASHES)
    before = lists.attention()
    worth = held(lists, found, HASHES)
    same = lists.shift(found.queries, found.scores, found.scores, HASHES[found.pages])
    seen = VISIBILITY.table(200)[same.rank_before]
    assert worth.gross == pytest.approx(seen * found.scores, rel=1e-9)
    for i in range(len(found.pages)):
        net = worth.gross[i] - gain_of_leaving(lists, found, HASHES, i)
        assert worth.net[i] == pytest.approx(min(max(net, 0.0), worth.gross[i]), abs=1e-9)
    assert lists.attention().tolist() == before.tolist()
    assert np.all((worth.net >= 0) & (worth.net <= worth.gross))


@settings(deadline=None)
@given(st.sets(st.floats(0.125, 8, width=32), min_size=1, max_size=4))
def test_short_lists_on_curves_are_exact(scores):
    """Of at most four results, no two alike, everything is known."""
    matrix = {(page, 0): score for page, score in enumerate(sorted(scores))}
    found = columns(matrix)
    exact, curves = (held(filled(kind, matrix, HASHES), found, HASHES) for kind in (Exact(), Curves()))
    assert curves.gross == pytest.approx(exact.gross, rel=1e-9)
    assert curves.net == pytest.approx(exact.net, rel=1e-9)


@pytest.mark.parametrize(("shape", "most"), [("zipf", 0.1), ("exponential", 0.4)])
def test_curves_are_near_what_is(shape, most):
    """Of lists of a hundred: they say too much rather than too little, and tell the pages apart as they are."""
    rng = np.random.default_rng(2)
    scores = rng.pareto(1.2, 20_000) + 1 if shape == "zipf" else rng.exponential(size=20_000) + 1e-3
    matrix = {(page, page % 200): score for page, score in enumerate(scores.tolist())}
    hashes, found = rng.permutation(20_000).astype(np.uint32), columns(matrix)
    exact, curves = (held(filled(kind, matrix, hashes, 200), found, hashes) for kind in (Exact(), Curves(depth=0)))
    for a, b in zip(exact, curves, strict=True):
        assert a.sum() < b.sum() < (1 + most) * a.sum()
        assert np.corrcoef(a, b)[0, 1] > 0.9


def test_below_the_floor_is_nothing():
    """Curves of the first hundred results know of no others."""
    matrix = {(page, page % 3): 1.0 + page for page in range(900)}
    lists, found = filled(Curves(depth=100), matrix, HASHES), columns(matrix)
    deep = found.scores < lists.floors[found.queries]
    assert deep.sum() == 600
    for part in held(lists, found, HASHES):
        assert not part[deep].any()
        assert part[~deep].all()


@pytest.mark.parametrize("kind", [Exact(), Curves()], ids=repr)
def test_what_is_not_there_is_refused(kind):
    """Queries that have no such result, and queries that are none; score 0 is no result, and worth nothing."""
    lists = kind.open(2, VISIBILITY)
    one, tie = np.ones(1, np.float32), np.zeros(1, np.uint32)
    lists.fill(np.ones(1, np.uint32), one, tie)
    with pytest.raises(ValueError, match="query 0 has no result"):
        lists.held(np.zeros(1, np.uint32), one, tie)
    with pytest.raises(IndexError):
        lists.held(np.full(1, 2, np.uint32), one, tie)
    nothing = lists.held(np.array([0, 1], np.uint32), np.zeros(2, np.float32), np.zeros(2, np.uint32))
    assert [part.tolist() for part in nothing] == [[0.0, 0.0]] * 2


def test_another_score_is_refused():
    """Exact lists know what they hold."""
    lists, tie = Exact().open(1, VISIBILITY), np.zeros(1, np.uint32)
    lists.fill(tie, np.ones(1, np.float32), tie)
    with pytest.raises(ValueError, match="query 0 has no result with score 2"):
        lists.held(tie, np.full(1, 2, np.float32), tie)


# ---- measures


@pytest.mark.parametrize("scorer", SCORERS, ids=repr)
@settings(deadline=None, max_examples=20)
@given(st.lists(ENTRY, min_size=1, max_size=PAGES), st.integers(0, 3))
def test_measures_weigh_by_queries(scorer, entries, silent):
    """Every page's values are differences of quality's numerator, by any scorer; what weighs nothing counts nothing."""
    copies = Copies(scorer, entries)
    copies.measure.weights = np.where(np.arange(len(WEIGHTS)) % 4 == silent, 0.0, WEIGHTS)
    copies.shift(dict(enumerate(entries)))
    rows = np.arange(len(entries))
    worth = copies.measure.held(rows, TIES[rows], copies.vectors(rows.tolist()))
    for row in rows.tolist():
        gross, net = by_definition(copies.matrix(), row, copies.measure.weights, TIES)
        assert worth.gross[row] == pytest.approx(gross, abs=1e-6)
        assert worth.net[row] == pytest.approx(net, abs=1e-6)
    assert worth.gross.sum() == pytest.approx(copies.measure.worth, rel=1e-9)


@settings(deadline=None, max_examples=20)
@given(st.lists(ENTRY, min_size=3, max_size=PAGES))
def test_what_is_too_deep_need_not_be_matched(entries):
    """Lists with floors leave out what is worth nothing, and nothing else."""
    copies = Copies(SCORERS[0], entries)
    copies.shift(dict(enumerate(entries)))
    rows, kept = np.arange(len(entries)), copies.vectors(range(len(entries)))
    measure = GainMeasure(copies.measure.queries, WEIGHTS, copies.measure.vocabulary, estimator=Curves(depth=2))
    survey(measure, kept)
    measure.fill([(rows, TIES[rows], kept)])
    found = measure.matches(rows, kept)
    each = measure.lists.held(found.queries, found.scores, TIES[found.pages])
    for whole, part in zip(measure.held(rows, TIES[rows], kept), each, strict=True):
        expected = np.bincount(found.pages, WEIGHTS[found.queries] * part, len(rows))
        assert whole == pytest.approx(expected, rel=1e-9)


# ---- crawls


class Reading:
    """Both beliefs, as a policy."""

    beliefs = SearchValue(), Presence()

    def __call__(self, pages: Pages, now: float) -> np.ndarray:
        return np.zeros(len(pages))


def expected(directory: Directory) -> tuple[np.ndarray, np.ndarray]:
    """By the matches of all pages, page by page."""
    measuring, rows = directory.measuring, len(directory.repository.table)
    found, ties = measuring.matches(), measuring.ties(np.arange(rows))
    matrix = dict(
        zip(zip(found.pages.tolist(), found.queries.tolist(), strict=True), found.scores.tolist(), strict=True)
    )
    values = [by_definition(matrix, row, measuring.asked.weights, ties) for row in range(rows)]
    gross, net = np.array(values).T
    return gross, net


def both(beliefs: Beliefs) -> tuple[np.ndarray, np.ndarray]:
    return column_of(beliefs, SearchValue()), column_of(beliefs, Presence())


def assert_same(found: tuple[np.ndarray, np.ndarray], wanted: tuple[np.ndarray, np.ndarray]) -> None:
    for a, b in zip(found, wanted, strict=True):
        assert a == pytest.approx(b, rel=1e-6, abs=1e-9)


def stored(directory: Directory) -> tuple[np.ndarray, np.ndarray]:
    """As who opens the crawl now finds it."""
    directory.writer.commit()  # statistics are stored with the next one
    with View(directory.path) as view:
        return view.believed(SearchValue()), view.believed(Presence())


@pytest.fixture
def site(tmp_path: Path) -> LinkedSite:
    return LinkedSite(tmp_path / "crawl", 80)


def test_a_crawl_knows_what_its_pages_are_worth(site: LinkedSite):
    """Nothing for nobody; by definition once something is asked; the same after a restart; told with shares."""
    with site.open() as directory:
        site.fetch(directory, range(40))
        beliefs = watched(directory, Reading())
        assert not any(column.any() for column in both(beliefs))
        ask(site.path, *QUERIES)
        Refresh(directory).finish(time.time())
        assert_same(both(beliefs), expected(directory))
        site.fetch(directory, range(40, 80))
        many = both(beliefs)
        assert_same(many, expected(directory))
        assert directory.measuring.measure
        assert many[0].sum() == pytest.approx(directory.measuring.measure.worth)
        assert np.all(many[1] <= many[0])
        assert not many[0][~directory.repository.table.is_searchable].any()
        assert [column.tolist() for column in stored(directory)] == [column.tolist() for column in many]
        best = int(many[0].argmax())
        told = beliefs.terms(best)
        assert told[repr(SearchValue())] == told[repr(Presence())]
        assert told[repr(Presence())]["presence"] == many[1][best]
        assert told[repr(Presence())]["share_of_search_value"] == pytest.approx(many[0][best] / many[0].sum())
        with View(site.path) as view:
            shown = explain(view, view.store.url(best), Reading(), site.clock).now
            assert shown.terms[repr(SearchValue())]["search_value"] == many[0][best]


def changed(site: LinkedSite, directory: Directory, pages: list[int]) -> np.ndarray:
    """Rewrite pages, and fetch them; their rows."""
    for page in pages:
        site.texts[page] = f"running boats {'boats ' * page} of version {site.clock}"
    site.fetch(directory, pages)
    return np.array([directory.repository.discovery.row(canonical(site.url(page))) for page in pages])


def test_between_valuations_only_what_was_fetched(site: LinkedSite):
    """Fetched pages are worth what a restart would say, others what they were; a tenth of all, and all are valued."""
    ask(site.path, *QUERIES)
    with site.open() as directory:
        site.fetch(directory, range(80))
        beliefs = watched(directory, Reading())
        before = both(beliefs)
        rows = changed(site, directory, [70, 71, 72])
        after, now = both(beliefs), expected(directory)
        others = np.setdiff1d(np.arange(len(after[0])), rows)
        for was, then, right in zip(before, after, now, strict=True):
            assert then[rows] == pytest.approx(right[rows], rel=1e-6, abs=1e-9)
            assert np.all(then[rows] != was[rows])
            assert then[others].tolist() == was[others].tolist()
            assert not np.allclose(then[others], right[others])
        assert_same(stored(directory), now)
        changed(site, directory, [60, 61, 62, 63])
        assert not np.allclose(both(beliefs)[0], expected(directory)[0])
        changed(site, directory, [50])
        assert_same(both(beliefs), expected(directory))
        assert [column.tolist() for column in stored(directory)] == [column.tolist() for column in both(beliefs)]


def test_work_follows_what_changed(site: LinkedSite, monkeypatch: pytest.MonkeyPatch):
    """Both columns share one valuation; without a fetch there is none, and after one only that page is looked at."""
    ask(site.path, *QUERIES)
    looked: list[int] = []
    value = Values._value

    def noted(self: Values, measure: GainMeasure, rows: np.ndarray) -> None:
        looked.extend(rows.tolist())
        value(self, measure, rows)

    monkeypatch.setattr(Values, "_value", noted)
    with site.open() as directory:
        site.fetch(directory, range(80))
        beliefs = watched(directory, Reading())
        both(beliefs)
        assert looked == directory.repository.table.searchable().tolist()
        looked.clear()
        both(beliefs)
        assert looked == []
        rows = changed(site, directory, [9])
        both(beliefs)
        assert looked == rows.tolist()


def test_a_page_that_goes_is_worth_nothing(site: LinkedSite):
    """Whether a fetch says so, or robots.txt without one; at once, and after a restart."""
    ask(site.path, *QUERIES)
    with site.open() as directory:
        site.fetch(directory, range(80))
        beliefs = watched(directory, Reading())
        before = both(beliefs)
        gone, denied = np.argsort(-before[0])[:2].tolist()
        site.clock += 1.0
        directory.writer.record(gone, answer(directory.store.url(gone), "gone", 404, time=site.clock))
        directory.repository.deny(denied, 0.0, forbidden=True)
        directory.writer.commit()
        for column in (*both(beliefs), *stored(directory)):
            assert column[[gone, denied]].tolist() == [0.0, 0.0]
            assert column.any()


def test_all_are_valued_when_others_are_asked(site: LinkedSite):
    """New weights of the same queries and new statistics; queries that are held out count nothing."""
    ask(site.path, *QUERIES)
    with site.open() as directory:
        site.fetch(directory, range(80))
        beliefs = watched(directory, Reading())
        first, asked = both(beliefs), directory.measuring.asked
        weights = asked.weights[::-1].copy()
        directory.measuring.reweigh(WorkloadQueries(asked.texts, asked.keys, weights, asked.held_out, asked.rate))
        second = both(beliefs)
        assert not np.allclose(first[0], second[0])
        assert_same(second, expected(directory))
        weights = np.where(np.arange(len(weights)) == int(weights.argmax()), 0.0, weights)
        directory.measuring.reweigh(WorkloadQueries(asked.texts, asked.keys, weights, weights == 0.0, asked.rate))
        third = both(beliefs)
        assert third[0].sum() < second[0].sum()
        assert_same(third, expected(directory))
        directory.measuring.stop()
        assert not any(column.any() for column in both(beliefs))


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["Exact()", "Curves()"])
def test_whatever_happens_to_a_crawl(tmp_path: Path, estimator: str):
    """Answers of every kind, in any order, commits and crashes: what is valued is in the lists, the rest is 0."""
    path = write_config(tmp_path / "crawl")
    ask(path, *QUERIES)
    (path / "sought.toml").write_text((path / "sought.toml").read_text().replace("Exact()", estimator))
    fate = Fate(path, 11)
    Refresh(fate.directory).finish(time.time())
    beliefs, opened = watched(fate.directory, Reading()), fate.directory
    for _ in range(300):
        fate.strike()
        if fate.directory is not opened:
            beliefs, opened = watched(fate.directory, Reading()), fate.directory
        gross, net = both(beliefs)
        assert np.all((net >= 0.0) & (net <= gross))
        assert not gross[~opened.repository.table.is_searchable].any()
    opened.writer.commit()
    assert_same(stored(opened), expected(opened))
    opened.close()
