"""Rules that sample first and then decide: cycles, the chance of a change in a cycle, Algorithm 1, and its rivals."""

import math
from collections import defaultdict
from copy import deepcopy
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from sought.beliefs.cycle_change import CycleChange, Form, Weighting
from sought.beliefs.cycles import cycle_now, dice, in_cycle, resources
from sought.beliefs.folder import Folder
from sought.beliefs.near_changed import NearChanged
from sought.beliefs.site_samples import changed_samples, foremost, grouped, one_by_one, site_samples
from sought.lab.replay.conformance import check_policy
from sought.lab.replay.samples import NOW, extreme_pages, sample_pages
from sought.policy.cluster_sampling import ClusterSampling, Sufficient
from sought.policy.directory_sampling import DirectorySampling
from sought.policy.link_sampling import LinkSampling
from sought.policy.ranking import best
from sought.policy.site_sampling import SiteSampling
from sought.web.errors import BadInput
from sought.web.pages import NEVER, Pages
from sought.web.policy import beliefs_of
from tests.testing.fetch_logs import fetches

WEEK = 604800.0
START = 1.6e9 + 0.123
ROWS = 8
WEIGHTINGS: tuple[Weighting, ...] = get_args(Weighting)
FORMS: tuple[Form, ...] = get_args(Form)
ESTIMATORS = [CycleChange(weighting, form) for weighting in WEIGHTINGS for form in FORMS]
POLICIES = [ClusterSampling(), ClusterSampling(sample="random"), SiteSampling(), DirectorySampling(), LinkSampling()]


def table(count, **columns):
    """Pages that were all fetched twice when the first was found, but for what is given."""
    number = np.arange(count, dtype=np.uint64)
    columns = {
        "key": number * np.uint64(0x9E3779B97F4A7C15),
        "host": np.zeros(count),
        "found": np.full(count, START),
        "last_fetch": np.full(count, START),
        "last_change": np.full(count, -np.inf),
        "fetches": np.full(count, 2),
    } | columns
    kinds = {"host": np.uint32, "fetches": np.uint16, "key": np.uint64}
    beliefs, pace = columns.pop("beliefs", {}), columns.pop("pace", 0.0)
    arrays: dict[str, Any] = {name: np.array(column, kinds.get(name, float)) for name, column in columns.items()}
    return Pages(
        **arrays,
        depth=np.zeros(count, np.uint16),
        changes=np.zeros(count, np.uint16),
        inlinks=np.zeros(count, np.uint32),
        signal=np.full(count, -np.inf),
        live=np.ones(count, bool),
        linked=np.full(count, -np.inf),
        unlinked=np.full(count, -np.inf),
        beliefs={belief: np.array(column, float) for belief, column in beliefs.items()},
        pace=pace,
    )


# ---- cycles


@pytest.mark.parametrize("unit", [WEEK, 86400.0, 2629746.1])
def test_a_unit_of_a_replay_is_a_cycle(unit):
    """Units begin at the first page found + i · unit, rounded as it may be; a second before is the cycle before."""
    pages = table(1)
    for i in range(300):
        assert cycle_now(pages, START + unit * i, unit) == cycle_now(pages, START + unit * (i + 0.9), unit) == i
        assert cycle_now(pages, START + unit * i - 1e-6 - unit / 1e4, unit) == i - 1


def test_what_was_fetched_in_the_present_cycle():
    """Not what was fetched before it began, and not what never was."""
    last = [-np.inf, START, START + WEEK - 5, START + WEEK, START + 1.5 * WEEK]
    assert in_cycle(table(5, last_fetch=last), START + 1.6 * WEEK, WEEK).tolist() == [False, False, False, True, True]
    assert in_cycle(table(0), START, WEEK).tolist() == []


def test_the_resources_of_a_cycle():
    """Pace times length, whole even if the pace is rounded; a tenth of what is known while there is no pace."""
    assert all(resources(table(1, pace=fetches / WEEK), WEEK) == fetches for fetches in range(1, 3000))
    assert resources(table(40, last_fetch=[-np.inf] * 10 + [START] * 30), WEEK) == 3
    assert resources(table(3), WEEK) == resources(table(0), WEEK) == resources(table(1, pace=1e-12), WEEK) == 1
    assert resources(table(1, pace=1e300), WEEK) > 0


# ---- the chance of a change in a cycle


def at_cycles(row, cycles, changed):
    """A log of one row: a first fetch at the start, then one in each of these cycles."""
    time = [START, *(START + (i + 0.25) * WEEK for i in cycles)]
    return fetches(row=[row] * len(time), time=time, gap=np.diff([-np.inf, *time]), changed=[True, *changed])


