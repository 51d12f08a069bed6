"""Sought as a library: `import sought`."""

import dataclasses
import inspect
import json
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import sought
import sought.lab
from sought.crawl.cycle import Cycle
from sought.toyweb import Served, ToyWeb, serve_in_thread
from tests.testing.commands import run

CONFIG = """
[agent]
contact = "test@example.org"
[scope]
domains = ["toy.test"]
[politeness]
delay = 0.0
latency_factor = 0.0
"""


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serve_in_thread(ToyWeb(sites=2, pages=6, hostile=False)) as served:
        yield served


@pytest.fixture
def crawl(served: Served, tmp_path: Path) -> sought.Crawl:
    crawl = sought.init(tmp_path / "crawl", served.seeds, contact="test@example.org")
    (crawl.path / "sought.toml").write_text(served.toml() + CONFIG)
    return crawl


def test_exported_names() -> None:
    """The names people may build on: all there, documented, and no others."""
    assert sorted(sought.__all__) == [
        "Answer", "BreadthFirst", "Crawl", "DemandFirst", "Hit", "Pages", "Policy", "RoundRobin", "SoughtError",
        "Split", "UserCentric", "Worth", "__version__", "init", "open",
    ]  # fmt: skip
    for name in sought.__all__:
        value = getattr(sought, name)
        assert not inspect.isclass(value) or value.__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'close'"):
        sought.close  # noqa: B018  # asked for to see it refused


def test_a_room_is_loaded_without_the_search_engine() -> None:
    """`import sought.web.url` is light: tantivy, RocksDB and the HTTP client stay out."""
    code = "import sys, sought.web.url; print(sorted({'tantivy', 'rocksdict', 'aiohttp', 'polars'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "[]\n"


def test_the_example_in_the_docstring_runs(crawl: sought.Crawl) -> None:
    """What the package's documentation shows works as it stands, but for the addresses."""
    assert sought.__doc__
    example = inspect.cleandoc(sought.__doc__.partition("\n")[2])
    assert "crawl.crawl(fetches=1000)" in example
    lines = [line for line in example.splitlines() if not line.startswith(("import", "crawl = sought.init"))]
    found: list[sought.Hit] = []
    program = "\n".join(lines).replace("...", "found.append(hit)").replace("what people look for", "the")
    exec(program, {"sought": sought, "crawl": crawl, "found": found})
    assert found
    assert all(isinstance(hit, sought.Hit) for hit in found)


def test_crawl_search_status(crawl: sought.Crawl, served: Served) -> None:
    """The straight line with its types: numbers, an Answer of Hits, a status that agrees with them."""
    result = crawl.crawl(fetches=12)
    assert (result.fetched, result.ended) == (12, "budget spent")
    answer = crawl.search("the", limit=3)
    assert isinstance(answer, sought.Answer)
    assert 0 < len(answer.hits) <= 3 <= answer.total
    assert {hit.url.partition("/")[0] for hit in answer.hits} == {"http:"}
    assert [hit.url for hit in crawl.search("the", limit=2, offset=1).hits] == [h.url for h in answer.hits[1:3]]
    status = crawl.status()
    assert status.known > status.fetched > 0
    assert status.searchable <= status.fetched
    again = sought.open(str(crawl.path))
    assert repr(again) == f"sought.open({str(crawl.path)!r})"
    assert again.status().fetched == status.fetched


@pytest.mark.parametrize("policy", ["RoundRobin()", sought.BreadthFirst(), sought.Split(share=1.0), None])
def test_policies_are_values_or_their_spelling(crawl: sought.Crawl, policy: sought.Policy | str | None) -> None:
    assert crawl.crawl(fetches=2, policy=policy).known >= 1


