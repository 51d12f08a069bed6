"""How one more answer changes what is known."""

import numpy as np
import pytest

from sought.record.outcome import Finished
from sought.record.table import Reason, Source, State
from sought.web.message import Failure
from tests.testing.repository_answers import HOME, TEXT, Answers, page


@pytest.fixture
def answers(repository):
    return Answers(repository)


def test_a_page_and_its_links(repository, answers):
    """A page is LIVE and searchable; its links are rows one level deeper that know where they come from."""
    row = answers.get(HOME, page(links=["/b", "/c", "http://elsewhere.example/"]))
    assert answers.state(row) == (State.LIVE, Reason.NONE)
    assert row in repository.changes.entries
    target = repository.discovery.row("http://a.example/b")
    table = repository.table
    assert (table["depth"][target], table["via"][target], table["source"][target]) == (1, row, Source.LINK)
    assert table["inlinks"][target] == 1
    assert repository.discovery.row("http://elsewhere.example/") < 0
    assert repository.admission.refused == {"scope": 1}
    assert repository.changes.anchors(target) == "to /b"


def test_inlinks_follow_the_links_of_the_newest_copy(repository, answers):
    """A link that vanishes from a page no longer counts."""
    answers.get(HOME, page(links=["/b", "/c"]))
    answers.get(HOME, page("other words " + TEXT, links=["/c"]))
    rows = [repository.discovery.row(f"http://a.example/{p}") for p in "bc"]
    assert repository.table["inlinks"][rows].tolist() == [0, 1]


def test_a_change_is_a_change_of_text(repository, answers):
    """Another text counts as a change, other markup does not, and nothing is re-indexed without need."""
    row = answers.get(HOME, page())
    repository.changes.entries.clear()
    answers.get(HOME, page().replace("<body>", "<body class=new>"))
    assert repository.table["changes"][row] == 0
    assert row not in repository.changes.entries
    answers.get(HOME, page("something else entirely " + TEXT))
    assert repository.table["changes"][row] == 1
    assert repository.table["last_change"][row] == answers.clock
    assert row in repository.changes.entries


LOST = "Page not found"


@pytest.mark.parametrize(
    ("fates", "changes"),
    [
        (["text", "gone", "gone", "text"], [0, 1, 1, 2]),
        (["text", "lost", "lost", "text"], [0, 1, 1, 2]),
        (["text", "gone", "moved", "moved", "text"], [0, 1, 2, 2, 3]),
        (["text", "moved", "gone", "other"], [0, 1, 2, 3]),
        (["gone", "text", "text"], [0, 1, 1]),
        (["lost", "lost", "text"], [0, 0, 1]),
        (["moved", "text", "other"], [0, 1, 2]),
    ],
)
def test_the_table_counts_the_changes_that_estimators_learn(repository, answers, fates, changes):
    """Going, moving and coming back are one change each; to be gone as before is none, also if words say so."""
    finished: list[Finished] = []
    answers.watch = finished.extend
    for turn, (fate, count) in enumerate(zip(fates, changes, strict=True)):
        bodies = {"text": page(), "other": page("other words " + TEXT), "lost": f"<title>{LOST}</title>{LOST}"}
        status = {"gone": 404, "moved": 301}.get(fate, 200)
        markup = bodies.get(fate, "").replace("<body>", f"<body class=c{turn}>") + f"<!-- {turn} -->"
        row = answers.get(HOME, markup if status == 200 else "", status, location="/new")
        assert repository.table["changes"][row] == count, (turn, fate)
        assert sum(each.changed for each in finished[1:]) == count, (turn, fate)
        is_back = fate == "text" in fates[:turn] and fates[turn - 1] in ("gone", "moved")
        assert (finished[-1].outcome.kind == "back") == is_back, (turn, fate)


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_goes_leaves_the_index_and_can_come_back(repository, answers, status):
    """Gone means not searchable; the next copy is read whole, so that a 304 cannot leave the page half dead."""
    row = answers.get(HOME, page(), etag='"1"')
    answers.get(HOME, status=status)
    assert answers.state(row) == (State.GONE, Reason.NOT_FOUND)
    assert row in repository.changes.removed
    assert repository.table["not_before"][row] > answers.clock
    assert not repository.holds_copy(row)
    answers.get(HOME, page(), etag='"1"')
    assert answers.state(row) == (State.LIVE, Reason.NONE)
    assert row in repository.changes.entries


