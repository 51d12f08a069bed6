"""Moments at which a server is killed while people search; and the processes that must end with it."""

import json
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from sought.demand import QueryLog
from sought.operate.view import running_process
from tests.endurance.killing import Trap
from tests.endurance.ledger import Verdict
from tests.endurance.moments import Moment
from tests.endurance.query_moments import SMALL_LOG
from tests.endurance.stage import PATIENCE, Stage, until
from tests.testing.commands import Running
from tests.testing.console_site import Served as Client
from tests.testing.demo_process import processes, started

ENDING = 30.0  # seconds within which children must have ended, without those in which they wait for a processor


@dataclass
class People:
    """Search one query after another, from a thread of their own; `answered` are the texts that got 200."""

    client: Client
    answered: list[str] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def search(self) -> None:
        for number in range(100_000):
            if self.over.is_set():
                return
            text = f"comet {self.client.port} {number}"
            try:
                if self.client.get("/api/search", q=text).status == 200:
                    self.answered.append(text)
            except OSError:
                self.over.wait(0.02)  # the server has been killed


@contextmanager
def searched(client: Client) -> Iterator[People]:
    people = People(client)
    thread = threading.Thread(target=people.search)
    thread.start()
    try:
        yield people
    finally:
        people.over.set()
        thread.join()


def serve(stage: Stage, trap: Trap, path: Path, *options: str) -> tuple[Client, Running]:
    """`sought serve` that has said where it is."""
    running = stage.start(trap, "sought", "serve", path, "--port", "0", "--json", *options)
    until(lambda: running.said().endswith("\n") or running.poll() is not None, "the server does not start")
    if not running.said():
        raise AssertionError(f"serve ended with {running.poll()}: {running.communicate()[1][-2000:]}")
    where = json.loads(running.said())["address"]
    return Client(path, int(where.rsplit(":", 1)[1].strip("/"))), running


def recorded(path: Path) -> list[str]:
    return [text for text in QueryLog(path / "queries").searches()["query"].to_list() if text.startswith("comet ")]


def _crawled(stage: Stage) -> Path:
    ledger = stage.ledger("serve")
    if not (ledger.path / "store").exists():
        stage.start(Trap(), "sought", "crawl", ledger.path, "--fetches", "80").wait()
    return ledger.path


def children(process: int) -> list[int]:
    """All processes below one."""
    below: dict[int, list[int]] = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(file.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        below.setdefault(parent, []).append(int(file.parent.name))
    found = list(below.get(process, []))
    for each in found:
        found += below.get(each, [])
    return found


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def orphans(among: list[int]) -> tuple[str, ...]:
    """Processes that outlive their parent by too long; they are ended."""
    began, waited = time.monotonic(), {each: starved(each) for each in among}
    while left := [each for each in among if alive(each)]:
        passed = time.monotonic() - began
        if any(passed - _since(starved(each), waited[each]) > ENDING for each in left):
            names = [" ".join(_words(each)[1:5]) for each in left]
            for each in left:
                os.kill(each, signal.SIGKILL)
            return tuple(f"outlives its parent: {name}" for name in names)
        time.sleep(0.05)
    return ()


def starved(process: int) -> dict[str, float]:
    """Seconds that each of its threads has waited for a processor: a crawl in the background gets what others leave."""
    found = {}
    for thread in Path(f"/proc/{process}/task").glob("*/schedstat"):
        with suppress(OSError):
            found[thread.parent.name] = int(thread.read_text().split()[1]) / 1e9
    return found


def _since(now: dict[str, float], before: dict[str, float]) -> float:
    """By how much its threads have waited longer than before: one begins where another ends."""
    return sum(seconds - before.get(thread, 0.0) for thread, seconds in now.items())


def killed_server(trap: Trap) -> Moment:
    """What another process had seen in the log stays there, nothing is there twice, and no child is left."""
    trap.check()

    def strike(stage: Stage, name: str) -> Verdict:
        path = _crawled(stage)
        client, running = serve(stage, trap, path)
        with searched(client) as people:
            until(lambda: people.answered or running.poll() is not None, "no search is answered")
            below = children(running.pid)
            few = stage.rng.randint(1, 150)
            until(lambda: len(people.answered) > few or running.poll() is not None, "searches are not answered")
            seen = recorded(path)
            running.wait(PATIENCE) if trap.at else running.kill()
            running.communicate()
        now = recorded(path)
        lost, strangers = set(seen) - set(now), {*now} - {*seen} - {*people.answered}
        verdict = Verdict(len(lost), len(now) - len(set(now)), orphans(below))
        if len([text for text in strangers if text.startswith(f"comet {client.port} ")]) > 1:
            verdict += Verdict(problems=("the log has searches that nobody made",))  # one was being answered
        return verdict + stage.ledgers["serve"].judge()

    return Moment("serve: at random" if not trap.at else "serve: the log rolls", strike)


def killed_search_process(stage: Stage, name: str) -> Verdict:
    """The server goes on: at most one search gets an error, and all that got none are in the log at the end."""
    path = _crawled(stage)
    client, running = serve(stage, Trap(), path)
    before = recorded(path)
    with searched(client) as people:
        until(lambda: people.answered, "no search is answered")
        for each in children(running.pid):
            os.kill(each, signal.SIGKILL)
        so_far = len(people.answered)
        until(lambda: len(people.answered) > so_far + 5, "no more searches are answered")
    running.send_signal(signal.SIGTERM)
    code = running.wait(PATIENCE)
    lost = {*before, *people.answered} - {*recorded(path)}
    problems = () if code == 0 else (f"the server ended with {code}",)
    return Verdict(len(lost), 0, problems) + stage.ledgers["serve"].judge()


def killed_with_crawl(stage: Stage, name: str) -> Verdict:
    """`serve --crawl`: the crawl ends with the server that started it."""
    ledger = stage.ledger(name)
    _, running = serve(stage, Trap(), ledger.path, "--crawl")
    try:
        until(lambda: running_process(ledger.path), "the crawl does not start")
        below = children(running.pid)
    finally:
        running.kill()
        running.communicate()
    verdict = Verdict(problems=orphans(below)) + ledger.judge()
    stage.renew(name)
    return verdict


def killed_demo(stage: Stage, name: str) -> Verdict:
    """Servers, search processes and crawls of the demo end with it.  Its files stay: nobody is left to remove them."""
    stage.made += 1
    folder = stage.folder / f"demo-{stage.made}"
    try:
        with started(folder, "--headless", "--seconds", "300") as running:
            wanted = 4  # two servers and two crawls
            until(lambda: sum("-m" in _words(p) for p in processes(str(folder))) >= wanted, "the demo does not start")
            below = children(running.pid)
            running.kill()
            running.wait()
            found = orphans(below)
            _remove(folder)
            return Verdict(problems=found)
    except OSError as error:
        return Verdict(problems=(str(error),))


def _words(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return []


def _remove(folder: Path) -> None:
    for each in folder.iterdir():
        shutil.rmtree(each, ignore_errors=True)


SERVING = (
    killed_server(Trap()),
    killed_server(Trap("sought.demand.store:write_manifest", when="after", sets=SMALL_LOG)),
    Moment("serve: its search processes", killed_search_process),
    Moment("serve --crawl: the crawl ends with it", killed_with_crawl),
)
DEMO = (Moment("demo: its processes end with it", killed_demo),)
