"""Estimators turn the log of fetches into columns."""

import math
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.beliefs.first_gain import FirstGain
from sought.beliefs.gain_rate import GainRate
from sought.beliefs.prospect import Prospect
from sought.beliefs.slots import Slots
from sought.policy import BreadthFirst, DemandFirst, Split, UserCentric
from sought.web.errors import BadInput
from sought.web.pages import Pages
from sought.web.policy import beliefs_of as beliefs
from tests.testing.fetch_logs import fetches as fetch_log

DAY = 86400.0
ROWS = 12
RATES = [
    GainRate(form, window, half_life)
    for form in ("ratio_of_sums", "paper")
    for window, half_life in ((0, 0.0), (1, 0.0), (3, 0.0), (64, 0.0), (0, DAY), (0, 30 * DAY))
]
ESTIMATORS = [*RATES, FirstGain()]


def known(hosts):
    """Pages of which only the host matters."""
    n = len(hosts)
    return Pages(
        key=np.arange(n, dtype=np.uint64),
        host=np.array(hosts, np.uint32),
        depth=np.zeros(n, np.uint16),
        found=np.zeros(n),
        last_fetch=np.full(n, -np.inf),
        last_change=np.full(n, -np.inf),
        fetches=np.zeros(n, np.uint16),
        changes=np.zeros(n, np.uint16),
        inlinks=np.zeros(n, np.uint32),
        signal=np.full(n, -np.inf),
        live=np.zeros(n, bool),
        linked=np.full(n, -np.inf),
        unlinked=np.full(n, -np.inf),
    )


def fetches(log):
    """A batch from (row, time, gap, gain)."""
    row, time, gap, gain = zip(*log, strict=True) if log else ((), (), (), ())
    return fetch_log(row, time, gap, np.array(gain, float) > 0, gain)


logs = st.lists(
    st.tuples(
        st.integers(0, ROWS - 1),
        st.floats(0, 90 * DAY),  # not in order: what is applied later may have been fetched before
        st.one_of(st.just(math.inf), st.sampled_from([0.0, 1e-7, -1.0, math.nan]), st.floats(1.0, 30 * DAY)),
        st.one_of(st.just(0.0), st.floats(-1e-3, 1.0), st.just(math.nan)),
    ),
    max_size=60,
)
hosts = st.lists(st.integers(0, 4), min_size=ROWS, max_size=ROWS)


def learned(estimator, *batches):
    learner = estimator.learner()
    for batch in batches:
        learner.learn(fetches(batch))
    return learner


def rate_of(estimator, measured, now):
    """δQ of the measurements (time, gap, gain), by the book."""
    weights = [2.0 ** ((time - now) / estimator.half_life) if estimator.half_life else 1.0 for time, _, _ in measured]
    if estimator.form == "paper":
        return sum(w * gain / gap for w, (_, gap, gain) in zip(weights, measured, strict=True)) / sum(weights)
    top = sum(w * gain for w, (_, _, gain) in zip(weights, measured, strict=True))
    return top / sum(w * gap for w, (_, gap, _) in zip(weights, measured, strict=True))


def reference(estimator, log, hosts):
    """What GainRate says, in plain Python."""
    of_row: dict = defaultdict(list)
    of_host: dict = defaultdict(list)
    of_all: list = []
    for row, time, gap, gain in log:
        if math.isfinite(gap) and gap >= 1e-6 and math.isfinite(gain):
            of_row[row] = (of_row[row] + [(time, gap, gain)])[-estimator.window :]
    for row, measured in of_row.items():
        of_host[hosts[row]] += measured
        of_all += measured
    groups = [next((m for m in (of_row[row], of_host[host], of_all) if m), None) for row, host in enumerate(hosts)]
    return [rate_of(estimator, m, max(time for time, _, _ in m)) if m else 0.0 for m in groups]


