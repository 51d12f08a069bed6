"""What a policy expects of fetches beside what they bring: in numbers, on record, and in the laboratory."""

import asyncio
import json
import math
import random
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr
from typer.testing import CliRunner

from sought.beliefs.gain_rate import GainRate
from sought.beliefs.prospect import Prospect
from sought.cli.commands import app
from sought.demand import QueryLog, import_file
from sought.lab.measures import MEASURES, Calibrated
from sought.lab.measures.calibration import calibrated, calibration_of
from sought.lab.replay.replay import Replay, replay
from sought.lab.replay.run import Run
from sought.lab.replay.setting import Setting
from sought.lab.replay.signals import Signals
from sought.lab.studies.cells import judge_for, load, read_measured
from sought.lab.studies.experiment import experiment, grid, run_all
from sought.lab.worlds.files import save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.synthetic.web import WebShape, generate
from sought.lab.worlds.world import WEEK
from sought.operate.calibration import (
    LEAST,
    Calibration,
    calibration,
    expected_against_measured,
    slope_interval,
    verdict,
)
from sought.operate.live import crawl
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.policy import BreadthFirst, DemandFirst, RoundRobin
from sought.record.expectations import KEPT, note_expected
from sought.record.history import finished_fetches
from sought.record.outcome import Finished, Outcome
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.record.store import Store
from sought.record.workload_refresh import Refresh
from sought.web.errors import BadInput
from sought.web.message import Why
from sought.web.policy import Expected, Policy
from tests.testing.changing_site import serving
from tests.testing.counted_anew import opened
from tests.testing.demand_site import answer, crawled, page, write_config

NEVER, NAN = -np.inf, math.nan
RISING = np.arange(1.0, 21.0)


# ---- in numbers


def test_whoever_is_right_is_calibrated():
    """Then all is 1, but for the best tenth, which brings its part: here 20 + 19 of 210."""
    assert calibration(RISING, RISING) == pytest.approx((20, 1.0, 1.0, 39 / 210, 1.0))


def test_what_each_figure_is_about():
    """Gains that are three times as far apart as expected, and 30 more each; then gains the other way round."""
    found = calibration(RISING, 3 * RISING + 30)
    assert found[:3] == pytest.approx((20, 3.0, 1.0))
    assert found.sum_ratio == pytest.approx((3 * 210 + 600) / 210)
    assert calibration(RISING, RISING**3).rank_correlation == pytest.approx(1.0)
    assert calibration(RISING, RISING[::-1]) == pytest.approx((20, -1.0, -1.0, 3 / 210, 1.0))


numbers = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([1.0, 0.5, 0.25])), min_size=LEAST, max_size=60
)


@given(numbers)
def test_slope_and_rank_correlation_are_the_textbook_ones(rows):
    """As NumPy and SciPy have them, also with ties; one of chance 1/4 counts as four of chance 1 do."""
    expected, gain, chance = np.array(rows, np.float64).T
    found = calibration(expected, gain, chance)
    if np.ptp(expected):
        many = np.rint(1 / chance).astype(np.int64)
        slope = np.polyfit(np.repeat(expected, many), np.repeat(gain, many), 1)[0]
        assert found.slope == pytest.approx(slope, abs=1e-9)
    if np.ptp(expected) and np.ptp(gain):
        assert found.rank_correlation == pytest.approx(spearmanr(expected, gain).statistic, abs=1e-9)
    else:
        assert math.isnan(found.rank_correlation)


@given(st.lists(st.tuples(*[st.floats()] * 3), max_size=40))
def test_anything_can_be_told(rows):
    """Every figure is a number or NaN, whatever is in the columns; fetches that tell nothing do not count."""
    columns = np.array(rows, np.float64).reshape(-1, 3)
    columns = np.where(np.abs(columns) > 1e100, np.inf, columns)  # of which nobody can take squares
    found = calibration(*columns.T)
    told = columns[np.isfinite(columns[:, :2]).all(axis=1)]
    assert found.fetches == len(told)
    assert not any(map(math.isinf, found))
    assert np.array_equal(found, calibration(*told.T), equal_nan=True)
    if len(told) < LEAST:
        assert all(map(math.isnan, found[1:]))


