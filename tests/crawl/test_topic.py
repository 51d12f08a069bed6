"""Crawls after a topic, over real HTTP: no query is needed, and pages about it come early."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import sought
from sought.operate.explain import explain
from sought.operate.explain_query import answers_to_all, needy
from sought.operate.view import View
from sought.policy import Topical, parse_policy
from sought.policy.topical import topical
from sought.web.errors import BadInput
from tests.testing.changing_site import HTML, Site, serving
from tests.testing.commands import printed
from tests.testing.counted_anew import ask
from tests.testing.demand_site import write_config

FILLERS, HOT = 40, 8
TOPIC = "grey heron"


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def page(title: str, text: str, links: dict[str, str]) -> tuple[int, dict[str, str], str]:
    anchors = " ".join(f"<a href={href}>{words}</a>" for href, words in links.items())
    return 200, HTML, f"<html lang=en><head><title>{title}</title></head><body><p>{text} {anchors}</p></body></html>"


def words(own: str) -> str:
    """So many that no page is like another."""
    return " ".join(f"{own}n{i}" for i in range(200))


def birds(site: Site, path: Path) -> Path:
    """A home with links to many pages; the last of them begins a chain of hot pages, each of which names the next."""
    fillers = {f"/filler{i}": f"filler {i}" for i in range(FILLERS)}
    site.answers["/"] = page("Home", "welcome", fillers | {"/hot0": "our grey herons"})
    for i in range(FILLERS):
        site.answers[f"/filler{i}"] = page(f"Filler {i}", f"about nothing {words(f'filler{i}')}", fillers)
    for i in range(HOT):
        site.answers[f"/hot{i}"] = page(f"Grey heron {i}", f"it stands {i}", {f"/hot{i + 1}": f"next grey heron {i}"})
    return write_config(path, site.url("/"), "127.0.0.1")


def crossed(site: Site, path: Path) -> Path:
    """Hot pages link to fillers, which link to each other: all are near, and each filler has more links than any."""
    path = birds(site, path)
    fillers = {f"/filler{i}": f"filler {i}" for i in range(FILLERS)}
    for i in range(HOT):
        next_one = {f"/hot{i + 1}": f"next {i}"} if i % 2 else {f"/hot{i + 1}": f"next grey heron {i}"}
        site.answers[f"/hot{i}"] = page(f"Grey heron {i}", f"it stands {words(f'hot{i}')}", fillers | next_one)
    return path


def hot_among_the_first(site: Site, path: Path, fetches: int, policy: str, topic: str | None = None) -> int:
    """Fetched one by one, so that every choice knows what came before."""
    site.asked.clear()
    for _ in range(fetches):
        sought.open(path).crawl(1, policy, topic=topic)
    return sum(asked.startswith("/hot") for asked in site.paths())


def test_pages_about_the_topic_come_early(site: Site, tmp_path: Path):
    """After the home the chain of hot pages is followed; breadth first it would be the last thing to be seen."""
    topical_first = hot_among_the_first(site, birds(site, tmp_path / "a"), 9, policy="Backlinks()", topic=TOPIC)
    breadth_first = hot_among_the_first(site, birds(site, tmp_path / "b"), 9, policy="BreadthFirst()")
    assert (topical_first, breadth_first) == (8, 0)


def test_any_policy_may_be_given_a_topic(site: Site, tmp_path: Path):
    """Within each queue it is followed as it is; one for known pages only shares the fetches."""
    path = birds(site, tmp_path / "crawl")
    hot_among_the_first(site, path, 11, "Split(new=BreadthFirst(), known=RoundRobin(), share=1.0)", TOPIC)
    rest = ["/hot8", "/filler0"]
    assert site.paths() == ["/", *(f"/hot{i}" for i in range(HOT)), *rest]
    site.asked.clear()
    sought.open(birds(site, tmp_path / "known")).crawl(20, "RoundRobin()", topic=TOPIC)
    assert "/hot0" in site.paths()
    assert site.paths().count("/") > 1


def behind_two_hops(site: Site, path: Path) -> Path:
    """A hot page whose links lead to another one over two pages that say nothing; other pages have more links."""
    path = birds(site, path)
    site.answers["/hot0"] = page("Grey heron", "it stands", {"/a": "more"})
    site.answers["/a"] = page("A", "on the way", {"/b": "more"})
    site.answers["/b"] = page("B", "still on the way", {"/target": "more"})
    site.answers["/target"] = page("Grey herons", "at last", {"/c": "more"})
    return path


def test_a_hot_page_behind_two_others(site: Site, tmp_path: Path):
    """The modified crawler follows links up to three away from a hot page; the basic one goes by names alone."""
    path = behind_two_hops(site, tmp_path / "modified")
    hot_among_the_first(site, path, 6, policy=repr(Topical(TOPIC)))
    assert site.paths() == ["/", "/hot0", "/a", "/b", "/target", "/c"]
    path = behind_two_hops(site, tmp_path / "basic")
    hot_among_the_first(site, path, 6, policy=repr(Topical(TOPIC, distance=0)))
    assert site.paths()[:2] == ["/", "/hot0"]
    assert all(asked.startswith("/filler") for asked in site.paths()[2:])


def test_one_run_with_all_pages(site: Site, tmp_path: Path):
    """What was found is counted, and a later crawl without topic forgets it."""
    path = birds(site, tmp_path / "crawl")
    result = sought.open(path).crawl(FILLERS + HOT + 2, "Backlinks()", topic=TOPIC)
    assert result.hot == HOT
    assert result.measured == 0
    sought.open(path).crawl(1, "Backlinks()")
    with View(path) as view:
        assert len(view.measuring.asked.texts) == 0
    assert sought.open(path).crawl(1, "RoundRobin()", topic="heron").hot == HOT


def test_explained(site: Site, tmp_path: Path):
    """Which words name a page, how far it is from a hot one, and over which way."""
    path = behind_two_hops(site, tmp_path / "crawl")
    policy = topical(TOPIC, parse_policy("Backlinks()"))
    for _ in range(3):
        sought.open(path).crawl(1, policy)
    with View(path) as view:
        told = explain(view, site.url("/b"), policy, 2e9).now
        hops = next(name for name in told.terms if name.startswith("Hops"))
        assert told.beliefs[hops] == 2.0
        assert told.terms[hops] == {"hot_pages": 1, "way": [site.url(p) for p in ("/hot0", "/a", "/b")]}
        assert told.rank == 1
        assert told.details == {"hot_queue": True}
        assert 0 < (told.value or 0.0) < 1  # a link, less for being found late
        in_split = explain(view, site.url("/b"), topical(TOPIC, parse_policy("Split()")), 2e9).now
        assert in_split.details["hot_queue"]
        assert (in_split.value or 0.0) < -2 * 2.0**40  # of BreadthFirst
        named = explain(view, site.url("/hot0"), policy, 2e9).now.terms["Named(topic='grey heron')"]
        assert named == {"named_by": ["our grey herons"]}
    assert "named_by: none" in printed("explain", path, site.url("/b"), "--policy", repr(policy), "--verbose")


@pytest.mark.slow
def test_command_line(site: Site, tmp_path: Path):
    """`sought crawl --topic`, alone and with --keep: of what is kept, all is about the topic."""
    path = crossed(site, tmp_path / "crawl")
    crawl = "crawl", path, "--topic", TOPIC, "--policy", "Backlinks()"
    assert json.loads(printed(*crawl, "--fetches", "60", "--keep", "6", "--json"))["hot"] == 6
    found = {hit.url.rpartition("/")[2] for hit in sought.open(path).search("grey", limit=50).hits}
    assert len(found) == 6
    assert all(name.startswith("hot") for name in found)
    assert sought.open(path).status().searchable == 6
    text = printed(*crawl, "--fetches", "1")
    assert "pages about the topic: 6" in text
    assert "no queries yet" not in text
    assert "gain" not in text


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["Backlinks()", "PageRank()", "BreadthFirst()"])
def test_what_is_kept_where_everything_is_near(site: Site, tmp_path: Path, policy: str):
    """Pages about the topic stay although all others have more links and are as near, whatever the policy."""
    path = crossed(site, tmp_path / "crawl")
    result = sought.open(path).crawl(FILLERS + HOT + 1, policy, topic=TOPIC, keep=HOT + 2)
    assert result.hot == HOT
    found = {hit.url.rpartition("/")[2] for hit in sought.open(path).search("grey", limit=50).hits}
    assert found >= {f"hot{i}" for i in range(HOT)}
    assert sought.open(path).status().searchable == HOT + 2


@pytest.mark.slow
def test_a_topic_is_no_demand(site: Site, tmp_path: Path):
    """While nobody asks anything, nothing is measured by it: no gain, no needy query, and the hint stays."""
    path = birds(site, tmp_path / "crawl")
    crawl = "crawl", path, "--topic", TOPIC, "--policy", "Split(DemandFirst())"
    text = printed(*crawl, "--fetches", "9")
    assert "no queries yet" in text
    assert "gain" not in text
    assert "pages about the topic" in text
    assert json.loads(printed(*crawl, "--fetches", "1", "--json"))["measured"] == 0
    demand = sought.open(path).status().demand
    assert (demand.queries, demand.searches_a_week, demand.worth_of_answers) == (0, 0.0, 0.0)
    with View(path) as view:
        assert needy(view, 10) == []
        assert answers_to_all(view).to_json() == {}
        assert explain(view, site.url("/hot0"), parse_policy("Split()"), 2e9).answers == ()
    ask(path, "standing birds")
    sought.open(path).take_in_queries()
    text = printed(*crawl, "--fetches", "1")
    assert "no queries yet" not in text
    assert "measured on 1 fetch)" in text
    with View(path) as view:
        assert [each.query for each in needy(view, 10)] == ["standing birds"]
        assert sorted(view.measuring.asked.texts) == [TOPIC, "standing birds"]


@pytest.mark.parametrize("topic", ["", "  ", "…", "x" * 300])
def test_a_topic_has_words(site: Site, tmp_path: Path, topic: str):
    """One line says so, before anything is opened."""
    with pytest.raises(BadInput, match="needs a topic of at least one word"):
        sought.open(birds(site, tmp_path / "crawl")).crawl(1, topic=topic)
    assert not (tmp_path / "crawl" / "store").exists()