def learned(estimator, *batches):
    learner = estimator.learner()
    for batch in batches:
        learner.learn(batch)
    return learner


def cycle_weights(weighting, n):
    """w_1 … w_n as printed: 1/n; only the last; i/Σi; 2^(i-1)/Σ2^(i-1)."""
    i = np.arange(1, n + 1)
    parts = {"NAD": i**0, "SAD": i == n, "AAD": i, "GAD": np.exp2(i - n)}[weighting]
    return parts / parts.sum()


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("n", [1, 2, 3, 30, 1100, 5000])
def test_weights_sum_to_one(weighting, n):
    """Invariant 14: a page that changed in every cycle has φ = 1, as printed λ = 1/n; also over 5,000 cycles."""
    log = at_cycles(0, range(1, n + 1), [True] * n)
    phi = {form: learned(CycleChange(weighting, form), log).column(table(1))[0] for form in ("fixed", "printed")}
    assert phi["fixed"] == pytest.approx(1.0, abs=1e-12)
    assert phi["printed"] == pytest.approx(-math.expm1(-1 / n), rel=1e-12)


@pytest.mark.parametrize("weighting", WEIGHTINGS)
@pytest.mark.parametrize("form", ["fixed", "printed"])
def test_a_fetch_that_is_applied_late_weighs_what_its_cycle_does(weighting, form):
    """In whatever order cycles come, φ is that of the cycles in order."""

    def phi(*cycles):
        time = [START + (i + 0.25) * WEEK for i in cycles]
        log = fetches([0] * len(time), time, [WEEK] * len(time), [i in (2, 5) for i in cycles])
        return learned(CycleChange(weighting, form), log).column(table(1))[0]

    assert phi(1, 5, 2, 3) == pytest.approx(phi(1, 2, 3, 5), rel=1e-12)


@pytest.mark.parametrize(
    ("weighting", "fixed", "printed"),
    [
        # cycles 1, 2, 4 of 4: changed, not, changed
        ("NAD", 2 / 3, 2 / 4 / 4),
        ("SAD", 1.0, 1.0 / 4),
        ("AAD", (1 + 4) / (1 + 2 + 4), (1 + 4) / 10 / 4),
        ("GAD", (1 + 8) / (1 + 2 + 8), (1 + 8) / 15 / 4),
    ],
)
def test_errata_19_and_20(weighting, fixed, printed):
    """Printed: divided by n once more, cycles without a fetch are unchanged ones.  Fixed: neither."""
    log, pages = at_cycles(0, [1, 2, 4], [True, False, True]), table(2)
    assert learned(CycleChange(weighting), log).column(pages) == pytest.approx([fixed, 2 / 3])
    column = learned(CycleChange(weighting, "printed"), log).column(pages)
    assert column == pytest.approx([1 - math.exp(-printed), 0.0])


def test_printed_goes_by_the_cycles_of_all_pages():
    """n is the same for all: a page not fetched in the last cycle has not changed in it."""
    logs = at_cycles(0, [1, 2], [True, True]), at_cycles(1, [3], [False])
    columns = {w: learned(CycleChange(w, "printed"), *logs).column(table(2))[0] for w in WEIGHTINGS}
    expected = {"NAD": 2 / 3 / 3, "SAD": 0.0, "AAD": 3 / 6 / 3, "GAD": 3 / 7 / 3}
    assert columns == pytest.approx({w: 1 - math.exp(-rate) for w, rate in expected.items()})


def test_many_cycles():
    """Weights of 5,000 cycles neither overflow nor vanish: two pages that always or never change."""
    cycles = range(1, 5001)
    for estimator in ESTIMATORS:
        logs = [at_cycles(row, cycles, [bool(row)] * 5000) for row in (0, 1)]
        column = learned(estimator, *logs).column(table(2))
        assert column[0] == 0.0
        assert column[1] == pytest.approx(1.0 if estimator.form == "fixed" else 1 - math.exp(-1 / 5000))


def test_a_cycle_counts_once():
    """Fetched three times in a cycle, a page has changed in it if it had once; cycle 0 and 1 are one; a first fetch is
    none."""
    time = START + WEEK * np.array([0.0, 0.1, 1.1, 1.2, 1.3, 2.5])
    log = fetches([0] * 6, time, np.diff([-np.inf, *time]), [True, False, False, True, False, False])
    learner = learned(CycleChange("NAD"), log)
    assert learner.column(table(1)).tolist() == [0.5]
    assert learner.terms(0)["cycles_seen"] == 2
    assert learner.terms(0)["cycles_changed"] == 1