def test_a_304_without_a_copy_is_an_error(repository, answers):
    """A server that answers "not modified" to a first request brings no page."""
    row = answers.get(HOME, status=304, revisit=True)
    assert answers.state(row) == (State.FAILED, Reason.SERVER)


def test_a_failing_page_keeps_its_copy_until_it_is_given_up(repository, answers):
    """Errors leave a LIVE page searchable; after five in a row it is DEAD."""
    row = answers.get(HOME, page())
    waits = []
    for _ in range(4):
        answers.get(HOME, failure=Failure.TIMEOUT)
        assert answers.state(row) == (State.LIVE, Reason.NONE)
        waits.append(repository.table["not_before"][row] - answers.clock)
    assert waits == sorted(waits)
    assert waits[0] < waits[-1]
    answers.get(HOME, failure=Failure.TIMEOUT)
    assert answers.state(row) == (State.DEAD, Reason.NETWORK)
    assert row in repository.changes.removed


def test_a_redirect_is_an_alias(repository, answers):
    """The source stands for the target, which is a URL of its own at the same depth."""
    row = answers.get(HOME, status=301, location="/new")
    target = repository.discovery.row("http://a.example/new")
    assert answers.state(row) == (State.ALIAS, Reason.REDIRECT)
    assert repository.table["alias"][row] == target
    assert repository.table["depth"][target] == 0
    assert answers.state(target)[0] == State.NEW


def test_a_chain_of_redirects_ends(repository, answers):
    """After five hops a new target is not admitted."""
    url = HOME
    for number in range(5):
        answers.get(url, status=302, location=f"/{number}")
        url = f"http://a.example/{number}"
    row = answers.get(url, status=302, location="/too-far")
    assert answers.state(row) == (State.GONE, Reason.REDIRECT_LIMIT)
    assert repository.discovery.row("http://a.example/too-far") < 0


@pytest.mark.parametrize("location", ["", "/", "javascript:x", "http://elsewhere.example/"])
def test_a_redirect_to_nowhere(answers, location):
    """To itself, to nothing fetchable or out of scope: no page, looked at again later."""
    row = answers.get(HOME, status=301, location=location)
    assert answers.state(row) == (State.GONE, Reason.REDIRECT_BAD)


def test_canonical_links_do_not_swallow_each_other(repository, answers):
    """A page that names another is its alias, unless the other already stands for it."""
    answers.get(HOME, page(links=["/x", "/y"]))
    x = answers.get("http://a.example/x", page("one " + TEXT, head="<link rel=canonical href=/y>"))
    y = answers.get("http://a.example/y", page("two " + TEXT, head="<link rel=canonical href=/x>"))
    assert answers.state(x) == (State.ALIAS, Reason.CANONICAL)
    assert answers.state(y) == (State.LIVE, Reason.NONE)


def test_duplicates_stand_for_the_first(repository, answers):
    """The same text at another address is an alias, as long as the first page is there."""
    answers.get(HOME, page("start " + TEXT, links=["/1", "/2", "/3"]))
    one = answers.get("http://a.example/1", page("unique words " + TEXT * 2))
    two = answers.get("http://a.example/2", page("unique words " + TEXT * 2))
    assert answers.state(two) == (State.ALIAS, Reason.DUPLICATE)
    assert repository.table["alias"][two] == one
    answers.get("http://a.example/1", status=404)
    three = answers.get("http://a.example/3", page("unique words " + TEXT * 2))
    assert answers.state(three) == (State.LIVE, Reason.NONE)


def test_noindex_and_nofollow(repository, answers):
    """noindex: not searchable, links count; nofollow: searchable, links do not."""
    answers.get(HOME, page(links=["/n"], head="<meta name=robots content=noindex>"))
    row = repository.discovery.row(HOME)
    assert answers.state(row) == (State.LIVE, Reason.NOINDEX)
    assert repository.discovery.row("http://a.example/n") >= 0
    answers.get("http://a.example/n", page("words " + TEXT, links=["/m"]), x_robots_tag="nofollow")
    assert repository.discovery.row("http://a.example/m") < 0


def test_a_header_can_take_an_unchanged_page_out_of_the_index(repository, answers):
    """noindex counts when the body is as before, and such a page is read whole from then on."""
    row = answers.get(HOME, page())
    assert repository.trusts_copy(row)
    answers.get(HOME, status=304, revisit=True, x_robots_tag="noindex")
    assert answers.state(row) == (State.LIVE, Reason.NOINDEX)
    assert row in repository.changes.removed
    assert not repository.trusts_copy(row)


