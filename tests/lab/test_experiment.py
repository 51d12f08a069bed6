"""Comparisons, named experiments and their verdicts, on a world small enough to follow by hand."""

import importlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from sought.lab.measures import Age, CrawlAndStop, Freshness, Quality
from sought.lab.replay.oracles import ORACLES, Ceiling
from sought.lab.replay.run import Run, run_of_states
from sought.lab.replay.setting import Setting
from sought.lab.studies.bounds import QualityOrder
from sought.lab.studies.cells import check_code, judge_for, load, read_attained
from sought.lab.studies.compare import differences, gaps, parse_any_policy
from sought.lab.studies.experiment import decisions, experiment, grid, run_all, series, table
from sought.lab.studies.findings import read_findings, read_tables, save_finding, save_table
from sought.lab.studies.losses import KINDS, repaired, split
from sought.lab.studies.marks import code_mark, own_mark, world_mark
from sought.lab.studies.papers import NUMBERS
from sought.lab.studies.random_crawl import _counts, _deviation
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import (
    FAILS,
    HOLDS,
    UNJUDGED,
    Claim,
    Finding,
    ResultTable,
    Statement,
    Study,
    StudyContext,
    WorldResult,
)
from sought.lab.worlds.files import open_world, save_queries, save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import NOTHING, WEEK, WorldDemand
from sought.policy import POLICIES, Never, Random, RoundRobin, Split
from sought.web.errors import BadInput
from tests.testing.commands import run, start
from tests.testing.every_policy import EVERY_POLICY
from tests.testing.small_world import START, moments, page, small_judge, small_world

FLOOR = RoundRobin(new=True)


@pytest.fixture
def folder(tmp_path):
    world = small_world()
    save_world(world, tmp_path / "small.world", [""] * len(world.versions))
    return tmp_path / "small.world"


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


def ring(pages=30):
    """Pages that link to the next ones, the first of them much linked to; nobody asks for anything."""
    recorder = WorldRecorder()
    for n in range(pages):
        links = [f"http://r.test/{m}" for m in range(n % 7)]
        assert recorder.answer(page(f"http://r.test/{n}", 0, f"page {n}", f"text {n}", links))
    return recorder.finish("ring", ["http://r.test/0"], START, START, WEEK), recorder.texts


# ---- comparisons


def test_experiment_and_differences(folder, results):
    """One table; differences are those of its qualities, and lie in their intervals; a seed is paired with itself."""
    cells = grid([FLOOR, Never()], folder, [1, 3], [0, 1], Setting(rounds=2))
    run_all(cells, folder, [Quality()], results, cores=0)
    found, gap = table(cells, [Quality()], results), differences(cells, folder, results, FLOOR, draws=200)
    assert len(found) == 8
    assert gap["policy"].to_list() == ["Never()"] * 4
    for row in gap.iter_rows(named=True):
        same = found.filter(pl.col("budget") == row["budget"], pl.col("seed") == row["seed"])
        quality = dict(zip(same["policy"], same["quality"], strict=True))
        assert row["difference"] == pytest.approx(quality["Never()"] - quality[repr(FLOOR)], abs=1e-6)
        assert row["low"] <= row["difference"] + 1e-9
        assert row["difference"] <= row["high"] + 1e-9


@pytest.mark.slow
def test_of_processes_and_in_process(folder, results, tmp_path):
    """Other processes find the same, down to the bytes of the decisions."""
    cells = grid([FLOOR, Random(1)], folder, [2])
    files = []
    for cores, place in ((0, tmp_path / "a"), (2, tmp_path / "b")):
        run_all(cells, folder, [Quality()], place, cores)
        decisions(cells, place).write_parquet(tmp_path / f"{cores}.parquet")
        files.append((tmp_path / f"{cores}.parquet").read_bytes())
    assert files[0] == files[1]
    assert len(pl.read_parquet(tmp_path / "0.parquet")) == 20


