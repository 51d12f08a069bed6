"""Measures: each against a loop over pages, by hand where it is short, and in its closed forms."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.graph.links import links_of
from sought.graph.walks import pr
from sought.index.quality import quality
from sought.lab.judge.judge import judge_of, links_at
from sought.lab.measures import (
    MEASURES,
    Age,
    ChangeRatio,
    ClickThrough,
    CrawlAndStop,
    Freshness,
    FreshnessAt,
    ImpactShare,
    LimitedBuffer,
    PrecisionAt,
    Quality,
    Threshold,
    Variation,
    parse_measure,
)
from sought.lab.measures.change_ratio import Weighting
from sought.lab.measures.importance import importance
from sought.lab.measures.precision_at import RELEVANT
from sought.lab.measures.variation import by_directory, by_host, change_intervals, variation
from sought.lab.replay.run import FetchLog, Run
from sought.lab.studies.over_budgets import area, by_policy, downloads_for, is_bound, share_of_gap, shown
from sought.lab.worlds.demand import demand_of
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import NOTHING, WEEK
from sought.web.errors import BadInput
from tests.testing.small_world import START, UNITS, A, empty, page, run_of, small_judge, synced

JUDGE = small_judge("time")
WORLD = JUDGE.world
PAGES = range(len(WORLD.urls))
HOME, APPLE, PEAR, PLUM, FIG, TREES, OAK, ELM, QUINCE, NEW_OAK, LATE, SOON = PAGES
# Pages beyond the last lead nowhere.
fetches = st.lists(st.lists(st.integers(0, len(PAGES) + 1), max_size=6), min_size=UNITS, max_size=UNITS)
starts = st.sampled_from(["empty", "synced", "some"])


def begun(start):
    copies = synced(WORLD)
    return {"empty": empty(WORLD), "synced": copies, "some": np.where(np.arange(len(copies)) % 3, copies, NOTHING)}[
        start
    ]


runs = st.builds(lambda each, start: run_of(JUDGE, each, begun(start)), fetches, starts)


def read(version):
    """What a reader sees; nothing, if there is no page."""
    shown = version != NOTHING and WORLD.is_page[version]
    return int(WORLD.versions.content[version]) if shown else None


def states(run):
    """(time, live, before, after, pages fetched in order) of every unit: versions by page, in dictionaries."""
    after = {p: int(v) for p, v in enumerate(run.copies)}
    for unit, time in enumerate(run.moments.tolist()):
        before, after, fetched = dict(after), dict(after), []
        for row in range(len(run.log)):
            if run.log.unit[row] == unit and run.log.page[row] != NOTHING:
                fetched.append((int(run.log.page[row]), int(run.log.version[row])))
                after[fetched[-1][0]] = fetched[-1][1]
        yield time, {p: WORLD.version(p, time) for p in PAGES}, before, after, fetched


def score(version, query):
    if version == NOTHING:
        return 0.0
    queries, scores = JUDGE.of(version)
    return dict(zip(queries.tolist(), scores.tolist(), strict=True)).get(query, 0.0)


def results(held, query):
    """Pages in the order in which they are shown: by score, then by the hash of the URL."""
    ranked = [(score(v, query), int(WORLD.ties[p]), p) for p, v in held.items() if read(v) is not None]
    return [p for s, _, p in sorted(ranked, reverse=True) if s > 0]


def same(measure, run, by_hand):
    np.testing.assert_allclose(measure(run), by_hand, rtol=1e-5, atol=1e-9)


# ---- quality


@settings(deadline=None)
@given(runs)
def test_quality_is_that_of_everything_computed_anew(run):
    """Before and after the fetches, by known and by judged demand."""
    ids = np.array(PAGES)
    for measure in (Quality(w, p) for w in ("before", "after") for p in ("known", "judged")):
        by_hand = []
        for moment in run.walk():
            held = run.searchable(moment.after if measure.when == "after" else moment.before)
            live = JUDGE.matches(ids, run.searchable(moment.live))
            weights = JUDGE.demand.weights(measure.part, moment.time)
            by_hand.append(quality(JUDGE.matches(ids, held), live, weights, WORLD.ties).value)
        same(measure, run, by_hand)


def test_a_repository_in_step_is_perfect_and_an_empty_one_worthless():
    """In step: quality and freshness exactly 1, age 0, MP@k 1; with nothing in it: quality and freshness 0."""
    in_step = run_of(JUDGE, [PAGES] * UNITS, empty(WORLD))
    for measure, value in ((Quality(), 1), (Freshness(), 1), (Age(), 0), (FreshnessAt(), 1), (PrecisionAt(), 1)):
        assert (measure(in_step) == value).all(), measure
    nothing = run_of(JUDGE, [[]] * UNITS, empty(WORLD))
    for measure in (Quality(), Freshness(), PrecisionAt()):
        assert (measure(nothing) == 0).all(), measure
    assert np.isnan(FreshnessAt()(nothing)).all()


def test_quality_is_1_where_nothing_can_be_found():
    """If nobody asks, nobody is disappointed."""
    judge = judge_of(WORLD, demand_of(type(WORLD.tallies)(["zebra"], np.ones(1), np.zeros(1)), "none", WEEK))
    assert (Quality()(run_of(judge, [[]] * 2, empty(WORLD))) == 1).all()


# ---- freshness and age


@settings(deadline=None)
@given(runs)
def test_freshness_counts_live_pages_and_copies_of_the_dead(run):
    """Fresh is what shows a reader the same; a page without a copy is not, nor a copy without a page."""
    for measure in (Freshness(), Freshness("before")):
        by_hand = []
        for _, live, before, after, _ in states(run):
            held = after if measure.when == "after" else before
            counted = [p for p in PAGES if read(live[p]) is not None or read(held[p]) is not None]
            by_hand.append(np.mean([read(live[p]) == read(held[p]) for p in counted]))
        same(measure, run, by_hand)


def first_missed(p, held, time):
    """When the page first was, after the version held, something else to a reader."""
    for v in range(WORLD.first[p], WORLD.first[p + 1]):
        if v > held and WORLD.versions.time[v] <= time and read(v) != read(held):
            return WORLD.versions.time[v]
    raise AssertionError("not stale")


@settings(deadline=None)
@given(runs)
def test_age_counts_from_the_first_change_missed(run):
    """Not from the last, as printed; in units of the world, or in seconds."""
    by_hand = []
    for time, live, _, after, _ in states(run):
        counted = [p for p in PAGES if read(live[p]) is not None or read(after[p]) is not None]
        stale = [p for p in PAGES if read(live[p]) != read(after[p])]
        by_hand.append(sum(time - first_missed(p, after[p], time) for p in stale) / len(counted))
    same(Age(scale="seconds"), run, by_hand)
    same(Age(), run, np.array(by_hand) / WEEK)


def test_age_of_single_pages_by_hand():
    """Edits and their end, birth, death and return, as weeks go by, when nothing is fetched."""
    for number, ages in {
        APPLE: [0, 0, 1, 0, 3, 4],  # changed in week 1, as it was in week 3, changed in week 4
        PEAR: [0, 0, 0, 1, 2, 3],  # gone in week 2; what came back in week 4 is another page
        PLUM: [0, 0, 0, 0, 0, 0],  # only a link was changed
        OAK: [0, 0, 0, 1, 2, 3],  # moved in week 2
        QUINCE: [0, 0, 1, 2, 3, 4],  # born in week 1
        ELM: [0, 0, 0, 0, 0, 0],  # hidden in week 5, at this moment
        SOON: [0, 0, 0, 0, 1, 2],  # said to be gone in week 1, there in week 3
    }.items():
        others_in_step = [[p for p in PAGES if p != number]] * UNITS
        run = run_of(JUDGE, others_in_step, synced(WORLD))
        pairs = [[(read(live[p]), read(after[p])) for p in PAGES] for _, live, _, after, _ in states(run)]
        counted = [sum(pair != (None, None) for pair in each) for each in pairs]
        assert (Age()(run) * counted).round(9).tolist() == ages, WORLD.urls[number]


def test_a_copy_newer_than_the_moment_is_not_stale():
    """Fetches follow the moment: what they find may have changed since then."""
    run = run_of(JUDGE, [PAGES, []], empty(WORLD), np.array([START, START + WEEK]))
    later = np.array([WORLD.version(p, START + WEEK) for p in run.log.page])
    run.log.version[:] = later
    assert Freshness()(run).tolist() == [1, 1]
    assert Age()(run).tolist() == [0, 0]


# ---- change ratio


@settings(deadline=None)
@given(runs)
def test_change_ratio_in_its_four_weightings(run):
    """Of pages fetched that had a copy: how many changed, counted, or weighed by PageRank."""
    w = pr(links_of(*links_at(WORLD, synced(WORLD)), len(PAGES)))
    by_hand: dict[Weighting, list[float]] = {"none": [], "default": [], "printed": [], "cho_ntoulas": []}
    for _, _, before, after, fetched in states(run):
        d = sorted({p for p, _ in fetched if read(before[p]) is not None})
        c = [p for p in d if read(before[p]) != read(after[p])]
        weight = sum(w[p] for p in c)
        by_hand["none"].append(len(c) / len(d) if d else np.nan)
        by_hand["default"].append(weight / sum(w[p] for p in d) if d else np.nan)
        by_hand["printed"].append(weight / len(c) if c else np.nan)
        by_hand["cho_ntoulas"].append(weight / len(d) if d else np.nan)
    for weighting, values in by_hand.items():
        same(ChangeRatio(weighting), run, values)


# ---- the first k results


def asked(time):
    return [(q, f) for q, f in enumerate(JUDGE.demand.weights("judged", time)) if f > 0]


@settings(max_examples=50, deadline=None)
@given(runs, st.integers(1, 4), st.booleans())
def test_freshness_at_k(run, k, weighted):
    """The default form is a share of what attention meets, the printed one is k times smaller at least."""
    default, printed = [], []
    for time, live, _, after, _ in states(run):
        shares, sums, weights = [], [], []
        for q, f in asked(time):
            top = results(after, q)[:k]
            if top:
                w = [r**-1.5 for r in range(1, k + 1)]
                fresh = sum(w[r] for r, p in enumerate(top) if read(after[p]) == read(live[p]))
                shares.append(fresh / sum(w[: len(top)]))
                sums.append(fresh / sum(w) / k)
                weights.append(f if weighted else 1.0)
        default.append(np.average(shares, weights=weights) if shares else np.nan)
        printed.append(np.average(sums, weights=weights) if sums else np.nan)
    same(FreshnessAt(k, weighted=weighted), run, default)
    same(FreshnessAt(k, "printed", weighted), run, printed)


def precision_by_hand(run, k, form, weighted, relevant):
    for time, live, _, after, _ in states(run):
        values, weights = [], []
        for q, f in asked(time):
            on_web = [score(live[p], q) for p in results(live, q)]
            if on_web:
                least = on_web[relevant - 1] if len(on_web) >= relevant else 1e-30
                top = results(after, q)[:k]
                rel = [min(score(live[p], q), score(after[p], q)) >= least for p in top]
                total = sum(sum(rel[: r + 1]) / (r + 1) for r in range(len(top)) if rel[r])
                values.append(total / (min(k, sum(s >= least for s in on_web)) if form == "ap" else 1))
                weights.append(f if weighted else 1.0)
        yield np.average(values, weights=weights)


@settings(max_examples=50, deadline=None)
@given(runs, st.integers(1, 4), st.booleans(), st.sampled_from(["ap", "printed"]))
def test_precision_at_k(run, k, weighted, form):
    """Average precision, and its sum as printed; every match is relevant in lists as short as these."""
    same(PrecisionAt(k, form, weighted), run, list(precision_by_hand(run, k, form, weighted, RELEVANT)))


@settings(max_examples=50, deadline=None)
@given(runs, st.integers(1, 4), st.integers(1, 3))
def test_relevant_is_what_scores_like_the_nth_live_result(run, k, relevant):
    """In the copy and on the Web; a smaller n makes it bite in a small world."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sought.lab.measures.precision_at.RELEVANT", relevant)
        same(PrecisionAt(k), run, list(precision_by_hand(run, k, "ap", False, relevant)))


