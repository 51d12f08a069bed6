"""`sought lab`: verdicts that stay apart, what is said of worlds, measures and bounds."""

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sought.cli.lab import app
from sought.cli.lab_show import duration
from sought.lab.judge.transport import losses, transport_bound
from sought.lab.measures import MEASURES, parse_measure
from sought.lab.replay.setting import Setting, fetches_of, pages_at_start
from sought.lab.studies import bounds
from sought.lab.studies.cells import judge_for, load
from sought.lab.studies.experiment import grid
from sought.lab.studies.findings import last_verdict, read_findings, read_tables, save_finding, save_table
from sought.lab.studies.study import FAILS, HOLDS, Finding, ResultTable, StudyContext
from sought.lab.worlds.files import open_world, save_world
from sought.lab.worlds.recorder import WorldRecorder
from sought.policy import Never
from sought.web.errors import BadInput
from tests.testing.small_world import START, page, small_world


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a folder that has two worlds (`small.world`, `other.world`)."""
    monkeypatch.chdir(tmp_path)
    world = small_world()
    for name in ("small", "other"):
        save_world(world, Path(f"{name}.world"), [""] * len(world.versions))

    def command(line):
        found = CliRunner().invoke(app, shlex.split(line))
        assert found.exit_code == 0, (found.output, found.exception)
        return found.stdout

    return command


def found_on(world, verdict=HOLDS, quick=False):
    return Finding("bounds", verdict, "so", settings={"worlds": {world: {}}, "quick": quick})


def test_findings_are_kept_by_worlds_and_quick(tmp_path):
    """Neither another world nor a quick run replaces a verdict; the same run again does.  The newest is first."""
    for second, finding in enumerate([found_on("a"), found_on("b"), found_on("a", quick=True), found_on("a", FAILS)]):
        save_finding(finding, tmp_path, "code", f"2020-01-01T00:00:0{second}Z")
    kept = read_findings(tmp_path)
    assert [(each.worlds, each.quick, each.verdict) for each in kept] == [
        (["a"], False, FAILS), (["a"], True, HOLDS), (["b"], False, HOLDS),
    ]  # fmt: skip
    files = sorted(file.name for file in (tmp_path / "findings").iterdir())
    assert len(files) == 3
    assert all(name.startswith("bounds-") and name.endswith(".json") for name in files)
    assert kept[0].date == "2020-01-01"


def test_the_order_of_worlds_does_not_matter(tmp_path):
    """The same worlds named in another order are the same run."""
    for names in ("ab", "ba"):
        save_finding(Finding("x", HOLDS, "", settings={"worlds": {name: {} for name in names}}), tmp_path)
    assert len(read_findings(tmp_path)) == 1


def test_the_last_verdict_is_of_a_full_run():
    """A later quick one does not hide it; where there are only quick ones it is the newest of them."""
    quick = [Finding("x", HOLDS, "", settings={"quick": True}, written=f"2020-01-0{n}") for n in (3, 4)]
    full = Finding("x", FAILS, "", written="2020-01-02")
    assert last_verdict([quick[0], full, quick[1]], "x") == full
    assert last_verdict(quick, "x") == quick[1]
    assert last_verdict(quick, "y") is None


def test_verdicts_of_two_worlds(run):
    """Both are listed and in the report; `experiments` marks a quick one until there is a full one."""
    run("run losses --world small.world --quick --cores 0")
    rows = {row["experiment"]: row for row in json.loads(run("experiments --json"))["experiments"]}
    assert rows["losses"]["quick"]
    assert rows["losses"]["worlds"] == ["small.world"]
    assert f"{rows['losses']['verdict']} (quick)" in run("experiments")
    run("run losses --world other.world --cores 0")
    run("run losses --world small.world --quick --cores 0")
    listed = json.loads(run("verdicts --json"))["verdicts"]
    assert {(*each["worlds"], each["quick"]) for each in listed} == {("small.world", True), ("other.world", False)}
    assert all(each["date"] == each["written"][:10] for each in listed)
    rows = {row["experiment"]: row for row in json.loads(run("experiments --json"))["experiments"]}
    assert not rows["losses"]["quick"]
    assert "(quick)" not in run("experiments")
    out = run("verdicts")
    assert out.count("Where the loss comes from (losses)") == 2
    assert "  small.world, quick, " in out
    assert run("report").startswith("lab-report.html: 2 verdicts")


def test_a_comparison_has_its_day(tmp_path):
    """That of the last time it was made."""
    for day in ("2020-01-01", "2020-01-02"):
        save_table(ResultTable("t", ["c"], [[1.5]], "command"), tmp_path, day)
    assert [table.date for table in read_tables(tmp_path)] == ["2020-01-02"]


@pytest.mark.parametrize("text", ["luck", "qualty", "freshness@5", "x" * 20_000, ""])
def test_an_unknown_measure_lists_the_names(text):
    """All of them, and that there are expressions; in one line."""
    with pytest.raises(BadInput) as error:
        parse_measure(text)
    message = str(error.value)
    assert ", ".join(MEASURES) in message
    assert "FreshnessAt(k=5)" in message
    assert "\n" not in message
    assert len(message) < 1500


def test_durations():
    """In the unit a person would take."""
    told = {5: "5 s", 0.5: "0.5 s", 90: "90 s", 300: "5 min", 5400: "90 min", 10800: "3 h", 86400: "1 day"}
    assert {seconds: duration(seconds) for seconds in told} == told
    assert [duration(seconds) for seconds in (7 * 86400, 129600, 100000)] == ["7 days", "36 h", "100000 s"]


def test_show_of_a_short_unit_without_demand(run):
    """The unit can be read, and there is no line without a value."""
    recorder = WorldRecorder()
    recorder.answer(page("http://s.test/a", 0, "a", "one"))
    world = recorder.finish("short", ["http://s.test/a"], START, START + 20, 5.0, source="hand", demand=[])
    save_world(world, Path("short.world"), recorder.texts)
    lines = [line.split() for line in run("show short.world").splitlines()]
    assert ["unit", "5", "s"] in lines
    assert ["source", "hand"] in lines
    assert not any(line[0] == "demand" for line in lines)
    assert json.loads(run("show short.world --json"))["notes"] == {"source": "hand", "demand": []}


def test_the_transport_bound_of_every_budget(run, monkeypatch):
    """As each would be found by itself; what versions lose is computed once."""
    calls = []

    def counted(*given):
        calls.append(given)
        return losses(*given)

    monkeypatch.setattr(bounds, "losses", counted)
    monkeypatch.setattr("sought.lab.judge.transport.losses", counted)
    monkeypatch.setattr(bounds, "BUDGETS", (0.1, 0.2, 0.4))
    folder, results, setting = Path("small.world"), Path("lab-results"), Setting()
    (numbers,) = bounds.BOUNDS.run(StudyContext([folder], results, cores=0)).numbers.values()
    assert len(calls) == 1
    world = open_world(folder)
    judge = judge_for(world, setting)
    never = load(grid([Never()], folder, [0.1], [setting.seed], setting)[0], judge, results).run
    for budget in bounds.BUDGETS:
        alone = transport_bound(judge, never.moments, fetches_of(budget, pages_at_start(world)), never.copies)
        assert numbers[f"transport bound at {budget:.1%}, share of surrogate loss"] == pytest.approx(alone.loss_share)
        error = numbers["additivity error of a repository never refreshed"]
        assert error == pytest.approx(alone.additivity_error)


def test_a_transport_problem_that_is_not_solved_is_told(run, monkeypatch):
    """In the numbers, for people too; up to 100,000 versions it is solved."""
    assert bounds.LARGE == 100_000
    monkeypatch.setattr(bounds, "LARGE", 5)
    out = run("run bounds --world small.world --quick --cores 0")
    (line,) = (line.split() for line in out.splitlines() if "transport bound" in line)
    assert line == ["transport", "bound", "not", "solved,", "more", "than", "5", "versions"]
