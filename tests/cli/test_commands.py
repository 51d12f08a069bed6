"""The command line as a person uses it: a real process for every command, with and without --json."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sought
from sought.record.recovery import open_directory
from sought.record.store import Store, row_key
from sought.toyweb import Served, ToyWeb, serve_in_thread
from tests.testing.commands import ENVIRONMENT, run

CONFIG = """
[agent]
contact = "test@example.org"
[scope]
domains = ["toy.test"]
[politeness]
delay = 0.0
latency_factor = 0.0
"""
COLUMNS = ["url", "host", "state", "reason", "source", "depth", "inlinks", "fetches", "changes", "status", "size",
           "found", "last_fetch", "last_change", "not_before", "signal", "via", "alias"]  # fmt: skip


def text(*arguments: str | Path) -> str:
    """What a command that goes well prints; standard error stays empty."""
    done = run(*arguments)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def data(*arguments: str | Path) -> Any:
    """The same with --json: one object on one line."""
    out = text(*arguments, "--json")
    assert out.count("\n") == 1
    return json.loads(out)


def complaint(*arguments: str | Path) -> str:
    """The one line a command that cannot be done leaves; exit code 2 and no traceback."""
    done = run(*arguments)
    assert done.returncode == 2, done
    assert done.stdout == ""
    assert done.stderr.startswith("sought: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve_in_thread(ToyWeb(sites=3, pages=6, hostile=False)) as served:
        yield served


def new_crawl(served: Served, path: Path) -> Path:
    path.mkdir()
    (path / "sought.toml").write_text(served.toml() + CONFIG)
    return path


@pytest.fixture(scope="module")
def crawl(served: Served, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished crawl, for commands that only look."""
    path = new_crawl(served, tmp_path_factory.mktemp("cli") / "crawl")
    result = data("crawl", path, "--fetches", "500")
    assert result["ended"] == "nothing left to fetch"
    return path


@pytest.fixture
def other(served: Served, tmp_path: Path) -> Path:
    """A small crawl of one's own, for commands that change something."""
    path = new_crawl(served, tmp_path / "other")
    sought.open(path).crawl(fetches=8)
    return path


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--version"], 0), (["status", "no-such-crawl"], 2), (["frontier"], 2), (["nonsense"], 2)]
)
def test_the_module_is_the_command(arguments: list[str], code: int) -> None:
    """`python -m sought` ends with the code and the words of the command."""
    command = [sys.executable, "-m", "sought", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=ENVIRONMENT)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert bool(done.stdout) == (code == 0)


# ---- what goes well


def test_init(tmp_path: Path) -> None:
    """Makes a directory with a sought.toml and says what comes next."""
    out = text("init", tmp_path / "a", "https://example.org", "--contact", "me@example.org")
    assert f"sought crawl {tmp_path / 'a'}" in out
    assert "https://example.org/" in (tmp_path / "a" / "sought.toml").read_text()
    made = data("init", tmp_path / "b", "https://example.org", "--contact", "me@example.org", "--domain", "example.org")
    assert Path(made["config"]).exists()
    assert sought.open(tmp_path / "b").path == Path(made["directory"])


def test_crawl(served: Served, tmp_path: Path) -> None:
    """Says how much was fetched, what came of it and why it ended; --json has the same."""
    path = new_crawl(served, tmp_path / "c")
    out = text("crawl", path, "--fetches", "3", "--policy", "BreadthFirst()")
    assert "3 fetched in" in out
    assert "answers: 3 × 200" in out
    assert "ended: budget spent" in out
    result = data("crawl", path, "--fetches", "2")
    assert (result["fetched"], result["outcomes"], result["ended"]) == (2, {"200": 2}, "budget spent")