# ---- impact


def impacts():
    """Views and clicks of every page at the start."""
    live = {p: WORLD.version(p, START) for p in PAGES}
    views, clicks = np.zeros(len(PAGES)), np.zeros(len(PAGES))
    for q, f in asked(START):
        shown = results(live, q)
        for r, p in enumerate(shown, 1):
            views[p] += f * (r <= 10)
            clicks[p] += f * JUDGE.visibility.scale * r**-1.5
    return views, clicks


@settings(deadline=None)
@given(runs)
def test_impact_share_and_click_through(run):
    """Pages of the frontier fetched so far, over as many of the best of it; others do not count."""
    views, clicks = impacts()
    frontier = [p for p in PAGES if read(WORLD.version(p, START)) is not None and read(run.copies[p]) is None]
    held = [WORLD.document(int(version)) for version in run.copies if version != NOTHING]
    linked = {link.url for document in held for link in document.links}
    frontier = [p for p in frontier if WORLD.urls[p] in linked or not held]
    so_far: set[int] = set()
    shares: dict[str, list[float]] = {"view": [], "click": []}
    rates = []
    for _, _, _, _, fetched in states(run):
        so_far |= {p for p, _ in fetched if p in frontier}
        for by, worth in (("view", views), ("click", clicks)):
            ideal = sum(sorted((worth[p] for p in frontier), reverse=True)[: len(so_far)])
            shares[by].append(sum(worth[p] for p in so_far) / ideal if ideal else np.nan)
        seen = [clicks[p] / views[p] for p in so_far if views[p]]
        rates.append(np.mean(seen) if seen else np.nan)
    same(ImpactShare("view"), run, shares["view"])
    same(ImpactShare("click"), run, shares["click"])
    same(ClickThrough(), run, rates)


