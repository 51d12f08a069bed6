"""Rules that keep to a plan fetch what the plan says, at any budget, and spend what it leaves."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import gammainc

from sought.beliefs.bayes_rate import BayesRate
from sought.beliefs.regular_rate import RegularRate
from sought.beliefs.signal_quality import SignalRecall
from sought.beliefs.significant_rate import SignificantRate, SignificantShare
from sought.beliefs.views import Views
from sought.lab.replay.conformance import PROMISES
from sought.policy import RoundRobin
from sought.policy.embarrassment_based import EmbarrassmentBased
from sought.policy.lambda_crawl import LambdaCrawl
from sought.policy.optimal_freshness import OptimalFreshness, index
from sought.policy.poisson_rates import PoissonRates, poisson_rates
from sought.policy.solvers.frequencies import optimal_frequencies
from sought.policy.solvers.harmonic import harmonic_rates
from sought.policy.staleness_based import StalenessBased
from sought.web.errors import BadInput
from sought.web.pages import NEVER, Pages

DAY = 86400.0
NOW = 1000 * DAY
RULES = [StalenessBased(), EmbarrassmentBased(), OptimalFreshness(), PoissonRates(), LambdaCrawl()]
VARIANTS = [
    StalenessBased(0.3, "integer", 12, DAY),
    EmbarrassmentBased(form="integer"),
    OptimalFreshness(RegularRate(), "same", "age"),
    PoissonRates(weight="same", floor=0.4),
    LambdaCrawl(weight="same", per_host=2.0),
]


def table(age, beliefs, *, pace=0.0, signal=None, host=None, key=None):
    """Pages fetched so many days ago (None: never), with these beliefs; signals so many days ago."""
    n = len(age)
    last = np.array([-np.inf if a is None else NOW - a * DAY for a in age])
    return Pages(
        key=np.arange(n, dtype=np.uint64) if key is None else key,
        host=np.zeros(n, np.uint32) if host is None else np.array(host, np.uint32),
        depth=np.zeros(n, np.uint16),
        found=np.zeros(n),
        last_fetch=last,
        last_change=np.full(n, -np.inf),
        fetches=np.isfinite(last).astype(np.uint16),
        changes=np.zeros(n, np.uint16),
        inlinks=np.zeros(n, np.uint32),
        signal=np.full(n, -np.inf) if signal is None else NOW - DAY * np.array(signal, float),
        live=np.isfinite(last),
        linked=np.full(n, -np.inf),
        unlinked=np.full(n, -np.inf),
        beliefs={belief: np.array(column, float) for belief, column in beliefs.items()},
        pace=pace,
    )


def order(values):
    return [int(row) for row in np.argsort(-values, kind="stable") if values[row] > NEVER]


def drawn(size, seed=4):
    rng = np.random.default_rng(seed)
    return rng.lognormal(-4, 1.0, size) / DAY, rng.lognormal(0, 1, size)


def frequencies_of(policy, beliefs, *, a_day, days, settle):
    """How often a day each page is fetched by a crawl that takes the largest values, twice a day."""
    size = len(next(iter(beliefs.values())))
    last, count = np.full(size, -DAY) * np.random.default_rng(0).random(size), np.zeros(size)
    pages = table([0] * size, beliefs, pace=a_day / DAY)
    for tick in range(2 * days):
        now = tick * DAY / 2
        pages.last_fetch[:] = last
        top = np.argpartition(-policy(pages, now), a_day // 2)[: a_day // 2]
        last[top] = now
        count[top] += tick >= 2 * settle
    return count / (days - settle)


def best_for_age(rate, weight, total):
    """With x = λ/f one more fetch takes w·(x²/2 − 1 + (1+x)e^{−x})/λ² off the mean age: of every page as much."""

    def frequencies(price):
        low, high = np.full(len(rate), -40.0), np.full(len(rate), 40.0)  # logarithms of x = λ/f
        for _ in range(100):
            middle = (low + high) / 2
            x = np.exp(middle)
            is_low = weight * (x * x / 2 - gammainc(2, x)) < price * rate**2
            low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
        return rate / np.exp(low)

    return frequencies(np.exp(brentq(lambda log: frequencies(np.exp(log)).sum() - total, -30, 30)))


@pytest.mark.parametrize("objective", ["freshness", "age"])
def test_the_largest_index_first_keeps_the_optimal_frequencies(objective):
    """No solver and no budget: whoever fetches the largest U has the optimal frequencies for what it spends."""
    rate, weight = drawn(800)
    policy = OptimalFreshness(weight="views", objective=objective)
    ours = frequencies_of(policy, {BayesRate(): rate, Views(): weight}, a_day=20, days=900, settle=300)
    best = (optimal_frequencies if objective == "freshness" else best_for_age)(rate * DAY, weight, 20.0)
    assert ours.sum() == pytest.approx(20.0)
    assert np.abs(ours - best).sum() < 0.06 * best.sum()
    busy = best > 0.02
    np.testing.assert_allclose(ours[busy], best[busy], rtol=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["fractions", "integer"])
def test_staleness_based_refreshing_keeps_to_its_plan(form):
    """At the crawl's pace pages are fetched as often as planned, and those given up are not."""
    rate, _ = drawn(800, seed=6)
    policy = StalenessBased(form=form, slots=40, cycle=10 * DAY)
    ours = frequencies_of(policy, {SignificantRate(0.5): rate}, a_day=20, days=400, settle=100)
    best = optimal_frequencies(rate * DAY, np.ones(800), 20.0)
    assert np.abs(ours - best).sum() < (0.05 if form == "fractions" else 0.2) * best.sum()
    assert ours[best == 0].sum() < 0.02 * ours.sum()