def test_what_is_told_of_a_page():
    """φ, the cycles, and a rate that is finite even if all of them saw a change: -ln(.5/(n + .5)) a cycle."""
    learner = learned(CycleChange("NAD"), at_cycles(3, [1, 2], [True, True]), at_cycles(4, [1], [False]))
    learner.column(table(6))
    told = learner.terms(3)
    assert (told["phi"], told["cycles_seen"], told["cycles_changed"]) == (1.0, 2, 2)
    assert told["changes_a_day"] == pytest.approx(math.log(2.5 / 0.5) / 7)
    printed = learned(CycleChange("NAD", "printed"), at_cycles(3, [1, 2], [True, True]))
    printed.column(table(6))
    assert printed.terms(3)["changes_a_day"] == pytest.approx(1 / 2 / 7)
    assert learner.terms(5) == {"phi": 2 / 3, "cycles_seen": 0, "cycles_changed": 0, "changes_a_day": None}
    assert learner.column(table(6))[5] == 2 / 3


logs = st.lists(
    st.tuples(
        st.integers(0, ROWS - 1),
        st.floats(-0.5, 9.0) | st.sampled_from([0.0, 1.0, 2.0, math.nan, math.inf]),
        st.sampled_from([math.inf, 0.0, -1.0, math.nan, 3600.0, WEEK, 5 * WEEK]),
        st.booleans(),
    ),
    max_size=50,
)


def as_fetches(log):
    row, cycle, gap, changed = zip(*log, strict=True) if log else ((), (), (), ())
    return fetches(row, START + WEEK * np.array(cycle, float), gap, changed)


def in_order(log):
    """As a crawl has it: each page's fetches by time."""
    return sorted(log, key=lambda each: each[1] if math.isfinite(each[1]) else 0.0)


def plain_phi(estimator, log):
    """The formulas of §4.2 over whole histories, in plain Python."""
    bits: dict = defaultdict(lambda: defaultdict(bool))
    latest = 1
    for row, cycle, gap, changed in log:
        if math.isfinite(cycle):
            number = max(1, math.floor(cycle + 1e-6))
            latest = max(latest, number)
            if math.isfinite(gap) and gap >= 1e-6:
                bits[row][number] |= changed
    every = [bit for of_row in bits.values() for bit in of_row.values()]
    if estimator.form == "printed":
        weights = cycle_weights(estimator.weighting, latest)
        rates = [sum(weights[i - 1] for i, bit in bits[row].items() if bit) / latest for row in range(ROWS)]
        return [1 - math.exp(-rate) for rate in rates]
    return [_fixed(estimator, bits[row], sum(every) / len(every) if every else 0.0) for row in range(ROWS)]


def _fixed(estimator, bits, others):
    if not bits:
        return others
    n = max(bits)
    weights = cycle_weights(estimator.weighting, n)
    return sum(weights[i - 1] for i, bit in bits.items() if bit) / sum(weights[i - 1] for i in bits)


@settings(max_examples=150)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs)
def test_phi_is_the_formula(estimator, log):
    """Running sums give what sums over the whole history do."""
    log = in_order(log)
    assert learned(estimator, as_fetches(log)).column(table(ROWS)) == pytest.approx(
        plain_phi(estimator, log), abs=1e-12
    )


@settings(max_examples=150)
@given(estimator=st.sampled_from(ESTIMATORS), log=logs, cuts=st.lists(st.integers(0, 50), max_size=5))
def test_batches_do_not_matter(estimator, log, cuts):
    """Wherever the log is cut, whether fetches wait for a table or not, in whatever order they come: the same bits."""
    whole = learned(estimator, as_fetches(log)).column(table(ROWS))
    learner = estimator.learner()
    for start, stop in zip([0, *sorted(cuts)], [*sorted(cuts), len(log)], strict=True):
        learner.learn(as_fetches(log[start:stop]))
        learner.column(table(ROWS))
        learner.terms(0)
    assert learner.column(table(ROWS)).tobytes() == whole.tobytes()
    assert ((whole >= 0) & (whole <= 1)).all()
    ordered = in_order(log)
    by_page = sorted(ordered, key=lambda each: each[0])
    columns = [learned(estimator, as_fetches(each)).column(table(ROWS)) for each in (ordered, by_page)]
    assert columns[0].tobytes() == columns[1].tobytes()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_the_table_may_grow(estimator):
    """An empty table says nothing about when cycles begin; pages found later have beliefs at once."""
    learner = estimator.learner()
    learner.learn(at_cycles(0, [1, 3], [True, True]))
    assert learner.column(table(0)).shape == (0,)
    one = learner.column(table(1))
    assert learner.column(table(3, found=[START, START + WEEK, START + 9 * WEEK]))[0] == one[0] > 0.0