def test_the_ideal_ranking_has_the_whole_share():
    """Whoever fetches in the order of true impact has 1 all along, whoever fetches the other way has less at first."""
    _, clicks = impacts()
    best = [p for p in np.argsort(-clicks, kind="stable").tolist() if read(WORLD.version(p, START)) is not None]
    assert ImpactShare("click")(run_of(JUDGE, [[p] for p in best], empty(WORLD))) == pytest.approx(np.ones(len(best)))
    worst = ImpactShare("click")(run_of(JUDGE, [[p] for p in best[::-1]], empty(WORLD)))
    assert worst[0] < 0.5
    assert worst[-1] == pytest.approx(1)


# ---- importance


def ladder(pages=6):
    """A still web in which page i is linked to by all pages after it: they have 5, 4, 3, … backlinks."""
    recorder = WorldRecorder()
    for i in range(pages):
        recorder.answer(page(f"{A}/{i}", 0, f"page {i}", f"words {i}", [f"{A}/{j}" for j in range(i)]))
    recorder.ask("words", 1, START)
    world = recorder.finish("ladder", [f"{A}/0"], START, START, WEEK)
    return judge_of(world, demand_of(world.tallies, "none", WEEK))


LADDER = ladder()
STEPS = len(LADDER.world.urls)


@pytest.mark.parametrize("kind", ["backlinks", "pagerank"])
def test_the_ideal_crawl_has_the_closed_forms(kind):
    """In order of importance: P_CS is 100, P_ST 100·min(K, H)/H after K pages."""
    run = run_of(LADDER, [[p] for p in range(STEPS)], empty(LADDER.world), np.full(STEPS, START))
    assert CrawlAndStop(kind)(run).tolist() == [100] * STEPS
    for hot in (1, 2, 5):
        values = Threshold(hot / STEPS, kind)(run)
        assert values == pytest.approx([100 * min(k, hot) / hot for k in range(1, STEPS + 1)])