def test_poisson_rates_are_kept():
    """Azar's rates, with views for weights; a floor leaves out nobody."""
    rate, weight = drawn(800, seed=7)
    beliefs = {BayesRate(): rate, Views(): weight}
    ours = frequencies_of(PoissonRates(), beliefs, a_day=20, days=400, settle=100)
    best = poisson_rates(rate * DAY, weight, 20.0)
    assert (best == 0).sum() > 50
    assert np.abs(ours - best).sum() < 0.05 * best.sum()
    spread = frequencies_of(PoissonRates(floor=0.5), beliefs, a_day=20, days=400, settle=100)
    assert spread.min() >= 0.5 * 20 / 800 - 1 / 300  # in 300 days the last one may just be missed


def test_index_by_hand():
    """U = 1/λ − (t + 1/λ)e^{−λt}, and λt²/2 where changes are rare; age: t²/2 − 1/λ² + (t + 1/λ)e^{−λt}/λ."""
    one = np.ones(1)
    assert index(one, 2 * one)[0] == pytest.approx(1 - 3 * np.exp(-2))
    assert index(1e-9 * one, 2 * one)[0] == pytest.approx(2e-9, rel=1e-8)
    assert index(one, 2 * one, "age")[0] == pytest.approx(2 - 1 + 3 * np.exp(-2))
    assert index(1e-9 * one, 3 * one, "age")[0] == pytest.approx(9e-9, rel=1e-8)
    ages = np.geomspace(1e-4, 1e3, 2000)
    for objective in ("freshness", "age"):
        values = index(np.ones(2000), ages, objective)
        assert (np.diff(values)[ages[1:] < 30] > 0).all()
        near = (ages > 0.01) & (ages < 0.04)
        assert (np.diff(values[near], 2) > 0).all()  # no step where the series ends
    assert not index(0 * one, one)


@pytest.mark.parametrize("policy", RULES + VARIANTS)
def test_a_pace_without_bounds_is_a_pace(policy):
    """However large a budget is, values are numbers."""
    beliefs = dict.fromkeys(policy.beliefs, [0.1 / DAY] * 4)
    for pace in (1e-300, 1e300):
        assert np.isfinite(policy(table([5, 9, 50, 20], beliefs, pace=pace), NOW)).all()


