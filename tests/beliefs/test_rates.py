"""Rates of change: known values, the equations they solve, and the promises of every learner."""

import json
import math
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.clusters.clustering import Cluster
from sought.beliefs.interval_rate import IntervalRate
from sought.beliefs.last_modified_rate import LastModifiedRate
from sought.beliefs.moment_rate import MomentRate
from sought.beliefs.online_rate import OnlineRate
from sought.beliefs.rate_evidence import GRID
from sought.beliefs.regular_rate import RegularRate
from sought.beliefs.significant_rate import SignificantRate, SignificantShare
from sought.web.errors import BadInput
from sought.web.pages import Pages
from sought.web.policy import beliefs_of
from tests.testing.fetch_logs import fetches

DAY = 86400.0
YEAR = 365.25 * DAY
ROWS = 12
ESTIMATORS = [
    RegularRate(),
    IntervalRate(),
    IntervalRate(window=1),
    MomentRate(),
    MomentRate(window=3),
    LastModifiedRate(),
    LastModifiedRate(corrected=False),
    OnlineRate(),
    BayesRate(),
    BayesRate("same"),
    BayesRate("cluster"),
    BayesRate(half_life=3 * DAY),
    SignificantRate(),
    SignificantShare(0.3),
]


def known(hosts):
    """Pages of which only the host matters, and the cluster: every third has none."""
    n = len(hosts)
    cluster = np.where(np.arange(n) % 3 == 2, -1.0, np.arange(n) % 4)
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
        beliefs={Cluster(): cluster},
    )


def batch(log):
    """From (row, time, gap, changed, difference, modified)."""
    columns = list(zip(*log, strict=True)) if log else [()] * 6
    row, time, gap, changed, difference, modified = columns
    return fetches(row, time, gap, changed, difference=difference, modified=modified)


def learned(estimator, *logs):
    learner = estimator.learner()
    for log in logs:
        learner.learn(batch(log) if isinstance(log, list) else log)
    return learner


def visits(row, gaps, changed, **more):
    """One page's fetches, a gap after the other, from 2001 on."""
    time = 1e9 + np.cumsum(gaps)
    return fetches([row] * len(gaps), time, gaps, changed, **more)


def rate(estimator, gaps, changed, **more):
    """Changes a day of a page with this history."""
    return learned(estimator, visits(0, np.array(gaps, float) * DAY, changed, **more)).column(known([0]))[0] * DAY


logs = st.lists(
    st.tuples(
        st.integers(0, ROWS - 1),
        st.floats(0, 90 * DAY),  # not in order: what is applied later may have been fetched before
        st.one_of(
            st.sampled_from([math.inf, -math.inf, math.nan, 0.0, 1e-7, -1.0, 1e-6, 1e300]), st.floats(1.0, 30 * DAY)
        ),
        st.booleans(),
        st.one_of(st.just(math.nan), st.floats(0, 1)),
        st.one_of(st.sampled_from([math.nan, math.inf, -math.inf, -1e300, 1e300]), st.floats(0, 90 * DAY)),
    ),
    max_size=60,
)
hosts = st.lists(st.integers(0, 4), min_size=ROWS, max_size=ROWS)
histories = st.lists(st.tuples(st.floats(0.01, 400.0), st.booleans()), min_size=1, max_size=80)


# ------------------------------------------------------------------------------------------------ known values


def chances(p):
    """Of 0, 1, … 10 changes in 10 fetches."""
    return np.array([math.comb(10, x) * p**x * (1 - p) ** (10 - x) for x in range(11)])


def test_the_regular_rate_is_all_but_unbiased_until_it_saturates():
    """Mean of 10 fetches: .100, .500, 1.495 where changes in a gap are .1, .5, 1.5; 2.56 of 3; at most ln(2n + 1)."""
    found = [rate(RegularRate(), [1.0] * 10, [True] * x + [False] * (10 - x)) for x in range(11)]
    means = [np.sum(chances(-math.expm1(-true)) * found) for true in (0.1, 0.5, 1.5, 3.0)]
    assert means == pytest.approx([0.100, 0.500, 1.495, 2.56], abs=0.0051)
    assert found[0] == 0.0
    assert found[10] == pytest.approx(math.log(21))