def test_a_random_crawl_has_the_closed_forms():
    """Over all sets of K pages of T the mean of P_CS and of P_ST is 100·K/T."""
    for k in range(1, STEPS):
        chosen = [run_of(LADDER, [s], empty(LADDER.world)) for s in combinations(range(STEPS), k)]
        for measure in (CrawlAndStop(), Threshold(0.5), Threshold(1.0)):
            assert np.mean([measure(run)[0] for run in chosen]) == pytest.approx(100 * k / STEPS)


def test_pagerank_of_1998_solves_its_equation():
    """IR = 0.1 + 0.9·Σ IR/c, where a page without links spreads what it has over all."""
    sources, targets = links_at(LADDER.world, synced(LADDER.world))
    flow = np.zeros((STEPS, STEPS))
    for s, t in zip(sources, targets, strict=True):
        flow[t, s] = 1 / np.count_nonzero(sources == s)
    flow[:, flow.sum(axis=0) == 0] = 1 / STEPS
    exact = np.linalg.solve(np.eye(STEPS) - 0.9 * flow, np.full(STEPS, 0.1))
    assert importance(sources, targets, STEPS, "pagerank") == pytest.approx(exact, abs=1e-5)
    assert importance(sources, targets, STEPS, "pagerank").sum() == pytest.approx(STEPS, abs=1e-4)