def test_a_cell_is_run_once(folder, results):
    """What is on record is not run again; a further measure is taken of it; another budget is run."""
    told: list[tuple[float, int]] = []

    def run(budgets, measures):
        told.clear()
        experiment(
            [FLOOR], folder, budgets, measures, results=results, cores=0, report=lambda d, t: told.append((d, t))
        )
        return told[0][1]

    assert run([1], [Quality()]) == 1
    marks = {file: file.stat().st_mtime_ns for file in results.rglob("cell.json")}
    assert run([1], [Quality()]) == 0
    assert run([1], [Quality(), Freshness()]) == 1
    assert {file: file.stat().st_mtime_ns for file in results.rglob("cell.json")} == marks
    assert run([1, 2], [Quality()]) == 1
    assert len(list(results.rglob("cell.json"))) == 2


def test_share_of_the_gap():
    """0 at the floor, 1 at the bound, at each budget by itself; NaN where one of them is missing."""
    rows = [(repr(FLOOR), 1.0, 0.5), ("Never()", 1.0, 0.25), (repr(Ceiling()), 1.0, 1.0), ("Never()", 2.0, 0.3)]
    found = gaps(pl.DataFrame(rows, ["policy", "budget", "quality"], orient="row"), FLOOR, Ceiling())
    assert found["share_of_gap"].to_list()[:3] == [0.0, -0.5, 1.0]
    assert np.isnan(found["share_of_gap"].to_list()[3])


def test_any_policy():
    """Oracles are read like policies; what is neither is refused."""
    for policy in EVERY_POLICY:
        assert parse_any_policy(repr(policy)) == policy
    for name in ORACLES:
        assert type(parse_any_policy(name)).__name__ == name
    with pytest.raises(BadInput, match="did you mean Ceiling"):
        parse_any_policy("Ceilin()")
    papers = {name: getattr(kind, "paper", "") for name, kind in (POLICIES | ORACLES).items()}
    assert set(papers.values()) == {"", *(key for number, key in NUMBERS.items() if number.isdigit())}
    assert (papers["UserCentric"], papers["IdealRanking"]) == ("pandey-olston-2005", "pandey-olston-2008")
    assert sum(map(bool, papers.values())) == 19


def test_runs_by_hand():
    """The repository is in the states it is given, whatever it began with."""
    judge = small_judge()
    states = [judge.world.at(time) for time in moments().tolist()]
    run = run_of_states(judge, moments(), states)
    assert all(np.array_equal(moment.after, state) for moment, state in zip(run.walk(), states, strict=True))
    assert Quality()(run) == pytest.approx(1)
    assert len(run.log) == len(judge.world.versions)  # each of them is new in one unit
    assert not len(run_of_states(judge, moments(), []).log)


# ---- what results depend on


def quality_of(policy, folder, results, measure=Quality()):  # noqa: B008  a frozen value
    return experiment([policy], folder, [1], [measure], results=results, cores=0)[measure.name][0]


def test_other_queries_in_the_same_process(folder, results, tmp_path):
    """A world that changed is judged as it is now."""
    before = quality_of(Never(), folder, results)
    world = small_world()
    save_queries(world.with_tallies(WorldDemand(["late apple"], np.ones(1), np.array([START]))), folder)
    after = quality_of(Never(), folder, results)
    shutil.copytree(folder, tmp_path / "copy.world")
    assert after == quality_of(Never(), tmp_path / "copy.world", tmp_path / "others")
    assert after != before


def test_a_world_that_changes_meanwhile(folder, results):
    """Results of one world are never kept as those of another."""
    cells = grid([Never()], folder, [1])
    save_queries(small_world().with_tallies(WorldDemand(["plum"], np.ones(1), np.array([START]))), folder)
    with pytest.raises(BadInput, match="changed while the experiment ran"):
        run_all(cells, folder, [Quality()], results, cores=0)


