"""Orderings by importance, and the two queues of a topical crawl."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.beliefs.topic_distance import Hops
from sought.beliefs.topic_likeness import Likeness
from sought.beliefs.topic_names import Named
from sought.lab.replay.samples import NOW, sample_pages
from sought.policy import (
    Backlinks,
    BreadthFirst,
    DemandFirst,
    Learned,
    Location,
    Never,
    PageRank,
    Random,
    RoundRobin,
    Similarity,
    Split,
    Topical,
    UserCentric,
    parse_policy,
)
from sought.policy.demand import goes_by_demand
from sought.policy.ordering import first
from sought.policy.topical import topical
from sought.web.checks import check_choice, check_positive, check_share, check_topic, check_whole
from sought.web.errors import BadInput
from sought.web.pages import NEVER, Pages
from sought.web.policy import beliefs_of, importance_in, topics_of
from sought.web.registry import importance_for

numbers = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(st.one_of(st.just(NEVER), numbers), st.booleans()), max_size=50))
def test_those_who_come_first_come_before_all_others(pairs):
    """Whatever their values; NEVER stays NEVER, and no value is NaN or infinite."""
    values = np.array([value for value, _ in pairs], np.float64)
    which = np.array([flag for _, flag in pairs], np.bool_)
    found = first(values, which)
    assert np.array_equal(np.isneginf(found), np.isneginf(values))
    rest = np.isfinite(values)
    assert np.isfinite(found[rest]).all()
    if (which & rest).any() and (~which & rest).any():
        assert found[which & rest].min() > found[~which & rest].max()


@given(st.lists(numbers, min_size=2, max_size=50), st.booleans())
def test_within_a_queue_the_order_stays(values, hot):
    """Two values that differ by more than the last two bits of a float keep their order; equals stay equal."""
    column = np.sort(np.array(values, np.float64))
    found = first(column, np.full(len(column), hot))
    assert (np.diff(found) >= 0).all()
    with np.errstate(over="ignore"):
        apart = np.diff(column) > 1e-15 * np.maximum(np.abs(column[1:]), np.abs(column[:-1])) + 1e-300
    assert (np.diff(found)[apart] > 0).all()
    assert (np.diff(found)[np.diff(column) == 0] == 0).all()


def pages(inlinks, found=0.0, last_fetch=NEVER, beliefs=None):
    n = len(inlinks)
    columns = np.broadcast_to(np.array(found, float), n), np.broadcast_to(np.array(last_fetch, float), n)
    return Pages(
        key=np.arange(n, dtype=np.uint64),
        host=np.zeros(n, np.uint32),
        depth=np.zeros(n, np.uint16),
        found=columns[0],
        last_fetch=columns[1],
        last_change=np.full(n, -np.inf),
        fetches=np.isfinite(columns[1]).astype(np.uint16),
        changes=np.zeros(n, np.uint16),
        inlinks=np.array(inlinks, np.uint32),
        signal=np.full(n, -np.inf),
        live=np.isfinite(columns[1]),
        linked=np.full(n, -np.inf),
        unlinked=np.full(n, -np.inf),
        beliefs=beliefs or {},
    )


def test_more_links_first_and_equals_as_they_were_found():
    """First in, first out among pages of as many links; decades apart do not make up for one link."""
    found = [NOW + 60.0, NOW, NOW - 30 * 365 * 86400.0, NOW + 30.0]
    values = Backlinks()(pages([2, 2, 1, 3], found), NOW)
    assert np.argsort(-values).tolist() == [3, 1, 0, 2]


def test_equally_deep_addresses_come_as_they_were_found():
    """Decades apart do not make up for one slash."""
    some = pages([0] * 3, [NOW + 60.0, NOW, NOW - 1e9], beliefs={Location(): np.array([-2.0, -2.0, -3.0])})
    assert np.argsort(-Location()(some, NOW)).tolist() == [1, 0, 2]
    assert Location().importance(some).tolist() == [-2.0, -2.0, -3.0]


def test_links_to_known_pages_count_as_importance_only():
    """New pages are ordered; how important a page is can be said of all."""
    some = pages([5, 7], last_fetch=[NOW - 10.0, NEVER])
    assert np.isneginf(Backlinks()(some, NOW)).tolist() == [True, False]
    assert Backlinks().importance(some).tolist() == [5.0, 7.0]


def test_two_queues():
    """Named pages and those near a hot page come first, each queue in the order of the ordering."""
    policy = Topical("heron", distance=3)
    beliefs = {
        Named("heron"): np.array([0.0, 1.0, 0.0, 0.0, 1.0]),
        Hops("heron", 10, 4): np.array([4.0, 4.0, 3.0, 4.0, 0.0]),
    }
    some = pages([9, 1, 3, 8, 2], beliefs=beliefs)
    assert np.argsort(-policy(some, NOW)).tolist() == [2, 4, 1, 0, 3]
    assert policy.explained(some, 2, NOW) == {"hot_queue": True, "value": 3.0}
    assert policy.explained(some, 0, NOW) == {"hot_queue": False, "value": 9.0}
    basic = Topical("heron", distance=0)
    assert beliefs_of(basic) == (Named("heron"), Hops("heron", 10, 1))
    beliefs[Hops("heron", 10, 1)] = np.ones(5)
    assert np.argsort(-basic(some, NOW)).tolist() == [4, 1, 0, 3, 2]


def test_known_pages_stay_as_the_order_has_them():
    """Only new pages are in the hot queue; others come behind it, if the order ranks them at all."""
    beliefs = {Named("heron"): np.array([1.0, 1.0, 0.0, 0.0]), Hops("heron", 10, 4): np.array([0.0, 4.0, 4.0, 1.0])}
    some = pages([1, 1, 1, 1], [NOW - 50] * 4, [NOW - 30.0, NEVER, NOW - 40.0, NOW - 20.0], beliefs)
    assert np.argsort(-Topical("heron", RoundRobin())(some, NOW)).tolist()[:3] == [2, 0, 3]
    assert np.argsort(-Topical("heron", RoundRobin(new=True))(some, NOW)).tolist() == [1, 2, 0, 3]
    assert np.isneginf(Topical("heron")(some, NOW)).tolist() == [True, False, True, True]
    assert Topical("heron").explained(some, 0, NOW) == {"hot_queue": False, "value": None}


@pytest.mark.parametrize("distance", [0, 3])
@pytest.mark.parametrize("order", [Backlinks(), BreadthFirst()])
def test_pages_about_the_topic_are_the_last_to_leave(distance, order):
    """Then those it names, then those near it, then the rest, each by links; however many links others have."""
    policy = Topical("heron", order, distance)
    beliefs = {
        Named("heron"): np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0]),
        policy.beliefs[1]: np.minimum([0.0, 0.0, 1.0, 9.0, 2.0, 9.0, 0.0], distance + 1),
    }
    some = pages([1, 2, 3, 4, 600, 500, 0], last_fetch=NOW - 5.0, beliefs=beliefs)
    named = [2, 3] if distance else [3, 2]  # one of these is also near
    assert np.argsort(-policy.importance(some)).tolist() == [6, 1, 0, *named, 4, 5]


def test_similarity_is_a_mix():
    """IC = k1·IS + k2·IB."""
    some = pages([4, 0], beliefs={Likeness("heron"): np.array([0.25, 0.5])})
    assert Similarity("heron")(some, NOW).tolist() == [0.25, 0.5]
    assert Similarity("heron", k1=2.0, k2=0.5)(some, NOW).tolist() == [2.5, 1.0]


def test_where_an_importance_is():
    """In a policy that has one, or in the side of a Split that ranks new pages; nowhere else."""
    assert importance_in(Backlinks()) == Backlinks()
    assert importance_in(Split(new=PageRank(), known=UserCentric())) == PageRank()
    assert importance_in(Split(new=Split(new=Location()), known=Backlinks())) == Location()
    for policy in (BreadthFirst(), RoundRobin(new=True), Split(), Split(known=Backlinks())):
        assert importance_in(policy) is None
        with pytest.raises(
            BadInput, match=r"these do, alone or as 'new' of a Split: Backlinks, ForwardLinks, .*Topical"
        ):
            importance_for(policy)


def test_a_topic_is_put_around_a_policy():
    """It orders both queues, whatever it is; known pages are ranked as before."""
    ranking = Backlinks(), BreadthFirst(), DemandFirst(), Random(3), RoundRobin(new=True), Topical("owl"), Learned()
    for policy in ranking:
        assert topical("heron", policy) == Topical("heron", order=policy)
        around = topical("heron", Split(new=policy, known=UserCentric(), share=0.7))
        assert around == Split(new=Topical("heron", order=policy), known=UserCentric(), share=0.7)
    for known in (RoundRobin(), UserCentric(), Never()):
        assert topical("heron", known) == Split(new=Topical("heron"), known=known)
    assert topics_of(topical("heron", Split())) == ("heron",)
    assert topics_of(Split(new=Similarity("a"), known=Topical("b"))) == ("a", "b")
    assert parse_policy(repr(topical("heron", Split()))) == topical("heron", Split())


def test_who_goes_by_demand():
    """Links, addresses and topics are there without any query."""
    for text in ("Backlinks()", "Topical('x', order=PageRank())", "Similarity('x')", "Location()", "Split()"):
        assert not goes_by_demand(parse_policy(text))
    for text in ("UserCentric()", "SearchImpact()", "Split(new=DemandFirst())"):
        assert goes_by_demand(parse_policy(text))


def test_topical_in_a_table_of_any_size():
    """Also of none."""
    for rows in (0, 1, 300):
        some = sample_pages(1, rows, beliefs_of(Topical("heron")))
        assert len(Topical("heron")(some, NOW)) == rows


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Topical('')", "Topical needs a topic"),
        ("Topical(3)", "Topical needs a topic"),
        ("Topical('x' , order='y')", "Topical: order is a policy"),
        ("Topical('x', order=PageRank)", r"^write PageRank\(\) in place of PageRank$"),
        ("Topical('x', distance=-1)", "Topical: distance is a whole number from 0 to 250"),
        ("Topical('x', distance=1.5)", "Topical: distance"),
        ("Topical('x', count=0)", "Topical: count"),
        ("Similarity('...')", "Similarity needs a topic"),
        ("Similarity('x', k1=-1.0)", "Similarity: k1"),
        ("Similarity('x', k2=None)", "Similarity: k2"),
        ("PageRank(d=1.0)", "PageRank: d is a number from 0 to below 1"),
        ("PageRank(d=True)", "PageRank: d"),
    ],
)
def test_a_parameter_out_of_bounds_is_named(text, says):
    """By the policy and its own name."""
    with pytest.raises(BadInput, match=says):
        parse_policy(text)


def test_checks_let_good_values_pass():
    """Bounds included."""
    for value in (0, 0.5, 1):
        check_share("x", value)
    check_positive("x", 1e-9)
    check_positive("x", 0, or_zero=True)
    check_whole("x", 3, 3, 3)
    check_choice("x", "a", ("a", "b"))
    check_topic("x", "é")
    for bad in (float("nan"), -0.1, 1.1, "1", None):
        with pytest.raises(BadInput, match=r"^x is a number from 0 to 1"):
            check_share("x", bad)
    for bad in (0, -1.0, float("inf"), float("nan")):
        with pytest.raises(BadInput, match=r"^x is a number above 0"):
            check_positive("x", bad)
    with pytest.raises(BadInput, match=r"^x is one of a, b"):
        check_choice("x", "c", ("a", "b"))
    with pytest.raises(BadInput, match="at most 200 characters"):
        check_topic("x", "y" * 201)
