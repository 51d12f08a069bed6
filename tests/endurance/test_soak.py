"""The short form of `python -m tests.endurance.soak`: everything runs together for a moment.

Memory is not judged here: in so short a time it warms up.  Descriptors and threads are.
"""

import os
import threading
from dataclasses import replace

import pytest

from tests.endurance.growth import Growth
from tests.endurance.processes import held
from tests.endurance.soak import FIGURES, Rates, Row, Soak, judged, options, run, soaking, table
from tests.endurance.stage import until

SECONDS, SAMPLES = 12.0, 60


@pytest.fixture(scope="module")
def soaked(tmp_path_factory: pytest.TempPathFactory) -> Soak:
    rates = Rates(pages=150, new=0.5, edits=20.0, orders=2.0)
    with soaking(tmp_path_factory.mktemp("soak"), rates) as soak:
        everything = {"searches", "looks", "orders", "edits"}
        until(lambda: soak.done.keys() >= everything or soak.troubles, "not everything has begun")
        soak.lasted = run(soak, SECONDS, 0.2, SAMPLES)
        until(lambda: soak.done.get("looks", 0) >= 8 or soak.troubles, "not every page of the console was looked at")
    return soak


def test_everything_happens_and_nothing_goes_wrong(soaked: Soak) -> None:
    """Crawl, searches with clicks, edits, orders and looks at the console, all at once."""
    assert soaked.troubles == []
    assert {seen.role for seen in soaked.seen.values()} >= {"crawl", "serve", "search process"}
    assert soaked.pages.asked > 0
    assert min(soaked.done.values()) > 0


@pytest.mark.parametrize("figure", ["descriptors", "threads"])
def test_neither_descriptors_nor_threads_grow(soaked: Soak, figure: str) -> None:
    """Of no process, in the second half."""
    rows = [row for row in judged(soaked) if row.figure == figure]
    assert {"crawl", "serve"} <= {row.role for row in rows if row.found}
    assert not [str(row) for row in rows if row.found and row.found.is_leak]


def test_what_a_process_holds_is_seen() -> None:
    """Descriptors, threads and memory of this process: each more by what was just taken."""
    before = held(os.getpid())
    over = threading.Event()
    threads = [threading.Thread(target=over.wait) for _ in range(5)]
    for thread in threads:
        thread.start()
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(7)]
    memory = b"x" * (50 << 20)
    after = held(os.getpid())
    over.set()
    for file in files:
        os.close(file)
    for thread in threads:
        thread.join()
    assert before is not None
    assert after is not None
    assert after.threads >= before.threads + 5
    assert after.descriptors >= before.descriptors + 7
    assert after.uss >= before.uss + 45
    assert len(memory) == 50 << 20
    assert after.uss <= after.pss + 0.1 <= after.rss + 0.2
    assert held(2**22 + 1) is None


def test_a_leak_is_told(soaked: Soak) -> None:
    """As a row that says so, and a process that came late as one that cannot be judged."""
    leak = Growth(100.0, (5.0, 5.0, 5.0), 2.0)
    rows = [
        Row("serve", 1, "memory", "MB", 90.0, 120.0, 120.0, leak),
        Row("serve", 2, "memory", "MB", 1.0, 1.0, 1.0, None),
    ]
    _, bad, late = table(rows).splitlines()
    assert bad.endswith("GROWS")
    assert late.endswith("too short to judge")
    [seen] = [each for each in soaked.seen.values() if each.role == "crawl"]
    assert set(FIGURES) == {row.figure for row in judged(soaked)}
    half = replace(soaked, seen={1: seen}, lasted=10 * soaked.lasted)
    assert all(row.found is None for row in judged(half))


@pytest.mark.parametrize("arguments", [("--minutes", "0"), ("--every", "100"), ("--searches", "-1"), ("--pages", "x")])
def test_what_makes_no_sense_is_refused(arguments: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """With exit code 2, before anything is started."""
    with pytest.raises(SystemExit) as ended:
        options(arguments)
    assert ended.value.code == 2
    assert "error: " in capsys.readouterr().err.splitlines()[-1]
