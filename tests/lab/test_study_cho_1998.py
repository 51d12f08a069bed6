"""Figures 3 to 15: URL ordering, on webs small enough to follow by hand, and on made-up ones."""

import numpy as np
import pytest

from sought.lab.studies.cho_1998.crawl_order import crawl_orders
from sought.lab.studies.cho_1998.hot_pages import (
    CrawlCurve,
    Crawls,
    at_best,
    at_least,
    by_chance,
    counts_of,
    hottest,
    meaningful,
    p_cs,
    p_st,
)
from sought.lab.studies.cho_1998.orders import is_best
from sought.lab.studies.cho_1998.small_site import better, leap, poor, worst
from sought.lab.studies.cho_1998.topic_crawls import by_basic, by_modified
from sought.lab.studies.cho_1998.topics import Worded, named_pages, topics_for
from sought.lab.studies.cho_1998.url_ordering import reached_sooner, similar_curves
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import FAILS, HOLDS, UNJUDGED, Claim, Statement, StudyContext, WorldResult
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.policy import Backlinks, PageRank
from tests.testing.small_world import START, page

STILL = {"weeks": 1, "rate": 0, "births": 0, "deletes": 0, "ephemeral": 0, "adverts": 0, "traps": 0, "sitemaps": 0}
OF_LARGE_WEBS, OF_SITES, OF_TOPICS = (
    ("E001-3", "E001-4", "E001-6", "E001-7"),
    ("E001-8", "E001-10"),
    ("E001-12", "E001-14"),
)


def made_up(folder, name, **knobs):
    recorder = WorldRecorder()
    span = generate(recorder, WebShape(**STILL, queries=20, **knobs))
    save_world(recorder.finish(name, span.seeds, span.start, span.end, WEEK), folder / name, recorder.texts)
    return folder / name


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """One host, with words."""
    return made_up(tmp_path_factory.mktemp("site"), "site", hosts=1, pages=80, hubs=4, out_links=3, topics=6)


def web_of(links):
    """{page: pages it links to}, in this order."""
    recorder = WorldRecorder()
    for name, targets in links.items():
        found = [f"http://w.test/{target}" for target in targets]
        assert recorder.answer(page(f"http://w.test/{name}", 0, f"page {name}", f"text of {name}", found))
    return recorder.finish("web", ["http://w.test/s"], START, START, WEEK), recorder.texts


def line(percent):
    """A curve through these values, at equal distances."""
    return CrawlCurve(np.arange(1, len(percent) + 1), np.array(percent, np.float64), len(percent))


def through(*points, total=1000):
    """A curve of straight lines through (% of pages, %)."""
    across, up = zip((0, 0), *points, strict=True)
    counts = counts_of(total)
    return CrawlCurve(counts, np.interp(100 * counts / total, across, up), total)


# ---- curves


def test_curves_by_hand():
    """Ten pages, of which two are hot, found as the second and the fourth."""
    order = np.array([5, 0, 6, 1, 2, 3, 4, 7, 8, 9])
    hot = np.arange(10) < 2
    curve = p_st(order, hot)
    assert curve.percent.tolist() == [0, 50, 50, 100, 100, 100, 100, 100, 100, 100]
    assert curve.area == pytest.approx(0.8)
    assert curve.at(0.3) == 50
    assert curve.pace(0.0, 0.4) == pytest.approx(2.5)
    assert p_st(order[:3], hot).percent.tolist() == [0, 50, 50, 50, 50, 50, 50, 50, 50, 50]


def test_the_ideal_order_has_the_closed_forms():
    """P_ST = 100·min(K, H)/H and P_CS = 100, also where pages are equally important."""
    values = np.random.default_rng(1).integers(0, 9, 700).astype(np.float64)
    order = np.argsort(-values, kind="stable")
    hot = hottest(values, 0.1)
    assert np.array_equal(p_st(order, hot.which).percent, at_best(hot.which).percent)
    assert (p_cs(order, values).percent == 100).all()


