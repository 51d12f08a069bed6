"""The experiments of Pandey and Olston, 2005: what each says on a small web, and that verdicts follow from numbers."""

from dataclasses import replace

import numpy as np
import pytest

from sought.index.curves import Curves
from sought.index.visibility import Visibility
from sought.lab.replay.fixed_weeks import Weeks
from sought.lab.replay.hindsight import watched
from sought.lab.replay.setting import Setting
from sought.lab.studies.cells import judge_for
from sought.lab.studies.figures import scatter
from sought.lab.studies.pandey_olston_2005 import gain_estimates as pieces
from sought.lab.studies.pandey_olston_2005 import gains_in_halves as halves
from sought.lab.studies.pandey_olston_2005 import index_time as cost
from sought.lab.studies.pandey_olston_2005 import panels as plans
from sought.lab.studies.pandey_olston_2005 import refresh_budgets as budgets
from sought.lab.studies.pandey_olston_2005 import two_pages as two
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import UNJUDGED, VERDICTS, StudyContext
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from tests.testing.fetch_logs import fetches
from tests.testing.small_world import small_world

KNOBS = {"traps": 0.0, "sitemaps": 0.0, "births": 0.0, "deletes": 0.0, "ephemeral": 0.0}
SHAPE = WebShape(hosts=2, pages=60, weeks=22, words=60.0, vocabulary=500, topics=6, queries=80, rate=0.3, **KNOBS)  # type: ignore[arg-type]  # shares
PAPER = "pandey-olston-2005"
OF_WORLDS = tuple(f"{PAPER}-{each}" for each in ("figure-3", "figure-4", "figure-4-causal", "section-5-1-2"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    recorder, place = WorldRecorder(), tmp_path_factory.mktemp("w") / "made-up.world"
    span = generate(recorder, SHAPE)
    save_world(recorder.finish("made-up", span.seeds, span.start, span.end, WEEK), place, recorder.texts)
    return place


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OF_WORLDS, f"{PAPER}-example-1"])
def test_every_study_runs_and_finds_the_same_again(name, folder, tmp_path):
    """A verdict, its numbers, tables and figures; the same world gives the same."""
    study = EXPERIMENTS[name]
    context = StudyContext([] if study.worldless else [folder], tmp_path, cores=0, quick=True)
    found = study.run(context)
    assert found.study == name
    assert found.verdict in VERDICTS
    assert found.because
    assert found.tables
    assert found.figures or found.verdict == UNJUDGED
    assert all(found.numbers.values())
    if name.endswith("figure-3"):
        assert found == study.run(context)


@pytest.mark.parametrize("name", OF_WORLDS)
def test_a_world_that_is_too_small_cannot_judge(name, tmp_path):
    """It says why."""
    world = replace(small_world(), tallies=type(small_world().tallies)())
    save_world(world, tmp_path / "small.world", [""] * len(world.versions))
    found = EXPERIMENTS[name].run(StudyContext([tmp_path / "small.world"], tmp_path, quick=True))
    assert found.verdict == UNJUDGED
    assert "nobody asks" in found.because


def test_every_figure_has_a_study():
    """Those of the paper, its examples, and what it says of pieces; by their old names, too."""
    names = {*OF_WORLDS, f"{PAPER}-figure-2", f"{PAPER}-example-1"}
    assert {name for name in EXPERIMENTS if EXPERIMENTS[name].paper == PAPER} == names
    old = ("E000-2", "E000-3", "E000-4", "E000-4C", "E000-5", "E000-S", f"{PAPER}-example-2")
    assert {EXPERIMENTS[name].name for name in old} == names


# ---- Figure 2


