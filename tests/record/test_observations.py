"""What a fetch tells of how its page changes: differences, dates, signals, drift; and the pace of a crawl."""

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.beliefs.columns import Beliefs
from sought.beliefs.holdings import Holdings
from sought.fetch.dates import modified_at
from sought.lab.replay.samples import sample_pages, table_of
from sought.operate.view import View
from sought.policy import BreadthFirst, RoundRobin, Split
from sought.record.commit import Commit
from sought.record.fetches import GONE, MOVED, PAGE, Fetches
from sought.record.history import finished_fetches
from tests.testing.fetch_history import _nobody, _Remember, told
from tests.testing.linked_site import LinkedSite, watched
from tests.testing.repository_answers import HOME, TEXT, Answers, page

OTHER = "an entirely different text about herons and jetties and boats " * 12
FIRST_DATE = "Thu, 01 Jan 1970 00:05:00 GMT"


def test_a_profile_has_a_base_and_five_points(repository):
    """The first fetch is a base; the next five are compared with it; then one is a base again."""
    answers = Answers(repository)
    for words in (TEXT, TEXT, OTHER[:300] + TEXT, TEXT, TEXT, TEXT, TEXT, TEXT):
        answers.get(HOME, page(words))
    log = told(repository)
    gaps, drift = log.whole("base_gap"), log.whole("drift")
    assert np.isnan([gaps[0], gaps[6]]).all()
    assert gaps[1:6] == [100.0, 200.0, 300.0, 400.0, 500.0]
    assert gaps[7] == 100.0
    assert drift[1] == 0.0
    assert 0.0 < drift[2] < 1.0
    assert drift[3] == 0.0  # it went back
    assert log.whole("difference")[2] == pytest.approx(drift[2])


def test_a_page_of_which_nothing_is_left_begins_a_new_profile(repository):
    answers = Answers(repository)
    for words in (TEXT, OTHER, OTHER, OTHER):
        answers.get(HOME, page(words))
    log = told(repository)
    assert log.whole("drift")[1] == 1.0
    assert np.isnan(log.whole("drift")[2])
    assert log.whole("drift")[3] == 0.0


def test_an_unchanged_answer_is_a_point(repository):
    """Also one that says no more than that nothing has changed."""
    answers = Answers(repository)
    answers.get(HOME, page())
    answers.get(HOME, status=304, revisit=True)
    log = told(repository)
    assert log.whole("base_gap")[1] == 100.0
    assert log.whole("drift")[1] == 0.0
    assert log.whole("changed") == [True, False]


def test_a_page_that_has_gone_differs_in_all_and_is_no_point(repository):
    answers = Answers(repository)
    answers.get(HOME, page())
    answers.get(HOME, status=404)
    log = told(repository)
    assert log.whole("difference") == [1.0, 1.0]
    assert np.isnan(log.whole("drift")[1])


def test_dates_are_those_the_server_gives(repository):
    """A 304 need not repeat the date of the copy it vouches for."""
    answers = Answers(repository)
    answers.get(HOME, page(), Last_Modified=FIRST_DATE)
    answers.get(HOME, status=304, revisit=True)
    answers.get(HOME, page(OTHER))
    log = told(repository)
    assert log.whole("modified")[:2] == [300.0, 300.0]
    assert np.isnan(log.whole("modified")[2])


def test_a_signal_counts_once(repository):
    """It is told at the next fetch, and not at the one after that."""
    answers = Answers(repository)
    row = answers.get(HOME, page())
    repository.table.columns["signal"][row] = answers.clock + 50.0
    answers.get(HOME, page())
    answers.get(HOME, page())
    assert told(repository).whole("signalled") == [False, True, False]


def test_history_from_the_store_is_what_was_told(repository):
    answers = Answers(repository)
    for words in (TEXT, OTHER, TEXT):
        answers.get(HOME, page(words), Last_Modified=FIRST_DATE)
    (found,) = finished_fetches(repository.store, -np.inf)
    assert [each.outcome.modified for each in found] == [300.0] * 3
    assert [each.difference for each in found] == told(repository).whole("difference")


@pytest.mark.parametrize(
    ("header", "found"),
    [("", 0.0), ("yesterday", 0.0), (FIRST_DATE, 300.0), ("Thu, 01 Jan 2070 00:00:00 GMT", 0.0), ("0", 0.0)],
)
def test_dates(header, found):
    """One that lies ahead, or is none, is none."""
    assert modified_at(header, 1e9) == found


@given(st.text(max_size=80))
def test_no_date_stops_a_crawl(header):
    assert 0.0 <= modified_at(header, 1e9) <= 1e9


def test_policies_know_the_pace_of_their_crawl(tmp_path):
    """The budget of sought.toml; a side of Split has its share, and all of it if it takes what is left."""
    site = LinkedSite(tmp_path, 3)
    with site.open() as directory:
        site.fetch(directory, [0])
        pages = watched(directory, RoundRobin()).pages()
        assert pages.pace == directory.pace > 0.0
    with View(site.path) as view:
        assert view.pages(RoundRobin()).pace == pages.pace
    some, seen = table_of(sample_pages(0, 20), 1).pages(pace=pages.pace), []

    def spy(pages, now):
        seen.append(pages.pace)
        return np.zeros(len(pages))

    for share in (0.25, 1.0):
        Split(BreadthFirst(), spy, share)(some, 0.0)
    assert seen == [0.75 * pages.pace, pages.pace]


def test_what_is_as_before_has_not_changed(repository):
    """A page that redirects to the same place, or is still gone, is as it was; going itself is a change."""
    answers = Answers(repository)
    for status, location in (
        (200, ""),
        (404, ""),
        (404, ""),
        (301, "/a"),
        (301, "/a"),
        (301, "/b"),
        (404, ""),
        (200, ""),
    ):
        answers.get(HOME, page() if status == 200 else "", status, **({"Location": location} if location else {}))
    assert told(repository).whole("changed") == [True, True, False, True, False, True, True, True]
    assert repository.table["changes"][0] >= 3  # it went twice, and moved


def test_what_is_learnt_live_is_what_the_store_tells(repository):
    """All columns of each page's fetches: what it stands for, what was seen before, and what the fetch found."""
    answers, estimator = Answers(repository), _Remember()
    live = Beliefs((estimator,), Holdings(repository.store, repository.table, _nobody), -np.inf)
    answers.watch = lambda finished: live.take(Commit(list(finished), {}, []))
    answers.get(HOME, page(links=["/a", "/b"]))
    a = answers.get(f"{HOME}a", page(OTHER))
    answers.get(HOME, page(links=["/b", "/c", "/d"]))
    for status, location in ((500, ""), (301, "/b"), (404, "")):
        answers.get(f"{HOME}a", status=status, Location=location)
    order = np.argsort(estimator.log.whole("row"), kind="stable")
    stored = told(repository)
    for each in fields(Fetches):
        column = np.array(estimator.log.whole(each.name))[order]
        assert np.array_equal(column, stored.whole(each.name), equal_nan=True), each.name
    assert np.array(stored.whole("fate"))[order.argsort()].tolist() == [PAGE, PAGE, PAGE, MOVED, GONE]
    of_a = np.array(stored.whole("row")) == a
    assert np.array(stored.whole("doubted"))[of_a].tolist() == [False, True, False]
    assert np.array(stored.whole("seen_gap"))[of_a].tolist() == [np.inf, 300.0, 100.0]
    assert np.array(stored.whole("found"))[~of_a].tolist() == [2, 2]
