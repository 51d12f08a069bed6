"""Crawl ordering by search impact (Pandey & Olston 2008), as a crawl supplies it."""

import random
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sought
from benchmarks.impact import run
from sought.beliefs.holdings import Growth
from sought.beliefs.search_impact import matching
from sought.beliefs.search_impact.hybrid import SearchImpactSupplier
from sought.beliefs.search_impact.needy import ImprovabilitySupplier, neediest
from sought.beliefs.search_impact.query_impact import units
from sought.crawl.cycle import beliefs_in
from sought.index.ngrams import Grams, MatchIndex, most_matches
from sought.operate.explain import explain
from sought.operate.view import View
from sought.policy import PageRank, SearchImpact
from sought.record.directory import Directory
from sought.record.seeds import plant_seeds
from sought.record.workload import with_topics
from sought.record.workload_refresh import Refresh
from sought.web.errors import BadInput
from tests.testing.changing_site import HTML, serving
from tests.testing.counted_anew import ask, opened
from tests.testing.demand_site import QUERIES, WORDS, answer, page, write_config
from tests.testing.following import follow

HOME = "http://a.example/"
QUERY_DRIVEN, HYBRID, BY_IMPORTANCE = SearchImpact(by_queries=1.0), SearchImpact(), SearchImpact(by_queries=0.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_config(tmp_path / "crawl")


def begin(directory: Directory) -> None:
    Refresh(directory).finish(time.time())
    plant_seeds(directory)


def fetch(directory: Directory, url: str, body: str, status: int = 200, at: float = 1e9) -> None:
    row = directory.repository.known_row(url, at)
    directory.writer.record(row, answer(url, body, status, time=at))


def linking(*links: tuple[str, str]) -> str:
    """A page that says nothing by itself: it links, with these words."""
    return "<html lang=en><p>list</p>" + "".join(f"<a href={to}>{words}</a> " for to, words in links) + "</html>"


def row_of(directory: Directory, name: str) -> int:
    return int(directory.repository.discovery.row(HOME + name))


def supplied(directory: Directory, belief: SearchImpact):
    """Its column from the store, and who supplied it."""
    beliefs = beliefs_in(directory, belief)
    column = beliefs.pages().belief(belief).copy()
    supplier = beliefs.suppliers[belief]
    assert isinstance(supplier, SearchImpactSupplier)
    return column, supplier


def new_rows(directory: Directory):
    return np.flatnonzero(np.isneginf(directory.repository.table["last_fetch"]))


def grown(directory: Directory, rounds: int, policy: SearchImpact = HYBRID, seed: int = 3):
    """A crawl of a site about WORDS by a policy, and the beliefs that were kept up meanwhile."""
    rng = random.Random(seed)
    links = [
        (f"/{WORDS[i % 10]}-{WORDS[i * 7 % 10]}/p{i}", f"{WORDS[(i * 3 + 1) % 10]} {WORDS[(i * 3 + 2) % 10]}")
        for i in range(120)
    ]
    fetch(directory, HOME, linking(*links))
    directory.writer.commit()
    beliefs = beliefs_in(directory, policy)
    follow(directory, beliefs.take)
    for step in range(rounds):
        values = policy(beliefs.pages(), 2e9)
        for row in np.argsort(-values, kind="stable")[:8].tolist():
            url, at = directory.store.url(row), 1e9 + 100 * step
            found = [(f"/{rng.choice(WORDS)}/n{step}-{row}", " ".join(rng.choices(WORDS, k=2)))]
            body = page(rng, f"n{row}", linking(*found))
            fetch(directory, url, "" if rng.random() < 0.1 else body, 404 if rng.random() < 0.1 else 200, at)
        directory.writer.commit()
    return beliefs


def tail_crawl(directory: Directory) -> None:
    """Many pages link to popular ones; one alone to a page whose address and anchor are what nobody answers."""
    begin(directory)
    hubs = [(f"/hub{i}", "more") for i in range(8)]
    fetch(directory, HOME, linking(*hubs))
    popular = [(f"/popular{i}", "news of today") for i in range(5)]
    for i in range(8):
        tail = [("/zebra-crossing", "zebra crossing")] if i == 3 else []
        others = [(f"/other{k}", "more") for k in range(20)] if i == 3 else []
        fetch(directory, f"{HOME}hub{i}", linking(*popular, *tail, *others))
    directory.writer.commit()


def test_a_page_on_a_tail_topic_is_promoted(path: Path):
    """Low importance, strong match of address and anchor with a query that has no results (Figure 6)."""
    ask(path, "zebra crossing", "list")
    with opened(path) as directory:
        tail_crawl(directory)
        tail, popular = row_of(directory, "zebra-crossing"), row_of(directory, "popular1")
        new = new_rows(directory)
        for policy in (HYBRID, QUERY_DRIVEN):
            column, _ = supplied(directory, policy)
            assert new[np.argmax(column[new])] == tail
        importance, _ = supplied(directory, BY_IMPORTANCE)
        rank = beliefs_in(directory, PageRank()).pages().belief(PageRank())
        assert rank[popular] > 2 * rank[tail]
        assert importance[popular] > 2 * importance[tail]


def test_a_live_crawl_fetches_what_is_asked_for_first(tmp_path: Path):
    """By --policy, over HTTP: of forty pages the one that a query needs, then others."""
    with serving() as site:
        path = write_config(tmp_path / "crawl", site.url("/"), "127.0.0.1")
        ask(path, "zebra crossing")
        links = [(f"/other{i}", "more") for i in range(40)]
        links[29] = ("/p29", "a zebra crossing")
        site.answers["/"] = (200, HTML, linking(*links))
        site.answers["/p29"] = (200, HTML, "<html lang=en><p>zebra crossing</p></html>")
        sought.open(path).crawl(2, "SearchImpact()")
        assert site.paths() == ["/", "/p29"]


def test_addresses_are_read_as_they_are_written_for_people(path: Path):
    """Letters that an address can only have as percent signs are letters, as they are in the search index."""
    ask(path, "são paulo")
    with opened(path) as directory:
        begin(directory)
        fetch(directory, HOME, linking(("/s%C3%A3o-paulo", "more"), ("/other", "more")))
        directory.writer.commit()
        _, supplier = supplied(directory, SearchImpact(by_queries=1.0))
        row = directory.repository.discovery.row(f"{HOME}s%C3%A3o-paulo")
        assert supplier.queries.matches is not None
        assert supplier.queries.matches.rows.tolist() == [row]


def test_without_queries_importance_decides(path: Path):
    """by_queries = 0 is the order of PageRank; so is every policy while nothing is asked, and among equals."""
    with opened(path) as directory:
        tail_crawl(directory)
        new = new_rows(directory)
        rank = beliefs_in(directory, PageRank()).pages().belief(PageRank())[new]
        for policy in (BY_IMPORTANCE, HYBRID, QUERY_DRIVEN):
            assert not supplied(directory, policy)[1].queries.matches
            column = supplied(directory, policy)[0][new]
            assert (column > 0).all()
            assert column == pytest.approx(rank * (column[0] / rank[0]), rel=1e-9)
    ask(path, "zebra crossing", "list")
    with opened(path) as directory:
        Refresh(directory).finish(time.time())
        column = supplied(directory, BY_IMPORTANCE)[0]
        assert column[new] == pytest.approx(rank * (column[new[0]] / rank[0]), rel=1e-9)
        by_queries, supplier = supplied(directory, QUERY_DRIVEN)
        promoted = supplier.queries.matches.rows
        others = np.setdiff1d(new, promoted)
        assert promoted.tolist() == [row_of(directory, "zebra-crossing")]
        assert np.argsort(by_queries[others]).tolist() == np.argsort(column[others]).tolist()


def test_the_hybrid_lies_between(path: Path):
    """0.9 of what queries say, scaled for those that had no turn, and 0.1 of the curve over log PageRank."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        grown(directory, 2)
        for belief in (HYBRID, SearchImpact(fewest=1), SearchImpact(by_queries=0.5)):
            column, supplier = supplied(directory, belief)
            found, new, part = supplier.queries.matches, new_rows(directory), belief.by_queries
            impact = np.zeros(len(column))
            impact[found.rows] = found.impact
            curve = supplier.curve(supplier.ranks.logs[: len(column)])
            mixed = part * found.scale * impact + (1.0 - part) * curve
            assert impact[new].any()
            assert curve[new].any()
            assert column[new] == pytest.approx(mixed[new], rel=1e-6, abs=1e-6)
            assert found.scale > 1.0 if belief.fewest == 1 else found.scale == 1.0


def test_impact_is_searches_in_which_a_page_would_be_shown(path: Path):
    """Σ f(q)·T(p, q): each needy query's list sorted as a whole, crawled pages and all candidates."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        grown(directory, 2)
        _, supplier = supplied(directory, SearchImpact(by_queries=1.0, k=20))
        found, top, asked = supplier.queries.matches, supplier.queries.top, directory.measuring.asked
        ties = directory.measuring.ties(np.arange(len(directory.repository.table)))
        matches = directory.measuring.matches()
        impact: dict[int, float] = {}
        for i, query in enumerate(found.needy.tolist()):
            here = slice(found.sketches.bounds[i], found.sketches.bounds[i + 1])
            own = matches.queries == query
            results = [
                (float(s / found.units[query]), int(ties[p]), -1)
                for p, s in zip(matches.pages[own], matches.scores[own], strict=True)
            ]
            rows = found.sketches.rows[here].tolist()
            guessed = zip(rows, found.scores[here].tolist(), strict=True)
            results += [(score, int(ties[row]), row) for row, score in guessed if score > 0]
            for _, _, row in sorted(results, reverse=True)[:20]:
                if row >= 0:
                    impact[row] = impact.get(row, 0.0) + float(asked.rate[query])
        assert len(impact) > 5
        assert dict(zip(found.rows.tolist(), found.impact.tolist(), strict=True)) == pytest.approx(impact)
        assert top.k == 20


def test_fetched_pages_have_the_impact_they_have(path: Path):
    """How often they are among the first K, by all queries."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        grown(directory, 4)
        column, _ = supplied(directory, HYBRID)
        found, rate = directory.measuring.matches(), directory.measuring.asked.rate
        ties = directory.measuring.ties(found.pages.astype(np.int64))
        views = np.zeros(len(column))
        for query in range(len(rate)):
            own = np.flatnonzero(found.queries == query)
            best = own[np.lexsort((-ties[own].astype(np.int64), -found.scores[own]))][:10]
            np.add.at(views, found.pages[best], rate[query])
        fetched = np.setdiff1d(np.arange(len(column)), new_rows(directory))
        assert (views[fetched] > 0).sum() > 10
        assert column[fetched] == pytest.approx(views[fetched])


@pytest.mark.parametrize(
    "policy",
    [HYBRID, SearchImpact(k=30), SearchImpact(estimate="expected"), SearchImpact(k=40, fewest=2, g=1, rho=0.5)],
)
def test_the_column_after_a_restart_is_that_kept_up_live(path: Path, policy: SearchImpact):
    """Rows found and named since, pages fetched since, another workload: as if made from the store at the end."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        beliefs = grown(directory, 2, policy)
        live = beliefs.pages().belief(policy).copy()
        assert live == pytest.approx(supplied(directory, policy)[0], rel=1e-6)
        assert np.unique(live[new_rows(directory)].round(6)).size > 2
        ask(path, "rivers lakes", "houses", *QUERIES[:2])
        Refresh(directory).finish(time.time())
        fetch(directory, HOME + "late", linking(("/running-boats/late", "houses"), ("/p1", "rivers lakes")))
        directory.writer.commit()
        live = beliefs.pages().belief(policy).copy()
        assert live == pytest.approx(supplied(directory, policy)[0], rel=1e-6)
    with View(path) as view:
        assert view.believed(policy) == pytest.approx(live, rel=1e-6)


def test_a_cycle_without_news_changes_nothing(path: Path):
    """What one cycle has set the next one takes back."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        beliefs = grown(directory, 4)
        first = beliefs.pages().belief(HYBRID).copy()
        for _ in range(3):
            directory.writer.commit()
            assert beliefs.pages().belief(HYBRID).tolist() == first.tolist()


def test_before_anything_is_known_expected_and_scalar_agree(path: Path):
    """All that match are then guessed to score the same, for certain."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        grown(directory, 0)
        scalar, expected = (supplied(directory, SearchImpact(1.0, estimate=kind))[0] for kind in ("scalar", "expected"))
        assert (scalar > 1.0).sum() >= 10
        assert expected == pytest.approx(scalar)


def test_expected_impact_is_shared_by_those_who_might_be_shown(path: Path):
    """Where scores vary, more pages have a chance; all together are shown no more often than there are places."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        grown(directory, 6, SearchImpact(by_queries=0.0))
        scalar, expected = (
            supplied(directory, SearchImpact(1.0, k=2, estimate=kind))[1].queries.matches
            for kind in ("scalar", "expected")
        )
        assert len(expected.rows) > len(scalar.rows)
        assert 0 < expected.impact.sum() <= 2 * float(directory.measuring.asked.rate.sum()) + 1e-9


def test_guesses_are_learnt_from_pages_that_were_fetched(path: Path):
    """One folder keeps what its addresses promise, another has only dead links: its new ones are not believed."""
    ask(path, "running boats", "cities")
    with opened(path) as directory:
        begin(directory)
        names = [f"{folder}/running-boats-{i}" for folder in ("good", "bad/deep/down") for i in range(60)]
        fetch(directory, HOME, linking(*((f"/{name}", "more") for name in names)))
        directory.writer.commit()
        rng = random.Random(2)
        for name in names[:50] + names[60:110]:
            text = " ".join(f"filler{rng.randrange(5000)}" for _ in range(30))
            fetch(directory, HOME + name, f"<p>running boats {text}</p>", 200 if name.startswith("good") else 404)
        directory.writer.commit()
        _, supplier = supplied(directory, QUERY_DRIVEN)
        found = supplier.queries.matches
        guess = dict(zip(found.sketches.rows.tolist(), found.scores.tolist(), strict=True))
        good, bad = ([guess[row_of(directory, name)] for name in some] for some in (names[50:60], names[110:]))
        assert min(good) > 2 * max(bad)


def test_only_needy_queries_are_looked_at(path: Path):
    """As many with candidates as the budget allows, while all are alike those asked most; nobody held out, no topic."""
    ask(path, *QUERIES)
    with opened(path) as directory:
        begin(directory)
        grown(directory, 0)
        asked = directory.measuring.asked
        _, supplier = supplied(directory, SearchImpact(fewest=2))
        assert {asked.texts[q] for q in supplier.queries.matches.needy} == {"running boats", "cities"}
        assert len(supplied(directory, SearchImpact(fewest=0, sketches=0.5))[1].queries.matches.needy) == 3
        held_out = np.array([text == "cities" for text in asked.texts])
        directory.measuring.asked = with_topics(type(asked)(**{**vars(asked), "held_out": held_out}), ["boats"])
        _, supplier = supplied(directory, HYBRID)
        needy = {directory.measuring.asked.texts[q] for q in supplier.queries.matches.needy}
        assert needy <= set(QUERIES) - {"cities", "nowhere"}
        assert "boats" in needy


def test_words_that_are_everywhere_tell_nothing(path: Path, monkeypatch: pytest.MonkeyPatch):
    """A query that matches too many rows, such as the name of the site, has no sketch, and is not learned from."""
    ask(path, "example", "zebra crossing")
    with opened(path) as directory:
        tail_crawl(directory)
        asked = directory.measuring.asked
        for most, names in ((100, {"example", "zebra crossing"}), (20, {"zebra crossing"})):
            monkeypatch.setattr(matching, "_TOO_MANY", most)
            _, supplier = supplied(directory, HYBRID)
            assert {asked.texts[q] for q in supplier.queries.matches.needy} == names


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]) | st.floats(0, 9), max_size=30), st.integers(0, 12))
def test_the_neediest_are_the_first_in_order(neediness, most):
    """As sorting would have it; of equals the first, and nobody who needs nothing."""
    order = sorted((-need, i) for i, need in enumerate(neediness) if need > 0)[:most]
    assert neediest(np.array(neediness, np.float64), most).tolist() == [i for _, i in order]


def test_improvability_is_learnt_and_stays(path: Path):
    """Queries with poor results are entered more often; after a restart this is still known."""
    words = [f"word{i}" for i in range(60)]
    ask(path, *words)
    with opened(path) as directory:
        begin(directory)
        rng = random.Random(1)
        fetch(directory, HOME, linking(*((f"/p{i}", "more") for i in range(150))))
        for i in range(70):  # the first words are answered already
            fetch(directory, f"{HOME}p{i}", f"<p>{' '.join(words[:30])} unlike {rng.random()}</p>")
        directory.writer.commit()
        beliefs = beliefs_in(directory, HYBRID)
        follow(directory, beliefs.take)
        beliefs.pages()
        improving = beliefs.holdings.shared(ImprovabilitySupplier)
        assert improving.curve.b == 0.0
        for i in range(70, 110):
            some = rng.sample(words[30:], 9)
            fetch(directory, f"{HOME}p{i}", f"<p>{' '.join(some)} {i} {'filler ' * 200} {rng.random()}</p>")
        directory.writer.commit()
        beliefs.pages()
        assert improving.curve.b < 0.0
        directory.writer.commit()
    with View(path) as view:
        beliefs = view.beliefs((HYBRID,))
        beliefs.pages()
        assert beliefs.holdings.shared(ImprovabilitySupplier).curve == improving.curve


def test_scores_are_comparable_across_queries(path: Path):
    """A word on a few pages and one on many, each on a page like the other: the same in their units."""
    ask(path, "rare", "common", "rare common")
    with opened(path) as directory:
        begin(directory)
        pages = [(f"{'rare' if i < 2 else 'common'}", i) for i in range(20)]
        fetch(directory, HOME, linking(*((f"/{word}/{i}", f"the {word}") for word, i in pages)))
        for word, i in pages:
            body = f"<title>{word}</title><p>{word} unlike{i} other{i * i}</p>"
            fetch(directory, f"{HOME}{word}/{i}", f"<html lang=en>{body}</html>")
        directory.writer.commit()
        directory.measuring.adopt()
        measure, asked = directory.measuring.measure, directory.measuring.asked
        assert measure
        found, unit = directory.measuring.matches(), units(measure)
        scores = {
            asked.texts[q]: s / unit[q] for q, s in zip(found.queries.tolist(), found.scores.tolist(), strict=True)
        }
        raw = {asked.texts[q]: s for q, s in zip(found.queries.tolist(), found.scores.tolist(), strict=True)}
        assert raw["rare"] > 3 * raw["common"]
        assert 1 / 3 < scores["rare"] / scores["common"] < 3
        both = asked.texts.index("rare common")
        assert unit[both] == pytest.approx(unit.sum() - unit[both])


def test_explain_tells_of_the_queries_behind_a_page(path: Path):
    """Which query, how needy, what it matched, what score and rank are expected, and what has to be beaten."""
    ask(path, "zebra crossing", "list")
    with opened(path) as directory:
        tail_crawl(directory)
    with View(path) as view:
        told = explain(view, f"{HOME}zebra-crossing", HYBRID, time.time()).now
        terms = told.terms[repr(HYBRID)]
        assert told.rank == 1
        assert told.value == pytest.approx(terms["by_queries"] + terms["by_importance"])
        (query,) = terms["queries"]
        assert query["query"] == "zebra crossing"
        assert query["matched"] == ["zebra crossing", "crossing", "zebra"] or set(query["matched"]) >= {
            "zebra crossing"
        }
        assert query["rank"] == 1
        assert query["score_at_10"] == 0.0
        assert query["predicted_score"] > 0.0
        assert "shown_a_week" in explain(view, HOME, HYBRID, time.time()).now.terms[repr(HYBRID)]


@pytest.mark.parametrize("rho", [1.0, 0.5])
def test_no_query_matches_more_rows_than_it_can(rho):
    """A bound that is reached by single words."""
    rng = random.Random(5)
    queries = ["", "the", *(" ".join(rng.choices("bcdef", k=rng.randint(1, 4))) for _ in range(30))]
    index = MatchIndex(Grams(queries, rho=rho))
    index.add(np.arange(100), ["-".join(rng.choices("bcdefgh", k=4)) for _ in range(100)])
    asked = np.array(rng.choices(range(len(queries)), k=50))
    found, most = np.diff(index.matches(asked)[0]), most_matches(index, asked)
    single = np.array(
        [len(set(queries[q].split())) == len(queries[q].split()) == 1 and queries[q] != "the" for q in asked]
    )
    assert (found <= most).all()
    assert found[single].tolist() == most[single].tolist()
    assert found[single].any()


def test_growth_is_due_by_share_or_when_the_table_has_doubled():
    """And at the first time."""
    growth = Growth(0.1)
    asked = [(0, 1), (0, 1), (1, 1), (100, 100), (109, 100), (110, 150), (110, 299), (110, 300), (111, 300)]
    assert [growth.is_due(*now) for now in asked] == [True, False, True, True, False, True, False, True, False]


@pytest.mark.parametrize(
    "wrong", [{"rho": 0.0}, {"rho": 1.5}, {"k": 0}, {"g": 9}, {"estimate": "best"}, {"fewest": -1}]
)
def test_a_policy_names_the_parameter_that_is_wrong(wrong):
    """In one line."""
    with pytest.raises(BadInput, match=f"SearchImpact: {next(iter(wrong))}"):
        SearchImpact(**wrong)


def test_the_benchmark_measures_matches_and_not_pages():
    """Ten times the frontier has the same matches, and ten times the matches are that."""
    found = run(10_000)
    small, large, more = (found[name] for name in ("small_frontier", "large_frontier", "more_matches"))
    assert small["matches"] == large["matches"] == 200
    assert more["matches"] == 2000
    assert large["urls"] - small["urls"] == 9000