def test_the_regular_rate_has_no_more_to_say_than_the_mean_gap():
    """Gaps that differ count by their mean."""
    assert rate(RegularRate(), [1, 9], [True, False]) == pytest.approx(rate(RegularRate(), [5, 5], [False, True]))


def dated_pages(count, fetched, true, gaps):
    """A log of pages whose servers say when they were modified; rate `true` a day, gaps of days as drawn."""
    rng = np.random.default_rng(20030101)
    gap = gaps(rng, (count, fetched)) * DAY
    since = rng.exponential(1 / true, (count, fetched)) * DAY  # memoryless: from the last change, looking back
    changed = since < gap
    time = 1e9 + np.cumsum(gap, axis=1)
    row = np.repeat(np.arange(count), fetched)
    modified = np.where(changed, time - since, 0.0).ravel()
    return fetches(row, time.ravel(), gap.ravel(), changed.ravel(), modified=modified)


def every_day(rng, size):
    return np.ones(size)


def up_to_two_days(rng, size):
    return rng.uniform(0, 2, size)


@pytest.mark.parametrize(
    ("gaps", "corrected", "plain"), [(up_to_two_days, 0.511, 0.543), (every_day, 0.502, 0.532)], ids=["any", "regular"]
)
def test_dates_with_and_without_the_correction(gaps, corrected, plain):
    """Rate .5, 10 fetches: .511 on average with the correction and .543 without, as in the specification's table.

    It does not say at which gaps; these are of 0 to 2 days.  For gaps of a day the same formulas, over two million
    pages, have .502 and .532.
    """
    log, pages = dated_pages(20_000, 10, 0.5, gaps), known(np.zeros(20_000))
    found = [learned(LastModifiedRate(each), log).column(pages).mean() * DAY for each in (True, False)]
    assert found == pytest.approx([corrected, plain], abs=0.006)


def test_a_date_is_worth_more_than_a_bit():
    """Where nearly every fetch finds a change, dates still tell the rate."""
    log, pages = dated_pages(5000, 10, 5.0, every_day), known(np.zeros(5000))
    by_date, by_bit = (learned(each, log).column(pages) * DAY for each in (LastModifiedRate(), RegularRate()))
    assert by_date.mean() == pytest.approx(5.0, rel=0.03)
    assert by_bit.mean() < 3.1


# ------------------------------------------------------------------------------------- equations that are solved


def findings(history, window, *, merged):
    """The last of them; with `merged`, unchanged ones in a row are one."""
    kept: list = []
    for gap, changed in history:
        if merged and kept and not changed and not kept[-1][1]:
            kept[-1] = (kept[-1][0] + gap, False)
        else:
            kept.append((gap, changed))
    kept = kept[-window:]
    return np.array([g for g, c in kept if c]), np.array([g for g, c in kept if not c])


def check_root(found, excess):
    """`excess` falls with the rate and is 0 at the one found, or beyond the bounds."""
    if found <= 0.0005 * (1 + 1e-9):
        assert excess(found) <= 1e-5
    elif found >= 7.0 * (1 - 1e-9):
        assert excess(found) >= -1e-5
    else:
        assert excess(found * (1 - 1e-5)) >= 0 >= excess(found * (1 + 1e-5))


@settings(max_examples=200)
@given(history=histories, window=st.integers(1, 64))
def test_the_interval_rate_is_where_the_likelihood_is_highest(history, window):
    """Σ w/(e^{λw} − 1) over changed = Σ w over unchanged gaps, with half a mean gap of each kind."""
    changed, unchanged = findings(history, window, merged=True)
    mean = np.mean([gap for gap, _ in history])
    w, weight = np.append(changed, mean), np.append(np.ones(len(changed)), 0.5)
    found = rate(IntervalRate(window), *zip(*history, strict=True))
    check_root(found, lambda r: np.sum(weight * w / np.expm1(np.minimum(r * w, 700))) - unchanged.sum() - mean / 2)