_OWN = """
from dataclasses import dataclass

import numpy as np

def value(pages):
    return np.full(len(pages), {worth})

@dataclass(frozen=True)
class Mine:
    def __call__(self, pages, now):
        return value(pages)

@dataclass(frozen=True)
class Constant:
    name = "constant"

    def __call__(self, run):
        return np.full(len(run.moments), {constant})
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Somebody's module, which can be edited."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def write(worth="-np.inf", constant="1.0"):
        (tmp_path / "own_policies.py").write_text(_OWN.format(worth=worth, constant=constant))
        importlib.invalidate_caches()
        sys.modules.pop("own_policies", None)
        return importlib.import_module("own_policies")

    yield write
    sys.modules.pop("own_policies", None)


@pytest.mark.parametrize("nested", [False, True])
def test_a_policy_of_ones_own_is_edited(folder, results, tmp_path, own, nested):
    """It is run anew, also as a part of one of ours; one that is as it was is not."""

    def of(module):
        return Split(new=module.Mine(), known=module.Mine(), share=0.5) if nested else module.Mine()

    idle = quality_of(of(own()), folder, results)
    assert idle == quality_of(Never(), folder, results)
    busy = quality_of(of(own(worth="1.0")), folder, results)
    assert busy > idle
    assert quality_of(of(own()), folder, results) == idle
    assert len(list((results / "cells").iterdir())) == 3


def test_a_measure_of_ones_own_is_edited(folder, results, own):
    """It is taken anew of what is on record; the others stay."""
    quality_of(Never(), folder, results)
    marks = {file: file.stat().st_mtime_ns for file in results.rglob("cell.json")}
    for constant in (1.0, 2.0, 1.0):
        assert quality_of(Never(), folder, results, own(constant=str(constant)).Constant()) == constant
    assert {file: file.stat().st_mtime_ns for file in results.rglob("cell.json")} == marks
    cell = grid([Never()], folder, [1])
    assert not np.isnan(table(cell, [Quality()], results)["quality"][0])


def test_code_that_cannot_be_read(own):
    """A class that was typed in is itself and no other; ours need no mark."""
    made: list[Any] = []
    for _ in range(2):
        names: dict[str, Any] = {"__name__": "typed_in"}
        exec("class Mine:\n    def __repr__(self): return 'Mine()'", names)
        made.append(names["Mine"]())
    first, second = made
    assert own_mark(first) == own_mark(first) != own_mark(second)
    assert own_mark(Split(new=Never(), known=RoundRobin(), share=0.5)) == ""
    assert own_mark(own().Mine()) == own_mark(own().Mine())


def test_other_code_in_another_process(folder, results, own):
    """Whoever has other code than the cell was made for refuses to run it."""
    (cell,) = grid([own().Mine()], folder, [1])
    check_code(cell)
    stale = replace(cell, mark=cell.mark[:-1] + ("0" if cell.mark[-1] != "0" else "1"))
    for other in (stale, replace(cell, policy=own(worth="1.0").Mine())):
        with pytest.raises(BadInput, match="the source code changed while the experiment ran; start it again"):
            run_all([other], folder, [Quality()], results, cores=0)
    module = own()
    (cell,) = grid([module.Mine()], folder, [1])
    Path(module.__file__).write_text(_OWN.format(worth="2.0", constant="1.0"))  # which another process will read
    with pytest.raises(BadInput, match="the source code changed"):
        run_all([cell], folder, [Quality()], results, cores=1)
    assert not (results / "cells").exists()


# ---- several at once


def test_somebody_else_is_first(folder, results):
    """The cell that is there first stays, with what the other has measured."""
    cells = grid([FLOOR], folder, [1])
    others = [threading.Thread(target=run_all, args=(cells, folder, [Freshness()], results, 0))]

    def meanwhile(done: float, total: int) -> None:
        if done and others:
            other = others.pop()
            other.start()
            other.join()
            marks.append(next(results.rglob("cell.json")).stat().st_mtime_ns)

    marks: list[int] = []
    run_all(cells, folder, [Quality()], results, 0, meanwhile)
    assert len(table(cells, [Quality(), Freshness()], results)) == 1
    assert [file.stat().st_mtime_ns for file in results.rglob("cell.json")] == marks
    assert not list(results.rglob("*.new"))


@dataclass(frozen=True)
class Slow:
    """Somebody else measures the same cell meanwhile."""

    folder: Path
    results: Path
    name = "slow"

    def __call__(self, run: Run) -> Any:
        run_all(grid([FLOOR], self.folder, [1]), self.folder, [Age()], self.results, 0)
        return np.ones(len(run.moments))


def test_measures_are_added_to_what_is_there_by_then(folder, results):
    """None is lost."""
    cells = grid([FLOOR], folder, [1])
    run_all(cells, folder, [Quality()], results, 0)
    slow = Slow(folder, results)
    run_all(cells, folder, [slow], results, 0)
    assert table(cells, [Quality(), Age(), slow], results)["slow"][0] == 1


def comparison(folder, results, *more, policies=8):
    each = [part for seed in range(policies) for part in ("--policy", f"Random({seed})")]
    return ["lab", "compare", str(folder), "--results", str(results), "--json", *more, *each]


@pytest.mark.slow
def test_two_comparisons_at_once(folder, results):
    """Of the same cells by different measures: both end well, and all measures are on record."""
    lines = [comparison(folder, results, "--cores", "0", "--measure", name) for name in ("freshness", "age")]
    running = [start(*line) for line in lines]
    for each in running:
        out, error = each.communicate(timeout=300)
        assert each.returncode == 0, error
        assert len(out) > 100
    kept = [pl.read_parquet(file).columns for file in results.glob("cells/*/series.parquet")]
    assert list(map(set, kept)) == [{"unit", "time", "quality", "freshness", "age"}] * 8
    assert not list(results.rglob("*.new"))


@pytest.mark.slow
def test_a_comparison_is_killed(folder, results):
    """Its processes end by themselves, and the same command finishes what they left."""
    line = comparison(folder, results, policies=30)
    command = [sys.executable, "-m", "sought", *line]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    while not list(results.glob("cells/*/cell.json")):
        assert first.poll() is None, first.communicate()
        time.sleep(0.05)
    first.kill()
    first.communicate(timeout=300)  # until the last process that can write there is gone
    assert len(list(results.glob("cells/*/cell.json"))) < 30
    again = run(*line)
    assert again.returncode == 0, again.stderr
    assert len(list(results.glob("cells/*/cell.json"))) == 30


def test_what_killed_processes_left_is_taken_away(folder, results):
    """Once it is old: it may be somebody's who is at work."""
    (cell,) = grid([FLOOR], folder, [1])
    old, young = (results / "cells" / f"{cell.key}.{name}.new" for name in ("1", "2"))
    for left in (old, young):
        left.mkdir(parents=True)
    os.utime(old, (START, START))
    run_all([cell], folder, [Quality()], results, 0)
    assert (old.exists(), young.exists()) == (False, True)


