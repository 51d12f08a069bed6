"""Quality: what attention finds over what it could find, at once and step by step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.quality import Matches, quality
from sought.index.visibility import Visibility
from sought.lab.judge.evaluator import Evaluator
from sought.web.errors import BadInput

PAGES, QUERIES = 6, 4
# Few levels, so that scores tie; few hashes, so that these tie as well.
scores = st.sampled_from([0.5, 1.0, 1.5, 7.0])
webs = st.dictionaries(st.tuples(st.integers(0, PAGES - 1), st.integers(0, QUERIES - 1)), scores)
hashes = st.lists(st.integers(0, 3), min_size=PAGES, max_size=PAGES).map(lambda h: np.array(h, np.uint32))
weights = st.lists(st.just(0.0) | st.floats(1e-6, 10), min_size=QUERIES, max_size=QUERIES).map(np.array)
ties = st.sampled_from(["hash", "mean"])


def matches(web):
    """{(page, query): score} as columns."""
    pages, queries = (np.array([pair[i] for pair in web], np.uint32) for i in (0, 1))
    return Matches(pages, queries, np.array(list(web.values()), np.float32))


def by_hand(repository, live, f, hashes, tie, norm):
    """Equation 5, word by word."""

    def found(ranked, q):
        order = sorted((s, hashes[p], p) for (p, query), s in ranked.items() if query == q)[::-1]
        total = 0.0
        for rank, (score, _, p) in enumerate(order, 1):
            block = [r for r, (s, _, _) in enumerate(order, 1) if s == score] if tie == "mean" else [rank]
            total += np.mean([r**-1.5 for r in block]) * live.get((p, q), 0.0)
        return total

    pairs = [(found(repository, q), found(live, q)) for q in range(QUERIES)]
    if norm:
        pairs = [(a / b, 1.0) if b else (0.0, 0.0) for a, b in pairs]
    numerator, denominator = (sum(w * pair[i] for w, pair in zip(f, pairs, strict=True)) for i in (0, 1))
    return numerator / denominator if denominator else 1.0


def test_a_small_example_by_hand():
    """Three live pages score 4, 2 and 1; the repository lacks the best and thinks the worst to be the better one.

    Ideal: 4·1 + 2·2^-1.5 + 1·3^-1.5 = 4.8995566; found: 1·1 + 2·2^-1.5 = 1.7071068; Q = 0.3484207.
    """
    live = matches({(0, 0): 4.0, (1, 0): 2.0, (2, 0): 1.0})
    copies = matches({(1, 0): 2.0, (2, 0): 3.0})
    result = quality(copies, live, np.ones(1), np.zeros(3, np.uint32))
    c = 0.3827934  # 1/ζ(3/2)
    assert result.numerator == pytest.approx(c * 1.7071068, rel=1e-6)
    assert result.denominator == pytest.approx(c * 4.8995566, rel=1e-6)
    assert result.value == pytest.approx(0.3484207, rel=1e-6)


def test_a_deleted_page_keeps_its_rank_and_is_worth_nothing():
    """It stands before the live page, which is seen less for it."""
    result = quality(matches({(0, 0): 2.0, (1, 0): 1.0}), matches({(1, 0): 1.0}), np.ones(1), np.zeros(2, np.uint32))
    assert result.value == pytest.approx(2**-1.5)


@given(webs, webs, weights, hashes, ties, st.booleans())
def test_quality_is_equation_5(repository, live, f, hashes, tie, norm):
    """The columns give what a loop over pages gives, with ties broken by hash or shared."""
    result = quality(matches(repository), matches(live), f, hashes, tie=tie, per_query_norm=norm)
    assert result.value == pytest.approx(by_hand(repository, live, f, hashes, tie, norm), rel=1e-9)


@given(webs, webs, weights, hashes, ties, st.booleans())
def test_quality_lies_between_0_and_1(repository, live, f, hashes, tie, norm):
    """A synchronised repository has exactly 1, an empty one 0, and none is outside (but for rounding)."""
    options = {"weights": f, "ties": hashes, "tie": tie, "per_query_norm": norm}
    assert 0 <= quality(matches(repository), matches(live), **options).value <= 1 + 1e-12
    assert quality(matches(live), matches(live), **options).value == 1.0
    empty = quality(matches({}), matches(live), **options)
    assert empty.value == (0.0 if empty.denominator else 1.0)


@given(webs, webs, weights, hashes, ties)
def test_quality_has_no_unit(repository, live, f, hashes, tie):
    """A common scale of frequencies, of scores or of visibility changes nothing."""
    value = quality(matches(repository), matches(live), f, hashes, tie=tie).value
    scaled = [matches({pair: 3 * score for pair, score in web.items()}) for web in (repository, live)]
    assert quality(scaled[0], scaled[1], f, hashes, tie=tie).value == pytest.approx(value, rel=1e-12)
    assert quality(matches(repository), matches(live), 7 * f, hashes, tie=tie).value == pytest.approx(value, rel=1e-12)
    # `by_hand` has no c at all.
    assert value == pytest.approx(by_hand(repository, live, f, hashes, tie, norm=False), rel=1e-9)


rows = st.dictionaries(st.integers(0, QUERIES - 1), scores)
steps = st.lists(st.tuples(st.booleans(), st.integers(0, PAGES - 1), rows, st.booleans()), max_size=25)


@settings(deadline=None)
@given(steps, weights, hashes, ties, st.booleans())
def test_the_evaluator_is_always_up_to_date(steps, f, hashes, tie, norm):
    """After any changes of copies and live pages it gives what a full computation gives."""
    evaluator = Evaluator(f, hashes, tie=tie, per_query_norm=norm)
    webs: dict[bool, dict[tuple[int, int], float]] = {True: {}, False: {}}
    for is_live, page, row, look in steps:
        webs[is_live] = {pair: s for pair, s in webs[is_live].items() if pair[0] != page}
        webs[is_live] |= {(page, query): s for query, s in row.items()}
        columns = np.array(list(row), np.uint32), np.array(list(row.values()), np.float32)
        (evaluator.set_live if is_live else evaluator.set_copy)(page, *columns)
        if look:
            full = quality(matches(webs[False]), matches(webs[True]), f, hashes, tie=tie, per_query_norm=norm)
            now = evaluator.quality()
            assert now.numerator == pytest.approx(full.numerator, rel=1e-9, abs=1e-12)
            assert now.denominator == pytest.approx(full.denominator, rel=1e-9, abs=1e-12)


def random_web(rng, pages, queries, count):
    pairs = np.unique(rng.integers(0, pages * queries, count))
    columns = (pairs % pages).astype(np.uint32), (pairs // pages).astype(np.uint32)
    return Matches(*columns, np.ceil(4 * rng.exponential(size=len(pairs))).astype(np.float32))


def of_pages(web, pages):
    kept = np.isin(web.pages, pages)
    return Matches(web.pages[kept], web.queries[kept], web.scores[kept])


@pytest.mark.parametrize("tie", ["hash", "mean"])
def test_many_pages_at_once(tie):
    """Bulk changes, lists that outgrow their slabs, changed weights: still equal; synchronised is exactly 1."""
    rng = np.random.default_rng(5)
    pages, queries = 400, 60
    f, hashes = rng.random(queries), rng.integers(0, 2**32, pages, np.uint32)
    everything = np.arange(pages, dtype=np.uint32)
    live = random_web(rng, pages, queries, 9000)
    evaluator = Evaluator(f, hashes, tie=tie)
    evaluator.set_lives(everything, live)
    copies = Matches(*(column[:0] for column in (live.pages, live.queries, live.scores)))
    for _ in range(6):
        chosen = rng.permutation(everything)[:150]
        fetched, rest = of_pages(live, chosen), of_pages(copies, np.setdiff1d(everything, chosen))
        copies = Matches(*(np.concatenate([getattr(rest, c), getattr(fetched, c)]) for c in Matches.__slots__))
        evaluator.set_copies(chosen, fetched)
        evaluator.set_lives(everything, live := random_web(rng, pages, queries, int(rng.integers(9000, 20000))))
        evaluator.set_weights(f := rng.random(queries))
        assert evaluator.quality().value == pytest.approx(quality(copies, live, f, hashes, tie=tie).value, rel=1e-9)
    evaluator.set_copies(everything, live)
    assert evaluator.quality().value == 1.0


def test_what_cannot_be_is_refused():
    """Queries, pages and weights that are not there."""
    evaluator = Evaluator(np.ones(2), np.zeros(3, np.uint32))
    one = np.ones(1, np.float32)
    with pytest.raises(IndexError):
        evaluator.set_copy(0, np.array([2], np.uint32), one)
    with pytest.raises(IndexError):
        evaluator.set_copy(3, np.array([0], np.uint32), one)
    with pytest.raises(ValueError, match="not to be set"):
        evaluator.set_copies(np.array([1], np.uint32), matches({(0, 0): 1.0}))
    with pytest.raises(ValueError, match="3 weights for 2"):
        evaluator.set_weights(np.ones(3))


def test_visibility():
    """I(r) = c·r^-3/2, whose chances add up to one; tables are what they say."""
    visibility = Visibility()
    assert repr(visibility) == "Visibility(exponent=1.5)"
    assert visibility.scale == pytest.approx(1 / 2.6123753486854883, rel=1e-14)
    assert visibility.at(np.array([1, 4, np.inf])).tolist() == pytest.approx(
        [visibility.scale, visibility.scale / 8, 0]
    )
    for n in (3, 5000):  # within the first tables, and beyond
        table, sums, drops = visibility.table(n), visibility.sums(n), visibility.drops(n)
        assert len(table) == len(sums) == len(drops) == n + 1
        assert table[0] == sums[0] == drops[0] == 0
        assert sums[1:] == pytest.approx(np.cumsum(table[1:]))
        assert drops[1:-1] == pytest.approx(table[1:-1] - table[2:])
        assert drops[-1] == pytest.approx(float(visibility.at(np.array(n)) - visibility.at(np.array(n + 1))))
    assert 1 - visibility.sums(5000)[-1] == pytest.approx(visibility.scale * 2 / 5000.5**0.5, rel=1e-6)
    assert Visibility(2.0).scale == pytest.approx(6 / np.pi**2, rel=1e-14)


@pytest.mark.parametrize("exponent", [1.0, 0.5, float("nan"), float("inf")])
def test_visibility_must_add_up(exponent):
    """An exponent of at most 1 has no c."""
    with pytest.raises(BadInput):
        Visibility(exponent)