@pytest.mark.slow
def test_search(crawl: Path) -> None:
    """Hits with title, address and snippet; a notice if no page has all the words; words of comfort if none has any."""
    answer = data("search", crawl, "about", "astronomy")
    assert answer["total"] >= 1
    assert not answer["relaxed"]
    hit = answer["hits"][0]
    assert {"url", "title", "snippet", "score"} <= set(hit)
    out = text("search", crawl, "about astronomy", "--limit", "1")
    assert hit["url"] in out
    assert hit["title"] in out
    assert "these pages have some of them" in text("search", crawl, "astronomy", "xyzzyplugh")
    assert data("search", crawl, "astronomy xyzzyplugh")["relaxed"]
    assert "Nothing found" in text("search", crawl, "xyzzyplugh")
    assert data("search", crawl, "xyzzyplugh")["hits"] == []


def test_search_pages_of_results(crawl: Path) -> None:
    """--limit and --offset walk through the same ranking."""
    urls = [hit["url"] for hit in data("search", crawl, "the", "--limit", "4")["hits"]]
    assert len(urls) == 4
    assert [hit["url"] for hit in data("search", crawl, "the", "-n", "2", "--offset", "2")["hits"]] == urls[2:]


def test_status(crawl: Path) -> None:
    found = data("status", crawl)
    assert found["known"] >= found["fetched"] > 20
    assert sum(found["states"].values()) == found["known"]
    assert found["running"] is None
    out = text("status", crawl)
    for key in found:
        assert key in out


def test_frontier_stats_and_list(other: Path) -> None:
    """What waits, and what would come next: new pages in the order of the policy."""
    stats = data("frontier", "stats", other)
    assert stats["new"] > 0
    assert sum(stats["hosts"].values()) <= stats["new"]
    assert "depths" in text("frontier", "stats", other)
    rows = data("frontier", "list", other, "-n", "5", "--policy", "BreadthFirst()")
    assert [row["state"] for row in rows] == ["new"] * 5
    assert [row["depth"] for row in rows] == sorted(row["depth"] for row in rows)
    assert len(text("frontier", "list", other, "--limit", "3").splitlines()) == 3


def test_frontier_dump(crawl: Path, tmp_path: Path) -> None:
    """Parquet with one row a URL and the documented columns; null stands for never."""
    assert "URLs written to" in text("frontier", "dump", crawl, tmp_path / "a.parquet")
    count = data("frontier", "dump", crawl, tmp_path / "b.parquet")["urls"]
    frame = pl.read_parquet(tmp_path / "b.parquet")
    assert frame.columns == COLUMNS
    assert frame.height == count == data("status", crawl)["known"]
    assert frame["url"].n_unique() == count
    assert frame.filter(pl.col("fetches") == 0)["last_fetch"].is_null().all()
    assert frame.filter(pl.col("fetches") > 0)["last_fetch"].is_not_null().all()
    assert set(frame["state"]) <= {"new", "live", "alias", "gone", "failed", "denied", "dead"}
    assert [f.name for f in tmp_path.iterdir() if f.suffix == ".part"] == []


URLS = [
    "http://a.toy.test/1",
    "http://b.toy.test/2?utm_source=x",
    "http://elsewhere.test/",
    "http://[",
    "http://A.toy.test/1",
]


def write_urls(file: Path, byte_order_mark: str) -> None:
    if file.suffix == ".parquet":
        pl.DataFrame({"n": [1, 2, 3, 4, 5], "url": URLS}).write_parquet(file)
    elif file.suffix == ".txt":
        file.write_text(byte_order_mark + "\n".join(["# a comment", *URLS, ""]))
    else:
        comma = "," if file.suffix == ".csv" else "\t"
        file.write_text(byte_order_mark + f"url{comma}n\n" + "".join(f"{url}{comma}1\n" for url in URLS))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "line"), [("txt", 5), ("csv", 5), ("tsv", 5), ("parquet", 4)])
def test_frontier_load(other: Path, tmp_path: Path, kind: str, line: int) -> None:
    """Two new, one known by its other spelling, one out of scope, one bad with its line; then all known."""
    write_urls(tmp_path / f"urls.{kind}", "\ufeff" if kind in ("txt", "csv") else "")
    loaded = data("frontier", "load", other, tmp_path / f"urls.{kind}")
    assert {k: loaded[k] for k in ("added", "known", "refused", "bad")} == {
        "added": 2, "known": 0, "refused": 1, "bad": 1,
    }  # fmt: skip
    assert loaded["first_bad"][0].startswith(f"urls.{kind}:{line}: ")
    out = text("frontier", "load", other, tmp_path / f"urls.{kind}")
    assert "Next:" not in out
    assert "0 added, 2 known already, 1 out of scope or traps, 1 invalid" in out
    assert f"urls.{kind}:{line}: " in out
    assert data("urltest", "http://b.toy.test/2", other)["known"]["source"] == "load"


