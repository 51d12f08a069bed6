"""`sought lab` as a person uses it."""

import json
import re
import shlex
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from sought.cli.lab import app
from sought.cli.lab_compare import share_or_number
from sought.lab.studies.findings import read_tables, save_finding
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import VERDICTS, Finding
from sought.lab.worlds.files import save_world
from sought.lab.worlds.imports.importer import IMPORTERS
from sought.lab.worlds.recorder import WorldRecorder
from sought.lab.worlds.world import WEEK
from sought.web.errors import BadInput
from tests.testing.small_world import START, gone, moved, page, small_world

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "write-a-study.md"

COMPARE = "compare small.world --cores 0 --policy RoundRobin(new=True) --policy Never --budget 2"


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a folder that has a world (`small.world`); what it prints, or the error it ends in."""
    monkeypatch.chdir(tmp_path)
    world = small_world()
    save_world(world, Path("small.world"), [""] * len(world.versions))

    def command(line, fails=False):
        found = CliRunner().invoke(app, shlex.split(line.replace("(", "\\(").replace(")", "\\)")))
        if fails:
            assert isinstance(found.exception, BadInput), found.output
            return str(found.exception)
        assert found.exit_code == 0, (found.output, found.exception)
        return found.stdout

    return command


def test_compare(run):
    """A row for each policy with the measures asked for, and how the others differ from the first."""
    found = json.loads(run(f"{COMPARE} --budget 50% --measure quality --measure freshness --json"))
    assert [(row["policy"], row["budget"]) for row in found["table"]] == [
        ("RoundRobin(new=True)", 2.0), ("Never()", 2.0), ("RoundRobin(new=True)", 0.5), ("Never()", 0.5),
    ]  # fmt: skip
    assert {"quality", "freshness", "fetches", "seed"} <= set(found["table"][0])
    assert "age" not in found["table"][0]
    assert [row["policy"] for row in found["differences"]] == ["Never()", "Never()"]
    assert all(row["low"] <= row["difference"] <= row["high"] for row in found["differences"])
    first, second = (row["quality"] for row in found["table"][:2])
    assert found["differences"][0]["difference"] == pytest.approx(second - first, abs=1e-6)


def test_compare_for_people(run):
    """Five measures, and the interval; nothing is cut where nobody looks at a screen."""
    out = run("compare small.world --cores 0 --units 2")
    head, *rows = out.splitlines()
    assert head.split("  ")[0].strip() == "budget"
    assert all(name in head for name in ("quality", "quality before", "quality known", "freshness", "age", "policy"))
    assert rows[0].endswith("RoundRobin(new=True)")
    assert rows[1].endswith("  Worth()")
    assert "95 % interval" in out
    assert " … " in out


def test_compare_goes_on(run, tmp_path):
    """What is on record is not run again."""
    run(COMPARE)
    marks = {file: file.stat().st_mtime_ns for file in tmp_path.glob("lab-results/cells/*/*")}
    assert len(marks) == 12
    run(COMPARE)
    assert {file: file.stat().st_mtime_ns for file in tmp_path.glob("lab-results/cells/*/*")} == marks


def test_decisions_are_the_same_bytes(run, tmp_path):
    """Every fetch, with policy, budget, seed, time and URL; run anew with the same seed they are the same bytes."""
    for name in "ab":
        run(f"{COMPARE} --policy Random --seeds 2 --decisions {name}.parquet --results {name}")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    frame = pl.read_parquet(tmp_path / "a.parquet")
    assert frame.columns == ["policy", "budget", "seed", "time", "url"]
    assert set(frame["policy"]) == {"RoundRobin(new=True)", "Random()"}
    assert frame["seed"].unique().sort().to_list() == [0, 1]


def test_settings_reach_the_replay(run):
    """Start, split, rounds, units, scorer and signals."""
    line = f"{COMPARE} --start cold --split time --rounds 1 --units 3 --scorer Inlinks --sitemaps --etags --recall 0.5"
    found = json.loads(run(f"{line} --noise 0.1 --lag 1d --liars 0.5 --json"))
    assert len(found["table"]) == 2
    cell = next(Path("lab-results/cells").iterdir()) / "cell.json"
    told = json.loads(cell.read_bytes())["setting"]
    assert "start='cold', rounds=1, split='time'" in told
    assert (
        "Signals(sitemap=True, etag=True, recall=0.5, noise=0.1, lag=86400.0, liars=0.5, seed=0, dates=False)" in told
    )
    assert "scorer='Inlinks'" in told
    assert "units=3" in told


def test_the_command_repeats_the_run(run):
    """To the last digit: what it was given is what is run again, and nothing new is run."""
    options = "--searches 123456.789 --lag 1.23456789d --sitemaps --start frontier --crawled 0.323456789"
    run(f"{COMPARE} --budget 12.3456789% {options}")
    (kept,) = read_tables(Path("lab-results"))
    cells = set(Path("lab-results/cells").iterdir())
    assert "--budget 12.3456789% " in kept.note
    again = CliRunner().invoke(app, [*shlex.split(kept.note)[2:], "--cores", "0"])
    assert again.exit_code == 0, again.output
    assert set(Path("lab-results/cells").iterdir()) == cells
    assert read_tables(Path("lab-results")) == [kept]


def test_worlds_of_one_moment_without_queries(run):
    """What to do instead is said; with that done there is a table, and no differences of quality."""
    recorder = WorldRecorder()
    for n in range(20):
        assert recorder.answer(page(f"http://r.test/{n}", 0, f"page {n}", "text", [f"http://r.test/{n + 1}"]))
    world = recorder.finish("graph", ["http://r.test/0"], START, START, WEEK)
    save_world(world, Path("graph.world"), recorder.texts)
    line = "compare graph.world --cores 0 --budget 3 --budget 6"
    assert "graph has one moment only: use --start cold or --start frontier" in run(line, fails=True)
    assert "graph has 0 units, which cannot be taken 2 at a time" in run(f"{line} --start cold --every 2", fails=True)
    for start in ("cold", "frontier"):
        assert "graph has no queries: 'sought lab queries derive'" in run(f"{line} --start {start}", fails=True)
        gap = f"{line} --start {start} --measure p_cs --floor Never --bound RoundRobin"
        assert "graph has no queries" in run(gap, fails=True)
        assert not Path("lab-results/cells").exists()
    found = json.loads(run(f"{line} --start cold --measure p_cs --json"))
    assert len(found["table"]) == 4
    assert "quality" not in found["table"][0]
    assert not found["differences"]
    assert "over_budgets" not in found
    assert "p cs" in run(f"{line} --start frontier --measure p_cs")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("compare none.world", "no world at none.world"),
        ("compare small.world --policy Nobody", "no policy called 'Nobody'"),
        ("compare small.world --budget some", "--budget: 260, 0.02 or 2%, not 'some'"),
        ("compare small.world --budget 150%", "less than 100%"),
        ("compare small.world --budget 1.5", "whole number"),
        ("compare small.world --measure luck", "measure"),
        ("compare small.world --start hot", "a replay starts warm, cold, frontier"),
        ("compare small.world --split apart", "--split: time"),
        ("compare small.world --scorer Luck", "no scorer called 'Luck'"),
        ("compare small.world --lag soon", "soon"),
        ("compare small.world --seeds 2 --split time", "several seeds would find the same"),
        ("run nothing", "no experiment 'nothing'; there are"),
        ("run bound", "did you mean bounds?"),
        ("run all --world none.world", "no world at none.world"),
        ("report --results none", "no results in none"),
        ("show none.world", "no world at none.world"),
    ],
)
def test_bad_input(run, line, words):
    """One line that says what is wrong; nothing was begun."""
    message = run(line, fails=True)
    assert words in message
    assert "\n" not in message
    assert not Path("lab-results/cells").exists()


def test_bad_input_ends_with_code_2(run, capfd, monkeypatch):
    """On the command line too."""
    import sought.cli

    monkeypatch.setattr("sys.argv", ["sought", "lab", "show", "none.world"])
    with pytest.raises(SystemExit) as end:
        sought.cli.main()
    assert end.value.code == 2
    assert len(capfd.readouterr().err.splitlines()) == 1


def test_budgets():
    """Numbers and shares, in either way of writing."""
    assert [share_or_number(text) for text in ("260", "0.02", "2%", " 0.5 %")] == [260, 0.02, 0.02, 0.005]


def test_a_study_without_worlds_is_filed_under_none(run):
    """Whatever worlds were named beside it: its verdict is one."""
    for line in ("run refresh-theory --quick --world small.world", "run refresh-theory --quick"):
        run(line)
    assert len(json.loads(run("verdicts --json"))["verdicts"]) == 1


@pytest.mark.slow
def test_run_verdicts_and_report(run):
    """Experiments keep their verdicts; the report has them, and comparisons."""
    found = json.loads(run("run all --quick --cores 0 --json"))["findings"]
    assert [each["study"] for each in found] == list(EXPERIMENTS)
    for each in found:
        worlds = "" if EXPERIMENTS[each["study"]].worldless else " --world small.world"
        assert each["command"].endswith(f"{each['study']}{worlds} --quick")
    assert all(each["same_code"] and each["date"] and "figures" not in each for each in found)
    listed = json.loads(run("verdicts --json"))["verdicts"]
    assert {each["study"]: each["verdict"] for each in listed} == {each["study"]: each["verdict"] for each in found}
    assert {each["verdict"] for each in listed} <= {"holds", "does not hold", "cannot be judged on this data"}
    assert "Where the loss comes from (losses)" in run("verdicts")
    run(COMPARE)
    out = run("report --figures drawn")
    drawn = sorted(Path("drawn").iterdir())
    assert out == f"lab-report.html: {len(EXPERIMENTS)} verdicts, 1 comparisons\ndrawn: {len(drawn)} figures\n"
    assert drawn[0].read_text().startswith("<?xml") or "<svg" in drawn[0].read_text()
    page = Path("lab-report.html").read_text()
    assert "sought lab compare small.world --policy" in page
    assert str(Path.cwd()) not in page


def test_a_study_of_ones_own(run):
    """That of the guide, in a file of the current directory: every statement has its verdict."""
    [example] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S)
    Path("my_study.py").write_text(example)
    [found] = json.loads(run("run my_study:MINE --world small.world --quick --cores 0 --json"))["findings"]
    assert (found["study"], len(found["numbers"]["small"])) == ("my-study", 1)
    claims = found["claims"]
    assert [each["paper"] for each in claims] == ["", "one half"]
    assert all(each["verdict"] in VERDICTS and each["found"]["small"] for each in claims)
    assert found["tables"][0]["columns"] == ["statement", "paper", "small", "verdict"]
    out = run("run my_study:MINE --world small.world --quick --cores 0")
    assert "    paper: one half" in out
    assert out.count(": round-robin gives better answers than no fetches\n") == 1
    run("report")
    assert "it loses at most half as much" in Path("lab-report.html").read_text()
    assert "my_study.py has nothing called 'Yours'" in run("run my_study:Yours", fails=True)


def test_a_measure_of_ones_own(run):
    """In a file of the current directory."""
    Path("my_measures.py").write_text(
        "from dataclasses import dataclass\nimport numpy as np\n\n@dataclass(frozen=True)\nclass Always:\n"
        "    value: float = 1.0\n    name = 'always'\n    def __call__(self, run):\n"
        "        return np.full(len(run.moments), self.value)\n"
    )
    line = "compare small.world --policy Never --budget 1 --cores 0 --json --measure my_measures:Always(0.25)"
    [row] = json.loads(run(line))["table"]
    assert row["always"] == 0.25
    assert "not a measure" in run(line.replace("Always(0.25)", "dataclass"), fails=True)


IMPORTER = """
from sought.lab.worlds.imports.importer import Importer, ImportOption, ImportResult
from sought.lab.worlds.recorder import RecordedSpan
from sought.web.errors import BadInput
from sought.web.message import Response

