"""The short form of `python -m tests.endurance.chaos`: a kill or two at each of the moments that are worst."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sought.archive import Archive
from sought.demand import QueryLog
from sought.web.message import Response
from tests.endurance.chaos import MOMENTS, Row, strikes, table
from tests.endurance.killing import Trap
from tests.endurance.ledger import Verdict, on_record
from tests.endurance.moments import LIMIT, Moment
from tests.endurance.stage import NotReached, Stage, stage

SHORT = (
    "crawl: archive written, nothing applied",
    "crawl: after the tables are committed",
    "crawl: while the index is committed",
    "crawl: half a write to the archive",
    "crawl: next archive file begun",
    "recovery: killed again",
    "queries: import, any file changes",
    "queries: log rolls, any file changes",
    "serve: the log rolls",
)


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with stage(tmp_path_factory.mktemp("chaos"), seed=int(os.environ.get("SOUGHT_CHAOS_SEED", "1"))) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_nothing_acknowledged_is_lost_or_done_twice(at: Stage, name: str) -> None:
    """Killed at this moment: what was finished is on record, once, and `check` finds nothing."""
    [moment] = [each for each in MOMENTS if each.name == name]
    strikes([row := Row(moment)], 1, at, 600.0)
    assert row.strikes, "the moment was not reached"
    assert row.total == Verdict()


def test_every_moment_has_a_name_of_its_own() -> None:
    assert len({each.name for each in MOMENTS}) == len(MOMENTS)


# ---- the harness itself: it must see what is wrong


@pytest.fixture
def crawled(at: Stage) -> Stage:
    at.renew("broken")
    assert at.start(Trap(), "sought", "crawl", at.ledger("broken").path, "--fetches", "25").wait() == 0
    assert at.ledger("broken").judge() == Verdict()
    return at


def test_a_lost_fetch_is_seen(crawled: Stage) -> None:
    """An archive that has lost its second half: the ledger knows what was there."""
    ledger = crawled.ledger("broken")
    [file] = (ledger.path / "archive").glob("*.warc.gz")
    for part in ("store", "index"):
        shutil.rmtree(ledger.path / part)
    os.truncate(file, file.stat().st_size // 2)
    assert ledger.judge().lost > 0


def test_a_fetch_made_twice_is_seen(crawled: Stage) -> None:
    """By its second record, and by the request that asked for it again."""
    ledger = crawled.ledger("broken")
    url, _ = on_record(ledger.path)[0]
    for part in ("store", "index"):
        shutil.rmtree(ledger.path / part)
    with Archive.open(ledger.path / "archive", software="test") as archive:
        archive.append(Response(url, 200, "OK", (), b"x", b"x", time=time.time()))
    assert ledger.judge().twice == 1


def test_a_page_asked_for_again_is_seen(crawled: Stage) -> None:
    """Also if no record tells of it."""
    ledger = crawled.ledger("broken")
    shutil.copytree(ledger.path, ledger.path.with_name("copy"))
    config = ledger.path.with_name("copy") / "sought.toml"
    config.write_text(config.read_text().replace('revisit_after = "1d"', 'revisit_after = "0s"'))
    crawled.start(Trap(), "sought", "crawl", config.parent, "--fetches", "5", "--policy", "RoundRobin()").wait()
    shutil.rmtree(config.parent)
    assert ledger.judge().twice > 0


def test_requests_of_another_crawl_are_not_counted(crawled: Stage) -> None:
    """The moments take turns on one web: what one crawl asks for between two kills of another is not asked twice."""
    crawled.renew("other")
    crawled.start(Trap(), "sought", "crawl", crawled.ledger("other").path, "--fetches", "25").wait()
    assert crawled.ledger("broken").judge() == Verdict()


def test_what_check_finds_is_told(crawled: Stage) -> None:
    """A table that does not agree with the archive."""
    ledger = crawled.ledger("broken")
    with Archive.open(ledger.path / "archive", software="test") as archive:
        end = archive.end
        archive.append(Response("http://a.example/never", 200, "OK", (), b"x", b"x", time=time.time()))
        after = archive.end
    from sought.record.store import Store

    store = Store(ledger.path / "store", writable=True)
    assert store.meta("applied", None) == [end.file, end.offset]
    store.put_meta("applied", [after.file, after.offset])  # says that it has taken in what it has not
    store.put_meta("indexed", [after.file, after.offset])
    store.commit()
    store.close()
    assert ledger.judge().problems


@pytest.mark.slow
@pytest.mark.parametrize(
    "trap",
    [
        Trap("sought.record.store:Store.commit", call=2, when="before"),
        Trap("sought.record.store:Store.commit", call=1, when="after"),
        Trap("sought.index.engine:Index.commit", when="during"),
        Trap("os:pwrite", when="halfway"),
        Trap("files", within="/archive"),
    ],
)
def test_a_trap_kills(at: Stage, trap: Trap) -> None:
    """The command itself, with -9, at the chosen moment; what it should have done before is there."""
    at.renew("trap")
    path = at.ledger("trap").path
    running = at.trapped(trap, "sought", "crawl", path, *LIMIT)
    assert running.returncode == -9
    assert (path / "archive").exists() == (trap.at != "files")


def test_a_trap_that_is_not_reached_is_no_kill(at: Stage) -> None:
    """A moment that never comes must not count as survived."""
    at.renew("never")
    path = at.ledger("never").path
    with pytest.raises(NotReached):
        at.trapped(Trap("sought.record.store:Store.commit", call=10_000), "sought", "crawl", path, "--fetches", "3")


@pytest.mark.parametrize("at_", ["sought.record.store:Store.no_such", "sought.no_such:x"])
def test_a_trap_for_what_is_not_there_fails(at: Stage, at_: str) -> None:
    """If the program changes, the harness says so."""
    with pytest.raises(AssertionError, match="no_such"):
        at.trapped(Trap(at_), "sought", "status", at.ledger("trap").path)


def test_the_table_tells_bad_from_good(at: Stage) -> None:
    """Also a moment that was never reached is not ok."""
    outcomes: dict[str, Verdict | AssertionError] = {
        "good": Verdict(),
        "bad": Verdict(lost=2, problems=("gone",)),
        "raises": AssertionError("waited"),
    }

    def strike(_: Stage, name: str) -> Verdict:
        found = outcomes.get(name)
        if found is None:
            raise NotReached
        if isinstance(found, AssertionError):
            raise found
        return found

    rows = [Row(Moment(name, strike)) for name in ("good", "bad", "raises", "never")]
    strikes(rows, 6, at, 600.0)
    assert [row.strikes for row in rows] == [2, 2, 2, 0]
    assert [row.is_good for row in rows] == [True, False, False, False]
    lines = table(rows).splitlines()
    assert [line.split()[-1] for line in lines[1:]] == ["ok", "OK", "OK", "reached", "OK"]
    assert lines[-1].split() == ["all", "6", "4", "0", "3", "NOT", "OK"]


def test_rolling_searches_are_all_there(at: Stage, tmp_path: Path) -> None:
    """The recorder prints only what is in the log."""
    from tests.endurance.query_moments import SMALL_LOG
    from tests.endurance.stage import RECORDING

    running = at.start(Trap(sets=SMALL_LOG), RECORDING, tmp_path, "0", "60")
    assert running.wait() == 0
    out, _ = running.communicate()
    texts = QueryLog(tmp_path / "queries").searches()["query"].to_list()
    assert sorted(texts) == sorted(f"search number {number}" for number in out.split())
    assert list((tmp_path / "queries").glob("*.parquet"))  # it has rolled
