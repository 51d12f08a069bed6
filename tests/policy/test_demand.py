"""Policies that rank by what people search for."""

import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.beliefs.first_gain import FirstGain
from sought.beliefs.gain_rate import GainRate
from sought.beliefs.prospect import Prospect
from sought.policy import BreadthFirst, DemandFirst, UserCentric
from sought.web.pages import NEVER, Pages

NEW = -np.inf
ODD = [math.inf, -math.inf, math.nan, 1.7e308, -1.7e308, 5e-324, -0.0, 1.0]


def table(last_fetch, beliefs, depth=None):
    n = len(last_fetch)
    return Pages(
        key=np.arange(n, dtype=np.uint64),
        host=np.zeros(n, np.uint32),
        depth=np.zeros(n, np.uint16) if depth is None else np.array(depth, np.uint16),
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
        beliefs={belief: np.array(column, float) for belief, column in beliefs.items()},
    )


def rates(last_fetch, rate):
    return table(last_fetch, {GainRate(): rate})


def prospects(prospect, first_gain, depth, last_fetch=None):
    return table([NEW] * len(prospect) if last_fetch is None else last_fetch, _both(prospect, first_gain), depth)


def _both(prospect, first_gain):
    return {Prospect(): prospect, FirstGain(): first_gain}


def order(values):
    ranked = np.argsort(-values, kind="stable")
    return [int(r) for r in ranked if values[r] > NEVER]


# ---- UserCentric


def test_user_centric_is_rate_times_age():
    """P = δQ · age, to the last bit, on fetched pages; new ones are not for it."""
    value = UserCentric()(rates([90.0, NEW, 50.0, 0.0], [3.0, 9.0, 1.0, 0.25]), 100.0)
    assert value.tolist() == [30.0, NEVER, 50.0, 25.0]


def test_user_centric_reads_the_rates_it_names():
    """Parameters choose the belief; another policy's belief is not looked at."""
    pages = table([0.0], {GainRate(): [1.0], GainRate("paper", window=4): [2.0]})
    assert UserCentric("paper", window=4)(pages, 10.0).tolist() == [20.0]


def test_user_centric_without_gain_takes_the_oldest():
    """Every expected gain, however small, is before none; among those without, the oldest copy; harm comes last."""
    pages = rates([50.0, 10.0, 90.0, 30.0, 5.0, 1.0], [0.0, 0.0, 1e-300, 0.0, -0.1, -1e9])
    assert order(UserCentric()(pages, 100.0)) == [2, 1, 3, 0, 5, 4]


@given(
    pages=st.lists(
        st.tuples(st.one_of(st.just(NEW), st.floats(0, 3e9)), st.one_of(st.just(0.0), st.floats(1e-15, 1e3))),
        min_size=1,
    )
)
def test_user_centric_order(pages):
    """By P; then, where P is 0, by age; copies from the future have age 0."""
    now = 2e9
    last_fetch, rate = (list(column) for column in zip(*pages, strict=True))
    age = [max(0.0, now - t) for t in last_fetch]
    fetched = [i for i, t in enumerate(last_fetch) if t > NEW]
    expected = sorted(fetched, key=lambda i: (-rate[i] * age[i], -age[i] if rate[i] * age[i] == 0 else 0))
    assert order(UserCentric()(rates(last_fetch, rate), now)) == expected


