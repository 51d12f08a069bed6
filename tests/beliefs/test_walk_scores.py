"""PageRank, walks, OPIC and impact of the pages of a crawl, kept up live and from the store alone."""

import time
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pytest

import sought
from sought.beliefs.columns import Beliefs
from sought.beliefs.flows import Flow
from sought.beliefs.holdings import Holdings
from sought.beliefs.impacts import IMPACTS, Impact, PageImpacts
from sought.beliefs.page_rank import PageRankSupplier
from sought.crawl.cycle import beliefs_in
from sought.demand import Action, Event, QueryLog, Search, Selection, Tally
from sought.demand.impact import impact
from sought.demand.workload import is_held_out, query_key
from sought.index import normal
from sought.operate.explain import explain
from sought.operate.view import View
from sought.policy import Backlinks, Opic, PageRank, RandomWalk, Split
from sought.record.directory import Directory
from sought.record.seeds import LOADED, plant_seeds
from sought.record.table import Source
from sought.record.workload_refresh import Refresh
from tests.testing.changing_site import serving
from tests.testing.counted_anew import ask, opened
from tests.testing.demand_site import QUERIES, WORDS, crawled
from tests.testing.linked_site import HOST, LinkedSite, adjacency, column_of, stored_column, watched

WEEK = 7 * 86400.0
BELIEFS = [
    PageRank(),
    PageRank(d=0.85),
    RandomWalk(),
    RandomWalk("views", beta=1.0),
    RandomWalk(omega=0.9),
    RandomWalk("views", omega=0.0, beta=0.5, alpha=0.5),
    Opic(),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl"


@pytest.fixture
def site(path: Path) -> LinkedSite:
    site = LinkedSite(path, 120)
    ask(path, *QUERIES)
    return site


def grown(site: LinkedSite, directory: Directory, commits: int = 6, each: int = 7) -> None:
    """A crawl in a few commits, of pages as they are found."""
    site.fetch(directory, [0])
    for _ in range(commits):
        site.fetch(directory, site.new(directory)[:each])


def dense_pagerank(links: np.ndarray, d: float) -> np.ndarray:
    n, out = len(links), links.sum(axis=1)
    steps = np.where(out[:, None] > 0, links / np.maximum(out, 1)[:, None], 1.0 / n)
    return np.linalg.solve(np.eye(n) - d * steps.T, np.full(n, 1.0 - d))


def dense_walk(links: np.ndarray, impact: np.ndarray, b: RandomWalk) -> np.ndarray:
    """Eq. 3 to 10 of Tran et al. with matrices."""
    n, out, virtual = len(links), links.sum(axis=1), links.T @ links
    np.fill_diagonal(virtual, 0.0)
    near = virtual.sum(axis=1)
    worth = (impact + b.epsilon) / (impact + b.epsilon).max()
    ways = [(b.omega, links, out), (1.0 - b.omega, virtual, near)]
    step = sum(
        share * (worth * (degree / degree.max()) ** b.beta / np.maximum(degree, 1))[:, None] * weights
        for share, weights, degree in ways
    )
    return np.linalg.solve(np.eye(n) - b.alpha * step.T, np.full(n, (1.0 - b.alpha) / n))


def dense_impact(view: View, kind: Impact) -> np.ndarray:
    """From all scores of all pages, sorted."""
    measuring, found = view.measuring, view.measuring.matches()
    order = np.lexsort((found.pages, measuring.ties(found.pages.astype(np.int64)), found.scores, found.queries))[::-1]
    brought = np.zeros(len(view.table))
    seen: dict[int, int] = {}
    for page, query in zip(found.pages[order].tolist(), found.queries[order].tolist(), strict=True):
        rank = seen[query] = seen.get(query, 0) + 1
        if rank <= 10:
            brought[page] += measuring.asked.rate[query] * (1.0 if kind == "views" else rank**-1.5 / 2.612375348685488)
    return brought


# ---- columns


@pytest.mark.parametrize("belief", BELIEFS, ids=repr)
def test_columns_from_the_store_are_those_kept_up_live(site: LinkedSite, belief):
    """Worked out commit by commit, from warm starts, or from the store alone, also when the crawl is opened again."""
    with site.open() as directory:
        beliefs = watched(directory, belief)
        for _ in range(3):
            grown(site, directory, 2)
            beliefs.pages()
        live = column_of(beliefs, belief)
        assert len(live) == len(directory.repository.table) > 80
        assert live == pytest.approx(column_of(beliefs_in(directory, belief), belief), rel=1e-6)
    assert stored_column(site.path, belief) == pytest.approx(live, rel=1e-6)
    with opened(site.path) as directory:
        assert column_of(beliefs_in(directory, belief), belief) == pytest.approx(live, rel=1e-6)


@pytest.mark.parametrize("d", [0.9, 0.85])
def test_page_rank_solves_its_equation(site: LinkedSite, d: float):
    """IR' = (1-d) + d·Σ IR'/c over the links seen so far; a page without known links jumps; the mean is 1."""
    with site.open() as directory:
        beliefs = watched(directory, PageRank(d))
        grown(site, directory)
        found = column_of(beliefs, PageRank(d))
        assert found == pytest.approx(dense_pagerank(adjacency(directory), d), rel=1e-6)
        assert found.sum() == pytest.approx(len(found))
        assert len(np.unique(found.round(6))) > 30


@pytest.mark.parametrize("belief", [b for b in BELIEFS if isinstance(b, RandomWalk)], ids=repr)
def test_walks_solve_their_equations(site: LinkedSite, belief: RandomWalk):
    """RW and RW-EG by the impact that the crawl's own answers have, as with explicit matrices."""
    with site.open() as directory:
        beliefs = watched(directory, belief)
        grown(site, directory)
        found, links = column_of(beliefs, belief), adjacency(directory)
    with View(site.path) as view:
        brought = dense_impact(view, belief.impact)
    assert np.count_nonzero(brought) > 10
    assert found == pytest.approx(dense_walk(links, brought, belief), rel=1e-6)


def test_a_crawl_goes_after_what_people_see(site: LinkedSite):
    """Of two pages known by one link each, that comes first to which a page with impact leads."""
    site.links = {0: [1, 2], 1: [3], 2: [4], 3: [], 4: []}
    site.texts = {0: "start", 1: "running boats cities", 2: "nothing of interest", 3: "", 4: ""}
    with site.open() as directory:
        beliefs = watched(directory, RandomWalk())
        site.fetch(directory, [0])
        site.fetch(directory, [1, 2])
        values = RandomWalk()(beliefs.pages(), site.clock)
        rank = [directory.repository.discovery.row(site.url(i)) for i in (3, 4)]
        assert values[rank[0]] > values[rank[1]] > -np.inf
        assert np.isneginf(values[0])
        ranks = column_of(beliefs_in(directory, PageRank()), PageRank())
        assert ranks[rank[0]] == pytest.approx(ranks[rank[1]])


# ---- when


def flow_of(beliefs: Beliefs) -> Flow:
    ranks = beliefs.suppliers[PageRank()]
    assert isinstance(ranks, PageRankSupplier)
    return ranks.flow


def test_a_walk_is_due_after_one_fetch_in_a_hundred(path: Path):
    """Until then rows that are found have what the page that brought them passes on, as one step of the walk has it."""
    site = LinkedSite(path, 400, degree=20)
    with site.open() as directory:
        beliefs = watched(directory, PageRank())
        grown(site, directory, 3, 100)
        before = column_of(beliefs, PageRank())
        flow = flow_of(beliefs)
        walks, least = flow.walks, flow.walk.least
        site.links[999], site.texts[999] = [1000, 1001, 1], "page"
        directory.writer.add_urls([site.url(999)], LOADED, Source.LOAD)
        row = len(directory.repository.table) - 1
        assert column_of(beliefs, PageRank())[row] == least
        site.fetch(directory, [999])
        found = column_of(beliefs, PageRank())
        assert flow.walks == walks
        assert found[: len(before)].tolist() == before.tolist()
        assert found[row + 1 :] == pytest.approx([least * (1 + 0.9 / 3)] * 2)
        site.fetch(directory, site.new(directory)[:1])
        beliefs.pages()
        assert flow.walks == walks  # two fetches, after more than two hundred
        site.fetch(directory, site.new(directory)[:3])
        beliefs.pages()
        assert flow.walks == walks + 1


def test_a_walk_is_due_when_the_table_has_doubled(path: Path):
    """Somebody may load many addresses without a fetch."""
    site = LinkedSite(path, 30)
    with site.open() as directory:
        beliefs = watched(directory, PageRank())
        grown(site, directory, 2)
        beliefs.pages()
        flow = flow_of(beliefs)
        walks = flow.walks
        rows = len(directory.repository.table)
        directory.writer.add_urls([f"{HOST}/x{i}" for i in range(rows)], LOADED, Source.LOAD)
        beliefs.pages()
        assert flow.walks == walks + 1


def test_a_walk_is_due_when_something_else_is_asked(site: LinkedSite, path: Path):
    """However few pages were fetched since; PageRank does not care."""
    belief = RandomWalk("views")
    with site.open() as directory:
        beliefs = watched(directory, Split(new=belief, known=PageRank()))
        grown(site, directory)
        before, walks = column_of(beliefs, belief), flow_of(beliefs).walks
        ask(path, WORDS[0], WORDS[1])
        assert Refresh(directory).finish(time.time()) > len(QUERIES)
        after = column_of(beliefs, belief)
        assert after.tolist() != before.tolist()
        assert flow_of(beliefs).walks == walks
    assert stored_column(path, belief) == pytest.approx(after, abs=1e-9)


def test_an_empty_crawl_has_columns(path: Path):
    """No row, no link, no query."""
    site = LinkedSite(path, 3)
    with opened(site.path) as directory:
        for belief in BELIEFS:
            assert len(column_of(beliefs_in(directory, belief), belief)) == len(directory.repository.table)
        plant_seeds(directory)
        for belief in BELIEFS:
            assert column_of(beliefs_in(directory, belief), belief).shape == (1,)


# ---- OPIC


def by_hand(links: dict[int, list[int]], visits: list[int], rows: int) -> np.ndarray:
    """Cash and history, one visit after the other; the first row has all at first."""
    cash, history = np.zeros(rows), np.zeros(rows)
    cash[0] = 1.0
    for row in visits:
        paid, cash[row] = cash[row], 0.0
        history[row] += paid
        for target in links[row] or range(rows):
            cash[target] += paid / (len(links[row]) or rows)
    share: np.ndarray = (cash + history) / (cash + history).sum()
    return share


def test_cash_is_passed_on_by_every_visit(path: Path):
    """As reckoned by hand, with second visits and a dead end; live and from the history alone."""
    site = LinkedSite(path, 5)
    site.links = {0: [1, 2], 1: [0, 2, 3], 2: [0], 3: [], 4: [1]}
    visits = [0, 1, 2, 0, 3, 1, 0]
    with site.open() as directory:
        beliefs = watched(directory, Opic())
        for some in (visits[:2], visits[2:3], visits[3:]):
            site.fetch(directory, some)
            live = column_of(beliefs, Opic())
        assert [directory.store.url(row) for row in range(4)] == [site.url(i) for i in range(4)]
        assert live == pytest.approx(by_hand(site.links, visits, 4))
        assert live.sum() == pytest.approx(1.0)
    assert stored_column(site.path, Opic()) == pytest.approx(live)


# ---- impact


def impacts_of(view: View) -> PageImpacts:
    return PageImpacts(Holdings(view.store, view.table, lambda: view.measuring))


def test_impact_is_expected_of_ranks(site: LinkedSite):
    """Without clicks on record it is what the first ten results of every query say; held in step with the pages."""
    with site.open() as directory:
        live = watched(directory, RandomWalk()).holdings.shared(PageImpacts)
        grown(site, directory, 2)
        live.of("clicks")  # from now on kept up
        grown(site, directory, 4)
        kept = {kind: live.of(kind) for kind in IMPACTS}
    with View(site.path) as view:
        for kind, found in kept.items():
            assert found == pytest.approx(dense_impact(view, kind), rel=1e-6)
            assert impacts_of(view).of(kind) == pytest.approx(found, rel=1e-6)
            assert found.any()


def test_impact_is_what_the_log_says(site: LinkedSite):
    """Clicks and results shown, a week, by address; an address that was never fetched has none."""
    log, now = QueryLog(site.path / "queries"), time.time()
    one = site.links[0][0]
    site.links[one] = [119]  # which is known, and not fetched
    site.links = {i: [k for k in links if i == one or k != 119] for i, links in site.links.items()}
    for hour in range(8):
        shown = (site.url(0), site.url(one), f"{HOST}/unheard-of", site.url(119))
        found = log.record(Search("boats", now - 3600.0 * (hour + 1), shown))
        log.event(Event(found, Action.CLICK, now - 3000.0 * (hour + 1), rank=2))
    with site.open() as directory:
        grown(site, directory, 1)
    with View(site.path) as view:
        home, first, unheard = (view.row(url) for url in (site.url(0), site.url(one), f"{HOST}/unheard-of"))
        impacts = impacts_of(view)
        assert unheard < 0 <= view.row(site.url(119))
        assert {row: impacts.of("clicks")[row] for row in (home, first)} == {home: 0.0, first: 2.0}  # in four weeks
        assert {row: impacts.of("views")[row] for row in (home, first)} == {home: 2.0, first: 2.0}
        assert impacts.of("views").sum() == 4.0


def test_the_log_counts_as_the_workload_does(tmp_path: Path):
    """Each result once a search, within the window, or by half-life; tallies of clicks in force; nothing held out."""
    log, now = QueryLog(tmp_path / "queries"), 1.7e9
    today = datetime.fromtimestamp(now, UTC).date()
    a, b, c = (f"{HOST}/{x}" for x in "abc")
    for ago, query in ((1.0, "boats"), (2.0, "boats"), (40 * 86400.0, "boats"), (-5.0, "boats"), (3.0, "lakes")):
        search = log.record(Search(query, now - ago, (a, b)))
        for _ in range(2):
            log.event(Event(search, Action.CLICK, now - ago, a, 1))
        log.event(Event(search, Action.VIEW, now - ago, b, 2))
    with log.writing() as staging:
        staging.add(Tally("rivers", 9.0, today, c, 5.0))
        staging.add(Tally("rivers", 8.0, date(2020, 1, 1), a, 4.0))

    def found(action: Action, selection: Selection) -> dict[str, float]:
        return dict(zip(*impact(log, action, now, normal, selection), strict=True))

    window, decay = Selection(window=WEEK), np.log(2) * (3 + 2 ** (-40 / 7))
    assert found(Action.CLICK, window) == pytest.approx({a: 3.0, c: 5.0})
    assert found(Action.VIEW, window) == pytest.approx({a: 3.0, b: 3.0})
    assert found(Action.CLICK, Selection(half_life=WEEK)) == pytest.approx({a: decay, c: 5.0}, rel=1e-4)
    held = next(share for share in np.linspace(0, 1, 99) if set(is_held_out(boats_and_lakes(), share)) == {True, False})
    assert found(Action.VIEW, Selection(window=WEEK, held_out=held))[a] in (1.0, 2.0)
    assert found(Action.VIEW, Selection(held_out=1.0)) == {}
    assert impact(QueryLog(tmp_path / "none"), Action.CLICK, now, normal)[0] == []


def boats_and_lakes() -> np.ndarray:
    return np.array([query_key(form) for form in normal(["boats", "lakes"])], np.uint64)


# ---- for people, and over real HTTP


@pytest.mark.parametrize("belief", [PageRank(), RandomWalk(), RandomWalk(omega=0.5, beta=0.5), Opic()], ids=repr)
def test_explain_says_where_it_comes_from(site: LinkedSite, belief):
    """What parents send, and pages beside it, adds up to what the page has, but for what every page has."""
    with site.open() as directory:
        grown(site, directory)
        new = site.new(directory)[0]
    with View(site.path) as view:
        told = explain(view, site.url(new), belief, site.clock).now.terms[repr(belief)]
        if isinstance(belief, Opic):
            assert 0 < told["importance"] < 1
            return
        value, parents = view.believed(belief)[view.row(site.url(new))], told["parents"]
        assert 0 < len(parents) <= 5
        assert all(parent["url"].startswith(HOST) and parent["links"] > 0 for parent in parents)
        assert [p["sends"] for p in parents] == sorted((p["sends"] for p in parents), reverse=True)
        assert view.table["inlinks"][view.row(site.url(new))] <= 5
        beside = told.get("by_common_parents", 0.0)
        assert (beside > 0) == (getattr(belief, "omega", 1.0) < 1)
        sent = sum(parent["sends"] for parent in parents)
        assert sent + beside + told["by_jumps"] == pytest.approx(value, rel=1e-6)
        assert told.get("by_links", sent) == pytest.approx(sent)
        parents_too = explain(view, site.url(new), Backlinks(), site.clock).page.linked_from
        assert set(parents_too) == {parent["url"] for parent in parents}


@pytest.mark.parametrize("policy", ["PageRank()", "RandomWalk()", "RandomWalk(omega=0.5)", "Opic()"])
def test_a_crawl_by_it(tmp_path: Path, policy: str):
    """The whole cycle over real HTTP."""
    with serving() as real:
        path = crawled(real, tmp_path / "crawl", 12)
        ask(path, *QUERIES)
        sought.open(path).crawl(10, policy)
        sought.open(path).crawl(10, policy)
        assert sorted(real.paths()) == sorted(["/", *(f"/p{i}" for i in range(12))])