# ---- what cannot be asked


def test_what_a_world_lacks_is_told_first(results, tmp_path):
    """One moment, or no queries: what would help; nothing is run."""
    world, texts = ring()
    save_world(world, tmp_path / "ring.world", texts)
    cold = Setting(start="cold")

    def run(measures, setting):
        return experiment([FLOOR], tmp_path / "ring.world", [5], measures, setting=setting, results=results, cores=0)

    with pytest.raises(BadInput, match="ring has one moment only: use --start cold or --start frontier"):
        run([CrawlAndStop()], Setting())
    with pytest.raises(BadInput, match=r"ring has no queries: .* or choose other measures than quality"):
        run([CrawlAndStop(), Quality()], cold)
    assert not results.exists()
    assert run([CrawlAndStop()], cold)["p_cs"][0] > 0


@pytest.mark.parametrize("split", ["time", "string", "none"])
def test_seeds_that_change_nothing(folder, split):
    """Several are refused; one is not, nor one given twice."""
    with pytest.raises(BadInput, match=f"several seeds would find the same.*{split}"):
        grid([FLOOR], folder, [1], [0, 1], Setting(split=split))
    assert len(grid([FLOOR], folder, [1], [1, 1], Setting(split=split))) == 1


# ---- verdicts


ONE, TWO = Statement("one"), Statement("two", "47 %")
NUMBERS_FOUND = {"a": 1.0, "b": float("nan")}


def result(world, *holds):
    """A world on which the first statement, and perhaps the second, holds or not."""
    claims = [Claim(*each, f"because of {world}") for each in zip((ONE, TWO), holds, strict=False)]
    return WorldResult(claims, NUMBERS_FOUND, lack="" if holds else f"{world} is empty", world=world)


def found_in(context, *results):
    study = Study("x", "", "X", "Is it so?", "a world", (ONE, TWO), lambda folder, context: WorldResult())
    return replace(study, settings={"budgets": [1]}, quick_settings={"budgets": [2]}).finding(results, context)


