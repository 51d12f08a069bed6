"""Refresh rules of running crawlers, and a learner that needs no model of how pages change."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.beliefs.adaptive_interval import AdaptiveInterval
from sought.beliefs.belief import HasTerms
from sought.beliefs.probes import PeriodStart, ProbedGain, ProbeShare, probe_at
from sought.lab.replay.conformance import PROMISES
from sought.policy import PageRank
from sought.policy.common_crawl import CommonCrawl
from sought.policy.frequency import Frequency
from sought.policy.mirror_sync import MirrorSync
from sought.policy.nutch import Nutch
from sought.policy.storm_crawler import StormCrawler
from sought.web.errors import BadInput
from sought.web.pages import Pages
from tests.testing.fetch_logs import fetches

MINUTE, DAY = 60.0, 86400.0
NOW = 1.7e9
ROWS = 6
RULES = [
    *Nutch().beliefs,
    *Nutch(sync=0.0).beliefs,
    *Nutch(start=2 * DAY, up=1.0, down=0.9, shortest=DAY, longest=9 * DAY, sync=0.5).beliefs,
    *StormCrawler().beliefs,
    *StormCrawler(up=0.1, down=0.3, shortest=100.0).beliefs,
]
LEARNED = [*RULES, ProbedGain(), ProbedGain(0.5), PeriodStart(0.5), ProbeShare(0.5)]


def pages_with(fetched, beliefs=None, pace=0.0, **columns):
    """A table of which only some columns matter; `fetched` are the times of last fetches."""
    n = len(fetched)
    kinds = {"fetches": np.uint16, "changes": np.uint16, "live": bool}
    table: dict[str, Any] = {
        "key": np.arange(n, dtype=np.uint64),
        "host": np.zeros(n, np.uint32),
        "depth": np.zeros(n, np.uint16),
        "found": np.zeros(n),
        "last_fetch": np.array(fetched, float),
        "last_change": np.full(n, -np.inf),
        "fetches": np.ones(n, np.uint16),
        "changes": np.zeros(n, np.uint16),
        "inlinks": np.zeros(n, np.uint32),
        "signal": np.full(n, -np.inf),
        "live": np.ones(n, bool),
        "linked": np.full(n, -np.inf),
        "unlinked": np.full(n, -np.inf),
    }
    table |= {name: np.array(column, kinds.get(name, float)) for name, column in columns.items()}
    return Pages(**table, beliefs=beliefs or {}, pace=pace)


def waits(estimator, days, changed):
    """How many days a page has to wait after each of its fetches."""
    learner, out = estimator.learner(), []
    gaps = [math.inf, *np.diff(days) * DAY]
    for day, gap, change in zip(days, gaps, changed, strict=True):
        learner.learn(fetches([0], [NOW + day * DAY], [gap], [change]))
        out.append(learner.column(pages_with([NOW]))[0] / DAY)
    return out


@pytest.mark.parametrize("policy", [CommonCrawl("same", per_day=1e308), MirrorSync(step=1e300)])
def test_parameters_too_large_to_reckon_with(policy):
    """Values are numbers nevertheless."""
    beliefs = dict.fromkeys(getattr(policy, "beliefs", ()), np.array([-1e9, 1e9, 0.5]))
    assert np.isfinite(policy(pages_with([NOW - 50 * DAY, NOW - DAY, NOW - 9], beliefs, pace=1.0), NOW)).all()


def test_nutch_by_hand():
    """30 days, 1.4 times as many if unchanged, 0.8 times if changed: inc_rate 0.4 and dec_rate 0.2."""
    changed = [True, False, False, True, True, False]
    plain = waits(*Nutch(sync=0.0).beliefs, [0, 30, 72, 131, 178, 216], changed)
    assert plain == pytest.approx([30, 42, 58.8, 47.04, 37.632, 52.6848])


def test_nutch_synchronised_by_hand():
    """Nothing changed for 30, then 63 days: intervals 42 and 63, of which 0.3 · 30 and 0.3 · 63 are taken off."""
    assert waits(*Nutch().beliefs, [0, 30, 63, 107.1], [True, False, False, True]) == pytest.approx(
        [30, 33, 44.1, 50.4]
    )


def test_nutch_keeps_to_its_bounds():
    """A minute and 365 days; and the time taken off is at most 0.3 of the latter."""
    often = waits(*Nutch().beliefs, np.arange(60) * 0.01, [True] * 60)
    assert often[-1] * DAY == 60.0
    never = waits(*Nutch(sync=0.0).beliefs, np.arange(12) * 400, [False] * 12)
    assert never[-1] == 365.0
    assert waits(*Nutch().beliefs, np.arange(12) * 400, [False] * 12)[-1] == pytest.approx(365 * 0.7)


def test_storm_crawler_by_hand():
    """A day; half as much again if unchanged, up to two weeks; half the way to an hour if changed; whole minutes."""
    changed = [True] + 8 * [False] + 4 * [True]
    minutes = np.array(waits(*StormCrawler().beliefs, np.arange(13), changed)) * DAY / MINUTE
    expected = [1440, 2160, 3240, 4860, 7290, 10935, 16402, 20160, 20160, 10110, 5085, 2572, 1316]
    assert minutes == pytest.approx(expected)


def by_the_book(rule, history):
    """The wait after (time, first, changed), … in plain Python."""
    interval, last_change, wait = 0.0, 0.0, rule.start
    for time, first, changed in history:
        if first or not interval:
            interval, last_change = rule.start, time
        elif changed:
            toward = rule.shortest if rule.form == "storm" else 0.0
            interval, last_change = (1 - rule.down) * interval + rule.down * toward, time
        else:
            interval *= 1 + rule.up
        still = max(time - last_change, 0.0) if rule.sync else 0.0
        interval = min(max(interval, still, rule.shortest), rule.longest)
        if rule.form == "storm":
            interval = interval // MINUTE * MINUTE
        wait = max(interval - rule.sync * min(still, rule.longest), rule.shortest)
    return wait


logs = st.lists(
    st.tuples(
        st.integers(0, ROWS - 1),
        st.floats(0, 900 * DAY),  # not in order: what is applied later may have been fetched before
        st.sampled_from([math.inf, 1.0, 0.0, -1.0, math.nan, 30 * DAY]),
        st.booleans(),
    ),
    max_size=60,
)


def learned(estimator, *batches):
    learner = estimator.learner()
    for batch in batches:
        learner.learn(fetches(*zip(*batch, strict=True) if batch else ([], [], [], [])))
    return learner


@settings(max_examples=200)
@given(rule=st.sampled_from(RULES), log=logs)
def test_intervals_are_the_rule(rule, log):
    """Whatever parameters, and times that run backwards."""
    pages = pages_with([0.0] * ROWS)
    histories = [[(t, gap == math.inf, c) for r, t, gap, c in log if r == row] for row in range(ROWS)]
    assert learned(rule, log).column(pages) == pytest.approx([by_the_book(rule, h) for h in histories], rel=1e-12)


@settings(max_examples=300)
@given(estimator=st.sampled_from(LEARNED), log=logs, cuts=st.lists(st.integers(0, 60), max_size=5))
def test_batches_do_not_matter(estimator, log, cuts):
    """Wherever the log is cut, and if the column is looked at in between: the same bits; page by page: nearly."""
    pages = pages_with([0.0] * ROWS)
    whole = learned(estimator, log).column(pages)
    learner = estimator.learner()
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), len(log)], strict=True):
        learner.learn(fetches(*zip(*log[start:stop], strict=True) if log[start:stop] else ([], [], [], [])))
        learner.column(pages)
    assert learner.column(pages).tobytes() == whole.tobytes()
    assert not np.isnan(whole).any()
    page_by_page = learned(estimator, sorted(log, key=lambda fetch: fetch[0])).column(pages)
    finite = np.isfinite(whole)
    scale = max(1.0, float(np.abs(whole[finite]).max(initial=0.0)))
    assert page_by_page[finite] == pytest.approx(whole[finite], rel=1e-9, abs=1e-9 * scale)


@pytest.mark.parametrize("policy", [Nutch(), StormCrawler()], ids=repr)
def test_due_when_the_interval_is_over(policy):
    """The share of the wait that has passed: 1 when due; soonest due first; nothing for pages never fetched."""
    wait = np.array([10.0, 10.0, 20.0, 5.0])
    value = policy(pages_with([NOW - 10, NOW - 5, NOW - 30, -np.inf], {policy.beliefs[0]: wait}), NOW)
    assert value.tolist() == [1.0, 0.5, 1.5, -np.inf]


def test_what_an_interval_is_made_of():
    """For people, in days; the first interval for a page of which nothing is known."""
    learner = learned(*Nutch().beliefs, [(2, NOW, math.inf, True), (2, NOW + 30 * DAY, 30 * DAY, False)])
    assert learner.terms(2) == pytest.approx({"interval_in_days": 42.0, "days_to_the_next_fetch": 33.0})
    assert learner.terms(0) == {"interval_in_days": 30.0}


def test_common_crawl_term_by_term():
    """Score, 0.01 a day since due, the status; what is not due comes after all that is."""
    ages = np.array([30, 40, 130, 29, 40, 40]) * DAY
    rank = np.array([0.5, 1.0, 0.0, 2.0, 1.0, 2.0])
    change = [-np.inf] * 4 + [NOW - 40 * DAY, -np.inf]
    pages = pages_with(NOW - ages, {PageRank(): rank}, last_change=change, fetches=[2] * 6)
    assert CommonCrawl()(pages, NOW) == pytest.approx([0.25, 0.6, 1.0, -4e6 + 0.99, 0.6, 1.1])
    assert CommonCrawl(unchanged=-0.5)(pages, NOW)[[1, 4]] == pytest.approx([0.1, 0.6])
    assert CommonCrawl("same", per_day=1.0, interval=10 * DAY)(pages, NOW)[0] == pytest.approx(20.0)


def test_common_crawl_ranks_new_pages_if_asked():
    """Due when found, and 0.2 more in their first week; else never."""
    pages = pages_with([-np.inf, -np.inf, NOW - 40 * DAY], found=[NOW - 3 * DAY, NOW - 9 * DAY, 0.0])
    assert CommonCrawl("same", new=True)(pages, NOW) == pytest.approx([0.23, 0.09, 0.1])
    assert CommonCrawl("same")(pages, NOW)[:2].tolist() == [-np.inf, -np.inf]


def test_frequency_by_hand():
    """Fetched once, then by changes over fetches after the first; among equals the oldest copy."""
    pages = pages_with(
        [NOW - 9, NOW - 8, NOW - 700, NOW - 3, NOW - 2, NOW - 5, -np.inf],
        fetches=[3, 5, 65535, 1, 1, 2, 0],
        changes=[1, 2, 0, 0, 0, 1, 0],
    )
    value = Frequency()(pages, NOW)
    assert np.argsort(-value).tolist() == [3, 4, 5, 0, 1, 2, 6]
    assert value[6] == -np.inf


def test_frequencies_that_nearly_tie():
    """The oldest copy never wins over a page that changes more often, be it by so little."""
    pages = pages_with([NOW - 1, NOW - 1e9], fetches=[65534, 65535], changes=[65532, 65533])
    first, second = Frequency()(pages, NOW)
    assert (first > second) == (65532 / 65533 > 65533 / 65534)


def test_a_share_of_periods_has_a_probe():
    """As many as were asked for, at any time within the period alike, and the same ones if asked again."""
    key, began = np.arange(40_000, dtype=np.uint64), np.full(40_000, NOW)
    share = probe_at(key, began, 0.05)
    probed = share[share < 1.0]
    assert len(probed) == pytest.approx(2000, abs=150)
    assert np.histogram(probed, 10, (0, 1))[0] == pytest.approx(200, abs=60)
    assert (probe_at(key[::-1], began, 0.05)[::-1] == share).all()
    assert ((probe_at(key, began + 1e-6, 0.05) < 1.0) & (share < 1.0)).sum() < 200


def with_probe(time, wanted):
    """A key for which a period that begins then has a probe, or has none."""
    keys = np.arange(100, dtype=np.uint64)
    return keys[(probe_at(keys, np.full(100, time), 0.5) < 1.0) == wanted][0]


@pytest.mark.parametrize(("at_probe", "at_end", "saved"), [(0, 1, 1), (1, 1, 0), (1, 0, 0), (0, 0, 0)])
def test_a_period_by_hand(at_probe, at_end, saved):
    """The first fetch begins a period, the second is its probe, the third ends it."""
    key = with_probe(NOW, wanted=True)
    pages = pages_with([NOW, NOW])
    pages.key[:] = key, with_probe(NOW, wanted=False)
    start, share, gain = (made(0.5).learner() for made in (PeriodStart, ProbeShare, ProbedGain))
    first = fetches([0, 1], [NOW, NOW], [math.inf] * 2, [True] * 2)
    second = fetches([0, 1], [NOW + 3, NOW + 10], [3.0, 10.0], [at_probe, True])
    for learner in (start, share, gain):
        learner.learn(first)
    assert start.column(pages).tolist() == [NOW, NOW]
    assert share.column(pages).tolist() == [*probe_at(pages.key[:1], np.array([NOW]), 0.5), 1.0]
    for learner in (start, share, gain):
        learner.learn(second)
    assert start.column(pages).tolist() == [NOW, NOW + 10]
    assert share.column(pages)[0] == 1.0
    for learner in (start, gain):
        learner.learn(fetches([0], [NOW + 10], [7.0], [at_end]))
    assert start.column(pages).tolist() == [NOW + 10, NOW + 10]
    total = saved * 10.0**2  # of two pages that were watched for ten seconds each
    assert gain.column(pages) == pytest.approx([total / 2 / 10**0.5, -total / 2 / 10**0.5])
    assert isinstance(gain, HasTerms)
    assert gain.terms(0) == {"days_in_finished_periods": pytest.approx(10 / DAY), "periods_with_a_probe": 1}


def gain_of(rate, period):
    """U: what a fetch at this age brings in seconds of freshness, if changes are Poisson."""
    return 1 / rate - (period + 1 / rate) * np.exp(-rate * period)


def staleness(rate, period):
    return 1 - (1 - np.exp(-rate * period)) / (rate * period)


@pytest.mark.parametrize(("rate", "period"), [(0.2, 1.0), (1.0, 1.0), (1.0, 3.0)])
def test_probes_sample_the_gradient(rate, period):
    """The mean sample is -J'(r) = U(1/r) times the share of probes, against a page that never changes."""
    rng, count, probes = np.random.default_rng(5), 60_000, 0.5
    learner, pages = ProbedGain(probes).learner(), pages_with([NOW] * 2)
    planned = NOW + period * np.arange(count + 1)
    share = probe_at(np.zeros(count, np.uint64), planned[:-1], probes)
    times = np.sort(np.concatenate((planned, (planned[:-1] + share * period)[share < 1.0])))
    changes = NOW + np.cumsum(rng.exponential(1 / rate, int(2 * count * rate * period)))
    changed = np.diff(np.searchsorted(changes, times), prepend=-1) > 0
    learner.learn(fetches([0] * len(times), times, np.diff(times, prepend=-np.inf), changed))
    learner.learn(fetches([1] * len(planned), planned, np.diff(planned, prepend=-np.inf), [False] * len(planned)))
    changing, constant = learner.column(pages)
    assert (changing - constant) / (count * period) ** 0.5 == pytest.approx(probes * gain_of(rate, period), rel=0.05)