# ---- groups and samples


@given(
    st.lists(st.tuples(st.integers(-1, 5), st.sampled_from([0.0, 0.25, 0.5, 0.999, 1.0]) | st.floats(0, 1))),
    st.integers(1, 7),
)
def test_the_foremost_of_every_group(rows, most):
    """The same rows as if all had been sorted."""
    numbers, nearness = (np.array(column, float) for column in (zip(*rows, strict=True) if rows else ((), ())))
    pages = table(len(rows))
    group, count = grouped(numbers, np.ones(len(rows), bool))
    found = foremost(pages, group, count, nearness, most)
    assert count == len({int(n) for n in numbers if n >= 0})
    expected = []
    for number in range(count):
        inside = [r for r in range(len(rows)) if group[r] == number]
        inside.sort(key=lambda r: (-nearness[r], int(pages.key[r])))
        expected += [(r, number, place) for place, r in enumerate(inside[:most])]
    assert list(zip(found.rows.tolist(), found.group.tolist(), found.place.tolist(), strict=True)) == expected


def test_nearness_that_is_no_number_is_last():
    """NaN and less than 0 are as far as can be, more than 1 as near; nothing warns."""
    nearness = np.array([math.nan, 0.5, math.inf, 2.0, -math.inf, 1e-9])
    group = np.zeros(6, np.int32)
    pages = table(6, key=[1, 2, 3, 4, 0, 5])
    assert foremost(pages, group, 1, nearness, 6).rows.tolist() == [2, 3, 1, 5, 4, 0]
    values = one_by_one(group, np.zeros(1, int), nearness)
    assert values[[0, 4]].tolist() == [0.0, 0.0]
    assert values[2] == values[3] < 1.0


def plain_sample(values, confidence, delta, least, most):
    """How many of these are drawn, and whether that is enough: line by line as in Algorithm 1."""
    for n in range(1, len(values) + 1):
        if n >= least:
            half = stdtrit(n - 1, (1 + confidence) / 2) * np.std(values[:n], ddof=1) / math.sqrt(n)
            if half <= delta:
                return n, True
        if n >= most:
            return n, True
    return len(values), False


@given(
    st.lists(st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.53, 1.0]), max_size=25), min_size=1, max_size=5),
    st.sampled_from([(0.8, 0.1003), (0.95, 0.2003), (0.5, 0.0503)]),
    st.integers(2, 6),
    st.integers(1, 20),
)
def test_the_shortest_sufficient_sample(groups, rule, least, most):
    """Segment operations find what a loop over draws finds."""
    confidence, delta = rule
    group = np.repeat(np.arange(len(groups), dtype=np.int32), [len(values) for values in groups])
    value = np.array([v for values in groups for v in values])
    sample = Sufficient(confidence, delta, least, most).samples(group, value, value > 0.2, len(groups))
    for i, values in enumerate(groups):
        n, enough = plain_sample(values, confidence, delta, least, most)
        assert (sample.size[i], bool(sample.enough[i])) == (n, enough)
        assert sample.mean[i] == pytest.approx(np.mean(values[:n]) if n else 0.0)
        assert sample.changed[i] == sum(v > 0.2 for v in values[:n])


# ---- Algorithm 1


class ToyWeb:
    """Pages in clusters, whose changes in every cycle are given; a crawl that holds all of them at the start."""

    def __init__(self, seed, pages, clusters, cycles, policy, pace):
        rng = np.random.default_rng(seed)
        self.policy, self.rng = policy, rng
        self.cluster = rng.integers(0, clusters, pages)
        self.closeness = np.round(rng.uniform(0.2, 1.0, pages), 2)
        rates = np.linspace(0.02, 0.9, clusters)[rng.permutation(clusters)]
        self.changes = rng.random((cycles, pages)) < rates[self.cluster]
        self.learner = policy.beliefs[-1].learner()
        self.last_fetch, self.last_change = np.full(pages, START), np.full(pages, -np.inf)
        self.fetches = np.ones(pages, int)
        self.key = rng.integers(0, 2**64, pages, dtype=np.uint64)
        self.pace = pace
        self.learner.learn(fetches(range(pages), self.last_fetch, [np.inf] * pages, [True] * pages))

    def pages(self):
        seen = {name: getattr(self, name) for name in ("key", "last_fetch", "last_change", "fetches")}
        beliefs = dict(zip(self.policy.beliefs, (self.cluster, self.closeness), strict=False))
        pages = table(len(self.key), **seen, pace=self.pace)
        beliefs[self.policy.beliefs[-1]] = self.learner.column(pages)
        return table(len(self.key), **seen, pace=self.pace, beliefs=beliefs)

    def fetch(self, rows, now, cycle):
        changed = self.changes[cycle][rows]
        self.learner.learn(fetches(rows, [now] * len(rows), now - self.last_fetch[rows], changed))
        self.last_fetch[rows] = now
        self.last_change[rows[changed]] = now
        self.fetches[rows] += 1

    def cycle(self, number, budget, batch):
        """One cycle of so many fetches, in batches; what is fetched, in order."""
        order: list[int] = []
        now = START + number * WEEK
        while len(order) < budget:
            values = self.policy(self.pages(), now)
            rows = best(values, self.key, min(batch, budget - len(order)))
            self.fetch(rows, now, number)
            order += rows.tolist()
            now += 1.0
        return order