@settings(max_examples=200)
@given(history=histories, window=st.integers(1, 64))
def test_the_moment_rate_expects_what_was_found(history, window):
    """Σ (1 − e^{−λw}) = number of changes, with half a mean gap of each kind."""
    changed, unchanged = findings(history, window, merged=False)
    gaps = np.concatenate([changed, unchanged, [np.mean([gap for gap, _ in history])]])
    found = rate(MomentRate(window), *zip(*history, strict=True))
    check_root(found, lambda r: len(changed) + 0.5 - np.sum(-np.expm1(-r * gaps)))


@settings(max_examples=200)
@given(history=histories)
def test_a_page_whose_server_says_nothing_has_the_regular_rate(history):
    """Bits alone, and dates that cannot be true: after the fetch, or before the one before though it has changed."""
    gaps, changed = zip(*history, strict=True)
    expected = rate(RegularRate(), gaps, changed)
    assert rate(LastModifiedRate(), gaps, changed) == expected
    assert rate(LastModifiedRate(), gaps, changed, modified=[1e300] * len(gaps)) == expected
    assert rate(LastModifiedRate(), gaps, changed, modified=[1e9 - 1.0] * len(gaps)) == expected


@settings(max_examples=200)
@given(
    history=st.lists(st.tuples(st.floats(0.01, 90.0), st.booleans(), st.booleans(), st.floats(0.01, 0.99)), min_size=2)
)
def test_dates_and_bits_together(history):
    """λ·(known time without change + expected time of bits at λ) = the corrected number of changes."""
    gaps, changed, dated, share = (np.array(each) for each in zip(*history, strict=True))
    time = 1e9 + np.cumsum(gaps * DAY)
    found = rate(LastModifiedRate(), gaps, changed, modified=np.where(dated, time - share * gaps * DAY, np.nan))
    count, changes, with_date = len(gaps), changed.sum(), changed & dated
    if not with_date.any():
        assert found == rate(RegularRate(), gaps, changed)
        return
    correction = changes / (count * math.log(1 - changes / count)) if changes < count else 0.0
    without = np.sum(np.maximum(share * gaps, 1 / DAY)[with_date]) + gaps[~changed].sum()
    bits = changed & ~dated
    w = gaps[bits].mean() if bits.any() else 1.0
    expected = 1 / found - w / math.expm1(min(found * w, 700.0))
    assert found * (without + bits.sum() * expected) == pytest.approx(changes - 1 - correction, rel=1e-5)


def test_a_change_and_no_more():
    """The correction leaves nothing of one change in one fetch: then the regular rate is told."""
    told = {"modified": [1e9]}
    assert rate(LastModifiedRate(), [2.0], [True], **told) == rate(RegularRate(), [2.0], [True]) > 0
    assert rate(LastModifiedRate(), [2.0], [False], **told) == 0.0
    assert rate(LastModifiedRate(corrected=False), [2.0], [True], modified=[1e9 + 2 * DAY]) == pytest.approx(DAY)


@settings(max_examples=100)
@given(history=histories, step=st.floats(0.1, 3.0), power=st.floats(0.51, 1.0))
def test_the_online_rate_is_the_formula(history, step, power):
    """λ + a·(o − (1 − e^{−λw})), kept within bounds, with a = step/(k^power · mean gap so far, and a day)."""
    found, time = 0.0005, 0.0
    for k, (gap, changed) in enumerate(history, 1):
        time += gap
        found += step / k**power / ((time + 1) / k) * (changed - (1 - math.exp(-found * gap)))
        found = min(max(found, 0.0005), 7.0)
    assert rate(OnlineRate(step, power), *zip(*history, strict=True)) == pytest.approx(found, rel=1e-6)