def test_one_verdict_of_several_worlds(folder, results):
    """It fails if one world says so, holds if another can judge it, and is open otherwise; worlds are named only."""
    context = StudyContext([folder], results)
    both = found_in(context, result("one", True), result("two", False), result("three"))
    assert (both.verdict, both.because) == (FAILS, "two: not so: one (because of two); three: three is empty")
    assert found_in(context, result("one", True), result("three")).verdict == HOLDS
    assert found_in(context, result("three")).verdict == UNJUDGED
    assert found_in(context, result("one", None)).verdict == UNJUDGED
    assert found_in(StudyContext([], results)).verdict == UNJUDGED
    assert both.numbers["one"] == {"a": 1.0, "b": None}
    assert list(both.settings["worlds"]) == ["small.world"]
    assert (both.settings["budgets"], found_in(replace(context, quick=True)).settings["budgets"]) == ([1], [2])
    assert str(folder.parent) not in repr(both)


def test_every_statement_has_its_own_verdict(results):
    """Over all worlds that can judge it; what is lacking is told in its place."""
    context = StudyContext([], results)
    found = found_in(context, result("one", True, None), result("two", True, False), result("three"))
    assert [(each.text, each.paper, each.verdict) for each in found.claims] == [
        ("one", "", HOLDS),
        ("two", "47 %", FAILS),
    ]
    assert found.claims[1].found == {
        "one": "because of one", "two": "not so: because of two", "three": "three is empty",
    }  # fmt: skip
    assert found.tables[0].columns == ["statement", "paper", "one", "two", "three", "verdict"]
    assert [row[-1] for row in found.tables[0].rows] == [HOLDS, FAILS]
    assert [each.verdict for each in found_in(context, result("one", None, True)).claims] == [UNJUDGED, HOLDS]
    assert found_in(context, result("one", None, True)).verdict == HOLDS


def test_one_statement_may_be_judged_at_several_budgets(results):
    """It holds on a world if no claim of it fails; those that fail are told."""
    claims = [Claim(ONE, True, "0.9", "1 %"), Claim(ONE, False, "0.2", "5 %"), Claim(TWO, True, "0.5")]
    found = found_in(StudyContext([], results), WorldResult(claims, world="w"))
    assert [each.verdict for each in found.claims] == [FAILS, HOLDS]
    assert [each.found["w"] for each in found.claims] == ["not so: 5 %: 0.2", "0.5"]


def test_a_claim_of_no_listed_statement_is_an_error(results):
    """It would be in no verdict."""
    stray = Claim(Statement("nobody lists this"), False, "0.1", "5 %")
    with pytest.raises(ValueError, match=r"x: a claim on w is of no listed statement: 5 %: nobody lists this"):
        found_in(StudyContext([], results), WorldResult([Claim(ONE, True, "0.9"), stray], world="w"))


def test_all_worlds_together(folder, results):
    """`across` has what each world left for it, and is not asked where all lack something."""
    told = []

    def across(data, context):
        told.append(dict(data))
        return WorldResult([Claim(ONE, sum(data.values()) > 1, "sum")])

    def judge(world, context):
        return WorldResult(data=2) if not context.quick else WorldResult(lack="quick")

    study = Study("x", "", "X", "Is it so?", "a world", (ONE,), judge, across)
    assert study.run(StudyContext([folder], results)).because == "all worlds: one (sum)"
    assert study.run(StudyContext([folder], results, quick=True)).because == "small: quick"
    assert told == [{"small": 2}]
    worldless = replace(study, judge=None)
    assert worldless.worldless
    assert worldless.run(StudyContext([folder], results)).settings["worlds"] == {}


def test_findings_are_kept(results):
    """As they were, the last of each study; damage is named."""
    first = Finding("x", HOLDS, "so", {"w": {"a": 1.5, "b": None}}, [ResultTable("t", ["c"], [[1], ["s"]])])
    save_finding(first, results)
    kept = save_finding(replace(first, verdict=FAILS), results, "mark", "2020-01-01")
    assert read_findings(results) == [kept]
    assert (kept.code, kept.date, kept.verdict) == ("mark", "2020-01-01", FAILS)
    for note in ("one", "one", "two"):
        save_table(ResultTable("t", ["c"], [[1.5]], note), results)
    assert [kept_table.note for kept_table in read_tables(results)] == ["one", "two"]
    with pytest.raises(BadInput, match="named by letters"):
        save_finding(replace(first, study="../x"), results)
    (results / "findings" / "x.json").write_text("{")
    with pytest.raises(BadInput, match=r"x\.json is damaged"):
        read_findings(results)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, study in EXPERIMENTS.items() if not study.worldless])