def test_a_page_too_fast_for_the_budget_is_given_up():
    """It is fetched after all pages that can be kept fresh; with more budget it has its turn.  (Unlike age.)"""
    rates = {SignificantRate(0.5): [100 / DAY, 0.01 / DAY, 0.02 / DAY]}
    age = [200, 100, 100]
    assert order(StalenessBased()(table(age, rates, pace=0.02 / DAY), NOW)) == [2, 1, 0]
    assert order(StalenessBased()(table(age, rates, pace=500 / DAY), NOW))[0] == 0


def test_nothing_is_stale_at_tau_one():
    """As printed, "exceeds 1" never happens: every rate is 0, and all pages come in turn."""
    age = [3, 9, None, 5]
    for form in ("fractions", "integer"):
        pages = table(age, {SignificantRate(1.0): [0.0] * 4}, pace=1.0)
        assert order(StalenessBased(tau=1.0, form=form)(pages, NOW)) == order(RoundRobin()(pages, NOW)) == [1, 3, 0]


@pytest.mark.parametrize("form", ["fractions", "integer"])
def test_embarrassment_is_weighed_by_views_and_large_changes(form):
    """Of equal pages the one seen more, or with more large changes, comes first; without either, last and in turn."""
    beliefs = {
        RegularRate(): [0.05 / DAY] * 6,
        SignificantShare(0.5): [0.5, 0.5, 1.0, 0.0, 1.0, 1.0],
        Views(): [9.0, 1.0, 1.0, 9.0, 0.0, 9.0],
    }
    pages = table([20, 20, 20, 30, 40, None], beliefs, pace=0.5 / DAY)
    assert order(EmbarrassmentBased(form=form, slots=100, cycle=DAY)(pages, NOW)) == [0, 2, 1, 4, 3]


@pytest.mark.parametrize("policy", RULES)
def test_new_pages_are_not_for_them_and_without_a_pace_they_rank(policy):
    """Pages never fetched get NEVER; while the pace is not known, the older of equals still comes first."""
    beliefs = dict.fromkeys(policy.beliefs, [0.1 / DAY] * 4)
    assert order(policy(table([5, None, 50, 20], beliefs), NOW)) == [2, 3, 0]
    assert order(policy(table([5, None, 50, 20], beliefs, pace=1.0), NOW)) == [2, 3, 0]
    assert len(policy(table([], {belief: [] for belief in policy.beliefs}), NOW)) == 0


def test_no_page_is_given_up_by_lambda_crawl():
    """Its rates are those of the harmonic cost."""
    rate, weight = drawn(800, seed=8)
    beliefs = {BayesRate(): rate, SignalRecall(): np.ones(800), Views(): weight}
    ours = frequencies_of(LambdaCrawl(), beliefs, a_day=20, days=500, settle=100)
    best = harmonic_rates(rate * DAY, weight, np.zeros(800, bool), 20.0)
    assert np.abs(ours - best).sum() < 0.05 * best.sum()
    assert (ours[best > 1.2 / 400] > 0).all()
    assert best.min() > 0


def test_announced_changes_are_due_at_once():
    """A signal since the last fetch comes before pages whose time has not come; without one a page is idle."""
    beliefs = {BayesRate(): [0.1 / DAY] * 5, SignalRecall(): [0.9] * 5, Views(): [1.0] * 5}
    #               told, fetched since; told; told earlier; never told; told for tomorrow
    pages = table([1, 5, 9, 2, 9], beliefs, pace=0.5 / DAY, signal=[2, 1, 3, np.inf, -1])
    value = LambdaCrawl()(pages, NOW)
    assert order(value) == [2, 1, 4, 3, 0]
    assert (value[[1, 2]] >= 1.0).all()
    assert value[0] < 0.0  # idle
    assert value[4] == pytest.approx(4.5 * value[3])  # by their ages


