"""Every fetch of a real crawl is measured: over real HTTP, on a site that a test rewrites."""

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sought
from sought.beliefs.gain_rate import GainRate
from sought.beliefs.prospect import Prospect
from sought.crawl.cycle import beliefs_in
from sought.demand import Action, Event, QueryLog, Search, import_file
from sought.index.quality import Matches, quality
from sought.operate.check import check
from sought.operate.explain import explain
from sought.operate.explain_query import needy, served_quality
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.policy import DemandFirst, parse_policy
from sought.record.gains import helped
from sought.record.outcome import Outcome
from sought.record.recovery import open_directory
from sought.record.workload import coverage
from sought.record.workload_refresh import Refresh
from sought.web.errors import SoughtError
from tests.testing.changing_site import HTML, Site, due_now, serving, write_config
from tests.testing.demand_site import answer

EXACT = '\n[demand]\nestimator = "Exact()"\n'
WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty"]
QUERIES = "query\tcount\namber\t9\nbirch cedar\t5\ndelta\t3\nember fjord grove\t2\nnowhere\t4\n"


def page(title: str, *words: str, links: str = "") -> tuple[int, dict[str, str], str]:
    text = " ".join(words)
    return 200, HTML, f"<html lang=en><head><title>{title}</title></head><body><p>{text}</p>{links}</body></html>"


def wordy(number: int) -> tuple[int, dict[str, str], str]:
    """A page of its own words, each another number of times."""
    words = [word for i, word in enumerate(WORDS) for _ in range((number * (i + 3) + i) % 4)]
    return page(f"Page {number}", *words, f"only{number}", *(f"filler{number}x{i}" for i in range(5 * number)))


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        links = " ".join(f"<a href=/p{i}>{WORDS[i]}</a>" for i in range(10))
        site.answers["/"] = page("Home", "welcome", links=links)
        site.answers |= {f"/p{i}": wordy(i) for i in range(10)}
        yield site


@pytest.fixture
def crawled(site: Site, tmp_path: Path) -> Path:
    """All pages fetched once, measured exactly."""
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]' + EXACT)
    ask(directory, QUERIES)
    sought.open(directory).crawl(11, "BreadthFirst()")
    return directory


def ask(directory: Path, tsv: str) -> None:
    (directory / "asked.tsv").write_text(tsv)
    import_file(QueryLog(directory / "queries"), directory / "asked.tsv")


def last(directory: Path, url: str) -> Outcome:
    with View(directory) as view:
        return list(view.history(view.row(url)))[-1]


def held(directory: Path) -> tuple[Matches, np.ndarray, np.ndarray]:
    """What the crawl holds: its matrix, the weights of the queries, and the ties."""
    with View(directory) as view:
        rows = np.arange(len(view.table))
        return view.measuring.matches(), view.measuring.asked.weights, view.measuring.ties(rows)


def refetched(directory: Path, url: str) -> tuple[float, float]:
    """The measured gain of one more fetch of a page, and the gain by the definition of quality."""
    before, weights, ties = held(directory)
    opened = open_directory(directory)
    row = opened.repository.discovery.row(url)
    opened.repository.table.columns["last_fetch"][row] = 1.0  # the one fetched longest ago
    opened.repository._details(row)
    opened.close()
    sought.open(directory).crawl(1, "RoundRobin()")
    after, _, _ = held(directory)
    expected = quality(after, after, weights, ties).numerator - quality(before, after, weights, ties).numerator
    return last(directory, url).gain or 0.0, expected