def test_fewer_than_ten_tell_nothing():
    assert np.array_equal(calibration(RISING[:9], RISING[:9]), Calibration(9), equal_nan=True)
    assert calibration(RISING[:10], RISING[:10]).slope == 1.0


def test_whoever_expects_the_same_of_all_says_nothing():
    """There is no slope and no order, and the best tenth is like all others; also where tenths have no exact sum."""
    for same in (0.1, 0.0, 7.0):
        found = calibration(np.full(20, same), RISING)
        assert math.isnan(found.slope)
        assert math.isnan(found.rank_correlation)
        assert found.top_tenth == pytest.approx(0.1)


def test_where_nothing_came():
    """All was in vain: that is a slope of 0, and there is no gain to have a share in."""
    found = calibration(RISING, np.zeros(20))
    assert (found.slope, found.sum_ratio) == (0.0, 0.0)
    assert math.isnan(found.rank_correlation)
    assert math.isnan(found.top_tenth)


def test_equals_share_the_last_places_of_the_best_tenth():
    """Of 30 fetches three are the best: the first, and two of the four that come next."""
    expected = np.concatenate([[9.0], np.full(4, 8.0), np.linspace(0, 1, 25)])
    gain = np.concatenate([[4.0, 3.0, 2.0, 1.0, 0.0], np.zeros(25)])
    assert calibration(expected, gain).top_tenth == pytest.approx((4 + 6 / 2) / 10)
    order = np.random.default_rng(0).permutation(30)
    assert calibration(expected[order], gain[order]) == pytest.approx(calibration(expected, gain))


def test_nobody_counts_for_more_than_twenty():
    """Nor does one count for nothing, whatever its chance is said to be."""
    gain = RISING**2
    for wild, tame in ((1e-9, 0.05), (0.0, 0.05), (-1.0, 0.05), (7.0, 1.0), (NAN, 1.0), (np.inf, 1.0)):
        one = calibration(RISING, gain, np.where(RISING > 15, wild, 0.5)).slope
        assert one == calibration(RISING, gain, np.where(RISING > 15, tame, 0.5)).slope
    assert calibration(RISING, gain, np.full(20, NAN)).slope == calibration(RISING, gain).slope


# ---- on record


def test_the_latest_are_kept(tmp_path):
    """So many of each kind, in whatever pieces they come; of which nothing was expected or measured, nothing is."""
    rng, found, count = np.random.default_rng(0), [], KEPT + 700
    rows = [(float(i), float(x), float(y)) for i, (x, y) in enumerate(rng.random((count, 2)))]
    first = [Finished(i, Outcome(t, "new", gain=y, expected=x), np.inf) for i, (t, x, y) in enumerate(rows)]
    later = [
        Finished(i, Outcome(t, "changed", gain=y, expected=x, chance=0.5), 9.0) for i, (t, x, y) in enumerate(rows)
    ]
    silent = [
        Finished(0, Outcome(0.0, "new", gain=1.0), np.inf),
        Finished(0, Outcome(0.0, "new", expected=1.0), np.inf),
    ]
    whole = (
        [each for both in zip(first, later[: count - 1], strict=False) for each in both] + first[count - 1 :] + silent
    )
    for piece in (1234, len(whole)):
        store = Store(tmp_path / str(piece), writable=True)
        for start in range(0, len(whole), piece):
            note_expected(whole[start : start + piece], store)
            store.commit()
        found.append((list(store.scan(b"x")), expected_against_measured(store, NEVER)))
        recent = expected_against_measured(store, float(count - 21))
        store.close()
    assert found[0] == found[1]
    assert len(found[0][0]) == 2 * KEPT
    _, expected, gain = np.array(rows).T
    assert found[0][1]["new_pages"] == pytest.approx(calibration(expected[-KEPT:], gain[-KEPT:]))
    assert found[0][1]["known_pages"] == pytest.approx(calibration(expected[-KEPT - 1 : -1], gain[-KEPT - 1 : -1]))
    assert {kind: each.fetches for kind, each in recent.items()} == {"new_pages": 20, "known_pages": 19}