def test_periods_are_those_of_mirror_descent():
    """All rates and the probes make up the pace; what is between the bounds differs by the difference of gains."""
    rng, policy = np.random.default_rng(1), MirrorSync(probes=0.1, step=0.5)
    gain = rng.normal(0, 1.0, 500) * 100**1.5
    beliefs = {policy.beliefs[0]: gain}
    pages = pages_with([NOW] * 500, beliefs, pace=500 * 1.1 / 100)
    period = policy.periods(pages)
    assert np.sum(1 / period) * 1.1 == pytest.approx(pages.pace, rel=1e-9)
    assert period.min() >= 100 / 15 * 0.999999
    assert period.max() <= 1600
    inside = (period > 100 / 15 * 1.001) & (period < 1599)
    assert np.ptp((period + 0.5 * gain / 100**0.5)[inside]) < 1e-6
    assert inside.sum() > 100
    assert (policy.periods(pages_with([NOW] * 3, {policy.beliefs[0]: np.zeros(3)})) == 30 * DAY).all()


def test_mirror_sync_by_hand():
    """A probe is due at its share of the period, the planned fetch at the end, whenever the probe was."""
    policy = MirrorSync()
    gain, start, share = policy.beliefs
    began = np.array([NOW - 10, NOW - 10, NOW - 40, -np.inf])
    beliefs = {gain: np.zeros(4), start: began, share: np.array([0.25, 1.0, 1.0, 1.0])}
    value = policy(pages_with([NOW - 10, NOW - 10, NOW - 1, -np.inf], beliefs, pace=3 * 1.05 / 40), NOW)
    assert value == pytest.approx([1.0, 0.25, 1.0, -np.inf])