def test_first_fetches_add_up_to_the_worth_of_all_answers(crawled: Path):
    """The gains of all fetches that found something are together what the answers are worth."""
    matches, weights, ties = held(crawled)
    with View(crawled) as view:
        gains = [np.nan if o.gain is None else o.gain for row in range(len(view.table)) for o in view.history(row)]
        sums = view.measuring.sums
    assert len(gains) == 11
    assert sum(gains) == pytest.approx(quality(matches, matches, weights, ties).numerator, rel=1e-9)
    assert sums.fetches == 11
    assert sums.first == pytest.approx(sum(gains), rel=1e-9)
    assert sums.later == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        page("Page 3", "amber", "amber", "amber", "delta", "only3"),
        page("Page 3", "nothing", "that", "anybody", "asks", "for"),
        page("Amber birch cedar", "amber", "birch", "cedar", "ember", "fjord", "grove", "delta"),
        (404, {}, "gone"),
        (301, {"Location": "/p4"}, ""),
        (200, HTML, wordy(4)[2]),  # word for word another page
        (200, {**HTML, "X-Robots-Tag": "noindex"}, wordy(3)[2]),
    ],
    ids=["other words", "leaves every list", "rises", "deleted", "redirect", "duplicate", "noindex"],
)
def test_the_gain_of_a_fetch_is_the_change_of_quality(crawled: Path, site: Site, answer):
    """Whatever becomes of a page, its gain is the difference that it makes to the numerator, by definition."""
    site.answers["/p3"] = answer
    gain, expected = refetched(crawled, site.url("/p3"))
    assert gain == pytest.approx(expected, abs=1e-12)
    assert gain > 0.0
    agree(crawled)


def test_a_fetch_that_changes_nothing_gains_nothing(crawled: Path, site: Site):
    """An unchanged page and a server in trouble leave the answers as they were."""
    assert refetched(crawled, site.url("/p3")) == (0.0, 0.0)
    site.answers["/p3"] = (500, {}, "trouble")
    assert refetched(crawled, site.url("/p3")) == (0.0, 0.0)


def test_a_page_that_comes_back_enters_again(crawled: Path, site: Site):
    """Deleted and back again: once it leaves, once it enters; both are measured."""
    was = site.answers["/p3"]
    site.answers["/p3"] = (404, {}, "gone")
    refetched(crawled, site.url("/p3"))
    site.answers["/p3"] = was
    due_now(crawled)
    gain, expected = refetched(crawled, site.url("/p3"))
    assert gain == pytest.approx(expected, abs=1e-12)
    assert gain > 0.0


def test_the_outcome_tells_whom_it_helped(crawled: Path, site: Site):
    """Scores and ranks before and after, of the queries that gained most; gains are those of the fetch."""
    site.answers["/p3"] = page("Nowhere", "nowhere", "to", "be", "found", "only3")
    gain, _ = refetched(crawled, site.url("/p3"))
    outcome = last(crawled, site.url("/p3"))
    with View(crawled) as view:
        told = {view.measuring.asked.text(each.key): each for each in helped(outcome)}
    assert outcome.affected == len(told)
    assert sum(each.gain for each in told.values()) == pytest.approx(gain, rel=1e-5)
    assert (told["nowhere"].rank_before, told["nowhere"].rank_after) == (0, 1)
    assert told["nowhere"].before == 0.0 < told["nowhere"].after
    assert told["amber"].rank_after == 0


def test_queries_that_come_later_need_no_fetch(site: Site, tmp_path: Path):
    """A workload that changes is measured against the pages on record, read again from the archive."""
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]' + EXACT)
    sought.open(directory).crawl(11, "BreadthFirst()")
    asked = len(site.asked)
    assert last(directory, site.url("/p3")).gain is None
    ask(directory, QUERIES)
    take_in(directory)
    early = held(directory)
    ask(directory, QUERIES + "heron jetty\t8\n")
    take_in(directory)
    assert len(site.asked) == asked
    with View(directory) as view:
        texts = view.measuring.asked.texts
    assert "heron jetty" in texts
    late = held(directory)
    assert len(late[0].scores) > len(early[0].scores) > 0
    again = tmp_path / "again"
    again.mkdir()
    write_config(site, again, 'hosts = ["127.0.0.1"]' + EXACT)
    ask(again, QUERIES + "heron jetty\t8\n")
    sought.open(again).crawl(11, "BreadthFirst()")
    take_in(again)
    assert np.sort(late[0].scores) == pytest.approx(np.sort(held(again)[0].scores), rel=1e-6)
    agree(directory)