def test_what_cannot_be_judged(name, results, tmp_path):
    """Without queries, moments or enough pages there is no verdict, and the reason is told."""
    world = small_world()
    for number, each in enumerate((world.with_tallies(WorldDemand()), replace(world, end=world.start))):
        save_world(each, tmp_path / f"{number}.world", [""] * len(each.versions))
        found = EXPERIMENTS[name].run(StudyContext([tmp_path / f"{number}.world"], results, cores=0, quick=True))
        assert found.verdict == UNJUDGED
        assert found.because.startswith("small: ")
        assert found.study == name
        assert all(claim.verdict == UNJUDGED and claim.found for claim in found.claims)


# ---- the experiments


def judged(name: str, world: Path, results: Path, **how: Any) -> tuple[Finding, dict[str, Any], list[Any]]:
    """What an experiment finds on one world, its numbers there, and the rows of its table."""
    found = EXPERIMENTS[name].run(StudyContext([world], results, cores=0, **how))
    (numbers,), (claims, shown) = found.numbers.values(), found.tables
    assert claims.title == f"{name}: what must hold"
    return found, dict(numbers), list(shown.rows)


def test_bounds(folder, results):
    """Every arm has a quality at every budget, and the verdict follows from the orders among them."""
    found, numbers, rows = judged("bounds", folder, results, quick=True)
    assert len(rows) == 8
    assert numbers["largest error of a repository in step"] < 1e-6
    assert numbers["Ceiling() at 1.0%, share of gap"] == pytest.approx(1)
    assert 0 <= numbers["transport bound at 1.0%, share of surrogate loss"] <= 1
    assert found.verdict == (FAILS if numbers["orders broken"] else HOLDS)
    quality = {row[0]: row[3] for row in rows}
    assert quality["Never()"] < quality["Ceiling()"]


def test_an_order_that_is_broken_is_named():
    """Which policies, and their qualities."""
    order = QualityOrder(Never(), Random(), 0.1)
    assert not order.failure({"Never()": 0.6, "Random()": 0.5})
    assert order.failure({"Never()": 0.61, "Random()": 0.5}) == "Never() has 0.6100, Random() only 0.5000"


def test_losses_sum_to_the_loss(folder, results):
    """What kinds of change cost sums to what is lost, and all repaired is in step; one kind alone costs all."""
    judge = judge_for(small_world(), Setting())
    times = moments()[1:]
    costs = split(judge, times, StudyContext([], results))
    never = Quality()(repaired(judge, times, ()))
    assert sum(costs.values()) == pytest.approx(1 - never, abs=1e-6)
    assert Quality()(repaired(judge, times, KINDS)) == pytest.approx(1, abs=1e-6)
    assert never.min() < 0.95


def test_losses_of_edits_only(results, tmp_path):
    """Where text is all that changes it is all that is lost, and the expectation fails."""
    recorder = WorldRecorder()
    for week, word in enumerate(("apple", "pear", "plum")):
        recorder.answer(page("http://e.test/", week, "page", f"{word} {word}"))
    recorder.ask("pear", 1.0, START)
    recorder.ask("plum", 1.0, START)
    world = recorder.finish("edits", ["http://e.test/"], START, START + 2 * WEEK, WEEK)
    save_world(world, tmp_path / "edits.world", recorder.texts)
    found, numbers, _ = judged("losses", tmp_path / "edits.world", results)
    assert found.verdict == FAILS
    assert numbers["edited text, share of loss at the end"] == pytest.approx(1)


def test_losses_of_the_small_world(folder, results):
    """Shares sum to 1, and the verdict is that of the share of stale text."""
    found, numbers, _ = judged("losses", folder, results)
    assert sum(numbers[f"{kind}, share of loss at the end"] for kind in KINDS) == pytest.approx(1)
    assert found.verdict == (HOLDS if numbers["edited text, share of loss at the end"] < 0.5 else FAILS)