def test_random_orders_have_the_closed_form():
    """P_ST = P_CS = 100·K/T in the mean, where no two pages are equally important."""
    dice = np.random.default_rng(2)
    values = dice.permutation(300).astype(np.float64)
    hot = hottest(values, 0.2)
    orders = [dice.permutation(300) for _ in range(300)]
    expected = by_chance(300).percent
    assert np.abs(np.mean([p_st(order, hot.which).percent for order in orders], axis=0) - expected).max() < 2
    assert np.abs(np.mean([p_cs(order, values).percent for order in orders], axis=0)[20:] - expected[20:]).max() < 2
    assert by_chance(300).area == pytest.approx(0.5, abs=0.01)


def test_never_more_than_k_hot_pages_are_counted():
    """Erratum 11: ties make more than K pages hot, and P_CS stays at most 100."""
    values = np.array([2.0, 1, 1, 1, 1, 0])
    assert p_cs(np.array([1, 2, 3, 4, 0, 5]), values).percent.tolist() == [0, 100, 100, 100, 100, 100]


def test_hot_pages_by_share_or_by_g():
    """Equals of the least hot page are hot; G of the paper is taken where it makes neither too few nor too many hot."""
    values = np.array([9.0, 5, 5, 5, 1, 1, 1, 1, 1, 1])
    assert (hottest(values, 0.2).share, hottest(values, 0.2).least) == (0.4, 5)
    assert meaningful(values, 9, (0.05, 0.5), 0.2).least == 9
    assert meaningful(values, 1, (0.05, 0.5), 0.2).least == 5
    assert at_least(values, 6).which.tolist() == [True] + [False] * 9


def test_what_an_order_knows_and_what_it_fetches_together():
    """Four pages: 0 links to 1 and 2, 2 to 3; the order is 0, 2, 3, 1."""
    crawls = Crawls(None, np.arange(4), {"it": np.array([0, 2, 3, 1])}, np.array([0, 0, 2]), np.array([1, 2, 3]))  # type: ignore[arg-type]  # no world is looked at
    assert crawls.known("it", 0.25) == 0.75
    assert crawls.known("it", 0.5) == 1
    assert crawls.togetherness("it", 0.25) == pytest.approx(2 / 3)


# ---- verdicts


def test_a_verdict_tells_what_fails():
    good, bad = Claim(Statement("a"), True, "1"), Claim(Statement("b"), False, "2", "5 %")
    for claims, verdict in (([good, bad], (False, "not so: 5 %: b (2)")), ([good], (True, "a (1)"))):
        result = WorldResult(claims)
        assert (result.holds, result.because) == verdict


def test_figure_3():
    """Areas must rise, and each curve must end at about the pace of a random crawl."""
    curves = {
        "47 %": through((80, 82), (100, 100)),
        "10 %": through((40, 80), (100, 100)),
        "1 %": through((5, 80), (100, 100)),
    }
    assert [claim.holds for claim in reached_sooner(curves)] == [True, False]  # 20 % / 60 % = a third of the pace
    curves = {"47 %": through((80, 81), (100, 100)), "10 %": through((40, 70), (80, 85), (100, 100))}
    assert [claim.holds for claim in reached_sooner(curves)] == [True, True]
    assert not reached_sooner(dict(reversed(curves.items())))[0].holds


def test_figures_4_and_7():
    """Best is the largest area, and equal is not best."""
    low, high = line([10, 20, 100]), line([50, 80, 100])
    assert is_best({"PageRank": high, "backlink": low}, "PageRank").holds
    assert not is_best({"PageRank": low, "backlink": high}, "PageRank").holds
    assert not is_best({"PageRank": high, "backlink": high}, "PageRank").holds
    assert similar_curves({"backlink": high, "breadth-first": high}).holds
    assert not similar_curves({"backlink": high, "breadth-first": low}).holds