@pytest.mark.parametrize("recall", [0.0, 0.89, np.nan])
def test_signals_that_miss_changes_do_not_starve_a_page(recall):
    """Where signals do not tell nearly all changes, pages with and without one are fetched as if none had come."""
    beliefs = {BayesRate(): [0.1 / DAY] * 4, SignalRecall(): [recall] * 4, Views(): [1.0] * 4}
    told, none = (
        LambdaCrawl()(table([40, 5, 9, 2], beliefs, pace=0.5 / DAY, signal=signal), NOW)
        for signal in ([50, 1, -1, np.inf], [np.inf] * 4)
    )
    assert (told == none).all()
    assert order(told) == [0, 2, 1, 3]


def test_a_signal_of_the_future_does_not_starve_a_page():
    """However good signals are, one that lies in the future is none, until its time has come."""
    beliefs = {BayesRate(): [0.1 / DAY] * 3, SignalRecall(): [1.0] * 3, Views(): [1.0] * 3}
    pages = table([30, 10, 20], beliefs, pace=0.3 / DAY, signal=[-400, -400, np.inf])
    assert order(LambdaCrawl()(pages, NOW)) == [0, 2, 1]
    assert (LambdaCrawl()(pages, NOW) > 0.0).all()
    assert (LambdaCrawl()(pages, NOW + 401 * DAY)[:2] > 1.0).all()


def test_announced_changes_are_fetched_with_the_best_probability():
    """A hash of page and signal decides: the share is π, another signal is another chance, and the same is the same."""
    size = 4000
    beliefs = {BayesRate(): [0.2 / DAY] * size, SignalRecall(): [1.0] * size}
    key = np.random.default_rng(1).integers(0, 2**64, size, dtype=np.uint64)
    policy, pace = LambdaCrawl(weight="same"), 0.3 * 0.2 / DAY * size  # π = 0.3
    taken = [policy(table([9] * size, beliefs, pace=pace, signal=[s] * size, key=key), NOW) > 0 for s in (1, 2)]
    for each in taken:
        assert each.mean() == pytest.approx(0.3, abs=0.03)
    assert (taken[0] & taken[1]).mean() == pytest.approx(0.09, abs=0.02)
    again = policy(table([9] * size, beliefs, pace=pace, signal=[1] * size, key=key), NOW + DAY) > 0
    assert (again == taken[0]).all()


def test_a_host_keeps_to_its_fetches_a_day():
    """With a cap, a large host's pages wait longer, and the others are fetched more."""
    host = [0] * 90 + [1] * 10
    beliefs = {BayesRate(): [0.1 / DAY] * 100, SignalRecall(): [0.0] * 100}
    pages = table([10] * 100, beliefs, pace=20 / DAY, host=host)
    free, capped = (LambdaCrawl(weight="same", per_host=cap)(pages, NOW) for cap in (0.0, 9.0))
    np.testing.assert_allclose(free, 10 * 20 / 100)
    np.testing.assert_allclose(capped, np.where(np.array(host) == 0, 10 * 9 / 90, 10 * 9 / 10))


@pytest.mark.parametrize("policy", VARIANTS)
@pytest.mark.parametrize(("name", "kept"), PROMISES)
def test_conformance_of_variants(policy, name, kept):
    """What every policy promises, with other parameters than the defaults."""
    kept(policy)


@pytest.mark.parametrize(
    ("policy", "wrong"),
    [
        (StalenessBased, {"tau": 1.5}),
        (StalenessBased, {"form": "halves"}),
        (StalenessBased, {"slots": 0}),
        (EmbarrassmentBased, {"cycle": 0.0}),
        (EmbarrassmentBased, {"tau": -1.0}),
        (OptimalFreshness, {"objective": "fame"}),
        (OptimalFreshness, {"rate": 3.0}),
        (PoissonRates, {"floor": -0.1}),
        (PoissonRates, {"weight": "gold"}),
        (LambdaCrawl, {"per_host": -1.0}),
    ],
)
def test_a_wrong_parameter_is_named(policy, wrong):
    """BadInput says which of whose."""
    with pytest.raises(BadInput, match=f"{policy.__name__}: {next(iter(wrong))}"):
        policy(**wrong)