def test_random_crawl(results, tmp_path):
    """Closed forms are met where there are links, though nobody asks for anything and time stands still."""
    world, texts = ring()
    save_world(world, tmp_path / "ring.world", texts)
    found, numbers, rows = judged("random-crawl", tmp_path / "ring.world", results, quick=True)
    assert (found.verdict, numbers["failed"]) == (HOLDS, 0)
    ideal = [row for row in rows if row[1] == "ideal" and row[0] == "p_cs"]
    assert all(row[4] == 100 for row in ideal)
    assert any(row[1] == "random" and row[3] < 50 for row in rows)


def test_cuts_without_equals():
    """K is where the next page is less important; there is none where all are equal."""
    assert _counts(np.array([3.0, 2.0, 2.0, 1.0])) == [1]
    assert _counts(np.array([2.0, 2.0, 1.0, 3.0, 2.0])) == [1]
    assert _counts(np.array([3.0, 4.0, 2.0, 1.0])) == [1, 2]
    assert _counts(np.ones(5)) == []


def test_deviation_of_draws():
    """That of the hypergeometric distribution, by drawing."""
    dice = np.random.default_rng(0)
    drawn = [np.count_nonzero(dice.permutation(20)[:5] < 8) for _ in range(20000)]
    assert np.std(drawn) == pytest.approx(_deviation(20, 8, 5), rel=0.03)


def test_cells_can_be_looked_at_again(folder, results):
    """A run on record gives the same measures."""
    cells = grid([FLOOR], folder, [2])
    run_all(cells, folder, [Quality()], results, cores=0)
    judge = judge_for(small_world(), cells[0].setting)
    found = load(cells[0], judge, results).run
    assert Quality()(found).mean() == pytest.approx(table(cells, [Quality()], results)["quality"][0])
    assert (found.copies != NOTHING).any()


@pytest.mark.parametrize("file", ["series.parquet", "log.parquet", "found.npy", "copies.npy", "cell.json"])
def test_damaged_results_are_named(folder, results, file):
    """One line that says what to delete."""
    cells = grid([Never()], folder, [1])
    run_all(cells, folder, [Quality()], results, cores=0)
    [path] = results.glob(f"cells/*/{file}")
    path.write_bytes(b"junk")
    readers: dict[str, Callable[[], object]] = {
        "series.parquet": lambda: table(cells, [Quality()], results),
        "log.parquet": lambda: decisions(cells, results),
        "found.npy": lambda: read_attained(cells[0], results),
        "copies.npy": lambda: load(cells[0], judge_for(open_world(folder), cells[0].setting), results),
        "cell.json": lambda: differences(cells, folder, results, Never()),
    }
    with pytest.raises(BadInput, match=r"is damaged .*: delete it"):
        readers[file]()


def test_series_are_the_units_of_the_table(folder, results):
    """Means over units are the table's; each unit has its row."""
    cells = grid([Never(), FLOOR], folder, [1])
    run_all(cells, folder, [Quality()], results, cores=0)
    units = series(cells, results)
    means = units.group_by("policy", maintain_order=True).agg(pl.col("quality").mean())["quality"].to_list()
    assert means == pytest.approx(table(cells, [Quality()], results)["quality"].to_list())
    assert units["unit"].to_list() == [0, 1, 2, 3, 4] * 2


def test_other_source_code_is_another_mark(tmp_path, monkeypatch):
    """Whatever changes in this package, a finding is not taken for one of the same code."""
    (tmp_path / "policy").mkdir()
    file = tmp_path / "policy" / "rule.py"
    monkeypatch.setattr("sought.__file__", str(tmp_path / "__init__.py"))
    found = []
    for source in ("a = 1", "a = 2", "a = 1"):
        file.write_text(source)
        found.append(code_mark.__wrapped__())
    assert found[0] == found[2] != found[1]


def test_other_files_of_a_world_are_another_mark(folder):
    """But for the texts, which replay does not read."""
    before = world_mark(folder)
    (folder / "texts.parquet").write_bytes(b"other")
    assert world_mark(folder) == before
    whole = (folder / "terms.parquet").read_bytes()
    (folder / "terms.parquet").write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    assert world_mark(folder) != before