def test_a_crawl_can_be_watched_and_stopped(crawl: sought.Crawl) -> None:
    """`started` is given the running cycle: stopped at once, it fetches nothing and says so."""
    seen: list[Cycle] = []

    def started(cycle: Cycle) -> None:
        seen.append(cycle)
        cycle.stop()

    assert crawl.crawl(started=started).ended == "stopped"
    assert seen[0].progress.fetched == 0


def test_a_surprise_lets_go_of_the_directory(crawl: sought.Crawl) -> None:
    """An exception out of `started` comes through, and the crawl can be opened again."""

    def started(_: Cycle) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        crawl.crawl(fetches=1, started=started)
    assert crawl.crawl(fetches=1).fetched == 1


def test_mistakes_are_sought_errors(crawl: sought.Crawl, tmp_path: Path) -> None:
    """Whatever a caller gets wrong is a SoughtError whose message says what to do."""
    for call, said in (
        (lambda: sought.open(tmp_path / "none"), "sought init"),
        (lambda: sought.init(crawl.path, ["http://a.test/"], "a@b.org"), "is a crawl already"),
        (lambda: sought.init(tmp_path / "x", [], "a@b.org"), "at least one seed"),
        (lambda: sought.init(tmp_path / "x", ["nonsense"], "a@b.org"), "not a URL"),
        (lambda: sought.init(tmp_path / "x", ["http://a.test/"], "me"), "no usable contact"),
        (lambda: crawl.crawl(fetches=0), "at least 1"),
        (lambda: crawl.crawl(fetches=1, policy="Nope()"), "no policy called"),
        (lambda: crawl.search("x"), "sought crawl"),
        (lambda: crawl.status(), "sought crawl"),
    ):
        with pytest.raises(sought.SoughtError, match=said):
            call()
    assert not (tmp_path / "x").exists()


# ---- what the commands can do


@pytest.fixture(scope="module")
def asked(served: Served, tmp_path_factory: pytest.TempPathFactory) -> sought.Crawl:
    """A crawl with queries, all of it fetched."""
    path = tmp_path_factory.mktemp("asked") / "crawl"
    crawl = sought.init(path, served.seeds, contact="test@example.org")
    (path / "sought.toml").write_text(served.toml() + CONFIG)
    crawl.crawl(fetches=30)
    (path / "q.tsv").write_text("query\tcount\nthe page\t5\nnowhere at all\t2\n")
    assert crawl.import_queries(path / "q.tsv").measured_by == 2
    return crawl


def keys(value: Any) -> Any:
    """The shape of a JSON value."""
    if isinstance(value, dict):
        return {name: keys(each) for name, each in value.items()}
    return [keys(each) for each in value] if isinstance(value, list) else None