def test_index_time():
    """Small and even holds; large does not, nor uneven; a busy machine cannot judge."""
    costs = [cost.Cost(pages, 1.0, 1.07) for pages in (100, 200)]
    assert cost.judged(costs).holds
    large = cost.judged([cost.Cost(100, 1.0, 1.2)] * 2)
    assert large.because.startswith("not so: 100 pages: measuring adds at most 10%")
    assert "(20.0%)" in large.because
    uneven = cost.judged([cost.Cost(100, 1.0, 1.01), cost.Cost(200, 1.0, 1.08)])
    assert uneven.holds is False
    assert "differs by at most 5% (1.0% to 8.0%)" in uneven.because
    assert cost.judged([*costs, cost.Cost(400, 1.0, 1.07, noise=0.3)]).holds is None


def test_a_batch_is_of_pages_that_changed(tmp_path):
    """Made-up pages, as many as asked for, with two bodies each."""
    first, last, asked, weights = cost.made_up(40, 50)
    assert len(first) == len(last) == 40
    assert all(a.url == b.url and a.body != b.body for a, b in zip(first, last, strict=True))
    assert len(asked) == len(set(asked)) == len(weights)
    assert weights.sum() == pytest.approx(1.0)
    [found] = cost.costs((40,), 50, 1, StudyContext([], tmp_path))
    assert found.pages == 40
    assert min(found.plain, found.measured) > 0


# ---- Figure 3


def of_halves(first, second):
    first, second = np.array(first), np.array(second)
    return halves.Halves(first, second, np.ones(len(first), np.bool_), np.full(len(first), 0.5))


def both_scores(each):
    return {(name, form): each for name in halves.SCORERS for form in halves.FORMS}


@pytest.mark.slow
def test_gains_that_come_again_hold():
    """Near the diagonal; else it is said what is not so."""
    dice = np.random.default_rng(1)
    gain = dice.lognormal(0, 2, 300)
    near = halves.judged("w", both_scores(of_halves(gain, gain * dice.lognormal(0, 0.3, 300))))
    assert near.holds
    assert len(near.figures) == 2
    other = halves.judged("w", both_scores(of_halves(gain, dice.permutation(gain))))
    assert other.holds is False
    assert "rank correlation" in other.because
    far = halves.judged("w", both_scores(of_halves(gain, 50 * gain)))
    assert far.holds is False
    assert "50.0 times off" in far.because
    assert [claim.holds for claim in far.claims] == [True, False, True, False]
    few = halves.judged("w", both_scores(of_halves(gain[:5], gain[:5])))
    assert few.holds is None


def test_zeros_count_unless_left_out():
    """A page with gain in one half only is on an edge."""
    found = of_halves([1.0, 2.0, 3.0, 4.0, 9.0, 0.0], [1.0, 2.0, 3.0, 4.0, 0.0, 9.0])
    assert found.correlation_without_zeros == pytest.approx(1.0)
    assert found.correlation < 0.5
    assert found.factor == pytest.approx(1.0)


def test_gain_a_week_of_pages_refreshed_whenever_they_change():
    """As printed: the mean of gain/gap; else all gain over all weeks.  The (0, 0) are left out."""
    log = [fetches([0, 1], [0.0, 0.0], [np.inf] * 2, [True] * 2)]
    bits = [(0, 0), (1, 0), (1, 0), (0, 0)]  # changes of pages 0 and 1, two weeks in each half
    for week, changed in enumerate(bits, 1):
        log.append(fetches([0, 1], [week] * 2, [1.0] * 2, changed, gain=[6.0 * changed[0], 0.0]))
    paper, sums = (halves.halves(log, 2, form) for form in halves.FORMS)
    assert (paper.first.tolist(), paper.second.tolist()) == ([3.0], [6.0])
    assert (sums.first.tolist(), sums.second.tolist()) == ([3.0], [3.0])
    assert paper.largest.tolist() == [0.5]


def test_scatter_is_a_drawing():
    """Zeros are drawn, on the edges; nothing at all is, too."""
    assert scatter({"a": ([0.0, 1.0], [2.0, 0.0])}, "x", "y", "t") == scatter({"a": ([0, 1], [2, 0])}, "x", "y", "t")
    assert scatter({}, "x", "y", "t").startswith("<svg")