def algorithm_1(web, number, budget, before, after):
    """Samples of every cluster and the downloads after them, with φ as it is `after` a fetch in this cycle."""
    policy, phi = web.policy, after
    drawn = dice(before, START + number * WEEK, WEEK)
    inside = {c: np.flatnonzero(web.cluster == c).tolist() for c in np.unique(web.cluster).tolist()}
    samples, worth = {}, {}
    for c, rows in inside.items():
        by_draw = [int(drawn[r]) if policy.sample == "random" else -web.closeness[r] for r in range(len(web.key))]
        drawn_in_order = sorted(rows, key=lambda r: (by_draw[r], int(web.key[r])))
        values = [phi[r] for r in drawn_in_order]
        n, _ = plain_sample(values, policy.confidence, policy.delta, policy.least, budget // len(inside))
        samples[c] = drawn_in_order[:n]
        luck = min(int(drawn[r]) for r in rows)
        changed = sum(web.changes[number][r] for r in samples[c])
        worth[c] = (-round(float(np.mean(values[:n])), 12), -changed, luck)
    rest = []
    for c in sorted(inside, key=worth.__getitem__):
        left = [r for r in inside[c] if r not in samples[c]]
        rest += sorted(left, key=lambda r: (-web.closeness[r], int(web.key[r])))
    return samples, rest[: budget - sum(map(len, samples.values()))]


def phi_if_all_were_fetched(web, number):
    """What φ of each page is after its fetch in this cycle: another learner that has seen the same, and that."""
    twin = ToyWeb.__new__(ToyWeb)
    twin.__dict__.update(web.__dict__)
    twin.learner = deepcopy(web.learner)
    twin.last_fetch, twin.last_change, twin.fetches = web.last_fetch.copy(), web.last_change.copy(), web.fetches.copy()
    twin.fetch(np.arange(len(web.key)), START + number * WEEK, number)
    return twin.pages().belief(web.policy.beliefs[-1])


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["nearest", "random"])
@pytest.mark.parametrize("weighting", ["NAD", "GAD"])
@pytest.mark.parametrize("budget", [40, 75, 120])
def test_one_page_at_a_time_is_algorithm_1(sample, weighting, budget):
    """Over four cycles: the same samples of every cluster, then the same downloads in the same order."""
    policy = ClusterSampling(5, weighting=weighting, delta=0.2, least=3, sample=sample)
    web = ToyWeb(budget, 160, 5, 5, policy, pace=budget / WEEK)
    for number in range(1, 5):
        before, after = web.pages(), phi_if_all_were_fetched(web, number)
        order = web.cycle(number, budget, batch=1)
        samples, downloads = algorithm_1(web, number, budget, before, after)
        count = sum(map(len, samples.values()))
        assert {c: [r for r in order[:count] if web.cluster[r] == c] for c in samples} == samples
        assert order[count:] == downloads
        assert len(set(order)) == budget


def test_samples_are_taken_from_all_clusters_in_turn():
    """The second of no cluster before the first of another, so that a small batch is spread."""
    policy = ClusterSampling(6)
    web = ToyWeb(1, 300, 6, 2, policy, pace=120 / WEEK)
    order = web.cycle(1, 30, batch=6)
    for i in range(5):
        assert sorted(web.cluster[order[6 * i : 6 * i + 6]].tolist()) == list(range(6))


def test_batches_change_what_is_fetched_early_only():
    """In batches the decision is by the same samples: clusters rank as if one page had been fetched at a time."""
    policy = ClusterSampling(5, delta=0.2, least=3)
    webs = [ToyWeb(3, 200, 5, 2, policy, pace=150 / WEEK) for _ in range(2)]
    orders = [web.cycle(1, 150, batch) for web, batch in zip(webs, (1, 30), strict=True)]
    told = [
        {web.cluster[row]: web.policy.explained(web.pages(), row, START + 1.1 * WEEK) for row in range(200)}
        for web in webs
    ]
    for cluster in range(5):
        one, many = (each[cluster] for each in told)
        for name in ("sampled", "mean_of_sample", "cluster_rank", "cluster_size", "sampling_ended"):
            assert one[name] == many[name], name
        assert one["sampling_ended"]
    assert len(set(orders[0]) & set(orders[1])) > 120