COMMANDS: list[tuple[list[str], Callable[[sought.Crawl, str], Any]]] = [
    (["status", "{dir}"], lambda crawl, _: crawl.status()),
    (["explain", "{dir}", "{url}"], lambda crawl, url: crawl.explain(url)),
    (["urltest", "{url}", "{dir}"], lambda crawl, url: crawl.urltest(url)),
    (["hosts", "{dir}", "{origin}"], lambda crawl, url: crawl.host(url.rstrip("/"))),
    (["budget", "{dir}"], lambda crawl, _: crawl.budget()),
    (["check", "{dir}"], lambda crawl, _: crawl.check()),
    (["frontier", "stats", "{dir}"], lambda crawl, _: crawl.frontier_stats()),
    (["frontier", "list", "{dir}"], lambda crawl, _: crawl.frontier()),
    (["queries", "stats", "{dir}"], lambda crawl, _: crawl.query_stats()),
    (["queries", "explain", "{dir}", "the page"], lambda crawl, _: crawl.explain_query("the page")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("words", "call"), COMMANDS, ids=[" ".join(words) for words, _ in COMMANDS])
def test_the_library_says_what_the_commands_say(
    asked: sought.Crawl, served: Served, words: list[str], call: Callable[[sought.Crawl, str], Any]
) -> None:
    """The same keys in the same order, and JSON that can be written; where no clock is involved the same values."""
    url = served.seeds[0]
    places = {"dir": str(asked.path), "url": url, "origin": url.rstrip("/")}
    done = run(*(word.format(**places) for word in words), "--json")
    assert done.returncode == 0, done.stderr
    printed, made = json.loads(done.stdout), json.loads(json.dumps(call(asked, url).to_json(), allow_nan=False))
    assert json.dumps(keys(made)) == json.dumps(keys(printed))
    if not {"explain", "budget", "queries"} & set(words[:2]):
        assert made == printed


def test_results_are_frozen_and_typed(asked: sought.Crawl, served: Served) -> None:
    """No dictionary where a result is meant, and nothing that can be changed."""
    page = asked.explain(served.seeds[0], policy="RoundRobin()")
    assert page.now.policy == "RoundRobin()"
    assert page.history[0].chosen_by == "Worth()"
    assert page.change.rate
    with pytest.raises(dataclasses.FrozenInstanceError):
        page.page.fetches = 3  # type: ignore[misc]  # refused
    assert [each.query for each in asked.needy(unanswered=True)] == ["nowhere at all"]
    assert asked.hosts()[0].origin.startswith("http://")
    assert asked.query_stats().demand.top[0].query == "the page"


def test_tables_become_frames(asked: sought.Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars always; pandas where it is installed, and one clear error where it is not."""
    hosts = asked.hosts()
    frame = hosts.to_polars()
    assert frame["origin"].to_list() == [host.origin for host in hosts]
    assert frame.columns == list(hosts[0].to_json())
    assert isinstance(hosts[:1], type(hosts))
    assert hosts[:0].to_polars().columns == frame.columns
    assert len(asked.urls()) == asked.status().known
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(sought.SoughtError, match="pandas is not installed: pip install pandas, or use to_polars"):
        hosts.to_pandas()
    frames = types.ModuleType("pandas")  # as far as it is used
    monkeypatch.setattr(frames, "DataFrame", lambda rows, columns: (rows, columns), raising=False)
    monkeypatch.setitem(sys.modules, "pandas", frames)
    assert hosts.to_pandas() == (hosts.to_json(), None)


def test_everything_shows_in_a_notebook(asked: sought.Crawl, served: Served, tmp_path: Path) -> None:
    """Crawl, results, tables and answers; what a page says is never markup."""
    for shown in (
        *(asked, asked.status(), asked.explain(served.seeds[0]), asked.hosts(), asked.hosts()[:0], asked.needy()),
        *(asked.search("the"), asked.orders, asked.budget(), asked.frontier_stats()),
    ):
        html = shown._repr_html_()
        assert html.startswith(("<table>", "<p>"))
        assert html.count("<td>") == html.count("</td>")
    hit = sought.Hit(0, "http://a.test/?a&b", "<script>", "a <b> c", ((2, 5),), 1.0, 0.0)
    html = sought.Answer((hit,), 1)._repr_html_()
    assert "<script>" not in html
    assert "a <b>&lt;b&gt;</b> c" in html
    assert "a&amp;b" in html
    empty = sought.init(tmp_path / "new", served.seeds, contact="test@example.org")
    assert empty._repr_html_().startswith("<p>")


def test_orders_are_given_and_listed(crawl: sought.Crawl) -> None:
    """Each waits until a crawl applies it; an impossible one is refused at once."""
    crawl.crawl(fetches=2)
    placed = crawl.orders.budget("500 per day")
    assert (placed.running, placed.waits_already) == (None, False)
    assert crawl.orders.budget("500 per day").waits_already
    crawl.orders.pause()
    assert [(each.words, each.waits) for each in crawl.orders] == [("pause", True), ("budget 500 per day", True)]
    with pytest.raises(sought.SoughtError, match="not a host"):
        crawl.orders.block("a b")
    crawl.orders.resume()
    crawl.crawl(fetches=1)
    assert {each.outcome for each in crawl.orders} == {"applied"}
    assert crawl.status().budget == "500 per day"


@pytest.mark.slow
def test_a_crawl_is_served_until_it_is_stopped(crawl: sought.Crawl) -> None:
    """`started` gets the address, and the token if the console takes orders."""
    crawl.crawl(fetches=5)
    code = (
        "import os, signal, sys, threading, urllib.request, sought\n"
        "def started(where):\n"
        "    def ask():\n"
        "        print(len(where.token), urllib.request.urlopen(where.address).status)\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    threading.Timer(1.0, ask).start()\n"
        "sought.open(sys.argv[1]).serve(port=0, control=True, started=started)\n"
    )
    command = [sys.executable, "-c", code, str(crawl.path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert (done.stdout, done.returncode) == ("40 200\n", 0), done.stderr


def test_queries_go_out_and_come_back(asked: sought.Crawl, tmp_path: Path, served: Served) -> None:
    """Exported, imported into another crawl, forgotten."""
    assert asked.export_queries(tmp_path / "log.parquet").tallies == 2
    other = sought.init(tmp_path / "other", served.seeds, contact="test@example.org")
    done = other.import_queries(tmp_path / "log.parquet")
    assert (done.kept, done.measured_by, done.format) == (2, 0, "parquet")
    assert other.forget_query("The Page").removed == 1
    assert other.query_stats().answers is None
    with pytest.raises(sought.SoughtError, match="unknown format 'xml'"):
        other.import_queries(tmp_path / "log.parquet", "xml")


def test_urls_are_loaded_and_dumped(crawl: sought.Crawl, tmp_path: Path) -> None:
    crawl.crawl(fetches=1)
    (tmp_path / "urls.txt").write_text("http://elsewhere.example/\nnonsense\n")
    done = crawl.load(tmp_path / "urls.txt")
    assert (done.added, done.refused, done.bad, len(done.first_bad)) == (0, 1, 1, 1)
    assert crawl.dump(tmp_path / "urls.parquet") == crawl.status().known
    rebuilt = crawl.rebuild()
    assert (rebuilt.lost, crawl.check().ok, crawl.repair().ok) == ((), True, True)


# ---- the laboratory


def test_the_laboratory_exports_what_an_experiment_needs() -> None:
    """Each name is there and documented, each in its list once; nothing is loaded before it is used."""
    for name in sought.lab.__all__:
        value = getattr(sought.lab, name)
        assert not (inspect.isclass(value) or inspect.isfunction(value)) or value.__doc__, name
    assert sorted(sought.lab.__all__, key=str.lower) == sorted(set(sought.lab.__all__), key=str.lower)
    assert set(sought.lab.__all__) <= set(dir(sought.lab))
    shown = (Path(__file__).parent.parent / "docs" / "reference" / "library.md").read_text()
    assert not [name for name in sought.lab.__all__ if f"`{name}`" not in shown]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sought.lab.nothing  # noqa: B018  # asked for to see it refused
    code = "import sys, sought, sought.lab; print(sorted({'numpy', 'polars', 'numba'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert done.stdout == "[]\n"


def test_one_replay_is_a_run() -> None:
    """`replay_policy` is what an experiment does with one cell."""
    recorder = sought.lab.WorldRecorder()
    made = sought.lab.generate(recorder, sought.lab.WebShape(pages=40, weeks=3, hosts=2, queries=30))
    world = recorder.finish("tiny", made.seeds, made.start, made.end, 7 * 86400.0)
    quality = sought.lab.MEASURES["quality"]
    run = sought.lab.replay_policy(sought.BreadthFirst(), world, 0.1)
    table = sought.lab.experiment([sought.BreadthFirst()], world, [0.1], [quality], cores=0)
    assert table["quality"].to_list() == [pytest.approx(float(quality(run).mean()), abs=1e-6)]
