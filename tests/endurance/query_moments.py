"""Moments at which what people ask is written: imports, single searches, the log's files as they are replaced."""

from dataclasses import replace
from pathlib import Path

from sought.demand import QueryLog
from tests.endurance.killing import Trap
from tests.endurance.ledger import Verdict, checked
from tests.endurance.moments import Moment, Strike
from tests.endurance.stage import RECORDING, NotReached, Stage
from tests.testing.commands import run

SMALL_LOG = {"sought.demand.store:_ROLL": 3_000}  # bytes after which live searches become a segment
ROWS = 300


def texts(path: Path) -> list[str]:
    """Every query in the log: searches, and tallies with their counts."""
    log = QueryLog(path / "queries")
    tallies = [f"{query} {count}" for query, count in log.tallies().select("query", "count").iter_rows()]
    return sorted([*log.searches()["query"].to_list(), *tallies])


def importing(trap: Trap, most: int) -> Strike:
    """A file is taken in whole or not at all; what was there stays; the next import makes it whole."""
    trap.check()

    def strike(stage: Stage, name: str) -> Verdict:
        ledger = stage.ledger(name)
        if not (ledger.path / "store").exists():
            stage.start(Trap(), "sought", "crawl", ledger.path, "--fetches", "60").wait()
        stage.made += 1
        file = ledger.path.parent / f"queries-{stage.made}.tsv"
        rows = [f"query {stage.made} {row}" for row in range(ROWS)]
        file.write_text("query\tcount\n" + "".join(f"{row}\t3\n" for row in rows))
        before = texts(ledger.path)
        whole = sorted([*before, *(f"{row} 3.0" for row in rows)])
        _killed(stage, trap, most, "sought", "queries", "import", ledger.path, file)
        verdict = _of_log(before, whole, texts(ledger.path)) + ledger.judge()
        done = run("queries", "import", ledger.path, file)
        if done.returncode != 0 or texts(ledger.path) != whole:
            verdict += Verdict(problems=(f"the next import did not make it whole: {done.stderr[-300:]}",))
        return verdict

    return strike


def _of_log(before: list[str], whole: list[str], now: list[str]) -> Verdict:
    if now in (before, whole):
        return Verdict()
    return Verdict(lost=len(set(before) - set(now)), problems=("a part of a file was taken in",))


def _killed(stage: Stage, trap: Trap, most: int, *command: str | Path) -> None:
    """Strike at one of the first calls; earlier, if there are not so many."""
    call = stage.rng.randint(1, most)
    while True:
        try:
            stage.trapped(replace(trap, call=call), *command)
            return
        except NotReached:
            if call == 1:
                raise
            call //= 2


def recording(trap: Trap, most: int) -> Strike:
    """Every search whose number was printed is in the log, once; what was in the making is there or not."""
    trap.check()

    def strike(stage: Stage, name: str) -> Verdict:
        ledger = stage.ledger(name)
        first = stage.made = stage.made + 1000
        before = texts(ledger.path)
        each = replace(trap, call=stage.rng.randint(1, most))
        running = stage.trapped(each, RECORDING, ledger.path, str(first), "900")
        out, _ = running.communicate()
        said = {f"search number {number}" for number in out.split()}
        now = texts(ledger.path)
        twice = len(now) - len(set(now) | set(before)) - (len(before) - len(set(before)))
        return Verdict(len({*before, *said} - set(now)), max(0, twice), checked(ledger.path))

    return strike


def forgetting(stage: Stage, name: str) -> Verdict:
    """`queries forget` killed: all other queries stay, and the next one takes every trace of it."""
    ledger = stage.ledger(name)
    stage.made += 1
    gone = f"to be forgotten {stage.made}"
    stage.ask(ledger.path, *[gone] * 3, f"to be kept {stage.made}")
    others = [text for text in texts(ledger.path) if text != gone]
    trap = Trap("files", within="/queries")
    _killed(stage, trap, 12, "sought", "queries", "forget", ledger.path, gone)
    now = texts(ledger.path)
    verdict = Verdict(lost=len(set(others) - set(now)))
    run("queries", "forget", ledger.path, gone)
    if texts(ledger.path) != others:
        verdict += Verdict(problems=("a query that was to be forgotten is still there, or another has gone",))
    return verdict + Verdict(problems=checked(ledger.path))


QUERIES = (
    Moment("queries: import, any file changes", importing(Trap("files", within="/queries"), 14)),
    Moment("queries: import, before the log names it", importing(
        Trap("sought.demand.store:write_manifest"), 1)),
    Moment("queries: imported, while it is taken in", importing(
        Trap("sought.record.store:Store.commit"), 4)),
    Moment("queries: search recorded", recording(Trap("os:write", when="halfway"), 200)),
    Moment("queries: log rolls, any file changes", recording(
        Trap("files", within="/queries", sets=SMALL_LOG), 300)),
    Moment("queries: log rolls, before the new files are named", recording(
        Trap("sought.demand.store:write_manifest", sets=SMALL_LOG), 8)),
    Moment("queries: log rolled, old files not yet gone", recording(
        Trap("sought.demand.store:write_manifest", when="after", sets=SMALL_LOG), 8)),
    Moment("queries: forget, any file changes", forgetting),
)  # fmt: skip