def test_a_crawl_that_starts_with_queries_and_one_that_gets_them_later_agree(crawled: Path):
    """What is kept of pages does not depend on when queries came, nor on a rebuild."""
    take_in(crawled)  # statistics of all pages
    before = held(crawled)[0]
    rebuild(crawled, lambda _: None)
    take_in(crawled)
    after = held(crawled)[0]
    assert np.array_equal(np.sort(before.scores), np.sort(after.scores))
    with View(crawled) as view:
        outcomes = [outcome for row in range(len(view.table)) for outcome in view.history(row)]
    assert sorted(outcome.rank for outcome in outcomes)[0] >= 1  # why each was fetched is on record
    agree(crawled)


def take_in(directory: Path, now: float = 2e9) -> None:
    opened = open_directory(directory)
    Refresh(opened).finish(now)
    opened.measuring.adopt()
    opened.writer.commit_vectors()
    opened.close()


def agree(directory: Path) -> None:
    opened = open_directory(directory)
    try:
        assert check(opened, lambda _: None) == []
    finally:
        opened.close()


def test_explain_tells_all(crawled: Path, site: Site):
    """What is believed of a page, its fetches, the queries it answers, and what a fetch now is worth."""
    with View(crawled) as view:
        found = explain(view, site.url("/p3"), parse_policy("UserCentric()"), 2e9)
    assert found.page.found_on == site.url("/")
    assert [fetch.kind for fetch in found.history] == ["new"]
    assert (found.history[0].gain or 0.0) > 0
    assert found.history[0].chosen_by == "BreadthFirst()"
    assert (found.history[0].rank or 0) >= 1
    assert {each.query for each in found.answers} <= {"amber", "birch cedar", "delta", "ember fjord grove"}
    assert all(1 <= each.rank <= each.results for each in found.answers)
    assert found.now.policy.startswith("UserCentric(")
    assert found.now.may_be_fetched
    assert found.now.expected_gain >= 0.0
    with View(crawled) as view:
        assert explain(view, site.url("/p3"), parse_policy("PageRank()"), 2e9).now.value is None  # new pages only


def test_needy_queries_come_first(crawled: Path):
    """Those without an answer first, then poor answers, then the others; coverage says how much is unanswered."""
    with View(crawled) as view:
        found = needy(view, 10)
        assert view.measuring.measure
        covered = coverage(view.measuring.measure, view.measuring.asked)
    by_query = {each.query: each for each in found}
    assert by_query["nowhere"].results == 0
    assert by_query["nowhere"].to_gain > by_query["delta"].to_gain
    assert covered["unanswered"] == pytest.approx(4 / 23)
    assert covered["poor"] == pytest.approx(11 / 23)
    assert found[0].query == "nowhere"
    assert found[0].why == "no page answers it"
    poor = [each for each in found if each.results > 0 and ("only" in each.why or "badly" in each.why)]
    assert {each.query for each in found if 0 < each.results < 10} <= {each.query for each in poor}
    assert found[1 : 1 + len(poor)] == poor
    assert [each.to_gain for each in poor] == sorted((each.to_gain for each in poor), reverse=True)
    assert all(each.why.startswith(f"only {each.results} result") for each in poor if each.results < 10)
    with View(crawled) as view:
        assert [each.query for each in needy(view, 10, unanswered=True)] == ["nowhere"]


def test_before_the_first_page_the_heaviest_queries_are_the_neediest(site: Site, tmp_path: Path):
    """Nothing is answered yet, and everything is to gain."""
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]')
    ask(directory, "query\tcount\nheron\t1\njetty\t3\namber\t2\n")
    take_in(directory)
    with View(directory) as view:
        found = needy(view, 10)
    assert [each.query for each in found] == ["jetty", "amber", "heron"]
    assert found[-1].to_gain > 0.0


def test_demand_decides_what_is_fetched_first(site: Site, tmp_path: Path):
    """With a demand-aware order the pages whose anchors people ask for come before the others."""
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]' + EXACT)
    ask(directory, "query\tcount\nheron\t10\njetty\t5\n")
    sought.open(directory).crawl(3, "DemandFirst()")
    assert site.paths() == ["/", "/p7", "/p9"]