def crawled(policy, rate, rounds, per_round):
    """A seeded crawl of pages with Poisson changes; the pages as they are at its end.  One round is one second."""
    rng, n = np.random.default_rng(3), len(rate)
    learners = {belief: belief.learner() for belief in policy.beliefs}
    last = NOW - rng.random(n) * n / per_round
    log = fetches(np.arange(n), last, [math.inf] * n, [True] * n)
    for i in range(rounds):
        for learner in learners.values():
            learner.learn(log)
        now = NOW + i
        table = pages_with(last, pace=float(per_round))
        pages = pages_with(last, {b: learner.column(table) for b, learner in learners.items()}, pace=float(per_round))
        row = np.argsort(-policy(pages, now), kind="stable")[:per_round]
        gap = now - last[row]
        log = fetches(row, [now] * per_round, gap, rng.random(per_round) < 1 - np.exp(-rate[row] * gap))
        last[row] = now
    return pages


def best_cost(slow, fast, mean):
    """The least mean staleness of as many pages of one rate as of the other, fetched every `mean` seconds in all."""
    period = np.linspace(mean / 15, mean * 16, 20_000)  # of the slow pages; the others have what is left
    rest = 2 / mean - 1 / period
    fits = (rest >= 1 / 16 / mean) & (rest <= 15 / mean)
    return float(((staleness(slow, period[fits]) + staleness(fast, 1 / rest[fits])) / 2).min())