def backlinks(live):
    """How many live pages link to each live page."""
    pairs = {(p, int(t)) for p, v in live.items() if read(v) is not None for t in WORLD.targets[WORLD.link_lists[v]]}
    return {p: sum(t == p != s for s, t in pairs) for p in live if read(live[p]) is not None}


def hot_by_hand(values, count):
    least = sorted(values.values(), reverse=True)[min(count, len(values)) - 1]
    return {p for p, value in values.items() if value >= least}


@settings(deadline=None)
@given(runs, st.sampled_from([0.1, 0.3, 0.5]))
def test_crawl_and_stop_with_and_without_threshold(run, share):
    """Of the live Web of each moment: what was visited and is still there, against what is hot."""
    seen = {p for p in PAGES if read(run.copies[p]) is not None}
    p_cs, p_st = [], []
    for _, live, _, _, fetched in states(run):
        seen |= {p for p, v in fetched if read(v) is not None}
        values = backlinks(live)
        there = seen & values.keys()
        p_cs.append(100 * len(there & hot_by_hand(values, len(there))) / len(there) if there else np.nan)
        hot = hot_by_hand(values, max(1, round(share * len(values))))
        p_st.append(100 * len(there & hot) / len(hot))
    same(CrawlAndStop(), run, p_cs)
    same(Threshold(share), run, p_st)


class PlainBuffer:
    """§2.2 word by word."""

    def __init__(self, size):
        self.size = size
        self.links: set[tuple[int, int]] = set()
        self.pages: list[int] = []

    def estimate(self, p):
        return sum(t == p for _, t in self.links)

    def see(self, p, v):
        self.links.update((p, int(t)) for t in WORLD.targets[WORLD.link_lists[v]] if t not in (p, NOTHING))

    def take(self, p):
        if p in self.pages:
            return
        if len(self.pages) >= self.size:
            least = min(self.pages, key=self.estimate)  # the first of equals came first
            if self.estimate(p) < self.estimate(least):
                return
            self.pages.remove(least)
        self.pages.append(p)

    def fetch(self, p, v):
        if read(v) is not None:
            self.see(p, v)
            self.take(p)
        elif p in self.pages:
            self.pages.remove(p)


@settings(deadline=None)
@given(runs, st.sampled_from([0.25, 0.4, 0.75]))
def test_limited_buffer(run, share):
    """The page with the fewest backlinks seen goes, the oldest first, or the new one is dropped."""
    size = round(share * len(backlinks({p: WORLD.version(p, START) for p in PAGES})))
    buffer, by_hand = PlainBuffer(size), []
    first = sorted((p for p in PAGES if read(run.copies[p]) is not None), key=lambda p: (WORLD.ties[p], p))
    for p in first:
        buffer.see(p, run.copies[p])
    for p in first:
        buffer.take(p)
    for _, live, _, _, fetched in states(run):
        for p, v in fetched:
            buffer.fetch(p, v)
        by_hand.append(100 * len(set(buffer.pages) & hot_by_hand(backlinks(live), size)) / size)
    same(LimitedBuffer(share), run, by_hand)


def test_a_buffer_that_has_seen_all_links_keeps_the_hot_pages():
    """The ideal: 100."""
    for share in (0.2, 0.5, 1.0):
        run = run_of(LADDER, [range(STEPS)], synced(LADDER.world))
        assert LimitedBuffer(share)(run).tolist() == [100]


# ---- variation


def test_change_intervals_by_hand():
    """Five weeks: apple changed three times, plum not for a reader; pear was away; quince is there for four weeks."""
    intervals, censored = change_intervals(WORLD)
    weeks = dict(enumerate((intervals / WEEK).tolist()))
    assert weeks[APPLE] == pytest.approx(5 / 3)
    assert weeks[PLUM] == 5
    assert weeks[PEAR] == 5 / 2  # it went and it came back
    assert weeks[OAK] == 2
    assert weeks[QUINCE] == 4
    assert weeks[NEW_OAK] == 3
    assert weeks[ELM] == 5
    assert weeks[SOON] == 2
    assert np.isnan(weeks[LATE])
    assert {p for p in PAGES if not censored[p]} == {APPLE, PEAR}