@settings(max_examples=400, deadline=None)
@given(estimator=st.sampled_from(RATES), log=logs, hosts=hosts)
def test_the_rate_of_gain_is_the_formula(estimator, log, hosts):
    """Form, window, half-life, and the means of host and of all where a page has no history, as the book has them."""
    column = learned(estimator, log).column(known(hosts))
    assert column == pytest.approx(reference(estimator, log, hosts), rel=1e-9, abs=1e-15)


@given(log=logs, hosts=hosts)
def test_the_first_gain_is_the_formula(log, hosts):
    """(Σ gain of first fetches on the host + 5 · mean over all) / (their number + 5); 0 before the first."""
    gains = [(hosts[row], gain) for row, _, gap, gain in log if gap == math.inf and math.isfinite(gain)]
    mean = sum(g for _, g in gains) / len(gains) if gains else 0.0
    of_host = {h: [g for other, g in gains if other == h] for h in hosts}
    expected = [(sum(of_host[h]) + 5 * mean) / (len(of_host[h]) + 5) for h in hosts]
    assert learned(FirstGain(), log).column(known(hosts)) == pytest.approx(expected, rel=1e-9, abs=1e-15)


@settings(max_examples=400, deadline=None)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, hosts=hosts, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_batches_do_not_matter(estimator, log, hosts, cuts):
    """Wherever the log is cut, and if the column is looked at in between: the same bits."""
    whole = learned(estimator, log).column(known(hosts))
    learner = estimator.learner()
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), len(log)], strict=True):
        learner.learn(fetches(log[start:stop]))
        learner.column(known(hosts))
    assert learner.column(known(hosts)).tobytes() == whole.tobytes()
    assert np.isfinite(whole).all()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_long_log(estimator):
    """Formula and batches, where most rows and hosts have many measurements, some of which come late."""
    rng, count, pages = np.random.default_rng(0), 2000, known(np.arange(ROWS) % 5)
    gap = np.where(rng.random(count) < 0.3, np.inf, rng.exponential(DAY, count) + 1.0)
    time = np.arange(count) * 600.0 + rng.exponential(DAY / 2, count)
    log = list(zip(rng.integers(0, ROWS - 2, count), time, gap, rng.random(count), strict=True))
    whole = learned(estimator, log).column(pages)
    if isinstance(estimator, GainRate):
        assert whole == pytest.approx(reference(estimator, log, pages.host), rel=1e-9)
    learner = estimator.learner()
    for start in range(0, count, 7):
        learner.learn(fetches(log[start : start + 7]))
        if start % 3 == 0:
            learner.column(pages)
    assert learner.column(pages).tobytes() == whole.tobytes()
    page_by_page = sorted(log, key=lambda fetch: int(fetch[0]))
    assert learned(estimator, page_by_page).column(pages) == pytest.approx(whole, rel=1e-12)


@settings(max_examples=400, deadline=None)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, hosts=hosts, noise=st.integers(0, 2**32 - 1))
def test_only_what_was_learnt_is_believed(estimator, log, hosts, noise):
    """Nothing else that stands in the table, and nothing another learner of the same estimator has seen, matters."""
    believed = learned(estimator, log).column(known(hosts))
    learned(estimator, [(row, time, gap, gain + 1.0) for row, time, gap, gain in log])
    pages, rng = known(hosts), np.random.default_rng(noise)
    for name in set(Pages.column_names()) - {"host"}:
        getattr(pages, name)[:] = rng.integers(0, 1000, ROWS)
    assert learned(estimator, log).column(pages).tobytes() == believed.tobytes()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_the_table_may_grow(estimator):
    """Pages and hosts found later have beliefs at once."""
    learner = estimator.learner()
    assert learner.column(known([])).shape == (0,)
    assert learner.column(known([3])).tolist() == [0.0]
    learner.learn(fetches([(0, 1.0, math.inf, 3.0), (0, 11.0, 10.0, 30.0)]))
    assert learner.column(known([0, 0])).tolist() == [3.0, 3.0]
    assert learner.column(known([0, 0, 7])).tolist() == [3.0, 3.0, 3.0]