def test_figure_8():
    """Below chance by more than chance allows, and a plateau before a jump."""
    leaping = through((10, 15), (50, 16), (60, 90), (100, 100))
    assert [claim.holds for claim in poor({"backlink": leaping}, 300)] == [True, True]
    found = leap(leaping)
    assert found
    assert found[0] >= 0.1
    assert found[1] < 0.1
    assert found[2] == pytest.approx(0.5)
    chance = by_chance(1000)
    assert [claim.holds for claim in poor({"backlink": chance}, 300)] == [False, False]
    assert worst(chance, 300)[1] == pytest.approx(0)
    assert leap(through((5, 90), (100, 100))) is None


def test_figure_10():
    """All orders gain, and PageRank has most."""
    low, middle, high = line([10, 20, 100]), line([20, 50, 100]), line([50, 80, 100])
    before = {"PageRank": low, "backlink": low}
    assert [claim.holds for claim in better({"PageRank": high, "backlink": middle}, before)] == [True, True]
    assert [claim.holds for claim in better({"PageRank": middle, "backlink": high}, before)] == [True, False]
    assert [claim.holds for claim in better({"PageRank": high, "backlink": low}, before)] == [False, True]


def test_figures_12_14_and_15():
    """First only breadth-first beats chance; then all do much better, and about as well."""
    chance, fair, good = by_chance(1000), through((50, 80), (100, 100)), through((10, 90), (100, 100))
    basic = {"PageRank": chance, "backlink": chance, "breadth-first": fair}
    assert [claim.holds for claim in by_basic(basic)] == [True, True]
    assert [claim.holds for claim in by_basic(dict.fromkeys(basic, chance))] == [True, False]
    assert [claim.holds for claim in by_basic(dict.fromkeys(basic, fair))] == [False, False]
    assert [claim.holds for claim in by_modified(basic, dict.fromkeys(basic, good), "it")] == [True, True]
    assert [claim.holds for claim in by_modified(basic, basic | {"PageRank": good}, "it")] == [False, False]


# ---- orders


def test_locally_hot_pages_hold_the_backlink_order_up(tmp_path):
    """Figure 5: of two clusters joined by one link, the backlink order finishes the first; PageRank's does not.

    The page `door` to the second has one link, but from `home`, to which all pages link.
    """
    cluster = [f"a{i}" for i in range(8)]
    links = {"s": ["p", "q", "home"], "p": ["home", *cluster], "q": ["home", *cluster], "home": ["door"]}
    links |= {each: ["home", *(other for other in cluster if other != each)] for each in cluster}
    links |= {"door": ["home", "b0", "b1"], "b0": ["home", "b1"], "b1": ["home", "b0"]}
    world, texts = web_of(links)
    save_world(world, tmp_path / "web", texts)
    orders = crawl_orders(tmp_path / "web", [Backlinks(), PageRank()], tmp_path, 0, lambda done, total: None)
    names = [[world.urls[at].rpartition("/")[2] for at in order.tolist()] for order in orders]
    assert names[0].index("door") == 12  # after the seed, the pages that it links to, and the cluster of eight
    assert names[1].index("door") <= 4
    assert sorted(names[0]) == sorted(names[1]) == sorted(links)


# ---- studies


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OF_LARGE_WEBS, *OF_SITES, *OF_TOPICS])
def test_studies_run(name, site, tmp_path):
    """On a small site, quickly: a verdict that follows from claims, numbers, tables and figures; and the same again."""
    context = StudyContext((site,), tmp_path, cores=0, quick=True)
    found = EXPERIMENTS[name].run(context)
    assert found.verdict in (HOLDS, FAILS)
    claims = found.tables[0]
    assert claims.columns == ["statement", "paper", "site", "verdict"]
    assert [row[3] for row in claims.rows] == [claim.verdict for claim in found.claims]
    assert [claim.text for claim in found.claims] == [each.text for each in EXPERIMENTS[name].statements]
    assert (found.verdict == HOLDS) == all(row[3] == HOLDS for row in claims.rows)
    areas = [value for what, value in found.numbers["site"].items() if what.endswith("area")]
    assert areas
    assert all(isinstance(area, float) and 0 < area <= 1 for area in areas)
    assert len(found.figures) >= 1
    assert found == EXPERIMENTS[name].run(context)


