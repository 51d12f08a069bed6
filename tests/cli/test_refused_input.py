"""Input that makes no sense: one line that says what to do, exit code 2, and nothing is left half done.

The commands of test_cli.py have a table of their own there.
"""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sought.lab.worlds.files import save_world
from tests.testing.commands import run_program
from tests.testing.demand_site import write_config
from tests.testing.small_world import small_world

LAB = [
    ("bogus", "No such command 'bogus'"),
    ("show {none}", "no world at {none}: make one with 'sought lab import'"),
    ("show {file}", "no world at {file}"),
    ("show {crawl}", "no world at {crawl}"),
    ("show {broken}", "{broken}/world.json is damaged"),
    ("run bogus", "no experiment 'bogus'"),
    ("run 001 --world {none}", "no world at {none}"),
    ("run 001 --world {world} --results {file}", "cannot write in {file}: it is a file; name another folder with"),
    ("run 001 --world {world} --results {file}/x", "cannot write in {file}/x: Not a directory; name another"),
    ("run 001 --world {world} --cores -1", "--cores"),
    ("report --results {none}", "no results in {none}: run 'sought lab run all'"),
    ("report --results {empty} --to {empty}", "{empty}: Is a directory"),
    ("experiments --results {file}", "{file} is no folder: name one with --results"),
    ("verdicts --results {file}", "{file} is no folder: name one with --results"),
    ("compare {none}", "no world at {none}"),
    ("compare {world} --policy Bogus", "no policy called 'Bogus'"),
    ("compare {world} --policy Worth(horizon=-1)", "horizon is a number above 0, not -1"),
    ("compare {world} --budget x", "--budget: 260, 0.02 or 2%, not 'x'"),
    ("compare {world} --budget nan", "not nan"),
    ("compare {world} --budget 200%", "less than 100%"),
    ("compare {world} --budget 1e300", "at most 1,000,000,000"),
    ("compare {world} --floor RoundRobin()", "give both"),
    ("compare {world} --floor RoundRobin() --bound RoundRobin()", "there is no gap between them"),
    ("compare {world} --measure bogus", "no measure called 'bogus'"),
    ("compare {world} --seeds 0", "--seeds"),
    ("compare {world} --start lukewarm", "a replay starts warm, cold, frontier"),
    ("compare {world} --split x", "--split: time, thinning, string, none, not 'x'"),
    ("compare {world} --searches nan", "--searches"),
    ("compare {world} --crawled 2 --start frontier", "between 0 and 1, not 2.0"),
    ("compare {world} --crawled 0.3", "--crawled is for --start frontier"),
    ("compare {world} --every 100000", "cannot be taken 100000 at a time"),
    ("compare {world} --scorer Bogus()", "no scorer called 'Bogus'"),
    ("compare {world} --tie x", "tie is hash or mean"),
    ("compare {world} --history x", "history is own, half, all"),
    ("compare {world} --recall 0.5", "add --sitemaps, --etags or --dates"),
    ("compare {world} --sitemaps --lag -1d", "not a duration: '-1d'"),
    ("compare {world} --results {file}", "cannot write in {file}: it is a file; name another folder with --results"),
    ("compare {world} --decisions {file}/x", "cannot write in {file}: it is a file; name another folder with --dec"),
    ("compare {world} --decisions {empty}", "--decisions: {empty} is a folder; name a file"),
    ("import git {none} --base-url http://a.test/ --to {new}", "{none}: no such repository or bundle"),
    ("import git {repo} --base-url http://a.test/ --to {new}", "has no commits"),
    ("import git {repo} --base-url nonsense --to {new}", "not a URL: 'nonsense'"),
    ("import git {repo} {repo} --base-url http://a.test/ --to {new}", "once for each path"),
    ("import git {repo} --base-url http://a.test/ --every x --to {new}", "not a duration: 'x'"),
    ("import git {repo} --base-url http://a.test/ --to {full}", "{full} is not empty and holds no world"),
    ("import git {repo} --base-url http://a.test/ --to {file}/x", "cannot write in {file}: it is a file; name"),
    ("import warc {none} --to {new}", "{none}: no such file"),
    ("import warc {file} --to {new}", "no WARC record starts here"),
    ("import warc {empty} --to {new}", "neither a crawl nor a folder with .warc"),
    ("import warc {empty} --unit 0s --to {new}", "--unit: 0 is no time at all"),
    ("import graph {none} --to {new}", "cannot read {none}: No such file or directory"),
    ("import graph {file} --to {new}", "line 1: not a line of numbers"),
    ("import wiki {file} --base-url http://a.test/ --to {new}", "line 1, column 0: syntax error"),
    ("import wiki {file} --base-url http://a.test/ --from soon --to {new}", "not a date such as 2020-01-31: 'soon'"),
    ("generate --to {full}", "{full} is not empty and holds no world"),
    ("generate --to {file}/x", "cannot write in {file}: it is a file; name another folder with --to"),
    ("generate --pages 0", "--pages"),
    ("queries derive {none}", "no world at {none}"),
    ("queries derive {world} --weighting x", "one of zipf, views"),
    ("queries derive {world} --weighting views", "page views (--views FILE) are needed"),
    ("queries derive {world} --weighting views --views {garbage}", "cannot read {garbage}: it is not text in UTF-8"),
    ("queries import {world} {none}", "cannot read {none}: No such file or directory"),
    ("queries import {world} {headless}", "has no column 'query'"),
]
BENCH = [
    ("bogus", "No such command 'bogus'"),
    ("crawl --pages 5", "--pages"),
    ("store --urls 10", "--urls"),
    ("duplicates --pairs 1", "--pairs"),
    ("gain --world {none}", "no world at {none}: it has no site.bundle"),
    ("gain --queries 0", "--queries"),
    ("curves --results 0", "--results"),
    ("lab --world {world}", "no world at {world}: it has no site.bundle"),
    ("lab --world {empty} --policy Bogus", "no policy called 'Bogus'"),
    ("impact --urls 5", "--urls"),
    ("plan --queries 1", "--queries"),
    ("serve --seconds nan", "--seconds"),
    ("graph --nodes 1", "--nodes"),
    ("graph --nodes 100 --edges 9901", "--edges: 100 pages have at most 9,900 links between them, not 9,901"),
    ("cluster --pages 100 -k 101", "-k: 100 pages make at most 100 clusters, not 101"),
    ("html --folder {none}", "{none}' does not exist"),
    ("html --folder {file}", "{file}' is a file"),
    ("html --seconds 0", "--seconds"),
]
OTHERS = [
    ("serve", "Missing argument 'DIR'"),
    ("serve {none}", "no sought.toml in {none}: make a crawl with 'sought init {none} URL…'"),
    ("serve {file}", "no sought.toml in {file}: make a crawl with"),
    ("serve {crawl} --port 70000", "--port"),
    ("serve {crawl} --port {port}", "port {port}: Address already in use; try another --host or --port"),
    ("serve {crawl} --port {port} --control --crawl", "port {port}: Address already in use; try another"),
    ("serve {crawl} --host 192.0.2.1", "cannot serve at 192.0.2.1 port 8080: "),
    ("serve {crawl} --port {port} --allow-host http://x/", "without scheme, port or path, not 'http://x/'"),
    ("serve {crawl} --port {port} --allow-host x:80", "without scheme, port or path, not 'x:80'"),
    ("demo --seconds 0", "--seconds"),
    ("demo --seconds nan", "--seconds"),
    ("demo --port {port}", "port {port}: Address already in use; try another"),
    ("demo --headless --port {port}", "--port and --headless exclude each other"),
    ("demo --keep {full}", "{full} already exists: --keep needs a new directory"),
    ("demo --headless --keep {file}/x", "cannot write in {file}/x: Not a directory; name another folder with --keep"),
    ("order {none} pause", "no crawl at {none}: make one with"),
    ("order {crawl}", "Choose from: pause, resume, budget, seed, block, unblock, fetch"),
    ("order {crawl} explode", "'explode' is not one of"),
    ("order {crawl} pause now", "'pause' takes no argument, but got 'now'"),
    ("order {crawl} budget", "sought order DIR budget BUDGET"),
    ("order {crawl} budget lots", "not a budget: 'lots'"),
    ("order {crawl} seed nonsense", "not a URL: 'nonsense'"),
    ("order {crawl} fetch http://b.example/", "is not admitted"),
    ("order {crawl} block b.example", "is no host of this crawl"),
    ("order {crawl} unblock a.example", "a.example is not blocked"),
    ("queries bogus", "No such command 'bogus'"),
    ("queries import {none} {good}", "no sought.toml in {none}"),
    ("queries import {file} {good}", "no sought.toml in {file}"),
    ("queries import {crawl} {none}", "cannot read {none}: No such file or directory"),
    ("queries import {crawl} {headless}", "has no column 'query'"),
    ("queries import {crawl} {garbage}", "save it as UTF-8"),
    ("queries import {crawl} {good} --format bogus", "unknown format 'bogus': use one of ubi"),
    ("queries import {crawl} {good} --format parquet", "cannot read {good}: parquet"),
    ("queries export {crawl} {new}.bogus", "cannot tell the format of {new}.bogus"),
    ("queries export {crawl} {new} --format search-console", "can be read, not written"),
    ("queries export {crawl} {file}/out.tsv", "cannot write {file}/out.tsv: Not a directory; choose another path"),
    ("queries export {crawl} {empty} --format tsv", "cannot write {empty}: Is a directory; choose another path"),
    ("queries export {crawl} {file} --format ubi", "cannot write {file}: File exists; choose another path"),
    ("queries stats {crawl} --limit 0", "--limit"),
    ("queries needy {crawl}", "has not been crawled yet: run 'sought crawl"),
    ("queries explain {crawl} x", "has not been crawled yet: run 'sought crawl"),
    ("queries forget {crawl}", "Missing argument 'QUERY...'"),
]
TABLE = [
    *((f"sought lab {words}", said) for words, said in LAB),
    *((f"benchmarks {words}", said) for words, said in BENCH),
    *((f"sought {words}", said) for words, said in OTHERS),
]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What is there, what is not, what is something else, and a port that is in use."""
    base = tmp_path_factory.mktemp("senseless")
    names = ("none", "new", "file", "empty", "full", "repo", "garbage", "headless", "good")
    where = {name: base / name for name in names} | {"world": base / "small.world", "broken": base / "broken.world"}
    world = small_world()
    save_world(world, where["world"], [""] * len(world.versions))
    for name in ("empty", "full", "broken"):
        where[name].mkdir()
    (where["full"] / "x").write_text("x")
    (where["broken"] / "world.json").write_text("{")
    where["file"].write_text("just a file")
    where["garbage"].write_bytes(b"\xff\xfe\x00junk")
    where["headless"].write_text("foo\tbar\n1\t2\n")
    where["good"].write_text("query\tcount\nlamp\t3\n")
    subprocess.run(["git", "init", "-q", str(where["repo"])], check=True)
    where["crawl"] = write_config(base / "crawl")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield {"port": str(taken.getsockname()[1])} | {name: str(path) for name, path in where.items()}


@pytest.mark.slow
@pytest.mark.parametrize(("words", "said"), TABLE, ids=[words for words, _ in TABLE])
def test_senseless_input(places: dict[str, str], tmp_path: Path, words: str, said: str) -> None:
    """One line on standard error, none on standard output, exit code 2; no world, export or results appear."""
    shutil.rmtree(places["new"], ignore_errors=True)
    program, *arguments = (word.format(**places) for word in words.split())
    done = run_program(program, *arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert said.format(**places) in done.stderr
    assert done.stderr.startswith(f"{program}: ")
    assert done.stderr.count("\n") == 1
    assert not Path(places["new"]).exists()
    assert not list(tmp_path.glob("*.world"))