def test_a_long_silent_host_is_not_forgotten():
    """With a half-life, what counts is what came after on the same host, not the time since."""
    log = [(0, 0.0, 10.0, 1.0), (1, 1e9, 10.0, 5.0)]
    column = learned(GainRate(half_life=3600.0), log).column(known([0, 1, 0, 1, 2]))
    assert column.tolist() == [0.1, 0.5, 0.1, 0.5, 0.5]


def test_a_measurement_that_comes_far_too_late_changes_nothing():
    """One that is thousands of half-lives older than what is known of the page weighs nothing."""
    log = [(0, 1e9, 10.0, 1.0), (0, 0.0, 10.0, 5.0)]
    assert learned(GainRate(half_life=3600.0), log).column(known([0])).tolist() == [0.1]


def test_the_mean_of_ratios_is_too_high():
    """A page seen in the very week of each change, which comes with p = 0.1: 2.6 times too high, as the erratum says.

    E[1/gap] = -p ln p / (1 - p), where the page gains p a week.
    """
    weeks = np.random.default_rng(0).geometric(0.1, 20_000).astype(float)
    log = [(0, time, gap, 1.0) for time, gap in zip(np.cumsum(weeks), weeks, strict=True)]
    printed, corrected = (learned(GainRate(form), log).column(known([0]))[0] for form in ("paper", "ratio_of_sums"))
    assert printed == pytest.approx(-0.1 * math.log(0.1) / 0.9, rel=0.03)
    assert corrected == pytest.approx(0.1, rel=0.03)


@pytest.mark.parametrize(
    "wrong",
    [
        {"form": "mean"},
        {"window": 65},
        {"window": -1},
        {"window": True},
        {"half_life": math.nan},
        {"half_life": -1.0},
        {"half_life": 1e-300},
    ],
)
def test_a_wrong_parameter_is_refused(wrong):
    """An estimator that exists can be learned."""
    with pytest.raises(BadInput):
        GainRate(**wrong)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 2**32), max_size=40), max_size=40))
def test_slots_number_rows_as_they_come(batches):
    """Each row has one slot, the next free one when it first comes."""
    slots = Slots()
    expected: dict[int, int] = {}
    for batch in batches:
        assert slots.assign(np.array(batch, np.int64)).tolist() == [
            expected.setdefault(r, len(expected)) for r in batch
        ]
    assert slots.rows.tolist() == list(expected)


def test_slots_make_room():
    """Numbers stay as they are while the table grows, and a batch of many fetches of one row needs no room."""
    slots, rows = Slots(), np.random.default_rng(0).permutation(200_000)
    assert (slots.assign(rows) == np.arange(200_000)).all()
    assert (slots.assign(rows[::-1]) == np.arange(200_000)[::-1]).all()
    few = Slots()
    few.assign(np.zeros(1_000_000, np.int64))
    assert few.size == 1
    assert len(few._rows) < 200_000


def test_what_a_policy_reads():
    """Each belief once, also in combinations, in the order in which they are named."""
    rates = GainRate("paper", window=3)
    assert beliefs(BreadthFirst()) == beliefs(Split()) == beliefs(lambda pages, now: pages.found) == ()
    assert beliefs(UserCentric("paper", window=3)) == (rates,)
    both = Split(new=DemandFirst(), known=UserCentric("paper", window=3))
    assert beliefs(both) == (Prospect(), FirstGain(), rates)
    assert beliefs(Split(new=both, known=both)) == (Prospect(), FirstGain(), rates)


def test_pages_say_which_belief_is_missing():
    """Beliefs are no ordinary column, and a policy without its beliefs says which it needs."""
    assert "beliefs" not in Pages.column_names()
    assert len(Pages.column_names()) == 13
    with pytest.raises(LookupError, match=r"GainRate\(\)"):
        UserCentric()(known([0]), 1.0)
