"""Policies are pure functions of columns."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.policy import BreadthFirst, DemandFirst, RoundRobin, Split, UserCentric, parse_policy
from sought.web.errors import BadInput, SoughtError
from sought.web.pages import NEVER, Pages
from sought.web.policy import beliefs_of
from tests.testing.every_policy import EVERY_POLICY


def table(depth, last_fetch, beliefs=None):
    n = len(depth)
    return Pages(
        key=np.arange(n, dtype=np.uint64),
        host=np.zeros(n, np.uint32),
        depth=np.array(depth, np.uint16),
        found=np.zeros(n),
        last_fetch=np.array(last_fetch, float),
        last_change=np.full(n, -np.inf),
        fetches=np.isfinite(np.array(last_fetch, float)).astype(np.uint16),
        changes=np.zeros(n, np.uint16),
        inlinks=np.zeros(n, np.uint32),
        signal=np.full(n, -np.inf),
        live=np.isfinite(np.array(last_fetch, float)),
        linked=np.full(n, -np.inf),
        unlinked=np.full(n, -np.inf),
        beliefs=beliefs or {},
    )


rows = st.lists(
    st.tuples(st.integers(0, 40), st.one_of(st.just(-np.inf), st.floats(0, 1e9, allow_nan=False))),
    min_size=1,
    max_size=60,
)


def order(values):
    ranked = np.argsort(-values, kind="stable")
    return [int(r) for r in ranked if values[r] > NEVER]


@pytest.mark.slow
@pytest.mark.parametrize("policy", [*EVERY_POLICY, Split(DemandFirst(), UserCentric())])
@given(rows=rows, beliefs=st.lists(st.floats(), min_size=1, max_size=60))
def test_conformance(policy, rows, beliefs):
    """Every policy gives one number a row, never NaN, changes no column and decides the same twice.

    Whatever it is told to believe: any number, also those that no estimator gives.
    """
    believed = {b: np.resize(np.roll(beliefs, i), len(rows)) for i, b in enumerate(beliefs_of(policy))}
    depth, last_fetch = zip(*rows, strict=True)
    pages = table(depth, last_fetch, believed)
    for column in (*(getattr(pages, name) for name in Pages.column_names()), *believed.values()):
        column.flags.writeable = False
    first = policy(pages, 2e9)
    assert first.shape == (len(pages),)
    assert not np.isnan(first).any()
    assert first.tobytes() == policy(pages, 2e9).tobytes()


def test_breadth_first_is_a_queue_of_new_pages():
    """Level by level, in the order of discovery; fetched pages are not for it."""
    pages = table([1, 0, 2, 1, 0], [-np.inf, -np.inf, -np.inf, -np.inf, 5.0])
    assert order(BreadthFirst()(pages, 10.0)) == [1, 0, 3, 2]


def test_round_robin_takes_the_oldest_copy():
    """The page fetched longest ago comes first; new pages are not for it."""
    pages = table([0, 0, 0, 0], [7.0, -np.inf, 3.0, 5.0])
    assert order(RoundRobin()(pages, 10.0)) == [2, 3, 0]


@given(rows=rows, share=st.sampled_from([0.1, 0.25, 0.5, 0.8]), take=st.integers(1, 60))
def test_split_keeps_its_share_wherever_it_is_cut(rows, share, take):
    """Of the first n choices, n·share are new, to within one, as long as both sides have pages left."""
    pages = table(*zip(*rows, strict=True))
    chosen = order(Split(share=share)(pages, 2e9))
    assert sorted(chosen) == list(range(len(pages)))
    new, cut = pages.is_new, min(take, len(pages))
    took = int(new[chosen[:cut]].sum())
    if took < new.sum() and cut - took < (~new).sum():
        assert abs(took - cut * share) <= 1


@given(rows=rows)
def test_split_keeps_each_sides_order(rows):
    """Merging does not reorder the new among themselves, nor the known."""
    pages = table(*zip(*rows, strict=True))
    chosen = order(Split(share=0.3)(pages, 2e9))
    new = pages.is_new
    assert [r for r in chosen if new[r]] == order(BreadthFirst()(pages, 2e9))
    assert [r for r in chosen if not new[r]] == order(RoundRobin()(pages, 2e9))


def test_split_keeps_order_beyond_the_exact_part(monkeypatch):
    """A side longer than the exactly ranked part still comes in its own order, after that part."""
    monkeypatch.setattr("sought.policy.split._EXACT", 5)
    pages = table(list(range(20)) + [0] * 10, [-np.inf] * 20 + list(range(10)))
    chosen = order(Split(share=0.5)(pages, 100.0))
    assert [r for r in chosen if r < 20] == list(range(20))
    assert [r for r in chosen if r >= 20] == list(range(20, 30))


@given(values=st.lists(st.floats(width=32).filter(lambda v: v > NEVER), min_size=12, max_size=40, unique=True))
def test_split_keeps_order_beyond_the_exact_part_whatever_the_values(values):
    """Values of very different size, as beliefs have them, are told apart there, too."""
    pages, side = table([0] * len(values), [-np.inf] * len(values)), np.array(values, float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sought.policy.split._EXACT", 3)
        assert order(Split(new=lambda pages, now: side.copy(), share=1.0)(pages, 1.0)) == order(side)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_side_without_a_share_fills_what_is_idle(share):
    """With everything given to one side, the other follows after it instead of never."""
    pages = table([0, 0, 0, 0], [-np.inf, 1.0, -np.inf, 2.0])
    chosen = order(Split(share=share)(pages, 10.0))
    assert chosen == ([0, 2, 1, 3] if share else [1, 3, 0, 2])


@pytest.mark.parametrize(
    "policy",
    [
        BreadthFirst(),
        RoundRobin(),
        Split(),
        Split(new=RoundRobin(), share=0.125),
        UserCentric(),
        UserCentric(delta="paper", window=12),
        UserCentric(half_life=604800.0),
        DemandFirst(),
        DemandFirst(prior=0.25),
        Split(new=DemandFirst(), known=UserCentric()),
    ],
)
def test_repr_is_the_config_line(policy):
    """What a policy prints as is what sought.toml takes."""
    assert parse_policy(repr(policy)) == policy


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("BreadthFrist()", "did you mean BreadthFirst?"),
        ("Split(share=2)", "from 0 to 1"),
        ("Split(shar=.5)", "shar"),
        ("Split(new=3)", "not a policy"),
        ("Split(share='half')", "Split: share is a number from 0 to 1, not 'half'"),
        ("PageRank(1, 2)", "it takes d=0.9$"),
        ("Never(1)", "it takes nothing$"),
        ("Topical()", r"it takes topic, order=Backlinks\(\), distance=3, count=10$"),
        ("UserCentric(delta='mean')", "'ratio_of_sums' or as in the 'paper', not 'mean'"),
        ("UserCentric(delta=[])", "'ratio_of_sums' or as in the 'paper'"),
        ("UserCentric(window=65)", "from 0 .all. to 64, not 65"),
        ("UserCentric(window=2.5)", "a whole number"),
        ("UserCentric(window='3')", "a whole number"),
        ("UserCentric(half_life=-1)", "seconds"),
        ("UserCentric(half_life=1e999)", "seconds"),
        ("UserCentric(half_life='1d')", "seconds from 1, or 0 for none, not '1d'"),
        ("UserCentric(window=3, half_life=60)", "set one of them"),
        ("UserCentric(form='paper')", "it takes"),
        ("DemandFirst(prior=1.5)", "from 0 to 1, not 1.5"),
        ("DemandFirst(prior='much')", "from 0 to 1"),
        ("Split(known=GainRate())", "not a policy: GainRate"),
        ("__import__('os').system('true')", "not allowed"),
        ("(lambda: 1)()", "not allowed"),
        ("3", "not a policy"),
        ("", "not a policy"),
    ],
)
def test_a_bad_expression_says_what_is_wrong(text, says):
    """Nothing but known policies and plain values is built; the message helps."""
    with pytest.raises(BadInput, match=says.replace("?", r"\?")) as caught:
        parse_policy(text)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=200))
def test_any_text_is_a_policy_or_a_clear_error(text):
    """No text makes the parser fail in any other way."""
    try:
        parse_policy(text)
    except SoughtError as error:
        assert str(error)