def test_a_sample_never_takes_more_than_its_share():
    """n ≥ floor(R/N) ends sampling, however uncertain the mean is; samples are charged to R."""
    web = ToyWeb(4, 300, 10, 2, ClusterSampling(10, least=100), pace=65 / WEEK)
    order = web.cycle(1, 65, batch=1)
    assert np.bincount(web.cluster[order[:60]]).tolist() == [6] * 10
    assert len(np.unique(web.cluster[order[60:]])) == 1


def test_fewer_fetches_than_clusters():
    """R < N: one sample each of the R clusters that were best when they were last fetched."""
    policy = ClusterSampling(8)
    web = ToyWeb(5, 160, 8, 4, policy, pace=160 / WEEK)
    web.cycle(1, 160, batch=160)
    web.pace = 3 / WEEK
    phi = web.pages().belief(policy.beliefs[-1])
    means = [-np.round(phi[web.cluster == c].mean(), 12) for c in range(8)]
    order = web.cycle(2, 3, batch=1)
    assert sorted(web.cluster[order].tolist()) == sorted(np.argsort(means, kind="stable")[:3].tolist())
    assert [r for r in order if web.closeness[r] < web.closeness[web.cluster == web.cluster[r]].max()] == []
    again = web.cycle(3, 3, batch=3)
    assert len(set(web.cluster[again].tolist())) == 3


def cluster_values(policy, cluster, closeness, phi, **columns):
    beliefs = dict(zip(policy.beliefs, (cluster, closeness, phi), strict=True))
    pages = table(len(cluster), beliefs=beliefs, **columns)
    return pages, policy(pages, START + 1.5 * WEEK)


def ranked(pages, values):
    rows = best(values, pages.key, len(values))
    return rows[values[rows] > NEVER].tolist()


def test_the_order_of_a_cycle_by_hand():
    """Cluster 0 is sampled enough and changes often; 1 lacks a sample; 2 is sampled enough and changes less.

    Then a page without a cluster, then those fetched in this cycle, oldest copy first; new pages never.
    """
    policy, done = ClusterSampling(3, least=2, delta=0.3), START + 1.2 * WEEK
    cluster = [0, 0, 0, 1, 1, 2, 2, 2, -1, -1]
    closeness = [0.9, 0.8, 0.7, 0.6, 0.9, 0.9, 0.9, 0.1, -1, -1]
    phi = [0.9, 0.9, 0.0, 1.0, 0.0, 0.1, 0.1, 1.0, 1.0, 1.0]
    last = [done + 1, done + 2, START, START, done + 3, done + 4, done, START, START, -np.inf]
    fetched = [2, 2, 2, 2, 2, 2, 2, 2, 2, 0]
    pages, values = cluster_values(policy, cluster, closeness, phi, last_fetch=last, fetches=fetched, pace=30.0 / WEEK)
    assert ranked(pages, values) == [3, 2, 7, 8, 6, 0, 1, 4, 5]
    told = policy.explained(pages, 4, START + 1.5 * WEEK)
    assert told == {
        "cluster": 1,
        "cluster_size": 2,
        "cluster_rank": 3,
        "sampled": 1,
        "mean_of_sample": 0.0,
        "sampling_ended": False,
        "fetched_in_this_cycle": True,
    }
    assert policy.explained(pages, 8, START + 1.5 * WEEK) == {}
    last[3] = done
    pages, _ = cluster_values(policy, cluster, closeness, phi, last_fetch=last, fetches=fetched, pace=30.0 / WEEK)
    assert policy.explained(pages, 3, START + 1.5 * WEEK)["sampling_ended"]  # there are no more


def test_equal_means_go_by_changes_seen():
    """Of clusters with the same mean φ that comes first whose sample has changed more in this cycle."""
    policy, done = ClusterSampling(2, least=3, delta=0.4), START + 1.2 * WEEK
    cluster, phi = [0, 0, 0, 0, 1, 1, 1, 1], [0.1, 0.2, 0.3, 0.0, 0.3, 0.2, 0.1, 0.0]  # sums differ in the last digit
    last = [done, done, done, START] * 2
    for changed, first in (([1, 0, 0, 0, 0, 0, 0, 0], 3), ([0, 0, 0, 0, 0, 1, 0, 0], 7)):
        change = np.where(changed, done, -np.inf)
        closeness = [0.9, 0.8, 0.7, 0.1] * 2
        pages, values = cluster_values(
            policy, cluster, closeness, phi, last_fetch=last, last_change=change, pace=8.0 / WEEK, fetches=[9] * 8
        )
        assert ranked(pages, values)[0] == first