@pytest.mark.parametrize("estimator", [IntervalRate(64), MomentRate(64), BayesRate()], ids=repr)
@pytest.mark.parametrize("true", [0.05, 0.3, 1.0])
def test_gaps_of_any_length_tell_the_rate(estimator, true):
    """Where changes come by a Poisson process, estimators come near its rate on average over pages."""
    rng, count, seen = np.random.default_rng(7), 300, 60
    gaps = rng.exponential(2.0, (seen, count))
    changed = rng.random(gaps.shape) < -np.expm1(-true * gaps)
    row, time = np.tile(np.arange(count), seen), 1e9 + DAY * np.cumsum(gaps, axis=0)
    log = fetches(row, time.ravel(), gaps.ravel() * DAY, changed.ravel())
    assert learned(estimator, log).column(known(np.zeros(count))).mean() * DAY == pytest.approx(true, rel=0.08)


@pytest.mark.parametrize("true", [0.05, 0.3, 1.0])
def test_the_online_rate_comes_to_be_the_rate(true):
    """In the long run, whatever the gaps are: after 4,000 fetches within a few percent, on average over pages."""
    rng, count, seen = np.random.default_rng(7), 50, 4000
    gaps = rng.exponential(2.0, (seen, count))
    changed = rng.random(gaps.shape) < -np.expm1(-true * gaps)
    row, time = np.tile(np.arange(count), seen), 1e9 + DAY * np.cumsum(gaps, axis=0)
    log = fetches(row, time.ravel(), gaps.ravel() * DAY, changed.ravel())
    assert learned(OnlineRate(), log).column(known(np.zeros(count))).mean() * DAY == pytest.approx(true, rel=0.05)


# -------------------------------------------------------------------------------------------- significant changes


def test_more_than_tau_and_tau_or_more():
    """As printed: a rate counts changes that exceed tau, a share those of tau or more; errata 7."""
    differences, changed = [0.0, 0.5, 0.6, 1.0], [False, True, True, True]
    two_of_four = rate(RegularRate(), [1] * 4, [True, True, False, False])
    assert rate(SignificantRate(0.5), [1] * 4, changed, difference=differences) == pytest.approx(two_of_four)
    assert rate(SignificantRate(1.0), [1] * 4, changed, difference=differences) == 0.0
    share = {
        each: rate(SignificantShare(each), [1] * 4, changed, difference=differences) / DAY for each in (0.5, 0.6, 1.0)
    }
    assert list(share.values()) == pytest.approx([1.0, 2 / 3, 1 / 3])


def test_without_updates_none_is_significant():
    """A page that never changed, one fetched once, and one never fetched: 0."""
    learner = learned(SignificantShare(0.0), visits(0, [DAY], [False]), fetches([1], [1e9], [np.inf], [True]))
    assert learner.column(known([0, 0, 0])).tolist() == [0.0, 0.0, 0.0]


# ------------------------------------------------------------------------------------------------------- Bayes


def drawn_pages(shape, mean, hosts, count, seen, seed=11):
    """A log of pages whose rates are drawn: Gamma around the mean (a day) of their host."""
    rng = np.random.default_rng(seed)
    host = rng.integers(0, hosts, count)
    true = rng.gamma(shape, np.broadcast_to(mean, hosts)[host] / shape)
    gaps = rng.exponential(5.0, (seen, count))
    changed = rng.random(gaps.shape) < -np.expm1(-true * gaps)
    time = 1e9 + DAY * np.cumsum(gaps, axis=0)
    log = fetches(np.tile(np.arange(count), seen), time.ravel(), gaps.ravel() * DAY, changed.ravel())
    return log, host, true


@pytest.mark.parametrize("prior", ["same", "host"])
@pytest.mark.parametrize(
    ("shape", "mean", "seen"), [(1.0, 0.1, 10), (2.0, 0.05, 4), (0.7, 0.5, 6), (3.0, 1.0, 6), (1.0, 0.02, 3)]
)
def test_eighty_of_a_hundred_intervals_hold_the_rate(prior, shape, mean, seen):
    """Pages drawn from a Gamma the learner is not told: it finds it, and its intervals are neither wide nor narrow."""
    log, host, true = drawn_pages(shape, mean, 20, 4000, seen)
    learner = learned(BayesRate(prior), log)
    learner.column(known(host))
    rows = range(1500)
    interval = np.array([learner.terms(row)["interval_a_day"] for row in rows])
    assert 0.75 <= np.mean((interval[:, 0] <= true[rows]) & (true[rows] <= interval[:, 1])) <= 0.85
    assert learner.terms(0)["prior_a_day"] == pytest.approx(mean, rel=0.15)