def plan(paths, options):
    if not options["last-day"]:
        raise BadInput("--last-day: none")
    def read(recorder, progress):
        for day, line in enumerate(paths[0].read_text().splitlines()):
            body = f"<title>{line}</title>".encode()
            headers = (("Content-Type", "text/html"),)
            recorder.answer(Response("http://l.test/", 200, headers=headers, raw=body, body=body, time=day * 86400.0))
        span = RecordedSpan(0.0, options["last-day"] * 86400.0, ("http://l.test/",))
        return ImportResult(span, 86400.0, {"source": "lines"})
    return read

LINES = Importer("lines", "Each line is what the page says on a day.", "A text.", plan,
                 (ImportOption("last-day", int, "When the world ends.", 2, least=0),))
"""


def test_an_importer_of_ones_own(run):
    """In a file of the current directory; its options are checked before anything is begun."""
    Path("my_importer.py").write_text(IMPORTER)
    Path("days.txt").write_text("one\ntwo\ntwo\n")
    listed = run("import --help")
    assert all(re.search(rf"\b{name} +\w", listed) for name in IMPORTERS)
    assert {"git", "graph", "warc", "wiki"} <= set(IMPORTERS)
    found = json.loads(run("import my_importer:LINES days.txt --last-day 3 --json"))
    assert (found["pages"], found["versions"], found["to"]) == (1, 2, "1970-01-04")
    shown = run("import my_importer:LINES --help")
    assert all(words in shown for words in ("Each line is what the page says", "--last-day", "When the world ends."))
    assert "--last-day: none" in run("import my_importer:LINES days.txt --last-day 0", fails=True)
    assert "nothing called 'Pages'" in run("import my_importer:Pages days.txt", fails=True)
    assert "there are git, graph, warc, wiki, and" in run("import svn days.txt", fails=True)
    assert "not an importer" in run("import my_importer:plan days.txt", fails=True)


def test_studies_have_old_names(run):
    """On the command line, and in findings that were kept under them."""
    finding = Finding("E001-3", "holds", "so", settings={"worlds": {"small.world": {}}})
    save_finding(finding, Path("lab-results"), "code", "2020-01-01")
    [kept] = json.loads(run("verdicts --json"))["verdicts"]
    assert kept["study"] == "cho-garcia-molina-page-1998-figure-3"
    [again] = json.loads(run("run e001-3 --world small.world --json"))["findings"]
    assert again["study"] == kept["study"]
    named = {
        name: [each["study"] for each in json.loads(run(f"run {name} --world small.world --json"))["findings"]]
        for name in ("001", "cho-garcia-molina-page-1998")
    }
    assert named["001"] == named["cho-garcia-molina-page-1998"]
    assert len(named["001"]) == 9


def test_run_for_people(run):
    """The verdict and the numbers."""
    out = run("run losses --world small.world --quick")
    assert out.startswith("Where the loss comes from (losses)\n  ")
    assert "edited text, share of loss at the end" in out
    assert "No experiment has been run yet" in run("verdicts --results elsewhere")


def test_no_world_here(run, tmp_path, monkeypatch):
    """It is said how to get one."""
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert "sought lab generate" in run("run losses", fails=True)


def test_lists(run):
    """Policies with what they are, oracles marked; experiments by paper, with the last verdict."""
    rows = {row["policy"]: row for row in json.loads(run("policies --json"))["policies"]}
    assert rows["Ceiling"]["oracle"]
    assert not rows["RoundRobin"]["oracle"]
    assert (rows["UserCentric"]["paper"], rows["Never"]["paper"]) == ("pandey-olston-2005", "")
    assert all(row["what"] for row in rows.values())
    assert run("policies").splitlines()[0].split() == ["policy", "oracle", "paper", "what"]
    listed = json.loads(run("experiments --json"))["experiments"]
    papers = [row["paper"] for row in listed]
    assert papers == sorted(papers, key=lambda paper: (not paper, paper))
    assert all(row["statements"] and row["statements"][0]["text"] for row in listed)
    assert not any(row["verdict"] for row in listed)
    run("run random-crawl --world small.world")
    listed = json.loads(run("experiments --json"))["experiments"]
    verdicts = {row["experiment"]: row["verdict"] for row in listed}
    assert verdicts["random-crawl"] == "cannot be judged on this data"


def test_show(run):
    """What a world holds, counted by hand: an edit, a birth and a move in a week, an edit and a death in the next."""
    recorder, site = WorldRecorder(), "http://s.test"
    for answer in (
        page(f"{site}/a", 0, "a", "one", [f"{site}/b"]),
        page(f"{site}/c", 0, "c", "two"),
        page(f"{site}/d", 0, "d", "three"),
        page(f"{site}/a", 1, "a", "four", [f"{site}/b"]),
        page(f"{site}/b", 1, "b", "five"),
        moved(f"{site}/d", 1, f"{site}/b"),
        page(f"{site}/a", 2, "a", "six"),
        gone(f"{site}/c", 2),
    ):
        recorder.answer(answer)
    recorder.ask("one", 1.0, START)
    recorder.ask("five", 1.0, START + WEEK)
    world = recorder.finish("shown", [f"{site}/a"], START, START + 3 * WEEK, WEEK, source="hand")
    save_world(world, Path("shown.world"), recorder.texts)
    found = json.loads(run("show shown.world --json"))
    assert (found["name"], found["pages"], found["versions"], found["links"]) == ("shown", 4, 8, 2)
    assert (found["queries"], found["queries_later"], found["units"]) == (2, 1, 3)
    assert (found["pages_at_start"], found["pages_at_end"]) == (3, 2)
    assert (found["births"], found["deaths"], found["redirects"], found["edits"]) == (1, 1, 1, 2)
    assert found["changes_a_unit"] == {"mean": pytest.approx(5 / 3), "median": 2.0, "max": 3}
    assert found["notes"] == {"source": "hand"}
    assert "7 days" in run("show shown.world")


@pytest.mark.parametrize("option", ["--recall 0.5", "--noise 0.1", "--lag 1d", "--liars 0.5", "--crawled 0.3"])
def test_options_that_would_do_nothing(run, option):
    """What has no effect without another option says so."""
    assert option.split()[0] in run(f"compare small.world --cores 0 {option}", fails=True)