def test_clusters_are_chosen_once():
    """R < N: a cluster that was sampled and has not changed is not replaced by another."""
    policy, done = ClusterSampling(3), START + 1.2 * WEEK
    cluster, closeness = [0, 0, 1, 1, 2, 2], [0.9, 0.8] * 3
    pages, values = cluster_values(
        policy, cluster, closeness, [0, 0.9, 0.5, 0.5, 0.4, 0.4], last_fetch=[done] + [START] * 5, pace=2 / WEEK
    )
    assert ranked(pages, values)[0] == 2
    assert (values[[1, 3, 4, 5]] < 2).all()


def test_a_first_fetch_is_no_sample():
    """A page that was first fetched in this cycle tells nothing about change, and is not fetched again in it."""
    policy, done = ClusterSampling(1, least=2, delta=0.3), START + 1.2 * WEEK
    pages, values = cluster_values(
        policy,
        [0, 0, 0],
        [0.9, 0.8, 0.7],
        [1.0, 0.0, 0.0],
        last_fetch=[done, START, START],
        fetches=[1, 4, 4],
        pace=50 / WEEK,
    )
    assert ranked(pages, values) == [1, 2, 0]
    assert policy.explained(pages, 1, START + 1.5 * WEEK)["sampled"] == 0


# ---- sites, directories, links


def drawn_order(pages, now, rows):
    return sorted(rows, key=lambda r: int(dice(pages, now, WEEK)[r]))


def test_sites_by_hand():
    """sqrt(N·r) = sqrt(R/sites) pages of each site first, then whole sites by the changed share of these."""
    now, host = START + 3.5 * WEEK, np.repeat([4, 7, 9], 6)
    pages = table(18, host=host, pace=12 / WEEK)
    policy = SiteSampling()
    by_site = [drawn_order(pages, now, range(6 * s, 6 * s + 6)) for s in range(3)]
    first = ranked(pages, policy(pages, now))[:6]
    assert sorted(first[:3]) == sorted(rows[0] for rows in by_site)
    assert sorted(first[3:]) == sorted(rows[1] for rows in by_site)
    last = np.full(18, START)
    last[first] = now
    change = np.full(18, -np.inf)
    change[[by_site[1][0], by_site[1][1], by_site[2][1]]] = now
    change[by_site[0][1]] = START + WEEK  # in another cycle
    pages = replace(pages, last_fetch=last, last_change=change)
    order = ranked(pages, policy(pages, now + 5))
    assert order[:12] == by_site[1][2:] + by_site[2][2:] + by_site[0][2:]
    # further pages of a site that are found changed do not count: they are no samples
    last[by_site[1][2:4]] = change[by_site[2][2:4]] = last[by_site[2][2:4]] = change[by_site[0][2]] = now + 1
    order = ranked(pages, policy(pages, now + 9))
    assert order[:8] == by_site[1][4:] + by_site[2][4:] + by_site[0][2:]


def test_sites_go_by_shares():
    """Two of three samples changed is less than the only one that could be fetched."""
    now, host = START + 3.5 * WEEK, np.repeat([0, 1], 9)
    pages = table(18, host=host, pace=18 / WEEK)
    a, b = (drawn_order(pages, now, range(9 * s, 9 * s + 9)) for s in range(2))
    last, change = np.full(18, START), np.full(18, -np.inf)
    last[[*a[:3], b[1]]] = now
    change[[*a[:2], b[1]]] = now
    pages = replace(pages, last_fetch=last, last_change=change)
    assert ranked(pages, SiteSampling()(pages, now))[:14] == [b[0], b[2], *b[3:], *a[3:]]