def test_what_others_call_a_page_is_no_gain_of_its_own_fetch(crawled: Path, site: Site):
    """Links with new words enter the index at the page's next visit, change its answers, and are not its merit."""
    status, headers, body = site.answers["/p5"]
    site.answers["/p5"] = status, headers, body.replace("</body>", "<a href=/p3>amber amber nowhere</a></body>")
    assert "nowhere" not in matched(crawled, site.url("/p3"))
    opened = open_directory(crawled)
    for moment, path in enumerate(("/p5", "/p3")):  # in this order, before all others
        row = opened.repository.discovery.row(site.url(path))
        opened.repository.table.columns["last_fetch"][row] = moment
        opened.repository._details(row)
    opened.close()
    sought.open(crawled).crawl(2, "RoundRobin()")
    assert (last(crawled, site.url("/p3")).kind, last(crawled, site.url("/p3")).gain) == ("unchanged", 0.0)
    assert "nowhere" in matched(crawled, site.url("/p3"))
    agree(crawled)


def matched(directory: Path, url: str) -> set[str]:
    with View(directory) as view:
        return {each.query for each in explain(view, url, parse_policy("RoundRobin()"), 2e9).answers}


def test_giving_up_on_a_page_is_no_gain(crawled: Path, site: Site):
    """After too many errors a page leaves the index; nobody has seen that it is gone, so nothing is put down to it."""
    url = site.url("/p3")
    opened = open_directory(crawled)
    for day in range(5):
        opened.writer.record(opened.repository.discovery.row(url), answer(url, "trouble", 500, time=2e9 + day))
        opened.writer.commit()
    opened.close()
    with View(crawled) as view:
        assert view.describe(view.row(url)).state == "dead"
        assert [outcome.gain for outcome in view.history(view.row(url))][1:] == [0.0] * 5
        assert view.measuring.sums.later == 0.0
    agree(crawled)


@pytest.mark.slow
@pytest.mark.parametrize("scorer", ["BM25()", "TfIdf()", "Inlinks()", "TfIdfPageRank()"])
def test_quality_of_own_copies_is_at_most_one(site: Site, tmp_path: Path, scorer: str):
    """Whatever the scorer and however far down people look; and the index ranks nearly as BM25 does."""
    directory = write_config(site, tmp_path, f'hosts = ["127.0.0.1"]\n[demand]\nscorer = "{scorer}"')
    log = QueryLog(directory / "queries")
    now = time.time() - 60
    with log.writing() as staging:
        for i in range(700):  # people who look at everything
            staging.add(Search("amber", now, tuple(f"http://a/{k}" for k in range(6)), id=i + 1))
            for rank in range(1, 7):
                staging.add(Event(i + 1, Action.VIEW, now, f"http://a/{rank}", rank))
    ask(directory, QUERIES)
    sought.open(directory).crawl(11, "BreadthFirst()")
    take_in(directory, time.time())  # statistics of all pages
    with View(directory) as view:
        assert view.measuring.asked.exponent < 1.2
        served, share = served_quality(view)
    assert share == pytest.approx(1.0)
    assert 0.0 < served.value <= 1.0 + 1e-9
    if scorer == "BM25()":
        assert served.value > 0.99


@pytest.mark.slow
def test_ranks_are_exact_when_explained(site: Site, tmp_path: Path):
    """Estimates serve to measure fast; who asks about a page is told where it really stands, however deep."""
    count = 130
    links = " ".join(f"<a href=/q{i}>q{i}</a>" for i in range(count))
    site.answers["/"] = page("Home", "welcome", links=links)
    for i in range(count):
        site.answers[f"/q{i}"] = page(f"Only {i}", *["amber"] * (i % 7 + 1), *(f"own{i}x{k}" for k in range(20 + i)))
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]')
    ask(directory, QUERIES)
    sought.open(directory).crawl(count + 1, "BreadthFirst()")
    with View(directory) as view:
        found = [explain(view, site.url(f"/q{i}"), parse_policy("RoundRobin()"), 2e9).answers for i in range(count)]
    ranks = [each.rank for answers in found for each in answers if each.query == "amber"]
    assert sorted(ranks) == list(range(1, count + 1))


def test_a_rebuild_deletes_nothing_if_the_log_cannot_be_read(crawled: Path):
    """A log with a part missing is said to be so; what was derived stays as it was."""
    for part in (crawled / "queries").glob("*.parquet"):
        part.unlink()
    known = sought.open(crawled).status().known
    with pytest.raises(SoughtError):
        rebuild(crawled, lambda _: None)
    assert sought.open(crawled).status().known == known > 0


