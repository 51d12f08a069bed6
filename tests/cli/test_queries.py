"""`sought queries` as a person uses it."""

import json
import re
import shlex
from pathlib import Path

import pytest

import sought.cli
from sought.demand import Format
from sought.demand.manifest import read_manifest
from sought.demand.query_format import QUERY_FORMATS

DOCUMENT = Path(__file__).parents[2] / "docs" / "how-to" / "bring-your-own-query-log.md"
TABLE = "query\tcount\tfrom\nrunning shoes\t30\t2022-01-03\ncomet\t10\t2022-01-03\ncomet\tmany\t\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Run a command in a folder that has a crawl (`crawl`) and a table (`queries.tsv`); (exit code, output, errors)."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "sought.toml").write_text('seeds = ["https://example.org/"]\n')
    (tmp_path / "queries.tsv").write_text(TABLE)

    def command(line):
        monkeypatch.setattr("sys.argv", ["sought", *shlex.split(line)])
        with pytest.raises(SystemExit) as end:
            sought.cli.main()
        return (end.value.code, *capfd.readouterr())

    return command


def test_the_document_s_commands_run(run):
    """docs/how-to/bring-your-own-query-log.md shows commands that work, in their order."""
    commands = re.findall(r"^\$ sought (.*)$", DOCUMENT.read_text(), re.M)
    assert len(commands) == 5
    for command in commands:
        code, _, errors = run(command)
        assert (code, errors) == (0, ""), command


def test_import_says_what_it_found(run):
    """Rows, kinds, bad rows with their lines; the same as JSON."""
    code, out, _ = run("queries import crawl queries.tsv")
    assert code == 0
    assert out.splitlines() == [
        "3 rows of tsv: 0 searches, 0 views and clicks, 2 tallies, 1 invalid",
        "  queries.tsv:4: count is no number: 'many'",
        "Next: sought crawl crawl",
    ]
    found = json.loads(run("queries import crawl queries.tsv --json")[1])
    assert (found["rows"], found["tallies"], found["bad"]) == (3, 2, 1)
    assert found["first_bad"] == [["queries.tsv", 4, "count is no number: 'many'"]]


FORMAT = """
from sought.demand.query_format import QueryFormat
from sought.demand.rows import Tally
from sought.demand.text import ParsedRow

def read(path, day):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        yield ParsedRow(path.name, number, Tally(line, 1.0, day))

LINES = QueryFormat("lines", "A query a line.", read)
"""


def test_a_format_of_ones_own(run):
    """In a file of the current directory; all others are found, too."""
    Path("my_format.py").write_text(FORMAT)
    Path("plain.txt").write_text("running shoes\ncomet\n")
    code, out, error = run("queries import crawl plain.txt --format my_format:LINES --json")
    assert code == 0, error
    found = json.loads(out)
    assert (found["format"], found["rows"], found["tallies"]) == ("my_format:LINES", 2, 2)
    assert {*Format} <= set(QUERY_FORMATS)
    assert all(each.name == name and each.help for name, each in QUERY_FORMATS.items())
    code, _, error = run("queries import crawl plain.txt --format my_format:read")
    assert (code, "not a query format" in error) == (2, True)


def test_stats(run):
    """Counts, top queries and coverage, for people and as JSON; an empty log has figures too."""
    empty = json.loads(run("queries stats crawl --json")[1])
    assert (empty["searches"], empty["demand"]["top"], empty["first_time"]) == (0, [], None)
    run("queries import crawl queries.tsv")
    found = json.loads(run("queries stats crawl --json --limit 1")[1])
    assert found["tallies"] == found["distinct_queries"] == 2
    assert found["demand"]["top"] == [{"query": "running shoes", "a_week": 30.0}]
    assert found["demand"]["share_of_top"] == {"10": 1.0, "100": 1.0, "1000": 1.0}
    assert found["visibility"] == {
        "exponent": 1.5,
        "views": 0,
        "from": "the default: fewer than 1,000 views, or on fewer than 5 ranks",
    }
    code, out, _ = run("queries stats crawl")
    assert code == 0
    assert "query running shoes  a_week 30" in out