# ---- Figure 4


def panel(user, rival, never=0.8):
    quality = {plans.USER: user, plans.FLOOR: rival, plans.STALE: rival, plans.EMBARRASSED: rival}
    taus = {name: [0.5] * len(user) for name in plans.RIVALS}
    return plans.Panel((0.01, 0.05, 0.1), quality, taus, never)


GOOD, BAD = panel([0.97, 0.995, 0.999], [0.85, 0.93, 0.96]), panel([0.85, 0.9, 0.95], [0.86, 0.94, 0.97])


def panels(in_sample, half, own):
    kinds = {plans.IN_SAMPLE: in_sample, plans.HALF: half, plans.BY_ITSELF: own}
    return {(kind, scores): each for kind, each in kinds.items() for scores in halves.SCORERS}


def test_ratios_are_of_fetches_for_the_same_quality():
    """Straight lines between budgets, from no fetches on."""
    assert GOOD.ratios()[0] == pytest.approx(0.05 / 0.17)
    assert GOOD.at_reached() > 0.99
    assert BAD.ratios()[-1] == np.inf
    assert np.isnan(panel([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]).ratios()).all()


def test_in_sample_and_causal_are_judged_apart():
    """Each by its own panels; one that loses next to nothing cannot tell."""
    found = panels(GOOD, BAD, BAD)
    assert budgets.judged("w", found, budgets.NAME).holds
    causal = budgets.judged("w", found, budgets.CAUSAL_NAME)
    assert causal.holds is False
    assert "not so: first half, TF-IDF: for the quality of the better rival" in causal.because
    assert any("lead in-sample less" in name for name in causal.numbers)
    idle = replace(BAD, never=0.999)
    some = budgets.judged("w", panels(GOOD, idle, GOOD), budgets.CAUSAL_NAME)
    assert some.holds
    unjudged = {(claim.at, claim.detail) for claim in some.claims if claim.holds is None}
    assert unjudged == {
        (f"first half, {scores}", "too little is lost: 0.0010 if never fetched") for scores in halves.SCORERS
    }
    none = budgets.judged("w", panels(GOOD, idle, idle), budgets.CAUSAL_NAME)
    assert none.holds is None
    assert none.because.startswith("too little is lost: 0.0010")


def test_known_times_are_beside_the_paper():
    """Told, in numbers and in words, where they are better; no verdict is by them."""
    known = replace(GOOD, quality={**GOOD.quality, plans.KNOWN: [0.96, 0.996, 1.0]})
    known = replace(known, tau={**GOOD.tau, plans.KNOWN: [0.1] * 3})
    found = panels(known, GOOD, GOOD)
    part = budgets.judged("w", found, budgets.NAME)
    assert part.holds
    fewer = [claim for claim in part.claims if claim.statement == budgets.FEWER]
    assert [claim.at for claim in fewer] == [f"in-sample, {scores}" for scores in halves.SCORERS]
    assert all(claim.detail.endswith("EBR, times known is better at 5.0%, 10.0%") for claim in fewer)
    assert part.numbers["in-sample, TF-IDF: lead over EBR, times known at 1.0%"] == pytest.approx(0.01)
    assert "times known" in part.figures[0].svg
    [table] = part.tables
    at = table.columns.index(plans.KNOWN)
    assert [row[at] for row in table.rows if row[0] == plans.IN_SAMPLE] == 2 * [0.96, 0.996, 1.0]
    assert {row[at] for row in table.rows if row[0] != plans.IN_SAMPLE} == {None}
    assert "τ = 1" in table.note
    assert "better at" not in budgets.judged("w", found, budgets.CAUSAL_NAME).because