def test_a_file_without_a_usable_url_is_exit_code_2(other: Path, tmp_path: Path) -> None:
    """All are out of scope or no URLs: the counts say so, and a script can tell."""
    (tmp_path / "urls.txt").write_text("http://elsewhere.test/\nhttp://[\n")
    done = run("frontier", "load", other, tmp_path / "urls.txt")
    assert done.returncode == 2
    assert "0 added, 0 known already, 1 out of scope or traps, 1 invalid" in done.stdout


def test_what_was_dumped_can_be_loaded(crawl: Path, served: Served, tmp_path: Path) -> None:
    """A dump is a file `frontier load` takes: another crawl then knows every URL of the first."""
    text("frontier", "dump", crawl, tmp_path / "all.parquet")
    path = new_crawl(served, tmp_path / "second")
    loaded = data("frontier", "load", path, tmp_path / "all.parquet")
    assert loaded["added"] == data("status", crawl)["known"]
    assert data("check", path) == {"ok": True, "problems": []}


def test_urltest(crawl: Path, served: Served) -> None:
    """Scope, traps, robots and what is known, for any spelling of any URL; in a crawl directory no DIR is needed."""
    host = served.toy.atlas.sites[0].host
    known = data("urltest", f"HTTP://{host}:{served.port}/about#x", crawl)
    assert known["admitted"]
    assert known["robots"] == "allowed by robots.txt"
    assert known["known"]["state"] == "live"
    assert [line["kind"] for line in known["known"]["history"]] == ["new"]
    assert data("urltest", f"http://{host}:{served.port}/private/x", crawl)["robots"] == "disallowed by robots.txt"
    assert data("urltest", "http://elsewhere.test/", crawl)["why"].startswith("scope: ")
    done = run("urltest", "http://a.toy.test/x/x/x/", cwd=crawl)
    assert "repeating-path" in done.stdout


def test_check_and_rebuild(other: Path) -> None:
    """Good is exit code 0; damage is exit code 1 and named; rebuild mends it."""
    assert "agree" in text("check", other)
    directory = open_directory(other)
    row = int(directory.index.rows()[0])
    url = directory.store.url(row)
    directory.close()
    store = Store(other / "store", writable=True)
    store.delete(row_key(b"l", row))
    store.commit()
    store.close()
    broken = run("check", other)
    assert (broken.returncode, broken.stderr) == (1, "")
    assert f"{url}: a page without a list of links" in broken.stdout
    broken = run("check", other, "--json")
    assert broken.returncode == 1
    report = json.loads(broken.stdout)
    assert not report["ok"]
    assert f"{url}: a page without a list of links" in report["problems"]
    assert f"\nNext: sought check {other}" in text("rebuild", other).partition("records applied in")[2]
    assert data("rebuild", other)["records"] > 8
    assert data("check", other)["ok"]


def test_check_finds_a_page_without_links(other: Path) -> None:
    """Something that opening does not mend: exit code 1, what is wrong, and what to do."""
    directory = open_directory(other)
    row = next(int(r) for r in directory.index.rows() if len(directory.store.links(int(r))))
    url = directory.store.url(row)
    directory.store.delete(b"l" + row.to_bytes(4, "big"))
    directory.store.commit()
    directory.close()
    broken = run("check", other)
    assert broken.returncode == 1
    assert f"{url}: a page without a list of links\n" in broken.stdout
    assert f"sought check {other} --repair" in broken.stdout


def test_a_lost_index_is_made_again(other: Path) -> None:
    """Deleting the index costs the next command the time to make it, and nothing else."""
    before = data("status", other)["searchable"]
    shutil.rmtree(other / "index")
    assert run("check", other).returncode == 0
    assert data("status", other)["searchable"] == before > 0