def test_a_commit_writes_what_it_has_fetched(tmp_path):
    """A pair for each fetch and one for their number; where nobody expects anything, nothing."""
    store = Store(tmp_path / "store", writable=True)
    note_expected([Finished(i, Outcome(float(i), "new", gain=0.0), np.inf) for i in range(50)], store)
    assert len(store.batch) == 0
    for count in (KEPT, 3):
        note_expected([Finished(i, Outcome(0.0, "new", gain=0.0, expected=1.0), np.inf) for i in range(count)], store)
        assert len(store.batch) == count + 1
        store.commit()
    store.close()


@dataclass(frozen=True)
class Expects:
    """In order of prospects and of what fetches brought; new pages are expected to bring their prospect."""

    beliefs = (Prospect(), GainRate())

    def __call__(self, pages, now):
        return self.expects(pages, now).value

    def expects(self, pages, now):
        age = np.where(pages.is_new, 0.0, now - np.where(pages.is_new, now, pages.last_fetch))
        gain = np.where(pages.is_new, pages.belief(Prospect()), pages.belief(GainRate()) * age)
        return Expected(gain, gain, np.where(pages.key % np.uint64(2) == 0, 0.5, NAN))


@dataclass(frozen=True)
class Foretells:
    """In turn, new pages first; what it expects has nothing to do with what comes."""

    def __call__(self, pages, now):
        return RoundRobin(new=True)(pages, now)

    def expects(self, pages, now):
        gain = 0.1 * (1.0 + np.arange(len(pages), dtype=np.float64) % 7)
        return Expected(self(pages, now), gain, np.full(len(pages), NAN))