def test_variation_is_the_mean_of_sd_over_mean():
    """Over groups of at least two pages that were observed; the same in every unit."""
    intervals, _ = change_intervals(WORLD)
    for groups in (by_host(WORLD.urls), by_directory(WORLD.urls), np.array(PAGES) % 3):
        parts = [intervals[(groups == g) & ~np.isnan(intervals)] for g in set(groups.tolist())]
        expected = np.mean([part.std() / part.mean() for part in parts if len(part) > 1])
        assert variation(WORLD, groups) == pytest.approx(expected)
    assert np.isnan(variation(WORLD, np.array(PAGES)))
    run = run_of(JUDGE, [[]] * 3, empty(WORLD))
    assert Variation("host")(run).tolist() == [variation(WORLD, by_host(WORLD.urls))] * 3


def test_groups_are_hosts_and_directories():
    assert by_host(WORLD.urls).tolist() == [0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1]
    assert by_directory(WORLD.urls).tolist() == [0, 0, 0, 0, 1, 2, 2, 3, 0, 3, 0, 2]
    assert by_directory(["http://a.test/x?q=/a/b", "http://a.test/y"]).tolist() == [0, 0]


# ---- all of them


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_a_value_with_one_number_for_each_unit(name):
    """It goes by its name and by its repr, both of which can be read back, and leaves the run as it was."""
    measure = MEASURES[name]
    assert measure.name == name
    assert parse_measure(name) == parse_measure(repr(measure)) == measure
    assert hash(measure) == hash(parse_measure(repr(measure)))
    run = run_of(JUDGE, [[0, 1], [2], [99], [], [4, 8], [6]], begun("some"))
    columns = [run.log.page, run.log.version, run.copies]
    kept = [column.tobytes() for column in columns]
    values = measure(run)
    assert values.dtype == np.float64
    assert values.shape == (UNITS,)
    assert [column.tobytes() for column in columns] == kept
    np.testing.assert_array_equal(measure(run), values)


def test_names_tell_parameters_apart():
    measures = [
        *MEASURES.values(), FreshnessAt(5), FreshnessAt(weighted=True), PrecisionAt(5, "printed", True),
        Threshold(0.01), Threshold(0.47, "pagerank"), LimitedBuffer(0.5), Age(scale="seconds"),
        Age("before", "seconds"),
    ]  # fmt: skip
    assert len({measure.name for measure in measures}) == len(measures)


def test_measures_from_expressions():
    assert parse_measure("FreshnessAt(k=5)") == FreshnessAt(5)
    assert parse_measure(" quality_known_before ") == Quality("before", "known")
    assert parse_measure("Quality") == Quality()


@pytest.mark.parametrize(
    "text",
    [
        "qualty", "", "quality(", "Quality('later')", "Quality(part='all')", "FreshnessAt(k=0)", "FreshnessAt(k='5')",
        "FreshnessAt(form='ap')", "PrecisionAt(form='default')", "ChangeRatio('some')", "Threshold(0)", "Threshold(2)",
        "LimitedBuffer(-1)", "CrawlAndStop('fame')", "Variation('planet')", "ImpactShare('buy')", "Age(scale='days')",
    ],
)  # fmt: skip
def test_what_is_no_measure_is_bad_input(text):
    with pytest.raises(BadInput):
        parse_measure(text)


# ---- over budgets


def test_downloads_for_a_quality_by_hand():
    """Straight lines between measured budgets, in whatever order; the smallest budget at least, NaN if never."""
    budgets, qualities = [40, 10, 20], [0.98, 0.80, 0.90]
    assert downloads_for(budgets, qualities, 0.90) == 20
    assert downloads_for(budgets, qualities, 0.94) == pytest.approx(30)
    assert downloads_for(budgets, qualities, 0.5) == 10
    assert np.isnan(downloads_for(budgets, qualities, 0.99))
    assert np.isnan(downloads_for([], [], 0.9))
    assert downloads_for([1, 2, 3], [0.0, 1.0, 0.5], 0.75) == 1.75  # the first time counts
    assert downloads_for([1, 1, 2], [0.0, 1.0, 1.0], 0.75) == 1.5  # two runs of one budget count as their mean
    with pytest.raises(ValueError, match="2 budgets"):
        downloads_for([1, 2], [0.5], 0.9)