# ---- help

HELP = {
    "": ("init", "crawl", "search", "status", "explain", "queries", "frontier", "urltest", "check", "rebuild", "demo"),
    "explain": ("DIR", "URL", "--policy", "--limit", "--verbose", "--json"),
    "queries needy": ("DIR", "--limit", "--unanswered", "--json"),
    "queries explain": ("DIR", "QUERY", "--limit", "--verbose", "--json"),
    "hosts": ("DIR", "ORIGIN", "--limit", "--json"),
    "init": ("DIR", "URL", "--contact", "--domain", "--own-site", "--allow-private", "--json"),
    "crawl": ("DIR", "--fetches", "--policy", "--topic", "--keep", "--json"),
    "search": ("DIR", "QUERY", "--limit", "--offset", "--json"),
    "status": ("DIR", "--verbose", "--json"),
    "urltest": ("URL", "DIR", "--json"),
    "check": ("DIR", "--json"),
    "rebuild": ("DIR", "--json"),
    "demo": ("--headless", "--seconds", "--port", "--keep", "--json"),
    "frontier": ("stats", "list", "dump", "load"),
    "frontier stats": ("DIR", "--json"),
    "frontier list": ("DIR", "--limit", "--policy", "--json"),
    "frontier dump": ("DIR", "FILE", "--json"),
    "frontier load": ("DIR", "FILE", "--json"),
}


@pytest.mark.parametrize("command", HELP)
def test_help(command: str) -> None:
    """Every command explains itself and names its options."""
    out = text(*command.split(), "--help")
    for word in HELP[command]:
        assert word.lower() in out.lower(), word


def test_version() -> None:
    assert text("--version") == f"sought {sought.__version__}\n"


def test_without_a_command_there_is_help() -> None:
    """`sought` and `sought frontier` alone are answered with the list of commands, as help and not as one long line."""
    for arguments, word in (((), "rebuild"), (("frontier",), "dump")):
        done = run(*arguments)
        assert done.returncode == 2
        assert "Usage:" in done.stderr
        assert word in done.stderr
        assert "Traceback" not in done.stderr
        assert done.stderr.count("\n") > 5


# ---- what cannot be done

MISTAKES = [
    (("status", "{none}"), "no crawl at {none}: make one with 'sought init"),
    (("status", "{empty}"), "no crawl at {empty}"),
    (("crawl", "{none}"), "sought init"),
    (("search", "{none}", "x"), "sought init"),
    (("check", "{none}"), "sought init"),
    (("check", "{file}"), "sought init"),
    (("rebuild", "{empty}"), "sought init"),
    (("frontier", "list", "{none}"), "sought init"),
    (("urltest", "http://a.test/", "{none}"), "sought init"),
    (("status", "{fresh}"), "has not been crawled yet: run 'sought crawl"),
    (("search", "{fresh}", "x"), "nothing to search yet: run 'sought crawl"),
    (("status", "x" * 300), "too long"),
    (("urltest", "not a url", "{crawl}"), "not a URL"),
    (("urltest", "ftp://a.test/", "{crawl}"), "not an http or https URL"),
    (("crawl", "{crawl}", "--fetches", "1", "--policy", "Breadth()"), "did you mean BreadthFirst"),
    (("frontier", "list", "{crawl}", "--policy", "1+1"), "not allowed in a policy"),
    (("crawl", "{crawl}", "--fetches", "1", "--policy", ""), "not a policy: ''"),
    (("crawl", "{crawl}", "--fetches", "1", "--topic", "!"), "needs a topic of at least one word"),
    (("crawl", "{crawl}", "--fetches", "1", "--keep", "-1"), "--keep"),
    (("crawl", "{crawl}", "--fetches", "1", "--keep", "9", "--policy", "RoundRobin()"), "which are important"),
    (("crawl", "{crawl}", "--fetches", "0"), "--fetches"),
    (("crawl", "{crawl}", "--fetches", "many"), "--fetches"),
    (("crawl", "{crawl}", "--bogus"), "--bogus"),
    (("search", "{crawl}"), "QUERY"),
    (("search", "{crawl}", "x", "--limit", "0"), "--limit"),
    (("nonsense",), "nonsense"),
    (("init", "{none}", "http://a.test/"), "--contact"),
    (("init", "{none}", "http://a.test/", "--contact", "nobody"), "no usable contact"),
    (("init", "{none}", "a.test", "--contact", "a@b.org"), "not a URL"),
    (("init", "{crawl}", "http://a.test/", "--contact", "a@b.org"), "is a crawl already"),
    (("init", "{file}", "http://a.test/", "--contact", "a@b.org"), "cannot make"),
    (("frontier", "load", "{crawl}", "{none}"), "cannot read"),
    (("frontier", "load", "{crawl}", "{empty}"), "cannot read"),
    (("frontier", "load", "{crawl}", "{garbage}.parquet"), "cannot read"),
    (("frontier", "load", "{crawl}", "{garbage}.txt"), "cannot read"),
    (("frontier", "load", "{crawl}", "{file}.csv"), "has no column 'url'"),
    (("frontier", "dump", "{crawl}", "{none}/x.parquet"), "cannot write"),
    (("frontier", "dump", "{crawl}", "{empty}"), "ends in .parquet"),
    (("frontier", "dump", "{crawl}", "{none}/x.parquet"), "cannot write"),
    (("check", "{locked}"), "{locked}/lock is a directory: run 'sought check {locked} --repair'"),
    (("crawl", "{wrong}"), "unknown key crawl.'budgets'; did you mean 'budget'?"),
]