def test_mirror_sync_settles_at_the_optimum():
    """With gradients free of noise its rates become the best ones there are: within 2 % of what is to be gained."""
    rate, policy, mean = np.where(np.arange(20) % 2, 0.002, 0.2), MirrorSync(step=100.0), 12.5
    total, period = np.zeros(20), np.full(20, mean)
    for i in range(1, 600):
        gain = policy.probes * gain_of(rate, period) * mean
        total += gain - gain.mean()
        pages = pages_with([NOW] * 20, {policy.beliefs[0]: total / (i * mean) ** 0.5}, pace=20 * 1.05 / mean)
        period = policy.periods(pages)
    even, best = staleness(rate, mean).mean(), best_cost(0.002, 0.2, mean)
    assert staleness(rate, period).mean() < best + 0.02 * (even - best)


def test_mirror_sync_learns_better_rates():
    """In a crawl, half of whose pages change a hundred times as often, a third of what is to be gained and more."""
    rate = np.where(np.arange(400) % 2, 0.002, 0.2)
    policy, mean = MirrorSync(probes=0.25), 1.25 * 10
    period = policy.periods(crawled(policy, rate, rounds=1500, per_round=40))
    even, best = staleness(rate, mean).mean(), best_cost(0.002, 0.2, mean)
    assert staleness(rate, period).mean() < even - (even - best) / 3