def test_hosts_have_priors_of_their_own():
    """Where hosts differ, a page of which nothing is known is as its host; where they do not, as all pages."""
    means = np.geomspace(0.01, 0.5, 10)
    log, host, _ = drawn_pages(1.0, means, 10, 2000, 3)
    new = known([*host, *range(10), 11])  # pages never fetched, the last on a host never seen
    by_host = learned(BayesRate("host"), log).column(new)[2000:] * DAY
    assert by_host[:10] == pytest.approx(means, rel=0.35)
    assert by_host.min() < by_host[10] < by_host[:10].max()
    log, host, _ = drawn_pages(1.0, 0.1, 200, 2000, 3)
    alike = learned(BayesRate("host"), log).column(known([*host, *range(200)]))[2000:] * DAY
    assert alike == pytest.approx(np.full(200, 0.1), rel=0.3)


def test_less_is_known_of_a_page_whose_host_is_not_known():
    """Where hosts differ, the interval of a new page is wider on a host never seen."""
    means = np.geomspace(0.01, 0.5, 40)
    log, host, _ = drawn_pages(3.0, np.random.default_rng(5).permutation(means), 40, 4000, 6)
    learner = learned(BayesRate("host"), log)
    learner.column(known([*host, 0, 41]))
    (low, high), (least, most) = (learner.terms(row)["interval_a_day"] for row in (4000, 4001))
    assert high / low < 8 < 20 < most / least


def test_clusters_have_priors_and_hosts_stand_in():
    """A page in a cluster is as others of it; one in none, as its host."""
    log, cluster, _ = drawn_pages(1.0, [0.02, 0.4], 2, 1000, 4)
    pages = known(np.zeros(1003))
    column = np.append(cluster.astype(float), [0.0, 1.0, -1.0])
    learner = learned(BayesRate("cluster"), log)
    slow, fast, none = learner.column(replace(pages, beliefs={Cluster(): column}))[1000:] * DAY
    assert (slow, fast) == pytest.approx((0.02, 0.4), rel=0.3)
    assert slow < none < fast
    assert [learner.terms(row)["prior_of"] for row in (1000, 1002)] == ["cluster", "host"]
    assert beliefs_of(type("Policy", (), {"beliefs": (BayesRate("cluster"),)})()) == (BayesRate("cluster"), Cluster())
    assert BayesRate("host").beliefs == ()


@settings(max_examples=60)
@given(history=histories)
@example(history=[(0.01, True)])  # 3.1 % off
def test_the_bayes_rate_is_the_mean_of_the_posterior(history):
    """By numerical integration over the rates of the grid, with the prior the learner found."""
    gaps, changed = (np.array(each) for each in zip(*history, strict=True))
    learner = learned(BayesRate(), visits(0, gaps * DAY, changed))
    found = learner.column(known([0]))[0] * DAY
    prior = learner.groupings[0].prior
    shape, scale = prior.shape[0], prior.shape[0] / (prior.mean[0] * DAY)

    def log_density(x):
        lam = math.exp(x)
        seen = np.sum(np.log(-np.expm1(-lam * gaps[changed]))) - lam * gaps[~changed].sum()
        return seen + shape * x - scale * lam

    low, high = np.log(GRID[[0, -1]] * DAY)
    if not changed.any():
        assert found == pytest.approx(max(shape / (scale + gaps.sum()), 0.0005), rel=1e-6)
        return
    points = np.linspace(low, high, 2000)
    logs = np.array([log_density(x) for x in points])
    top, at = logs.max(), points[logs.argmax()]
    whole, first = (
        quad(lambda x, k=k: math.exp(log_density(x) - top + k * x), low, high, points=[at], limit=500)[0]
        for k in (0, 1)
    )
    is_short = gaps[changed].min() < 0.02  # days; there the grid is farthest off
    assert found == pytest.approx(first / whole, rel=0.035 if is_short else 0.03)


