"""The learned combination of all that is said of new pages."""

import time
from pathlib import Path

import numpy as np
import pytest

import sought
from sought.beliefs.columns import Beliefs
from sought.beliefs.holdings import Holdings
from sought.beliefs.impacts import IMPACTS, PageImpacts
from sought.beliefs.leaf_tree import LeafTree
from sought.beliefs.learned import ENOUGH, Fitted, LearnedSupplier
from sought.beliefs.learned_features import NAMES, parents_with
from sought.crawl.cycle import beliefs_in
from sought.graph.links import links_of
from sought.lab.replay.setting import Setting
from sought.lab.replay.wall import first_leak
from sought.operate.check import check
from sought.operate.explain import explain
from sought.operate.view import View
from sought.policy import Learned, Location, PageRank, RandomWalk, SearchImpact
from sought.record.directory import Directory
from sought.record.workload_refresh import Refresh
from tests.testing.changing_site import serving
from tests.testing.counted_anew import ask, opened
from tests.testing.demand_site import QUERIES, WORDS, crawled
from tests.testing.linked_site import LinkedSite, adjacency, column_of, stored_column, watched
from tests.testing.wall_world import made, middle

MODELS = [
    Learned(),
    Learned("linear"),
    Learned("tree", "views", "log1p"),
    Learned("linear", "views", "log1p"),
]


@pytest.fixture
def site(tmp_path: Path) -> LinkedSite:
    site = LinkedSite(tmp_path / "crawl", 200)
    ask(site.path, *QUERIES)
    return site


def grown(site: LinkedSite, directory: Directory, beliefs: Beliefs, commits: int) -> None:
    """A crawl whose policy looks at the table before every commit."""
    for _ in range(commits):
        beliefs.pages()
        site.fetch(directory, site.new(directory)[:8] or [0])


def combination(beliefs: Beliefs, belief: Learned) -> LearnedSupplier:
    found = beliefs.suppliers[belief]
    assert isinstance(found, LearnedSupplier)
    return found


@pytest.mark.parametrize("belief", [Learned(), Learned("linear", "views")], ids=repr)
def test_before_enough_is_known_it_is_the_walk(site: LinkedSite, belief: Learned):
    """New pages come in the order of RW; fetched ones have their impact."""
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 5)
        found, walk = column_of(beliefs, belief), RandomWalk(belief.impact)
        new = np.isneginf(directory.repository.table["last_fetch"])
        assert combination(beliefs, belief).model is None
        assert 0 < len(combination(beliefs, belief).training) < ENOUGH
        assert found[new] == pytest.approx(column_of(beliefs_in(directory, walk), walk)[new], rel=1e-6)
        impact = PageImpacts(Holdings(directory.store, directory.repository.table, lambda: directory.measuring))
        assert found[~new] == pytest.approx(impact.of(belief.impact)[~new])
        assert found[~new].any()


def test_features_are_what_others_say(site: LinkedSite):
    """Table 4, by name: the columns of the other orderings, in-links, depth, and the impact of parents."""
    belief = Learned()
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 6)
        beliefs.pages()
        table = directory.repository.table
        rows = np.arange(len(table))
        features = combination(beliefs, belief).features.table(rows)
        said = dict(zip(NAMES, features.T, strict=True))
        for name, other in (
            ("PageRank", PageRank(0.85)),
            ("Q-Overlap", SearchImpact(by_queries=1.0)),
            ("Q-Hybrid", SearchImpact()),
            ("RW", RandomWalk()),
            ("RW-EG", RandomWalk(omega=0.9)),
            ("URL depth", Location()),
        ):
            assert said[name] == pytest.approx(column_of(beliefs_in(directory, other), other), rel=1e-5), name
        assert said["in-degree"].tolist() == table["inlinks"].tolist()
        impacts = combination(beliefs, belief).impacts
        links = adjacency(directory)
        for kind, past in zip(IMPACTS, ("clicked", "viewed"), strict=True):
            sent = links * impacts.of(kind)[:, None]
            assert said[f"{past} parents"].tolist() == np.count_nonzero(sent, axis=0).tolist()
            assert said[f"{kind} of parents"] == pytest.approx(sent.sum(axis=0), rel=1e-5)
            assert said[f"most {kind} of a parent"] == pytest.approx(sent.max(axis=0), rel=1e-5)
            mean = sent.sum(axis=0) / np.maximum(links.sum(axis=0), 1)
            assert said[f"mean {kind} of parents"] == pytest.approx(mean, rel=1e-5)
        assert all(column.any() for column in said.values())


@pytest.mark.parametrize("belief", MODELS, ids=repr)
def test_what_is_learnt_survives_a_restart(site: LinkedSite, belief: Learned):
    """What was said of pages before they were fetched is on record: a model fitted from it predicts the same."""
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 12)
        model = combination(beliefs, belief)
        model.growth.fetched = -1  # whoever starts fits again
        model.validation.fetched = -1
        live = column_of(beliefs, belief)
        rows, features = model.training.all()
        assert model.model is not None
        assert len(rows) == len(set(rows.tolist())) > ENOUGH
        new = np.isneginf(directory.repository.table["last_fetch"])
        assert len(np.unique(live[new])) > 1
        assert np.isfinite(live).all()
    with opened(site.path) as directory:
        assert not check(directory, lambda _: None)
        again = beliefs_in(directory, belief)
        found = column_of(again, belief)
        kept = combination(again, belief).training.all()
        assert kept[0].tolist() == rows.tolist()
        assert kept[1].tobytes() == features.tobytes()
        assert found == pytest.approx(live, rel=1e-4)
    assert stored_column(site.path, belief) == pytest.approx(live, rel=1e-4)
    other = Learned(impact="clicks" if belief.impact == "views" else "views")
    with View(site.path) as view:
        assert not len(combination(view.beliefs((other,)), other).training)  # of the other impact nothing is known


