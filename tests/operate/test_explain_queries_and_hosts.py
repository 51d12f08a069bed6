"""What would improve the answer to a query, and what is known of a host."""

import gc
import weakref
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import sought
from sought.cli.commands import app
from sought.operate.explain import explain
from sought.operate.explain_host import all_hosts, explain_host
from sought.operate.explain_query import explain_query
from sought.operate.view import View
from sought.policy import parse_policy
from sought.record.table import State
from sought.web.errors import BadInput
from sought.web.pages import Pages
from sought.web.policy import Expected
from tests.testing.counted_anew import ask
from tests.testing.demand_site import WORDS
from tests.testing.linked_site import LinkedSite, watched

WORTH = parse_policy("Worth()")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Thirty pages of sixty; links call page i by the word i mod 10."""
    site = LinkedSite(tmp_path / "crawl", 60)
    site.links[0] = list(range(1, 60))
    ask(site.path, *WORDS, "nowhere")
    with site.open() as directory:
        watched(directory, WORTH)
        site.fetch(directory, range(30))
        directory.index.commit()
    return site.path


def test_a_query_is_explained(path: Path):
    """Its results as they are served, and pages nobody has fetched whose names match it, the best first."""
    with View(path) as view:
        found = explain_query(view, "Boats", WORTH, 1e9 + 1e6)
        assert [each.url for each in found.shown] == [hit.url for hit in sought.open(path).search("boats").hits]
        assert all(each.expected_gain is not None for each in found.shown)
        helpers = [view.row(each.url) for each in found.would_help]
        assert helpers
        assert all(view.table["state"][row] == State.NEW for row in helpers)
        assert all(int(view.store.url(row).rsplit("/p", 1)[1]) % 10 == WORDS.index("boats") for row in helpers)
        worth = [each.prospect for each in found.would_help]
        assert worth == sorted(worth, reverse=True)
        assert explain_query(view, "boats", WORTH, 1e9, limit=1).would_help == found.would_help[:1]


def test_a_query_without_an_answer_has_all_to_gain(path: Path):
    with View(path) as view:
        nowhere, boats = (explain_query(view, query, WORTH, 1e9) for query in ("nowhere", "boats"))
        assert nowhere.results == 0 < boats.results
        assert (nowhere.shown, nowhere.would_help) == ((), ())
        assert nowhere.to_gain > 0.0


def test_other_policies_expect_nothing(path: Path):
    with View(path) as view:
        found = explain_query(view, "boats", parse_policy("RoundRobin()"), 1e9)
        assert {each.expected_gain for each in found.shown} == {None}


def test_what_nobody_asks_is_not_explained(path: Path):
    with View(path) as view, pytest.raises(BadInput, match="nobody has asked 'zebra'"):
        explain_query(view, "zebra", WORTH, 1e9)


def test_a_second_look_says_the_same_and_is_not_worked_out_again(path: Path):
    """Of pages old and new, of queries and hosts, in any order; all rows are ranked once for each policy and time."""
    ranked: list[float] = []

    @dataclass(frozen=True)
    class Noted(type(WORTH)):  # type: ignore[misc]  # of a policy
        def expects(self, pages: Pages, now: float) -> Expected:
            ranked.append(now)
            told: Expected = super().expects(pages, now)
            return told

    now, policy = 1e9 + 1e6, Noted()
    with View(path) as used:
        urls = [used.store.url(row) for row in (3, 50, 40, 4)]
        for url in urls:
            with View(path) as fresh:
                assert explain(used, url, policy, now) == explain(fresh, url, policy, now)
        with View(path) as fresh:
            assert explain_query(used, "boats", policy, now) == explain_query(fresh, "boats", policy, now)
        assert len(ranked) == 1 + len(urls) + 1  # once for the used one
        assert used.pages(policy) is used.pages(policy)
        explain(used, urls[0], policy, now + 1.0)
        assert ranked[-1] == now + 1.0


def test_a_host_is_explained(path: Path):
    """Counts are those of its rows; all that is found is found there."""
    with View(path) as view:
        [listed] = all_hosts(view)
        found = explain_host(view, "http://a.example/")
        assert found.known == listed.known == len(view.table)
        assert sum(found.states.values()) == found.known
        assert found.states["live"] == listed.searchable == np.count_nonzero(view.table["state"] == State.LIVE)
        assert found.share_of_search_value == pytest.approx(1.0)
        for name in ("http://b.example", "a.example", "https://a.example/"):
            with pytest.raises(BadInput, match=r"not a host of this crawl; did you mean http://a\.example\?"):
                explain_host(view, name)
        with pytest.raises(BadInput, match="'sought hosts DIR' lists them"):
            explain_host(view, "zzz")


def test_commands_print_them(path: Path):
    """For people and for programs; what is wrong is one line."""
    run = CliRunner().invoke
    said = run(app, ["queries", "explain", str(path), "boats"]).output
    assert "'boats' is asked" in said
    assert "Pages without a copy that may answer it" in said
    assert "would_help" not in said
    assert "would_help" in run(app, ["queries", "explain", str(path), "boats", "--verbose"]).output
    assert '"results"' in run(app, ["queries", "explain", str(path), "boats", "--json"]).output
    assert "http://a.example" in run(app, ["hosts", str(path)]).output
    assert "share_of_presence" in run(app, ["hosts", str(path), "http://a.example"]).output
    assert isinstance(run(app, ["hosts", str(path), "http://b.example"]).exception, BadInput)


def test_a_view_that_is_closed_takes_no_memory(path: Path) -> None:
    """Nor do its tables and what was worked out of them, without the garbage collector: a server opens many."""
    gc.disable()
    try:
        with View(path) as view:
            view.ranking(WORTH, view.opened)
            large = [view, view.table, view.table["key"], view.measuring.measure, view._holdings.linked]
            kept = [weakref.ref(each) for each in large if each is not None]
        assert len(kept) == 5
        del view, large
        assert [type(each()).__name__ for each in kept if each() is not None] == []
    finally:
        gc.enable()