def test_second_figures_are_asked_for_by_name():
    """By the names of now, and those of before."""
    for name, number in (("E001-8", 8), ("E001-9", 8), ("E001-14", 14), ("E001-15", 14)):
        assert EXPERIMENTS[name].name == f"cho-garcia-molina-page-1998-figure-{number}"
        assert EXPERIMENTS[name] is EXPERIMENTS[f"cho-garcia-molina-page-1998-figure-{name.partition('-')[2]}"]


@pytest.mark.parametrize("name", [*OF_LARGE_WEBS, *OF_SITES, *OF_TOPICS])
def test_worlds_that_cannot_judge(name, tmp_path):
    """A few pages are too few, and nothing is replayed."""
    world, texts = web_of({"s": ["a"], "a": ["s"]})
    save_world(world, tmp_path / "web", texts)
    for quick in (False, True):
        found = EXPERIMENTS[name].run(StudyContext((tmp_path / "web",), tmp_path / "results", cores=0, quick=quick))
        assert found.verdict == UNJUDGED
        assert "pages" in found.because
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("name", OF_SITES)
def test_several_hosts_are_no_small_site(name, tmp_path):
    folder = made_up(tmp_path, "hosts", hosts=3, pages=40, hubs=2)
    found = EXPERIMENTS[name].run(StudyContext((folder,), tmp_path / "results", cores=0, quick=True))
    assert (found.verdict, "3 hosts" in found.because) == (UNJUDGED, True)


def test_without_links_nothing_can_be_judged(tmp_path):
    """Also if the seeds reach too few of many pages."""
    world, texts = web_of({"s": []} | {f"p{i}": [] for i in range(30)})
    save_world(world, tmp_path / "web", texts)
    found = EXPERIMENTS["E001-4"].run(StudyContext((tmp_path / "web",), tmp_path, cores=0, quick=True))
    assert (found.verdict, "reaches 1 pages" in found.because) == (UNJUDGED, True)


# ---- topics


def worded(titles):
    recorder = WorldRecorder()
    for number, (title, text) in enumerate(titles):
        links = [f"http://w.test/{number + 1}"] if number + 1 < len(titles) else []
        recorder.answer(page(f"http://w.test/{number}", 0, title, text, links))
    return recorder.finish("words", ["http://w.test/0"], START, START, WEEK)


def test_hot_is_what_the_title_says_or_the_body_ten_times():
    """§5; words are compared by their stems."""
    world = worded([("Computers", "x"), ("other", "computer " * 10), ("other", "computer " * 9), ("x", "computing")])
    assert Worded(world, np.arange(4)).hot("computer").tolist() == [True, True, False, False]


def test_topics_are_chosen_by_a_rule():
    """The words in most titles that 2 to 10 % of pages are about: not one that all have, nor one of a single page."""
    titles = (
        [("manual", "x")] * 88 + [("manual about apples", "x")] * 7 + [("the pear manual", "x")] * 4 + [("fig", "x")]
    )
    assert topics_for(worded(titles)) == ["about", "pear"]  # "about" and "apples" are the same pages
    assert topics_for(worded([("manual", "x")] * 50)) == []


def test_named_pages():
    """By their address, or by an anchor."""
    recorder = WorldRecorder()
    recorder.answer(page("http://w.test/", 0, "home", "x", ["http://w.test/computer-1", "http://w.test/2"]))
    recorder.answer(page("http://w.test/computer-1", 0, "one", "x"))
    recorder.answer(page("http://w.test/2", 0, "two", "x"))
    world = recorder.finish("words", ["http://w.test/"], START, START, WEEK)
    crawls = Crawls(world, np.arange(3), {}, np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert named_pages(crawls, "computers").tolist() == [False, True, False]
    assert named_pages(crawls, "more").tolist() == [False, True, True]  # all links say so