def test_old_evidence_fades():
    """A page that used to change and does no more: the rate falls sooner with a half-life, and not by looking at it."""
    gaps, changed = [1.0] * 60, [True] * 30 + [False] * 30
    steady, fading = (rate(BayesRate(half_life=each), gaps, changed) for each in (0.0, 5 * DAY))
    assert fading < steady / 3
    late = visits(0, [DAY], [True])
    learner = learned(BayesRate(half_life=5 * DAY), visits(0, np.full(60, DAY), changed))
    before = learner.column(known([0]))[0]
    learner.learn(replace(late, time=np.array([1e6])))  # thousands of half-lives ago
    assert learner.column(known([0]))[0] == pytest.approx(before, rel=1e-6)


def test_pages_fetched_once_and_nothing_known():
    """Before any page was fetched twice, all change once a year."""
    for estimator in ESTIMATORS:
        learner = learned(estimator, fetches([0, 1], [1e9, 1e9], [np.inf, np.inf], [True, True]))
        expected = 0.0 if isinstance(estimator, SignificantShare) else 1 / YEAR
        assert learner.column(known([0, 0, 3])) == pytest.approx([expected] * 3, rel=1e-12)
        assert learner.terms(0).get("fetches", 0) == 0
        assert learner.column(known([])).shape == (0,)


# ---------------------------------------------------------------------------------------------- every estimator


@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if not isinstance(e, BayesRate | SignificantShare)], ids=repr
)
def test_pages_without_history_are_as_their_host(estimator):
    """The mean of pages on the host that have one, else of all that have one."""
    log = [visits(row, [DAY] * 3, [row > 1, row > 0, False]) for row in range(3)]
    column = learned(estimator, *log).column(known([0, 0, 1, 0, 1, 2]))
    assert column[3] == pytest.approx((column[0] + column[1]) / 2)
    assert column[4] == column[2]
    assert column[5] == pytest.approx(column[:3].mean())


@pytest.mark.slow
@settings(max_examples=300)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, hosts=hosts, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_batches_do_not_matter(estimator, log, hosts, cuts):
    """Wherever the log is cut, and if one looks in between: the same bits, and finite ones, whatever the log says."""
    pages = known(hosts)
    whole = learned(estimator, log).column(pages)
    learner = estimator.learner()
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), len(log)], strict=True):
        learner.learn(batch(log[start:stop]))
        learner.column(pages)
        learner.terms(0)
    assert learner.column(pages).tobytes() == whole.tobytes()
    assert np.isfinite(whole).all()
    assert (whole >= 0).all()
    if not isinstance(estimator, SignificantShare):
        assert (whole <= 20.0 * 1e6).all()


@settings(max_examples=150)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, hosts=hosts, seed=st.integers(0, 2**32 - 1))
def test_the_order_of_rows_does_not_matter(estimator, log, hosts, seed):
    """The same pages at other rows, under other keys: the same bits; and page by page, but for rounding."""
    pages, at = known(hosts), np.random.default_rng(seed).permutation(ROWS)
    whole = learned(estimator, log).column(pages)
    cluster = np.empty(ROWS)
    cluster[at] = pages.belief(Cluster())
    host = np.empty(ROWS, np.uint32)
    host[at] = pages.host
    moved = replace(pages, host=host, key=pages.key + np.uint64(seed), beliefs={Cluster(): cluster})
    elsewhere = learned(estimator, [(int(at[row]), *more) for row, *more in log]).column(moved)
    assert elsewhere[at].tobytes() == whole.tobytes()
    page_by_page = sorted(log, key=lambda fetch: fetch[0])
    assert learned(estimator, page_by_page).column(pages) == pytest.approx(whole, rel=1e-7)