def test_pages_are_learnt_from_as_they_were_seen_before(site: LinkedSite):
    """The features of a page are those of the last look at the table before it was fetched, and each counts once."""
    belief = Learned()
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 4)
        beliefs.pages()
        model, page = combination(beliefs, belief), site.new(directory)[0]
        row = directory.repository.discovery.row(site.url(page))
        before = model.features.table(np.array([row]))[0].tolist()
        site.fetch(directory, [page])
        site.fetch(directory, [page])
        rows, features = model.training.all()
        assert features[rows.tolist().index(row)].tolist() == before
        assert rows.tolist().count(row) == 1


def test_a_model_is_fitted_again_when_a_tenth_has_been_added(site: LinkedSite):
    """Not at every look."""
    belief = Learned()
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 12)
        beliefs.pages()
        model = combination(beliefs, belief)
        first, known = model.model, len(model.training)
        assert isinstance(first, LeafTree)
        new = site.new(directory)
        few = known // 10 - 1
        site.fetch(directory, new[:few])
        beliefs.pages()
        assert model.model is first
        site.fetch(directory, new[few : 2 * few + 2])
        beliefs.pages()
        assert model.model is not first


def test_a_model_is_fitted_again_when_something_else_is_asked(site: LinkedSite):
    """What it was fitted to is no longer the impact of those pages, nor is that of parents."""
    belief = Learned("tree", "views")
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 12)
        beliefs.pages()
        model = combination(beliefs, belief)
        first, parents = model.model, model.features.parents["views"].total
        ask(site.path, WORDS[0], WORDS[1])
        assert Refresh(directory).finish(time.time()) > len(QUERIES)
        beliefs.pages()
        assert model.model is not first
        assert model.features.parents["views"].total.tolist() != parents.tolist()


def test_it_learns_whom_to_believe(tmp_path: Path):
    """Where pages that are linked from seen ones are seen themselves, they come first among new ones."""
    site = LinkedSite(tmp_path / "crawl", 1)
    ask(site.path, *QUERIES)
    good, bad = range(1, 200), range(201, 400)  # two chains of pages; one of them is about what people ask
    site.links = {0: [1, 201], **{i: [k for k in range(i + 1, i + 4) if k not in (200, 201)] for i in (*good, *bad)}}
    site.texts = {0: "home"} | {
        i: f"running boats cities number{i}" if i < 200 else f"dull number{i}" for i in site.links
    }
    belief = Learned("linear", "views", "log1p")
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 20)
        found = column_of(beliefs, belief)
        assert combination(beliefs, belief).model is not None
        new = site.new(directory)
        rows = {i: directory.repository.discovery.row(site.url(i)) for i in new}
        best = max(new, key=lambda i: found[rows[i]])
        assert len({i < 200 for i in new}) == 2
        assert best in good


def test_explain_names_the_features(site: LinkedSite):
    """For people: how many pages it was learned from, and all that was looked at."""
    belief = Learned()
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory, beliefs, 10)
        new = site.new(directory)[0]
    with View(site.path) as view:
        told = explain(view, site.url(new), belief, site.clock).now.terms[repr(belief)]
    assert set(told["features"]) == set(NAMES)
    assert told["learnt_from"] > ENOUGH
    assert told["features"]["in-degree"] > 0
    assert told["features"]["URL depth"] == site.url(new).count("/") - 2


def test_parents_of_a_few_pages():
    """Reckoned by hand; parents without impact count for nothing."""
    links = links_of(np.array([0, 0, 1, 2, 3]), np.array([1, 3, 3, 3, 0]), 5)
    found = parents_with(np.array([2.0, 5.0, 0.0, 1.0, 9.0]), links)
    assert found.seen.tolist() == [1, 1, 0, 2, 0]
    assert found.total.tolist() == [1.0, 2.0, 0.0, 7.0, 0.0]
    assert found.largest.tolist() == [1.0, 2.0, 0.0, 5.0, 0.0]


@pytest.mark.parametrize("policy", [Learned(), Learned("linear", "views", "log1p")], ids=repr)
def test_what_is_learnt_is_no_secret(monkeypatch, policy: Learned):
    """The wall, with budgets that make it learn: nothing depends on what a crawler cannot see."""
    fits, fitted = [], LearnedSupplier._fitted

    def counted(self: LearnedSupplier, impact: np.ndarray) -> Fitted:
        fits.append(len(self.training))
        return fitted(self, impact)

    monkeypatch.setattr(LearnedSupplier, "_fitted", counted)
    assert first_leak(policy, made(), 0.25, Setting(start="cold", rounds=3), middle()) == ""
    assert len(fits) > 2


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["Learned()", 'Learned(model="linear", impact="views", target="log1p")'])
def test_a_crawl_by_it(tmp_path: Path, policy: str):
    """The whole cycle over real HTTP, past the point from which it is learned."""
    with serving() as real:
        path = crawled(real, tmp_path / "crawl", 70)
        ask(path, *QUERIES)
        sought.open(path).crawl(62, policy)
        sought.open(path).crawl(30, policy)
        assert sorted(real.paths()) == sorted(["/", *(f"/p{i}" for i in range(70))])
