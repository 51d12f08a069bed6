"""Whatever a running crawl takes in may be damaged while it runs: it goes on, says so once, and what to do."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sought
from sought.crawl.cycle import Cycle
from sought.demand import Search
from sought.operate.log import read_log
from sought.operate.orders import Pause, Resume, SetBudget
from sought.operate.pulse import read_pulse
from tests.testing.changing_site import serving
from tests.testing.console_site import served
from tests.testing.damaged_crawl import called, delete, flip, replace_by_folder
from tests.testing.demand_site import crawled as site_of
from tests.testing.ordered_crawl import crawled, given_order, outcomes, until


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A crawl that never ends by itself, of a site with queries: some in a segment, one live."""
    with serving() as site:
        path = site_of(site, tmp_path / "crawl", 12)
        with sought.open(path).queries.writing() as staging:
            for number, query in enumerate(("running boats", "cities", "boats")):
                staging.add(Search(query, time.time() - 600.0 * number, (), 1000 + number))
        sought.open(path).queries.record(Search("lakes", time.time() - 60.0, ()))
        yield path


def texts(cycle: Cycle) -> list[str]:
    return sorted(cycle.writer.measuring.asked.texts)


def once(do: Callable[[], object]) -> Callable[[Cycle], bool]:
    def step(_: Cycle) -> bool:
        do()
        return True

    return step


def after(more: int) -> Callable[[Cycle], bool]:
    """Until so many pages more have been fetched."""
    wanted: list[int] = []

    def step(cycle: Cycle) -> bool:
        wanted[:] = wanted or [cycle.progress.fetched + more]
        return cycle.progress.fetched >= wanted[0]

    return step


def told(path: Path) -> list[str]:
    return [event["what"] for event in read_log(path) if event["event"] == "damaged"]


def pulsed(path: Path) -> list[str]:
    return list((read_pulse(path) or {}).get("damage", []))


ALL = ["boats", "cities", "lakes", "running boats"]
PARTS = {
    "segment": ("*-searches.parquet", flip(0.5)),
    "gone": ("*-searches.parquet", delete),
    "manifest": ("manifest.json", flip(0.0)),
    "live": ("live-*.jsonl", replace_by_folder),
}


@pytest.mark.slow
@pytest.mark.parametrize("part", PARTS)
def test_a_damaged_query_log_stops_no_crawl(path: Path, part: str) -> None:
    """Met by a running crawl and by one that begins: it crawls on with the demand it has, and says so once.

    After the repair it takes in all that is left.
    """
    pattern, harm = PARTS[part]

    def damage() -> None:
        sought.open(path).queries.record(Search("wanted", time.time(), ()))  # so that the log is read
        harm(next((path / "queries").glob(pattern)))

    steps = [
        until(lambda cycle: texts(cycle) == ALL),
        once(damage),
        until(lambda _: bool(pulsed(path))),
        after(20),
        until(lambda cycle: texts(cycle) == ALL),
    ]
    found = crawled(path, steps)
    assert found["ended"] == "stopped"
    [what] = told(path)
    assert what.startswith("queries/")
    assert tuple(pulsed(path)) == (what,) == sought.open(path).status().damage
    assert what in called("status", path)[1].replace("\n", " ")
    crawled(path, [after(5), until(lambda cycle: texts(cycle) == ALL)])  # it begins, too
    assert sought.open(path).status().damage == (what,)
    with served(path) as server:
        page = server.ask("/console/errors").text
        assert what in page.replace("&#39;", "'").replace("&#34;", '"')
        assert "sought check DIR --repair" in page
        assert str(path) not in page
    assert called("check", path, "--repair")[0] == 3
    assert "damage" not in sought.open(path).status().to_json()
    assert called("check", path)[0] == 0
    left = sorted(set(sought.open(path).queries.searches()["query"]))
    crawled(path, [until(lambda cycle: texts(cycle) == left)])
    assert pulsed(path) == []


@pytest.mark.slow
def test_small_files_that_are_damaged_stop_no_crawl(path: Path) -> None:
    """Orders, settings, sought.toml, audit log, log and pulse: what cannot be read is refused, and files are written
    again when they can be.
    """
    config = (path / "sought.toml").read_bytes()
    names = ("settings.json", "log.jsonl", "pulse.json", "audit.jsonl")

    def damage() -> None:
        for number, content in enumerate((b"", b"\xff\xfe", b"{", b'{"time": 1e400}', b"[" * 5000, bytes(20_000))):
            (path / "orders" / f"{number}.json").write_bytes(content)
        (path / "orders/folder.json").mkdir()
        for name in names:
            (path / name).unlink(missing_ok=True)
            (path / name).mkdir()

    def mend() -> None:
        for name in names:
            (path / name).rmdir()

    steps = [
        given_order(path, Pause()),
        given_order(path, Resume()),
        once(lambda: (path / "sought.toml").write_bytes(config[: len(config) // 2])),
        given_order(path, SetBudget("")),  # which reads sought.toml
        once(lambda: (path / "sought.toml").write_bytes(config)),
        until(lambda _: "sought.toml" in outcomes(path)[-1]),
        once(damage),
        until(lambda _: not [*(path / "orders").glob("*.json")]),
        after(20),
        once(mend),
        given_order(path, SetBudget("1000000 per day")),
        until(lambda _: read_pulse(path) is not None and (path / "settings.json").is_file()),
    ]
    assert crawled(path, steps)["ended"] == "stopped"
    assert outcomes(path) == ["applied"]
    assert called("check", path)[0] == 0