@pytest.fixture(scope="module")
def places(crawl: Path, served: Served, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    base = tmp_path_factory.mktemp("places")
    (base / "empty").mkdir()
    (base / "file").write_text("just a file")
    (base / "file.csv").write_text("address\nhttp://a.test/\n")
    (base / "garbage.parquet").write_bytes(b"PAR1garbagePAR1")
    (base / "garbage.txt").write_bytes(b"http://a.toy.test/good\n\xff\xfe\x00")
    new_crawl(served, base / "fresh")
    new_crawl(served, base / "locked")
    (base / "locked" / "lock").mkdir()  # whoever runs the tests, root too, cannot open it for writing
    new_crawl(served, base / "wrong")
    with (base / "wrong" / "sought.toml").open("a") as file:
        file.write('[crawl]\nbudgets = "1 per day"\n')
    names = ("none", "empty", "file", "garbage", "fresh", "locked", "wrong")
    return {"crawl": crawl} | {name: base / name for name in names}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"), MISTAKES, ids=lambda value: "-".join(value)[:40] if isinstance(value, tuple) else ""
)
def test_mistakes(places: dict[str, Path], arguments: tuple[str, ...], said: str) -> None:
    """What a person got wrong is one line that says what to do, exit code 2, never a traceback."""
    assert said.format(**places) in complaint(*(a.format(**places) for a in arguments))


def test_a_file_that_breaks_off_adds_nothing(places: dict[str, Path]) -> None:
    """A file whose third line cannot be read is refused whole: its good first line is not known afterwards."""
    complaint("frontier", "load", places["crawl"], f"{places['garbage']}.txt")
    assert data("urltest", "http://a.toy.test/good", places["crawl"])["known"] is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission(other: Path) -> None:
    other.chmod(0o500)
    try:
        assert "cannot write in" in complaint("check", other)
    finally:
        other.chmod(0o700)


@pytest.mark.parametrize("more", [["--json"], []])
def test_a_closed_pipe_is_no_traceback(crawl: Path, more: list[str]) -> None:
    """`sought … | head -1` ends quietly."""
    command = [sys.executable, "-m", "sought", "frontier", "list", str(crawl), "-n", "1000", *more]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=300, check=False)
    finally:
        os.close(writer)
    assert done.stderr == ""


def test_large_whole_numbers_are_shown_without_decimals(capsys):
    """A count is one even where features are floats."""
    from sought.cli.show import show_tree

    show_tree({"words": {"whole": 4284.0, "not": 1791.62, "small": 0.5}})
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()[1:]] == ["4,284", "1,791.6", "0.5"]
