"""What pages score beside their names, and what pages in the same directory are worth."""

from pathlib import Path

import numpy as np
import pytest

from sought.beliefs.columns import Beliefs
from sought.beliefs.entry_signs import FolderMeans
from sought.beliefs.prospect import USUAL, Prospect, Prospects, sample, shared, times_of
from sought.index.quality import Matches
from tests.testing.counted_anew import ask
from tests.testing.demand_site import WORDS
from tests.testing.linked_site import LinkedSite, column_of, watched

PROSPECT = Prospect()


class _ByProspect:
    beliefs = (PROSPECT,)

    def __call__(self, pages, now):
        return np.zeros(len(pages))


def matches(scores: dict[tuple[int, int], float]) -> Matches:
    pages, queries = np.array(list(scores), np.uint32).reshape(-1, 2).T.copy()
    return Matches(pages, queries, np.array(list(scores.values()), np.float32))


def drawn(times: np.ndarray) -> tuple[Matches, Matches]:
    """Pages of one query each whose scores are so many times those of their names."""
    names = {(page, page % 3): 1.0 + page % 2 for page in range(len(times))}
    pages = {(page, 9): 7.0 for page in range(50)}  # queries that their names do not match
    pages |= {pair: names[pair] * factor for pair, factor in zip(names, times.tolist(), strict=True) if factor}
    return matches(names), matches(pages)


def test_quantiles_of_what_was_seen():
    """Of pairs whose names score more one counts more; a page that does not answer a query scores 0."""
    weights = np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 5.0])
    times = np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], 60)
    assert times_of(*drawn(times), weights) == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert times_of(*drawn(times[::-1]), weights) == (0.0, 1.0, 2.0, 3.0, 4.0)
    mostly = np.where(np.arange(300) % 2, 3.0, 1.0)  # the second half of them scores twice as much by name
    assert times_of(*drawn(mostly), weights) == (1.0, 1.0, 3.0, 3.0, 3.0)


def test_while_little_was_seen_it_is_as_usual():
    weights = np.ones(10)
    nothing = matches({})
    assert times_of(nothing, nothing, weights) == USUAL
    assert times_of(*drawn(np.full(50, 9.0)), weights) == USUAL
    assert times_of(drawn(np.full(300, 9.0))[0], nothing, weights) == (0.0,) * 5
    assert times_of(*drawn(np.full(300, 9.0)), np.zeros(10)) == USUAL  # nobody asks for any of it


def test_the_sample_stays_while_rows_come():
    dice = np.random.default_rng(0)
    keys = dice.integers(0, 2**63, 5000).astype(np.uint64)
    first, later = sample(np.arange(2000), keys[:2000]), sample(np.arange(5000), keys)
    assert len(first) == len(later) == 1000
    assert set(later[later < 2000].tolist()) <= set(first.tolist())
    assert sample(np.arange(7), keys[:7]).tolist() == list(range(7))


# ---- the crawl


@pytest.fixture
def site(tmp_path: Path) -> LinkedSite:
    """Its pages say what the links to them say, many times."""
    site = LinkedSite(tmp_path / "crawl", 300)
    site.links[0] = list(range(1, 300))
    site.texts = {page: f"{WORDS[page % 10]} " * 20 for page in range(300)}
    ask(site.path, *WORDS)
    return site


def prospects(beliefs: Beliefs) -> Prospects:
    return shared(beliefs.holdings)


def test_pages_in_hand_tell_what_others_may_score(site: LinkedSite):
    """Once there are enough of them; and the same is known after a restart."""
    with site.open() as directory:
        beliefs = watched(directory, _ByProspect())
        site.fetch(directory, [0])
        before = column_of(beliefs, PROSPECT)
        assert prospects(beliefs).times == USUAL
        site.fetch(directory, range(1, 250))
        after, times = column_of(beliefs, PROSPECT), prospects(beliefs).times
        assert times != USUAL
        assert min(times) > 1.0  # what they say is what they are called
        new = np.isneginf(directory.repository.table["last_fetch"])
        assert (before[new[: len(before)]] > after[: len(before)][new[: len(before)]]).all()  # others answer by now
    with site.open() as directory:
        again = watched(directory, _ByProspect())
        assert column_of(again, PROSPECT) == pytest.approx(after)
        assert prospects(again).times == pytest.approx(times)


def test_gains_are_means_over_what_a_page_may_score(site: LinkedSite):
    with site.open() as directory:
        site.fetch(directory, range(5))
        measure = directory.measuring.measure
        assert measure
        beliefs = watched(directory, _ByProspect())
        column_of(beliefs, PROSPECT)
        rows = np.flatnonzero(np.isneginf(directory.repository.table["last_fetch"]))[:20]
        named = prospects(beliefs)._named(measure, rows)
        gains = {times: measure.entry(rows, named, times).gain for times in ((1.0,), (3.0,), (0.0,), (1.0, 3.0, 0.0))}
        assert measure.entry(rows, named).gain.tolist() == gains[(1.0,)].tolist()
        assert not gains[(0.0,)].any()
        assert (gains[(3.0,)] > gains[(1.0,)]).any()
        assert gains[(1.0, 3.0, 0.0)] == pytest.approx((gains[(1.0,)] + gains[(3.0,)]) / 3)


def test_directories_are_worth_what_their_pages_are(tmp_path: Path):
    """Drawn to the typical page; pages that nobody finds do not count, and directories may come later."""
    site = LinkedSite(tmp_path / "crawl", 3)
    with site.open() as directory:
        beliefs = watched(directory, _ByProspect())
        holdings = beliefs.holdings
        means = FolderMeans(holdings)
        for step, paths in enumerate((("/a/1", "/a/2"), ("/a/3", "/b/c/1", "/b/c/2"))):
            for path in paths:
                directory.repository.known_row(f"http://a.example{path}", 1e9)
            directory.writer.commit()
            pages = beliefs.pages()
            count = len(pages)
            presence = np.arange(count, dtype=np.float64)
            means.look(pages, presence, np.arange(count) != 2, 10.0)
            rows = np.arange(1, count)
            shared = {"/a/": [1] if step == 0 else [1, 3], "/b/c/": [4, 5]}
            expected = {name: (sum(of) + 30.0) / (len(of) + 3.0) for name, of in shared.items()}
            where = ["/a/", "/a/"] if step == 0 else ["/a/", "/a/", "/a/", "/b/c/", "/b/c/"]
            assert means.of(rows) == pytest.approx([expected[name] for name in where])
            assert means.depth(rows).tolist() == [name.count("/") - 1.0 for name in where]
