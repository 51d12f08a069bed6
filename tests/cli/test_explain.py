"""What the command line says of pages and queries, as a person would; and what it shows of what was found."""

import doctest
import json
import math
import re
import time
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import sought
from sought.cli import wording
from sought.cli.explain import lines
from sought.cli.show import answers_in_words
from sought.operate.explain import explain
from sought.operate.explain_query import needs, needy
from sought.operate.next_fetch import next_fetch
from sought.operate.searches import searches_a_week
from sought.operate.view import Ranking, View
from sought.policy import BreadthFirst, parse_policy
from sought.record.recovery import open_directory
from sought.record.settings import Settings, save_settings
from sought.record.table import Reason, State
from tests.testing.changing_site import HTML, serving
from tests.testing.commands import printed, run
from tests.testing.console_crawl import crawl_for_queries
from tests.testing.terminal import at_terminal

HOSTILE = "<title>Heron \x1b]0;pwned\x07 \x9b31m</title><p>the grey \x1b[2J heron stands \x9b2J here</p>"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Lighthouses, crawled by Worth and measured by queries; and the origin of the site, which is served no longer."""
    path = tmp_path_factory.mktemp("explained") / "crawl"
    return path, crawl_for_queries(path)


# ---- the whole crawl


@pytest.mark.slow
@pytest.mark.parametrize("command", [("status",), ("queries", "stats")])
def test_gains_are_said_in_searches_and_exactly_on_request(crawl: tuple[Path, str], command: tuple[str, ...]) -> None:
    """As people know them; the number in the unit of the scorer with --verbose and --json only."""
    path, _ = crawl
    plain, verbose = printed(*command, path), printed(*command, path, "--verbose")
    report = json.loads(printed(*command, path, "--json"))["demand" if command == ("status",) else "answers"]
    worth, gain = report["worth_of_answers"], report["gain"]["first_fetches"]
    for name, exact in (("worth_of_answers", worth), ("first_fetches", gain)):
        said = f"{wording.amount(searches_a_week(exact, report) or 0.0)} searches a week"
        assert re.search(rf"^ *{name} +{said}$", plain, re.MULTILINE)
        assert re.search(rf"^ *{name} +{said} \(exactly {exact:.12g}\)$", verbose, re.MULTILINE)
    assert re.search(r"^ *unanswered +\d+\.\d %$", plain, re.MULTILINE)


def test_without_an_answer_there_is_no_unit_to_say_gains_in() -> None:
    """That is said, and no number is made up."""
    told = answers_in_words(
        {"queries": 3, "searches_a_week": 7.0, "unanswered": 1.0, "worth_of_answers": 0.0}, verbose=False
    )
    assert told["worth_of_answers"] == "unknown in searches: no query has a result"
    assert answers_in_words({}, verbose=True) == {}


# ---- queries


def test_what_nobody_answers_leads(crawl: tuple[Path, str]) -> None:
    """Without results by how often they are asked, then poor answers and the others by what there is to gain."""
    path, _ = crawl
    rows = json.loads(printed("queries", "needy", path, "--json"))["queries"]
    without = [row for row in rows if not row["results"]]
    assert without
    assert rows[: len(without)] == without
    assert {row["why"] for row in without} == {"no page answers it"}
    assert [row["a_week"] for row in without] == sorted((row["a_week"] for row in without), reverse=True)
    with View(path) as view:
        report = view.measuring.report()
    for row in rows:
        assert row["to_gain_searches_a_week"] == min(searches_a_week(row["to_gain"], report), row["a_week"])
    assert any(row["to_gain_searches_a_week"] == row["a_week"] for row in without)  # no more than are asked
    assert json.loads(printed("queries", "needy", path, "--unanswered", "--json"))["queries"] == without
    said = printed("queries", "needy", path).splitlines()
    assert said[0].split() == ["query", "a", "week", "to", "gain", "why"]
    for line, row in zip(said[1:], rows, strict=False):  # in a pipe a row is one line
        assert line.startswith(row["query"])
        assert line.rstrip().endswith(row["why"])


def test_why_a_query_needs_pages() -> None:
    """By its results and by how well the best of them fits."""
    assert needs(0, 0.0) == "no page answers it"
    assert needs(1, 1.2) == "only 1 result"
    assert needs(2, 0.3) == "only 2 results; its best page fits badly (30% of a page made for it)"
    assert needs(50, 0.3) == "its best page fits badly (30% of a page made for it)"
    assert needs(50, 0.8) == "its best page fits in part (80% of a page made for it)"
    assert needs(50, 1.0) == "many results, and the best fits well"
    assert needs(0, 0.0, held_out=True).endswith("held out: no fetch is chosen for it")


def test_a_page_that_fits_badly_is_a_poor_answer(crawl: tuple[Path, str]) -> None:
    """However many results there are: such queries come before those that are answered well."""
    with View(crawl[0]) as view:
        measure = view.measuring.measure
        assert measure is not None
        found = needy(view, 100)
        groups = [0 if not row.results else 2 - ("only" in row.why or "badly" in row.why) for row in found]
    assert groups == sorted(groups)
    assert set(groups) == {0, 1, 2}


@pytest.mark.slow
def test_a_query_is_explained_in_sentences(crawl: tuple[Path, str]) -> None:
    """How often it is asked, why it needs pages, what is shown and how old that is; values with --verbose only."""
    said = printed("queries", "explain", crawl[0], "keepers lamp")
    assert said.startswith("'keepers lamp' is asked 0.5 times a week.\nIt has 10 results: ")
    assert "searches a week)" in said
    assert "Current results, best first" in said
    for raw in ("to_gain", "expected_gain", "1970", "held_out"):
        assert raw not in said
        assert raw in printed("queries", "explain", crawl[0], "keepers lamp", "--verbose") or raw == "1970"
    found = json.loads(printed("queries", "explain", crawl[0], "keepers lamp", "--json"))
    assert {"to_gain", "to_gain_searches_a_week", "why", "results"} <= set(found)
    assert {"expected_gain", "expected_gain_searches_a_week"} <= set(found["shown"][0])


# ---- pages


def test_a_page_is_explained_in_sentences(crawl: tuple[Path, str]) -> None:
    """Why it was fetched, whom that helped, when it is next; beliefs by their names only with --verbose."""
    path, origin = crawl
    said = printed("explain", path, f"{origin}/")
    for words in ("Searches can find it.", "It is a seed", "Why it was fetched", "When it is fetched next"):
        assert words in said
    assert "Worth chose it as number 1 of its plan, because it had never been fetched." in said
    assert "searches a week are answered better" in said
    assert "after the next crawl starts" in said
    verbose = printed("explain", path, f"{origin}/", "--verbose")
    for raw in ("BayesRate(", "EntryValue(", "chosen by Worth()", "not_before", "score 0"):
        assert raw not in said
        assert raw in verbose
    assert "1970" not in verbose
    assert verbose.startswith(said.rpartition("\n\n")[0][:200])
    found = json.loads(printed("explain", path, f"{origin}/", "--json"))
    with View(path) as view:
        report = view.measuring.report()
    for fetch in found["history"]:
        assert fetch["gain_searches_a_week"] == searches_a_week(fetch["gain"], report)
    assert found["now"]["expected_searches_a_week"] is not None
    assert "BayesRate()" in found["now"]["beliefs"]


def test_a_page_nobody_has_heard_of_is_explained_in_one_line(crawl: tuple[Path, str]) -> None:
    """Whether it would be admitted, and how to fetch it."""
    path, origin = crawl
    done = run("explain", path, "http://elsewhere.example/")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "would not be admitted: the host is outside [scope]" in done.stderr
    assert f"sought order {path} fetch {origin}/other" in run("explain", path, f"{origin}/other").stderr


def test_when_a_page_is_fetched_next(crawl: tuple[Path, str]) -> None:
    """From its place and the pace, or why that cannot be said."""
    with View(crawl[0]) as view:
        row = int(np.flatnonzero(view.table["state"] == State.LIVE)[5])
        now = view.opened
        rows = len(view.table)
        host = view.hosts[int(view.table["host"][row])]

        def told(values: Any = None, **columns: Any) -> dict[str, Any]:
            before = {name: view.table[name][row] for name in columns}
            for name, value in columns.items():
                view.table.columns[name][row] = value
            ranking = Ranking(BreadthFirst(), now, np.zeros(rows) if values is None else values, None)
            try:
                return next_fetch(view, row, ranking).to_json()
            finally:
                for name, value in before.items():
                    view.table.columns[name][row] = value

        best, worst = np.zeros(rows), np.zeros(rows)
        best[row], worst[row] = 1.0, -1.0
        assert told(best)["place"] == 1
        assert told(best)["about"] == pytest.approx(now, abs=5)
        last = told(worst)
        assert last["place"] == np.count_nonzero(view.table["not_before"] <= now)
        pace = 100_000 / 86400
        assert last["about"] >= now + (last["place"] - 1) / pace - 1e-6
        worst[row] = -math.inf
        assert told(worst) == {
            "about": None, "not_before": None, "place": None, "why": "the policy does not choose it", "running": False,
        }  # fmt: skip
        later = told(best, not_before=now + 500)
        assert (later["about"], later["not_before"]) == (None, pytest.approx(now + 500))
        assert "gone" not in later["why"]
        assert "no such page" in told(best, not_before=now + 500, state=State.GONE)["why"]
        assert "given up" in told(best, state=State.DEAD)["why"]
        assert "kind of content" in told(best, state=State.DEAD, reason=Reason.TYPE)["why"]
        rested = msgspec.structs.replace(view.config.crawl, revisit_after="1d")
        view.config = msgspec.structs.replace(view.config, crawl=rested)
        assert told(best, last_fetch=now - 60.0)["not_before"] == pytest.approx(now - 60 + 86400)
        assert "fetched less than 1d ago" in told(best, last_fetch=now - 60.0)["why"]
        view.settings = Settings(blocked=(host.name,))
        assert told(best)["why"] == f"{host.name} is blocked"
        view.settings = Settings(paused=True)
        assert told(best)["why"] == "the crawl is paused"
        view.settings = Settings(wanted=(view.store.url(row),))
        assert "somebody asked for it" in told(worst)["why"]
        view.settings = Settings()
        host.robots_kind = "guarded"
        assert "private network" in told(best)["why"]


def test_what_robots_forbids_is_not_planned(tmp_path: Path) -> None:
    """Nor is a page of a blocked host; both are said in a sentence."""
    with serving() as site:
        site.answers["/robots.txt"] = (200, {"Content-Type": "text/plain"}, "User-agent: *\nDisallow: /private")
        site.answers["/"] = (200, HTML, "<title>Home</title><a href=/private>p</a><p>words</p>")
        sought.init(tmp_path / "c", [site.url("/")], "me@example.org", allow_networks=["127.0.0.1/32"], delay=0.0)
        sought.open(tmp_path / "c").crawl(2, "BreadthFirst()")
    said = printed("explain", tmp_path / "c", site.url("/private"))
    assert "It was never fetched." in said
    assert "Not planned: robots.txt forbids it." in said
    assert "Not before " in printed("explain", tmp_path / "c", site.url("/"))
    assert "(in about 23 hours)" in printed("explain", tmp_path / "c", site.url("/"))
    save_settings(tmp_path / "c", Settings(blocked=("127.0.0.1",)))
    assert "Not planned: 127.0.0.1 is blocked." in printed("explain", tmp_path / "c", site.url("/"))


def test_explanations_of_any_state(crawl: tuple[Path, str]) -> None:
    """Whatever state a page is in and whatever is on record of it, there are sentences, and none says None or 1970."""
    path, _ = crawl
    policy = parse_policy("Worth()")
    with View(path) as view:
        found = explain(view, view.store.url(3), policy, time.time()).to_json()
        for state in State:
            for reason in Reason:
                page = found["page"] | {"state": state.name.lower(), "reason": reason.name.lower().replace("_", "-")}
                for count in (0, len(found["history"])):
                    told = "\n".join(lines({**found, "page": page, "history": found["history"][:count]}, time.time()))
                    assert "None" not in told
                    assert "1970" not in told


# ---- what was found


def test_the_words_that_matched_are_bold_on_a_screen(crawl: tuple[Path, str]) -> None:
    """And plain in a pipe."""
    code, shown = at_terminal("search", crawl[0], "keepers", "lamp", "-n", "3")
    assert code == 0
    assert "\x1b[1mkeeper" in shown
    assert "\x1b[1mlamp\x1b[0m" in shown
    assert "\x1b" not in printed("search", crawl[0], "keepers", "lamp", "-n", "3")


@pytest.mark.slow
def test_pages_give_no_orders_to_the_terminal(tmp_path: Path) -> None:
    """Control characters of titles and texts are not printed: as text, on a screen, and as JSON."""
    with serving() as site:
        site.answers["/"] = (200, HTML | {"Content-Type": "text/html; charset=utf-8"}, HOSTILE)
        sought.init(tmp_path / "c", [site.url("/")], "me@example.org", allow_networks=["127.0.0.1/32"])
        sought.open(tmp_path / "c").crawl(1)
    for shown in (
        printed("search", tmp_path / "c", "heron"),
        printed("search", tmp_path / "c", "heron", "--json"),
        printed("explain", tmp_path / "c", site.url("/")),
        at_terminal("search", tmp_path / "c", "heron")[1],
    ):
        assert "eron" in shown
        assert "\x9b" not in shown
        assert "\x1b]" not in shown
        assert "\x1b[2J" not in shown
        assert "\x07" not in shown


def test_a_long_wait_is_put_into_words() -> None:
    """The examples in wording.py are true."""
    assert doctest.testmod(wording).failed == 0
    assert doctest.testmod(wording).attempted > 5
    assert [wording.since(then, 1e9) for then in (None, 0.0, -math.inf)] == ["never"] * 3


@pytest.mark.slow
def test_nothing_to_measure_by_is_said(tmp_path: Path) -> None:
    """Without queries there is a remedy; if every query has a result, that is said."""
    with serving() as site:
        site.answers["/"] = (200, HTML, "<title>Heron</title><p>grey heron</p>")
        sought.init(tmp_path / "c", [site.url("/")], "me@example.org", allow_networks=["127.0.0.1/32"])
        sought.open(tmp_path / "c").crawl(1)
    assert "There are no queries yet: import some" in printed("queries", "needy", tmp_path / "c")
    (tmp_path / "q.tsv").write_text("query\tcount\nheron\t3\n")
    said = printed("queries", "import", tmp_path / "c", tmp_path / "q.tsv")
    assert said.splitlines()[-1].startswith(f"Next: sought queries needy {tmp_path / 'c'}")
    assert printed("queries", "needy", tmp_path / "c", "--unanswered") == "Every query has a result.\n"
    open_directory(tmp_path / "c").close()