@contextmanager
def measured_crawl(path: Path, pages: int = 30) -> Iterator[Path]:
    """All pages fetched once, half of them again."""
    with serving() as site:
        crawled(site, path, pages)
        (path / "asked.tsv").write_text("query\tcount\nboats\t5\ncities\t3\nrivers\t2\nlakes\t2\nmaking\t1\n")
        import_file(QueryLog(path / "queries"), path / "asked.tsv")
        with opened(path) as directory:
            asyncio.run(crawl(directory, 1, BreadthFirst(), lambda _: None, 0))
            asyncio.run(crawl(directory, pages, Foretells(), lambda _: None, 0))
        for i in range(pages):
            site.answers[f"/p{i}"] = (200, {"Content-Type": "text/html"}, page(random.Random(i), f"again{i}"))
        with opened(path) as directory:
            asyncio.run(crawl(directory, pages // 2, Foretells(), lambda _: None, 0))
        yield path


def on_record(path: Path) -> dict[str, Calibration]:
    """From the whole history."""
    with View(path) as view:
        finished = [each for some in finished_fetches(view.store, NEVER) for each in some]
    told = [(f.outcome.expected, f.outcome.gain, np.isinf(f.gap)) for f in finished if f.outcome.expected is not None]
    expected, gain, first = np.array(told, np.float64).T
    kinds = {"new_pages": first == 1, "known_pages": first == 0}
    return {name: calibration(expected[mine], gain[mine]) for name, mine in kinds.items() if mine.any()}


def status(path: Path) -> dict:
    with View(path) as view:
        return view.status().to_json()


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def test_status_tells_how_good_expectations_were(tmp_path):
    """Of new pages and of known ones, as the whole history has it; also after a rebuild; in JSON and in two lines."""
    with measured_crawl(tmp_path / "crawl") as path:
        for again in (False, True):
            if again:
                rebuild(path, lambda _: None)
            found, whole = status(path)["expected_against_measured"], on_record(path)
            assert {kind: each["fetches"] for kind, each in found.items()} == {"new_pages": 30, "known_pages": 15}
            for kind, each in whole.items():
                assert tuple(found[kind][name] for name in Calibration._fields) == pytest.approx(tuple(each))
                assert found[kind]["slope_low"] <= found[kind]["slope"] <= found[kind]["slope_high"]
            assert found["new_pages"]["slope"] is not None
        assert json.loads(run("status", path, "--json"))["expected_against_measured"] == found
        heading, *lines = [line for line in run("status", path).splitlines() if "expected" in line or "slope" in line]
        assert heading == "expected_against_measured"
        assert len(lines) == 2
        for line, (kind, each) in zip(lines, found.items(), strict=True):
            share, fetches = f"{100 * each['top_tenth']:.0f} %", f"{each['fetches']} fetches"
            certain = f"(80 % certain: {each['slope_low']:.3g} to {each['slope_high']:.3g})"
            told = f"slope {each['slope']:.3g} {certain}, rank correlation {each['rank_correlation']:.3g}"
            assert line.split() == (
                f"{kind} {each['verdict']}: {told}, {share} of the gain in the best tenth, of {fetches}".split()
            )


def test_explain_tells_what_was_expected(tmp_path):
    """Of every past fetch, beside what it brought; nothing where nobody said anything."""
    with measured_crawl(tmp_path / "crawl") as path:
        with View(path) as view:
            fetched_twice = next(row for row in range(1, 31) if view.table["fetches"][row] == 2)
            home, url = view.store.url(0), view.store.url(fetched_twice)
        told = json.loads(run("explain", path, url, "--policy", "BreadthFirst()", "--json"))["history"]
        said = 0.1 * (1 + fetched_twice % 7)
        assert [(each["expected"], each["chance"]) for each in told] == [(pytest.approx(said), None)] * 2
        assert run("explain", path, url, "--policy", "BreadthFirst()", "--verbose").count(f", expected {said:.3g}") == 2
        assert (
            ", expected"
            not in run("explain", path, home, "--policy", "BreadthFirst()", "-v").partition("\nfetches\n")[2][:200]
        )


def test_nothing_is_said_if_nobody_expects_anything(tmp_path):
    """Neither by status nor by explain, and nothing is kept; a few fetches are too few to tell."""
    with serving() as site:
        path = crawled(site, tmp_path / "crawl", 12)
        (path / "asked.tsv").write_text("query\tcount\nboats\t5\ncities\t3\n")
        import_file(QueryLog(path / "queries"), path / "asked.tsv")
        with opened(path) as directory:
            asyncio.run(crawl(directory, 5, BreadthFirst(), lambda _: None, 0))
            assert not list(directory.store.scan(b"x"))
        assert "expected_against_measured" not in status(path)
        assert "expected" not in run("status", path)
        with opened(path) as directory:
            asyncio.run(crawl(directory, 3, Foretells(), lambda _: None, 0))
    assert [line for line in run("status", path).splitlines() if "to tell" in line] == [
        "  new_pages  too few fetches to tell: 3, and 10 are needed"
    ]
    assert status(path)["expected_against_measured"]["new_pages"] == {
        "fetches": 3, "slope": None, "rank_correlation": None, "top_tenth": None, "sum_ratio": None,
        "slope_low": None, "slope_high": None, "verdict": "too few fetches to tell: 3, and 10 are needed",
    }  # fmt: skip


WRONG_BY_CHANCE = (
    "expectations were wrong: fetches that were expected to gain more have gained less (this may be chance)"
)


@pytest.mark.parametrize(
    ("gain", "sentence"),
    [
        (RISING, "expectations agree with what was measured"),
        (RISING[::-1], "expectations were wrong: fetches that were expected to gain more have gained less"),
        (0.1 * RISING, "expectations were too far apart"),
        (9.0 * RISING, "expectations were too close together"),
        (np.where(np.arange(20) == 3, 5.0, 0.0), WRONG_BY_CHANCE),
        (
            np.where(np.arange(20) == 13, 5.0, 0.0),
            "not certain yet: that the expected and the measured gains agree may be chance",
        ),
    ],
)
def test_a_slope_says_how_far_it_can_be_trusted(gain, sentence):
    """By an interval around it: one fetch that gained by chance proves nothing, in either direction."""
    found, (low, high) = calibration(RISING, gain), slope_interval(RISING, gain)
    assert low <= found.slope <= high
    assert verdict(found, low, high) == sentence


def test_an_interval_holds_the_true_slope_in_four_of_five_cases():
    """Also where most fetches gain nothing, of a thousand; of 80 such fetches it is too narrow, but not by much."""
    rng = np.random.default_rng(7)
    for fetches, least in ((1000, 0.73), (80, 0.6)):
        held = 0
        for _ in range(500):
            expected = rng.gamma(1.0, size=fetches)
            gain = np.where(rng.random(fetches) < 0.3, expected / 0.3 * rng.gamma(2.0, 0.5, fetches), 0.0)
            low, high = slope_interval(expected, gain)
            held += low <= 1.0 <= high
        assert least < held / 500 < 0.9


def test_of_too_few_there_is_no_interval():
    """Nor where the same was expected of all."""
    assert np.isnan([*slope_interval(RISING[:9], RISING[:9]), *slope_interval(np.ones(20), RISING)]).all()


def test_gains_by_another_scorer_do_not_count(tmp_path):
    """They are in another unit than what is expected from then on."""
    with measured_crawl(tmp_path / "crawl") as path:
        config = path / "sought.toml"
        config.write_text(config.read_text().replace("[demand]", '[demand]\nscorer = "Inlinks()"'))
        assert "expected_against_measured" not in status(path)
        with opened(path) as directory:
            asyncio.run(crawl(directory, 11, Foretells(), lambda _: None, 0))
        assert status(path)["expected_against_measured"]["known_pages"]["fetches"] == 11


def test_what_is_on_record_survives_a_crash(tmp_path):
    """The archive tells what was expected: whoever replays its tail ends with the same records."""
    kept = []
    for crashes in (False, True):
        path = write_config(tmp_path / f"crash-{crashes}")
        (path / "asked.tsv").write_text("query\tcount\nboats\t5\ncities\t3\n")
        import_file(QueryLog(path / "queries"), path / "asked.tsv")
        directory, dice = open_directory(path), random.Random(1)
        plant_seeds(directory)
        Refresh(directory).before_the_first_page(time.time())
        for i in range(24):
            name = "" if i == 0 else f"p{i % 9}"
            response = answer(f"http://a.example/{name}", page(dice, f"only{i}"), time=1e9 + i)
            why = Why(1, 0.5, 0.01 * i, None if i % 2 else 0.5, policy="Foretells()")
            row = directory.repository.known_row(response.url, response.time)
            directory.writer.record(row, replace(response, why=why))
            if crashes and i % 5 == 4:
                directory.archive.flush(sync=True)
                directory.abandon()
                directory = open_directory(path)
            else:
                directory.writer.commit()
        kept.append(list(directory.store.scan(b"x")))
        directory.close()
    assert len(kept[0]) == 24
    assert kept[0] == kept[1]
    assert np.frombuffer(b"".join(value for _, value in kept[0])).reshape(-1, 4)[:, 3].max() > 0.0


# ---- in the laboratory


@pytest.fixture(scope="module")
def world():
    recorder = WorldRecorder()
    shape = WebShape(
        pages=60, hosts=2, weeks=4, rate=0.5, births=0.05, deletes=0.05, words=60.0, queries=80, sitemaps=0.0
    )
    span = generate(recorder, shape)
    return recorder.finish("made", span.seeds, span.start, span.end, WEEK)


SETTINGS = {"warm": Setting(), "cold": Setting(start="cold"), "sitemaps": Setting(signals=Signals(sitemap=True))}


@pytest.mark.parametrize("name", SETTINGS)
def test_a_replay_tells_what_was_expected_and_measured(world, name):
    """Fetch by fetch as the crawl's own history has it; a sitemap is no page."""
    setting = SETTINGS[name]
    judge = judge_for(world, setting)
    with tempfile.TemporaryDirectory() as folder:
        made = Replay(Path(folder), judge.world, judge.demand, Expects(), setting)
        log = asyncio.run(made.run(8, judge, lambda *_: None)).log
        store = made.directory.store
        finished = [each for some in finished_fetches(store, NEVER) for each in some]
        wanted = {(store.url(each.row), each.outcome.time): each for each in finished}
        made.directory.abandon()
    assert log.measured is not None
    found, sitemaps = 0, 0
    for i, where in enumerate(zip(log.url, log.time.tolist(), strict=True)):
        expected, chance, gain, first = (column[i] for column in log.measured)
        if where not in wanted:
            sitemaps += 1
            assert math.isnan(expected)
            assert math.isnan(gain)
            continue
        each, found = wanted[where], found + 1
        assert (expected, gain, first) == (each.outcome.expected, each.outcome.gain, np.isinf(each.gap))
        assert chance == each.outcome.chance or (each.outcome.chance is None and math.isnan(chance))
    assert found >= 20
    assert bool(sitemaps) == (name == "sitemaps")
    assert np.ptp(log.measured.gain[np.isfinite(log.measured.gain)]) > 0.0
    assert set(log.measured.first) == ({False, True} if name == "cold" else {False})


def test_a_run_that_nobody_expected_anything_of(world):
    """The gains are there, if the crawl measured them; figures are not."""
    setting = Setting(start="cold")
    judge = judge_for(world, setting)
    for policy, is_measured in ((DemandFirst(), True), (RoundRobin(new=True), False)):
        done = replay(judge.world, judge.demand, policy, 3, setting, judge)
        assert done.log.measured is not None
        assert np.isnan(done.log.measured.expected).all()
        assert np.isfinite(done.log.measured.gain).any() == is_measured
        made = Run(judge, done.log, done.moments, done.copies)
        assert calibration_of(made).fetches == calibration_of(made, "known").fetches == 0
        assert np.isnan(Calibrated()(made)).all()


def test_an_experiment_shows_calibration(world, tmp_path):
    """A figure of new and of known pages for each policy, the same from what is on record, in every unit."""
    save_world(world, tmp_path / "made.world", [""] * len(world.versions))
    folder, results, setting = tmp_path / "made.world", tmp_path / "results", Setting(start="cold")
    measures = [measure for measure in MEASURES.values() if isinstance(measure, Calibrated)]
    assert len(measures) == 8
    policies: list[Policy] = [Expects(), RoundRobin(new=True)]
    table = experiment(policies, folder, [20], measures, results=results, setting=setting, cores=0)
    [mine, others] = table.iter_rows(named=True)
    assert all(math.isnan(others[measure.name]) for measure in measures)
    [cell] = grid([Expects()], folder, [20], setting=setting)
    run_all([cell], folder, measures, results, cores=0)
    made = load(cell, judge_for(world, setting), results).run
    for measure in measures:
        assert measure(made).shape == made.moments.shape
        assert mine[measure.name] == pytest.approx(measure(made)[0], nan_ok=True)
        kept = calibrated(read_measured(cell, results), measure.pages)
        assert getattr(kept, measure.figure) == pytest.approx(measure(made)[0], nan_ok=True)
    assert mine["calibration_slope"] == pytest.approx(calibration_of(made).slope)
    assert not math.isnan(mine["calibration_slope"])
    assert not math.isnan(mine["calibration_top_tenth_known"])


def test_figures_that_are_none():
    with pytest.raises(BadInput, match="figure is slope or"):
        Calibrated("offset")  # type: ignore[arg-type]  # that is the point
    with pytest.raises(BadInput, match="pages is new or known"):
        Calibrated(pages="old")  # type: ignore[arg-type]  # that is the point