def test_new_pages_are_judged_again_when_other_things_are_asked(site: Site, tmp_path: Path):
    """The same queries with other weights: another page comes first."""
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]' + EXACT)
    ask(directory, "query\tcount\nheron\t1000\njetty\t1\n")
    sought.open(directory).crawl(1, "BreadthFirst()")
    opened = open_directory(directory)
    try:
        rows = [opened.repository.discovery.row(site.url(path)) for path in ("/p7", "/p9")]
        beliefs = beliefs_in(opened, DemandFirst())
        heron, jetty = beliefs.pages().belief(Prospect())[rows]
        assert heron > jetty > 0
        ask(directory, "query\tcount\nheron\t1\njetty\t1000\n")
        Refresh(opened).finish(time.time())
        heron, jetty = beliefs.pages().belief(Prospect())[rows]
        assert jetty > heron > 0
    finally:
        opened.close()


def test_single_words_instead_of_queries(site: Site, tmp_path: Path):
    """A word weighs as much as the queries that hold it; a page with one word of a query counts for that word."""
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]\n[demand]\nsingle_words = true')
    ask(directory, "query\tcount\nbirch cedar\t6\nbirch\t2\n")
    sought.open(directory).crawl(11, "BreadthFirst()")
    with View(directory) as view:
        asked = view.measuring.asked
        assert dict(zip(asked.texts, asked.weights.round(9).tolist(), strict=True)) == {
            "birch": round(8 / 14, 9),
            "cedar": round(6 / 14, 9),
        }
        assert {each.query for each in explain(view, site.url("/p3"), parse_policy("Split()"), 2e9).answers} <= {
            "birch",
            "cedar",
        }
        assert view.measuring.sums.first > 0.0


def test_held_out_queries_steer_nothing_and_are_judged_by(site: Site, tmp_path: Path):
    """Their weight in a gain is zero; how much of them is answered is told apart."""
    directory = write_config(site, tmp_path, 'hosts = ["127.0.0.1"]\n[demand]\nheld_out = 0.5')
    ask(directory, "query\tcount\n" + "".join(f"{word}\t1\n" for word in [*WORDS, "nowhere", "nothing"]))
    sought.open(directory).crawl(11, "BreadthFirst()")
    with View(directory) as view:
        asked, report = view.measuring.asked, view.status().demand
    assert 0 < asked.held_out.sum() < len(asked.texts)
    assert asked.weights[asked.held_out].tolist() == [0.0] * int(asked.held_out.sum())
    assert asked.weights.sum() == pytest.approx(1.0)
    missing = np.array([text in ("nowhere", "nothing") for text in asked.texts])
    assert report.unanswered == pytest.approx(np.mean(missing[~asked.held_out]))
    assert report.held_out_unanswered == pytest.approx(np.mean(missing[asked.held_out]))


def test_gains_by_another_scorer_are_in_another_unit(crawled: Path, site: Site):
    """When the scorer changes, sums and beliefs start afresh, also after a restart; the history stays as it was."""
    site.answers["/p3"] = page("Amber birch cedar", "amber", "birch", "cedar", "ember", "fjord", "grove", "delta")
    refetched(crawled, site.url("/p3"))
    with View(crawled) as view:
        assert view.measuring.sums.total > 0.0
        assert view.believed(GainRate()).max() > 0.0
    config = crawled / "sought.toml"
    config.write_text(config.read_text().replace("[demand]", '[demand]\nscorer = "Inlinks()"'))
    for _ in range(2):
        with View(crawled) as view:
            assert view.measuring.sums == (0, 0.0, 0.0)
            assert view.believed(GainRate()).max() == 0.0
        agree(crawled)
    assert (last(crawled, site.url("/p3")).gain or 0.0) > 0.0
    site.answers["/p3"] = (404, {}, "gone")
    gain, _ = refetched(crawled, site.url("/p3"))
    with View(crawled) as view:
        assert view.measuring.sums.later == gain > 0.0
        assert view.believed(GainRate())[view.row(site.url("/p3"))] > 0.0