@settings(max_examples=100)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, hosts=hosts, noise=st.integers(0, 2**32 - 1))
def test_only_what_was_learnt_is_believed(estimator, log, hosts, noise):
    """Nothing else that stands in the table, and nothing another learner has seen, matters."""
    believed = learned(estimator, log).column(known(hosts))
    pages, rng = known(hosts), np.random.default_rng(noise)
    for name in ("depth", "found", "last_fetch", "last_change", "fetches", "changes", "inlinks", "signal"):
        getattr(pages, name)[:] = rng.integers(0, 1000, ROWS)
    assert learned(estimator, log).column(pages).tobytes() == believed.tobytes()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_a_long_log(estimator):
    """Rings that go round and tables that grow: cut into batches the same bits, page by page the same but rounding."""
    rng, count, rows = np.random.default_rng(0), 20_000, 3000
    row, gap = rng.integers(0, rows, count), rng.exponential(5 * DAY, count)
    row[:2000] = 7
    time = 1e9 + np.arange(count) * 600.0
    changed = rng.random(count) < 0.3
    more = {
        "difference": rng.random(count) * changed,
        "modified": np.where(rng.random(count) < 0.5, time - gap / 2, np.nan),
    }
    pages = known(np.arange(rows) % 50)

    def part(which):
        return fetches(row[which], time[which], gap[which], changed[which], **{n: v[which] for n, v in more.items()})

    whole = learned(estimator, part(slice(None))).column(pages)
    learner = estimator.learner()
    for start in range(0, count, 997):
        learner.learn(part(slice(start, start + 997)))
        if start % 3 == 0:
            learner.column(pages)
    assert learner.column(pages).tobytes() == whole.tobytes()
    page_by_page = np.argsort(row, kind="stable")
    assert learned(estimator, part(page_by_page)).column(pages) == pytest.approx(whole, rel=1e-9)
    assert learner.terms(7)["changes"] == changed[row == 7].sum() or isinstance(estimator, SignificantRate)


@pytest.mark.parametrize("estimator", [e for e in ESTIMATORS if not isinstance(e, SignificantShare)], ids=repr)
def test_terms_tell_what_a_rate_is_made_of(estimator):
    """The rate of the column, per day; how many fetches and changes it is from; and how sure it is."""
    history = visits(0, [DAY] * 8, [True, False, False, True] * 2, modified=1e9 + DAY * (np.arange(8) + 0.5))
    learner = learned(estimator, history)
    column = learner.column(known([0, 0]))
    terms = learner.terms(0)
    assert terms["rate_a_day"] == pytest.approx(column[0] * DAY)
    assert json.loads(json.dumps(terms)).keys() == terms.keys()
    assert (terms["fetches"], terms["changes"]) == (8, 4)
    if "interval_a_day" in terms:
        low, high = terms["interval_a_day"]
        assert low < terms["rate_a_day"] < high
    elif not isinstance(estimator, OnlineRate):
        assert 0.0 < terms["standard_error_a_day"] < 3 * terms["rate_a_day"]
    assert learner.terms(1)["fetches"] == 0


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_values(estimator):
    """An estimator is a value whose repr is its name; rates do not go by demand, and that is no parameter."""
    made = eval(repr(estimator), {type(estimator).__name__: type(estimator)})  # as expressions in sought.toml, safely
    assert made == estimator
    assert hash(estimator) == hash(replace(estimator))
    assert type(estimator).goes_by_demand is False
    assert "goes_by_demand" not in {field.name for field in fields(estimator)}


@pytest.mark.parametrize(
    ("estimator", "wrong"),
    [
        (IntervalRate, {"window": 0}),
        (IntervalRate, {"window": 65}),
        (MomentRate, {"window": 2.0}),
        (LastModifiedRate, {"corrected": 1}),
        (OnlineRate, {"step": 0.0}),
        (OnlineRate, {"step": math.nan}),
        (OnlineRate, {"power": 0.5}),
        (OnlineRate, {"power": 1.1}),
        (BayesRate, {"prior": "site"}),
        (BayesRate, {"half_life": -1.0}),
        (BayesRate, {"half_life": math.inf}),
        (SignificantRate, {"tau": 1.1}),
        (SignificantShare, {"tau": -0.1}),
    ],
)
def test_a_wrong_parameter_is_refused(estimator, wrong):
    """An estimator that exists can be learned; the message names the parameter."""
    with pytest.raises(BadInput, match=next(iter(wrong))):
        estimator(**wrong)