def test_stats_of_searches(run, tmp_path):
    """Views, clicks and clicks by rank."""
    import time

    from sought.demand import Action, Event, QueryLog, Search

    log = QueryLog(tmp_path / "crawl" / "queries")
    for query in ("Comet", "comet"):
        search = log.record(Search(query, time.time() - 60, ("a", "b")))
        log.event(Event(search, Action.VIEW, time.time(), "a", 1))
        log.event(Event(search, Action.CLICK, time.time(), "b"))
    found = json.loads(run("queries stats crawl --json")[1])
    assert (found["searches"], found["views"], found["clicks"], found["clicks_by_rank"]) == (2, 2, 2, {"2": 2})
    assert found["demand"]["top"] == [{"query": "Comet", "a_week": 0.5}]
    assert found["visibility"]["views"] == 4
    assert found["first_time"] <= found["last_time"] <= time.time()
    out = run("queries export crawl ubi --json")[1]
    assert json.loads(out) == {"searches": 2, "events": 4, "tallies": 0, "left_out": 0, "file": "ubi"}
    assert run("queries import crawl ubi")[1].startswith("6 rows of ubi: 2 searches, 4 views and clicks")
    assert json.loads(run("queries stats crawl --json")[1])["searches"] == 2


def test_sought_toml_says_how_long_searches_are_kept(run, tmp_path):
    """`[demand] keep` holds for imports too: they must not delete what the crawl is to keep."""
    import time

    with (tmp_path / "crawl" / "sought.toml").open("a") as file:
        file.write('[demand]\nkeep = "200d"\n')
    days = [{"query_id": n, "user_query": "comet", "timestamp": time.time() - n * 86400} for n in (100, 300)]
    (tmp_path / "ubi.jsonl").write_text("".join(json.dumps(day) + "\n" for day in days))
    found = json.loads(run("queries import crawl ubi.jsonl --json")[1])
    assert (found["searches"], found["expired"]) == (1, 1)
    assert json.loads(run("queries stats crawl --json")[1])["keep_days"] == 200


def test_export_and_forget(run, tmp_path):
    """What was forgotten is in no later export; what a format cannot carry is said."""
    run("queries import crawl queries.tsv")
    assert run("queries forget crawl RUNNING shoes")[1] == "rows removed: 1\n"
    assert json.loads(run("queries forget crawl running shoes --json")[1]) == {"removed": 0}
    assert run("queries export crawl out.csv")[0] == 0
    assert (tmp_path / "out.csv").read_text() == "query,count,from,url,clicks\ncomet,10,2022-01-03,,\n"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("queries import nowhere queries.tsv", "no sought.toml in nowhere"),
        ("queries stats nowhere", "no sought.toml in nowhere"),
        ("queries import crawl missing.tsv", "missing.tsv: No such file"),
        ("queries import crawl queries.tsv --format xml", "unknown format 'xml'"),
        ("queries import crawl crawl/sought.toml", "no column 'query'"),
        ("queries export crawl out.xlsx", "cannot tell the format"),
        ("queries export crawl out --format search-console", "can be read, not written"),
        ("queries forget crawl ' '", "no query"),
    ],
)
def test_mistakes_are_one_line(run, tmp_path, command, why):
    """Exit code 2, one line on standard error, and nothing made."""
    code, out, errors = run(command)
    assert (code, out) == (2, "")
    assert why in errors
    assert len(errors.splitlines()) == 1
    made = [file for file in (tmp_path / "crawl").glob("queries/*.*") if file.name != "manifest.json"]
    assert not made
    assert not read_manifest(tmp_path / "crawl/queries").segments


def test_a_file_without_a_good_row_is_exit_code_2(run, tmp_path):
    """Nothing was imported, and the rows say why."""
    (tmp_path / "bad.tsv").write_text("query\tcount\ncomet\tmany\n")
    code, out, errors = run("queries import crawl bad.tsv")
    assert code == 2
    assert errors == "sought: nothing in bad.tsv could be used as tsv: fix the file, or give its --format\n"
    assert "bad.tsv:2: count is no number" in out