curves = st.lists(st.tuples(st.integers(1, 50), st.floats(0, 1)), min_size=1, max_size=8, unique_by=lambda row: row[0])


@given(curves, st.floats(0, 1))
def test_what_a_level_needs_gives_that_level(curve, level):
    """The curve at the budget needed has the level, or is above it from the start; nowhere before it has."""
    curve = sorted(curve)
    x, y = np.array(curve).T
    needed = downloads_for(x, y, level)
    assert is_bound(x, y, level) == (y[0] >= level)
    assert needed == x[0] or not is_bound(x, y, level)
    if np.isnan(needed):
        assert y.max() < level
    elif needed > x[0]:
        assert np.interp(needed, x, y) == pytest.approx(level, abs=1e-9)
        assert (y[x < needed - 1e-9] < level + 1e-9).all()
    else:
        assert y[0] >= level - 1e-9


@given(curves)
def test_area_is_a_mean_height(curve):
    x, y = np.array(sorted(curve)).T
    assert y.min() - 1e-12 <= area(x, y) <= y.max() + 1e-12
    assert area(x, np.full(len(x), 0.7)) == pytest.approx(0.7)


def test_area_and_gap_by_hand():
    assert area([0, 1, 3], [0, 1, 1]) == pytest.approx(2.5 / 3)
    assert np.isnan(area([], []))
    assert share_of_gap(0.9, 0.8, 1.0) == pytest.approx(0.5)
    assert share_of_gap(0.7, 0.8, 1.0) == pytest.approx(-0.5)
    assert np.isnan(share_of_gap(0.9, 0.8, 0.8))


def test_a_table_of_policies_over_budgets():
    rows = [("b", 1, 0.9), ("b", 3, 1.0), ("a", 3, 0.5), ("a", 1, 0.3)]
    table = by_policy(pl.DataFrame(rows, ["policy", "budget", "value"], orient="row"))
    needed = ["downloads_90", "downloads_95", "downloads_99"]
    bounds = [f"{name}_is_bound" for name in needed]
    assert set(table.columns) == {"policy", "area", *needed, *bounds}
    assert table.select("policy", "area", *needed).row(0) == pytest.approx(("b", 0.95, 1.0, 2.0, 2.8))
    assert table.select("policy", "area", *needed).row(1) == pytest.approx(("a", 0.4, *[np.nan] * 3), nan_ok=True)
    assert table.select(bounds).rows() == [(True, False, False), (False, False, False)]
    assert [shown(row) for row in table.iter_rows(named=True)] == [
        {"area": "0.9500", "downloads 90": "≤ 1", "downloads 95": "2", "downloads 99": "2.8", "policy": "b"},
        {"area": "0.4000", "downloads 90": "never", "downloads 95": "never", "downloads 99": "never", "policy": "a"},
    ]


def test_bulk_weeks_apart():
    """Each week is either a bulk week or an ordinary one; together they are all, and most are ordinary."""
    recorder = WorldRecorder()
    for week in range(8):
        for number in range(30 if week in (0, 5) else 1):
            recorder.answer(page(f"{A}/{number}", week, f"page {number}", f"text {week} {number}"))
    recorder.ask("text", 1.0, START)
    world = recorder.finish("bulky", [f"{A}/0"], START, START + 7 * WEEK, WEEK)
    judge = judge_of(world, demand_of(world.tallies, "none", WEEK))
    times = START + WEEK * np.arange(1, 8, dtype=np.float64)
    nothing = FetchLog(np.zeros(0, np.int32), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, np.int64), [])
    run = Run(judge, nothing, times, world.at(START))
    whole, bulk, ordinary = (Quality(weeks=weeks)(run) for weeks in ("all", "bulk", "ordinary"))
    assert np.flatnonzero(~np.isnan(bulk)).tolist() == [4]
    assert np.array_equal(np.where(np.isnan(bulk), ordinary, bulk), whole)
    assert Quality(weeks="bulk").name == "quality_bulk"