def test_whoever_knows_the_times_fetches_what_has_changed(folder):
    """With room for all changes nothing is missed, with less some are; τ says which changes count."""
    judge = judge_for(open_world(folder), Setting(scorer="TfIdf()", pages="fixed", rounds=1))
    times = judge.world.start + judge.world.unit * np.arange(judge.world.units + 1.0)
    log, weeks = watched(judge, times), Weeks(judge, times)
    chance = plans.KnownWeeks(judge, weeks, log).chances(0.0)
    changed = [set(each.row[each.changed].tolist()) for each in log[1:]]
    assert [set(np.flatnonzero(week).tolist()) for week in chance.T] == changed
    most, same = max(map(len, changed)), np.ones(len(chance))
    assert weeks.quality(weeks.by_chances(chance, same, most)) == pytest.approx(1.0)
    few = list(weeks.by_chances(chance, same, 1))
    assert [len(pages) for pages in few] == [1] * len(changed)
    assert weeks.never() < weeks.quality(iter(few)) < 1.0
    large = plans.KnownWeeks(judge, weeks, log).chances(0.5)
    assert 0 < large.sum() < chance.sum()


def test_staleness_at_tau_1_is_round_robin(folder):
    """Erratum 7: nothing exceeds all of it, so no page is ever stale, and all come in turn."""
    judge = judge_for(open_world(folder), Setting(scorer="TfIdf()", pages="fixed", rounds=1))
    times = judge.world.start + judge.world.unit * np.arange(judge.world.units + 1.0)
    weeks = Weeks(judge, times)
    rate, weight = plans.KnownWeeks(judge, weeks, watched(judge, times)).rates(plans.STALE, 1.0)
    assert not rate.any()
    count = 7
    fetched = np.concatenate(list(weeks.planned(rate, weight, count)))
    turn = len(weeks.pages)
    assert len(fetched) == count * (len(times) - 1) > turn
    assert set(fetched[:turn].tolist()) == set(weeks.pages.tolist())
    assert (fetched[turn:] == fetched[: len(fetched) - turn]).all()


def test_where_the_rival_reaches_95_it_must_be_above_99():
    """Fewer fetches are not enough."""
    slow = panel([0.95, 0.98, 0.985], [0.85, 0.93, 0.96])
    assert [(claim.statement, claim.holds) for claim in budgets.claims_of("", slow)] == [
        (budgets.FEWER, True),
        (budgets.HIGHER, False),
    ]
    at_once = panel([0.97, 0.98, 0.985], [0.955, 0.96, 0.97])  # below the first budget nothing was measured
    assert np.isnan(at_once.at_reached())
    assert [claim.statement for claim in budgets.claims_of("", at_once)] == [budgets.FEWER]


def test_tau_is_chosen_where_it_is_told(folder):
    """In-sample the best by what comes out; of the second half it is that of the first, whatever comes out."""
    judge = judge_for(open_world(folder), Setting(scorer="TfIdf()", pages="fixed", rounds=1))
    times = judge.world.start + judge.world.unit * np.arange(judge.world.units + 1.0)
    ground = plans.FixedPages(judge, times, watched(judge, times), (0.05,), (0.1, 0.9))
    first, second = slice(0, ground.middle + 1), slice(ground.middle, None)
    chosen = ground.panel(first, first)
    later = ground.panel(first, second, chosen)
    assert later.tau == chosen.tau
    each = [plans.FixedPages(judge, times, ground.log, (0.05,), (tau,)).panel(first, first) for tau in ground.taus]
    for name in plans.RIVALS:
        assert chosen.quality[name] == [max(one.quality[name][0] for one in each)]


# ---- Examples 1 and 2


def test_two_pages():
    """Each of the statements can fail."""
    good = {two.USER_CENTRIC: two.TwoPageFetches(0, 40, 4.0, 0.98), two.STALENESS: two.TwoPageFetches(6, 0, 5.7, 0.94)}
    assert two.judged(good, good).holds
    for policy, change in (
        (two.USER_CENTRIC, {"adverts": 5}),
        (two.USER_CENTRIC, {"seminar": 3}),
        (two.STALENESS, {"adverts": 1}),
        (two.STALENESS, {"seminar": 30}),
    ):
        part = two.judged(good | {policy: replace(good[policy], **change)}, good)
        assert part.holds is False
        assert part.because.startswith("not so: ")
        assert [claim.holds for claim in part.claims].count(False) == 1


