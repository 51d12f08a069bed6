"""The moments at which a crawl is killed: each a name and what is done once; it returns what was wrong afterwards.

A moment is reached by waiting for requests and for files (`at_random` and what follows it), or by a trap in the real
program (killing.py).  What is worst lies between two writes that belong together.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.endurance.killing import Trap
from tests.endurance.ledger import Verdict
from tests.endurance.stage import NotReached, Stage, until

SMALL_FILES = {"sought.archive.archive:Archive.open.max_bytes": 60_000}  # so that archive files are full soon
Strike = Callable[[Stage, str], Verdict]


@dataclass(frozen=True)
class Moment:
    """`strike` kills once (or ends, where `kills` is False) and judges."""

    name: str
    strike: Strike
    kills: bool = True


def crawl_trap(trap: Trap, most: int, *, again: bool = False, repeats: int = 3) -> Strike:
    """A crawl killed by a trap, at one of the first calls; a fresh directory if it ends before."""
    trap.check()

    def strike(stage: Stage, name: str) -> Verdict:
        call = stage.rng.randint(1, most)
        seconds = stage.rng.uniform(0.0, 2 * trap.seconds)
        for _ in range(repeats):
            ledger = stage.ledger(name, again=again)
            try:
                stage.trapped(replace(trap, call=call, seconds=seconds), "sought", "crawl", ledger.path, *LIMIT)
                return ledger.judge()
            except NotReached:
                verdict = ledger.judge()
                if not verdict.is_good:
                    return verdict
                stage.renew(name)
                call = max(1, call // 2)
        raise NotReached

    return strike


LIMIT = ("--fetches", "400")


def at_random(again: bool) -> Strike:
    def strike(stage: Stage, name: str) -> Verdict:
        for _ in range(3):
            ledger = stage.ledger(name, again=again)
            crawler = stage.start(Trap(), "sought", "crawl", ledger.path)
            try:
                stage.progress(crawler, stage.rng.randint(1, 60))
            except NotReached:
                stage.renew(name)
                continue
            finally:
                crawler.kill()
                crawler.communicate()
            return ledger.judge()
        raise NotReached

    return strike


def while_recovering(stage: Stage, name: str) -> Verdict:
    """Killed, and killed again while the next run brings tables and index up to the archive."""
    ledger = stage.ledger(name)
    found = ledger.path / "archive"
    crawler = stage.start(Trap(at="sought.index.engine:Index.commit"), "sought", "crawl", ledger.path, *LIMIT)
    crawler.wait()
    if not found.exists():
        raise NotReached
    at = stage.rng.choice(["sought.record.store:Store.commit", "sought.index.engine:Index.commit"])
    when = stage.rng.choice(["before", "after"])
    try:
        stage.trapped(Trap(at=at, when=when), "sought", "check", ledger.path)
    finally:
        verdict = ledger.judge()
        stage.renew(name)
    return verdict


def rebuilding(trap: Trap, most: int) -> Strike:
    """`sought rebuild` of a crawl with some hundred pages; afterwards it is done again, to its end."""
    trap.check()

    def strike(stage: Stage, name: str) -> Verdict:
        ledger = stage.ledger("rebuild")
        if not (ledger.path / "archive").exists():
            stage.start(Trap(sets=SMALL_FILES), "sought", "crawl", ledger.path, "--fetches", "250").wait()
        call = stage.rng.randint(1, most)
        while True:
            try:
                each = replace(trap, call=call, seconds=stage.rng.uniform(0.0, 2 * trap.seconds))
                stage.trapped(each, "sought", "rebuild", ledger.path)
                break
            except NotReached:
                if call == 1:
                    raise
                call //= 2
        verdict = ledger.judge()
        again = stage.start(Trap(), "sought", "rebuild", ledger.path)
        if again.wait() != 0:
            verdict += Verdict(problems=(f"rebuilding again ended with {again.poll()}: {again.communicate()[1]}",))
        return verdict + ledger.judge()

    return strike


def given_orders(stage: Stage, name: str) -> Verdict:
    """Orders given while the crawl is killed: each is applied by then or still waits, and the next crawl applies it."""
    from sought.operate.audit import read_audit
    from sought.operate.orders import AnyOrder, BlockHost, SetBudget, UnblockHost, give

    ledger = stage.ledger(name)
    within = stage.rng.choice(["/orders", "settings", "audit"])
    trap = Trap(at="files", within=within, call=stage.rng.randint(1, 4))
    hosts = [host for host in stage.served.resolve if not host.startswith("portal")]
    orders: list[AnyOrder] = [
        BlockHost(hosts[-1]),
        SetBudget("90000000 per day"),
        UnblockHost(hosts[-1]),
        SetBudget(""),
    ]
    ids = {give(ledger.path, order, "chaos") for order in orders}
    try:
        stage.trapped(trap, "sought", "crawl", ledger.path, *LIMIT)
    except NotReached:
        pass  # all were applied before
    verdict = ledger.judge()
    crawler = stage.start(Trap(), "sought", "crawl", ledger.path)
    try:
        until(lambda: ids <= {each.id for each in read_audit(ledger.path)}, "an order was lost")
    except AssertionError as error:
        verdict += Verdict(lost=1, problems=(str(error),))
    finally:
        crawler.kill()
        crawler.wait()
    stage.renew(name)
    return verdict + ledger.judge()


STORE, INDEX, ARCHIVE = "sought.record.store:Store", "sought.index.engine:Index", "sought.archive"

CRAWLING = (
    Moment("crawl: at random", at_random(again=False)),
    Moment("crawl: at random, pages known already", at_random(again=True)),
    Moment("crawl: archive written, nothing applied", crawl_trap(
        Trap("sought.record.repository:Repository.apply"), 8)),
    Moment("crawl: applied, index not told", crawl_trap(Trap("sought.record.writer:Writer.index_changes"), 8)),
    Moment("crawl: before the tables are committed", crawl_trap(Trap(f"{STORE}.commit"), 12)),
    Moment("crawl: after the tables are committed", crawl_trap(Trap(f"{STORE}.commit", when="after"), 12)),
    Moment("crawl: pages known already, tables committed", crawl_trap(
        Trap(f"{STORE}.commit", when="after"), 12, again=True)),
    Moment("crawl: before the index is committed", crawl_trap(Trap(f"{INDEX}.commit"), 1)),
    Moment("crawl: while the index is committed", crawl_trap(
        Trap(f"{INDEX}.commit", when="during", seconds=0.01), 1)),
    Moment("crawl: index committed, not marked", crawl_trap(
        Trap("sought.record.writer:Writer.mark_indexed"), 1)),
    Moment("crawl: half a write to the archive", crawl_trap(Trap("os:pwrite", when="halfway"), 8)),
    Moment("crawl: before an archive file is finished", crawl_trap(
        Trap(f"{ARCHIVE}.archive:Archive._rotate", sets=SMALL_FILES), 4)),
    Moment("crawl: next archive file begun", crawl_trap(
        Trap(f"{ARCHIVE}.catalogue:Catalogue.settle", sets=SMALL_FILES), 4)),
    Moment("crawl: files of the archive change", crawl_trap(
        Trap("files", within="/archive", sets=SMALL_FILES), 12)),
    Moment("crawl: half a lease", crawl_trap(Trap("os:write", when="halfway"), 40)),
    Moment("crawl: any file changes", crawl_trap(Trap("files", within="/crawl-"), 60)),
    Moment("crawl: queries are taken in", crawl_trap(
        Trap("sought.record.writer:Writer.commit_vectors", when="after"), 2)),
    Moment("crawl: orders", given_orders),
    Moment("recovery: killed again", while_recovering),
)  # fmt: skip

REBUILDING = (
    Moment("rebuild: any file changes", rebuilding(Trap("files", within="/crawl-"), 30)),
    Moment("rebuild: tables committed", rebuilding(Trap(f"{STORE}.commit", when="after"), 4)),
    Moment("rebuild: while the index is committed", rebuilding(
        Trap(f"{INDEX}.commit", when="during", seconds=0.01), 1)),
)  # fmt: skip