@pytest.mark.parametrize(
    "policy",
    [Nutch(), StormCrawler(), CommonCrawl(), CommonCrawl("same", new=True), MirrorSync(), Frequency()],
    ids=repr,
)
@pytest.mark.parametrize(("name", "kept"), PROMISES, ids=[name for name, _ in PROMISES])
def test_policies_keep_their_promises(policy, name, kept):
    """Determinism, any table, no dependence on the order of rows, numbers below infinity."""
    kept(policy)


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        (Nutch, {"down": 1.0}),
        (Nutch, {"up": -0.1}),
        (Nutch, {"start": 30.0}),
        (Nutch, {"longest": math.inf}),
        (StormCrawler, {"shortest": 30.0}),
        (StormCrawler, {"start": 15 * DAY}),
        (AdaptiveInterval, {"form": "storm", "sync": 0.3}),
        (AdaptiveInterval, {"form": "heritrix"}),
        (CommonCrawl, {"score": "opic"}),
        (CommonCrawl, {"per_day": -1.0}),
        (CommonCrawl, {"boost": math.nan}),
        (CommonCrawl, {"new": 1}),
        (MirrorSync, {"probes": 0.0}),
        (MirrorSync, {"probes": 1.5}),
        (MirrorSync, {"step": 0.0}),
        (MirrorSync, {"least": 0.0}),
        (MirrorSync, {"most": 0.5}),
    ],
)
def test_a_wrong_parameter_is_refused(rule, wrong):
    """A rule that exists can be followed; and the message says what is wrong."""
    with pytest.raises(BadInput, match="|".join([*wrong, "intervals"])):
        rule(**wrong)
