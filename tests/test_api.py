"""Sought as a library: `import sought`."""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sought
from sought.crawl.cycle import Cycle
from sought.toyweb import Served, ToyWeb, serve_in_thread

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