def test_a_duplicate_is_read_again_when_its_original_has_gone(repository, answers):
    """Then it stands for itself, although its own text never changed."""
    answers.get(HOME, page("start " + TEXT, links=["/1", "/2"]))
    answers.get("http://a.example/1", page("unique words " + TEXT * 2))
    two = answers.get("http://a.example/2", page("unique words " + TEXT * 2))
    assert repository.trusts_copy(two)
    answers.get("http://a.example/1", status=404)
    assert not repository.trusts_copy(two)
    assert repository.table.pages().is_new.tolist() == [row == two for row in range(len(repository.table))]
    answers.get("http://a.example/2", page("unique words " + TEXT * 2))
    assert answers.state(two) == (State.LIVE, Reason.NONE)
    assert two in repository.changes.entries
    assert not repository.table.pages().is_new.any()


def test_an_orphan_that_says_nothing_is_left_alone_for_a_week(repository, answers):
    """A server that answers 304 though nobody asked does not keep the crawl busy; nor does giving a page away."""
    answers.get(HOME, page("start " + TEXT, links=["/1", "/2"]))
    one = answers.get("http://a.example/1", page("unique words " + TEXT * 2))
    two = answers.get("http://a.example/2", page("unique words " + TEXT * 2))
    repository.drop(one, 5000.0)
    assert not len(repository.table.orphans())
    answers.get("http://a.example/1", status=404)
    answers.get("http://a.example/2", status=304, revisit=True)
    assert repository.table.orphans().tolist() == [two]
    assert repository.table["not_before"][two] == repository.table["last_fetch"][two] + 7 * 86400.0


def test_a_page_that_moved_to_its_duplicate_leaves_its_place_to_it(repository, answers):
    """The copy at the new address was fetched before the old one was seen to lead there: it is new again, once."""
    answers.get(HOME, page("start " + TEXT, links=["/1", "/2", "/3"]))
    answers.get("http://a.example/1", page("unique words " + TEXT * 2))
    two, three = (answers.get(f"http://a.example/{n}", page("unique words " + TEXT * 2)) for n in (2, 3))
    assert not len(repository.table.orphans())
    answers.get("http://a.example/1", status=301, location="/2")
    assert repository.table.orphans().tolist() == [two, three]
    answers.get("http://a.example/2", page("unique words " + TEXT * 2))
    answers.get("http://a.example/3", page("unique words " + TEXT * 2))
    assert answers.state(two) == (State.LIVE, Reason.NONE)
    assert answers.state(three) == (State.ALIAS, Reason.DUPLICATE)
    assert not len(repository.table.orphans())


def test_denial_forgets_nothing_that_matters(repository, answers):
    """A page robots.txt now forbids leaves the index; when it may be fetched again it comes back."""
    row = answers.get(HOME, page())
    repository.deny(row, 5000.0, forbidden=True)
    repository.commit([])
    assert answers.state(row) == (State.DENIED, Reason.ROBOTS)
    assert row in repository.changes.removed
    answers.get(HOME, page())
    assert answers.state(row) == (State.LIVE, Reason.NONE)
    assert row in repository.changes.entries


def test_what_is_committed_is_what_is_loaded(repository, answers):
    """A repository opened on the same store is the same."""
    answers.get(HOME, page(links=["/b", "/c?x=1", "/2024/05"]))
    answers.get("http://a.example/b", status=503)
    again = repository.store.load()
    for name, column in repository.table.columns.items():
        assert np.array_equal(column[: len(again)], again[name]), name


def test_a_page_that_breaks_the_digest_fails_alone(repository, answers):
    """Whatever goes wrong with a page, the crawl goes on, and so does a replay of its record."""

    def broken(*_):
        raise ZeroDivisionError

    repository.digest = broken
    row = answers.get(HOME, page())
    assert answers.state(row) == (State.FAILED, Reason.REFUSED)


def test_a_ring_of_canonical_links_keeps_one(repository, answers):
    """Pages that name each other in a ring do not all vanish."""
    answers.get(HOME, page(links=["/x", "/y", "/z"]))
    rows = [
        answers.get(f"http://a.example/{a}", page(f"page {a} " + TEXT, head=f"<link rel=canonical href=/{b}>"))
        for a, b in ("xy", "yz", "zx")
    ]
    assert [answers.state(row)[0] for row in rows] == [State.ALIAS, State.ALIAS, State.LIVE]