def test_every_site_has_a_sample():
    """At least one page each, though there are more sites than fetches; the same all through a cycle, then others."""
    pages = table(60, host=np.arange(60) // 3, pace=2 / WEEK)
    now = START + 2 * WEEK
    samples = site_samples(pages, now, WEEK)
    assert samples.sites == 20
    assert np.bincount(pages.host[samples.first.rows]).tolist() == [1] * 20
    chosen = [set(site_samples(pages, START + c * WEEK, WEEK).first.rows.tolist()) for c in (2.0, 2.4, 2.999, 3.0)]
    assert chosen[0] == chosen[1] == chosen[2] != chosen[3]


def test_directories_by_hand():
    """Samples first; then the whole directories of changed ones, in the order drawn; then others at random."""
    now, folder = START + 1.5 * WEEK, np.repeat([3.0, 0.0, 12.0, 5.0], 5)
    pages = table(20, pace=4 / WEEK, beliefs={Folder(): folder})
    policy, drawn = DirectorySampling(), drawn_order(pages, now, range(20))
    assert ranked(pages, policy(pages, now)) == drawn
    first = [drawn[0], next(r for r in drawn if folder[r] != folder[drawn[0]])]
    last = np.full(20, START)
    last[[*drawn[:2], first[1]]] = now
    change = np.full(20, -np.inf)
    change[first] = now
    pages = replace(pages, last_fetch=last, last_change=change)
    order = [r for r in ranked(pages, policy(pages, now)) if last[r] < now]
    inside = [{r for r in range(20) if folder[r] == folder[f] and last[r] < now} for f in first]
    cut = [len(inside[0]), len(inside[0]) + len(inside[1])]
    assert set(order[: cut[0]]) == inside[0]
    assert set(order[cut[0] : cut[1]]) == inside[1]
    assert order[cut[1] :] == [r for r in drawn if r in order[cut[1] :]]


def test_links_by_hand():
    """Samples first; then pages near changed ones, nearest first; then others at random; not by the last cycle's."""
    now, hops = START + 1.5 * WEEK, np.full(12, np.inf)
    near = NearChanged(3, WEEK)
    pages = table(12, pace=4 / WEEK, beliefs={near: hops})
    policy, drawn = LinkSampling(), drawn_order(pages, now, range(12))
    hops[[drawn[7], drawn[11], drawn[4]]] = 3, 1, 2
    pages = replace(pages, beliefs={near: hops})
    assert ranked(pages, policy(pages, now)) == drawn
    last = np.full(12, START)
    last[drawn[:2]] = now
    order = ranked(replace(pages, last_fetch=last), policy(replace(pages, last_fetch=last), now))
    near_ones = [drawn[11], drawn[4], drawn[7]]
    assert order == near_ones + [r for r in drawn[2:] if r not in near_ones] + sorted(drawn[:2], key=order.index)


def test_which_changed_pages_are_samples():
    """The first drawn of each site, and what follows without a gap; a page fetched because of these is none."""
    now = START + 1.5 * WEEK
    pages = table(10, pace=4 / WEEK)
    drawn = drawn_order(pages, now, range(10))
    last, change = np.full(10, START), np.full(10, -np.inf)
    fetched = [drawn[i] for i in (0, 1, 2, 4, 6)]
    last[fetched] = change[fetched] = now
    change[drawn[0]] = START
    pages = replace(pages, last_fetch=last, last_change=change)
    assert sorted(changed_samples(pages, now, WEEK).tolist()) == sorted(drawn[1:3])
    last[drawn[0]] = START  # cannot be fetched: the second one is a sample all the same
    assert changed_samples(pages, now, WEEK).tolist() == [drawn[1]]
    assert changed_samples(pages, now + WEEK, WEEK).tolist() == []
    assert changed_samples(table(0), now, WEEK).tolist() == []


# ---- all of them


@pytest.mark.parametrize("policy", POLICIES, ids=repr)
def test_promises_are_kept(policy):
    """As every policy's; and also if the pace is known, however large or small."""
    check_policy(policy)
    for pages in (sample_pages(1, 300, beliefs_of(policy)), extreme_pages(1, 300, beliefs_of(policy))):
        for pace in (1e-300, 1e-5, 1.0, 1e300):
            values = policy(replace(pages, pace=pace), NOW)
            assert (np.isneginf(values) == pages.is_new).all()
            assert not np.isnan(values).any()


@pytest.mark.parametrize(
    ("value", "wrong"),
    [
        (CycleChange, {"weighting": "XAD"}),
        (CycleChange, {"form": "paper"}),
        (CycleChange, {"cycle": 0.0}),
        (CycleChange, {"cycle": math.nan}),
        (ClusterSampling, {"k": 0}),
        (ClusterSampling, {"features": "colour"}),
        (ClusterSampling, {"confidence": 1.0}),
        (ClusterSampling, {"delta": 0.0}),
        (ClusterSampling, {"least": 1}),
        (ClusterSampling, {"sample": "farthest"}),
        (SiteSampling, {"cycle": -1.0}),
        (DirectorySampling, {"cycle": "week"}),
        (LinkSampling, {"hops": 0}),
        (LinkSampling, {"cycle": math.inf}),
    ],
)
def test_a_wrong_parameter_is_refused(value, wrong):
    """In one line that names it."""
    with pytest.raises(BadInput, match=next(iter(wrong))):
        value(**wrong)