# ---- §5.1.2


def brute_force(others, old, new):
    """What attention finds with the new copy, less what it found with the old one; the page is worth `new`."""

    def found(shown):
        ranked = sorted([*((score, score) for score in others), (shown, new)], reverse=True)
        return sum(worth * rank**-1.5 for rank, (_, worth) in enumerate([r for r in ranked if r[0] > 0], 1))

    return found(new) - found(old)


def test_gains_are_exact_if_every_rank_is_a_knot():
    """With many pieces a short list is known whole: entries, exits and moves are as by brute force."""
    dice = np.random.default_rng(5)
    for _ in range(400):
        others = np.sort(dice.random(dice.integers(1, 9)))[::-1] + 0.01
        old, new = (float(dice.choice([0.0, dice.random() + 0.005])) for _ in range(2))
        if old != new:
            listed = np.sort(np.append(others, [old] * (old > 0)))[::-1]
            [gain] = pieces.shift_gains(listed, np.array([old]), np.array([new]), 50)
            assert gain == pytest.approx(brute_force(others, old, new), abs=1e-7)


@pytest.mark.parametrize("count", [1, 2, 3, 6])
def test_no_shift_does_harm(count):
    """A page at its own rank in a falling list never costs anything, however few pieces the curve has."""
    dice = np.random.default_rng(6)
    scores = np.sort(dice.lognormal(0, 1, 300))[::-1]
    old = np.concatenate([dice.choice(scores, 200), np.zeros(50)])
    new = np.concatenate([old[:100] * dice.normal(1, 1e-3, 100), dice.lognormal(0, 1, 150)])
    assert pieces.shift_gains(scores, old, np.where(dice.random(250) < 0.1, 0.0, new), count).min() > -1e-3


def test_three_pieces_are_the_curves_of_a_crawl():
    """Curves(depth=0) have the same knots, and so say nearly the same."""
    dice = np.random.default_rng(7)
    scores = np.sort(dice.lognormal(0, 1, 400).astype(np.float32))[::-1]
    at = dice.choice(400, 60, replace=False)
    old, new = scores[at].astype(np.float64), dice.lognormal(0, 1, 60).astype(np.float32).astype(np.float64)
    ours = pieces.shift_gains(scores.astype(np.float64), old, new, 3) * Visibility().scale
    theirs = []
    for before, after in zip(old, new, strict=True):  # each by itself: a shift moves the curve
        lists = Curves(depth=0).open(1, Visibility())
        none = np.zeros(1, np.uint32)
        lists.fill(np.zeros(400, np.uint32), scores.copy(), np.arange(400, dtype=np.uint32))
        theirs.append(lists.shift(none, np.array([before], np.float32), np.array([after], np.float32), none)[2][0])
    assert np.corrcoef(ours, theirs)[0, 1] > 0.999
    assert np.sum(ours) == pytest.approx(np.sum(theirs), rel=0.02)


def test_pieces():
    """A flat curve holds; else it is said where not; without a lead nothing can be told."""
    flat = pieces.Pieces({pieces.EXACT: [0.99, 0.995], "1": [0.98, 0.99], "3": [0.981, 0.99]}, {}, [0.9, 0.95])
    flat = replace(flat, correlation=dict.fromkeys(flat.quality, 0.9))
    assert pieces.judged("w", flat).holds
    bent = pieces.judged("w", replace(flat, quality={**flat.quality, "1": [0.95, 0.99]}))
    assert bent.holds is False
    assert "not so: 1%: with one to six pieces" in bent.because
    assert "5%" not in bent.because
    assert pieces.judged("w", replace(flat, floor=[0.99, 0.995])).holds is None