def test_user_centric_is_a_number_for_any_columns():
    """No NaN and no +inf, whatever stands in the table."""
    value = UserCentric()(rates(np.repeat(ODD, len(ODD)), np.tile(ODD, len(ODD))), 2e9)
    assert np.isfinite(value[np.repeat(ODD, len(ODD)) != NEW]).all()


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_user_centric_needs_no_room(share):
    """Besides the column it gives, less than half a column."""
    rows = 2_000_000
    new = np.arange(rows) >= rows * share
    pages = rates(np.where(new, NEW, 5.0), np.where(np.arange(rows) % 2, 0.0, 1.0))
    tracemalloc.start()
    UserCentric()(pages, 10.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * 8 * rows


def test_rows_beyond_the_first_piece_are_ranked_alike():
    """Working through the columns in pieces leaves no row out and mixes none up."""
    rng = np.random.default_rng(0)
    last_fetch = np.where(rng.random(300_000) < 0.5, NEW, rng.random(300_000))
    gain, depth, none = rng.random(300_000), rng.integers(0, 9, 300_000), np.zeros(300_000)
    expected = np.where(last_fetch == NEW, NEVER, gain * (1.0 - last_fetch))
    assert (UserCentric()(rates(last_fetch, gain), 1.0) == expected).all()
    value = DemandFirst()(prospects(gain, none, depth, last_fetch), 1.0)
    assert np.allclose(value[last_fetch == NEW], gain[last_fetch == NEW], rtol=2.0**-12)
    assert (value[last_fetch != NEW] == NEVER).all()
    alike = prospects(none + 1.0, none, depth, last_fetch)
    assert order(DemandFirst()(alike, 1.0)) == order(BreadthFirst()(alike, 1.0))


# ---- DemandFirst


def test_demand_first_takes_the_best_prospect():
    """By expected gain; fetched pages are not for it."""
    pages = prospects([0.1, 0.5, 0.3, 0.9], [0.0] * 4, [0, 3, 0, 0], [NEW, NEW, NEW, 5.0])
    assert order(DemandFirst()(pages, 10.0)) == [1, 2, 0]


def test_demand_first_trusts_hosts_that_have_brought_something():
    """What a host's pages bring counts for `prior`, beside the page's own prospect."""
    pages = prospects([0.3, 0.0, 0.2], [0.0, 0.5, 0.3], [0, 0, 0])
    assert order(DemandFirst()(pages, 10.0)) == [2, 0, 1]
    assert order(DemandFirst(prior=1.0)(pages, 10.0)) == [1, 2, 0]  # 0.5 and 0.5: as they were found
    assert order(DemandFirst(prior=0.0)(pages, 10.0)) == [0, 2, 1]


def _digits(gain):
    """The number to 13 binary digits, as something to sort by."""
    digits, exponent = math.frexp(gain)
    return exponent, math.floor(digits * 2**13)


@given(
    pages=st.lists(
        st.tuples(
            st.one_of(st.sampled_from([0.0, 1e-9, 0.25, 0.250001]), st.floats(1e-30, 1e30)),
            st.one_of(st.integers(0, 3), st.integers(0, 8191)),
        ),
        min_size=1,
    )
)
def test_demand_first_breaks_ties_as_a_queue(pages):
    """Equal expectations, to one in four thousand, come level by level and in the order of discovery."""
    gain, depth = (list(column) for column in zip(*pages, strict=True))
    value = DemandFirst()(prospects(gain, [0.0] * len(gain), depth), 1.0)
    hopeful = sorted(
        (i for i, g in enumerate(gain) if g > 0),
        key=lambda i: (-_digits(gain[i])[0], -_digits(gain[i])[1], depth[i], i),
    )
    others = sorted((i for i, g in enumerate(gain) if g == 0), key=lambda i: (depth[i], i))
    assert order(value) == hopeful + others
    assert len(set(value.tolist())) == len(gain)


@given(depth=st.lists(st.integers(0, 65535), min_size=1), last_fetch=st.lists(st.sampled_from([NEW, 5.0]), min_size=1))
def test_demand_first_without_demand_is_breadth_first(depth, last_fetch):
    """Before anybody has asked anything, or if beliefs say harm or nonsense, the order is that of a queue."""
    nothing = np.resize([0.0, -1.0, np.nan], len(depth))
    pages = prospects(nothing, [0.0] * len(depth), depth, np.resize(last_fetch, len(depth)))
    assert DemandFirst()(pages, 10.0).tobytes() == BreadthFirst()(pages, 10.0).tobytes()


def test_demand_first_is_a_number_for_any_belief():
    """No NaN and no +inf, whatever is believed."""
    prospect, first_gain = np.repeat(ODD, len(ODD)), np.tile(ODD, len(ODD))
    value = DemandFirst(prior=1.0)(prospects(prospect, first_gain, np.arange(len(prospect))), 1.0)
    assert np.isfinite(value).all()
