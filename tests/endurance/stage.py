"""What chaos strikes at: a toy web on loopback, and crawl directories for it, made anew when one has been fetched."""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sought.demand import QueryLog, Search
from sought.toyweb import Served, ToyWeb, serve_in_thread
from tests.endurance.killing import Trap
from tests.endurance.ledger import Ledger
from tests.testing.commands import Running

KILLING = Path(__file__).with_name("killing.py")
RECORDING = Path(__file__).with_name("recording.py")
PATIENCE = 600.0  # seconds after which something that must happen has not
QUERIES = ("comet telescope", "home", "history of lighthouses", "bread", "night sky", "garden plants", "music")
CONFIG = """
[agent]
contact = "chaos@example.org"
[scope]
domains = ["toy.test"]
[crawl]
policy = "{policy}"
revisit_after = "{revisit_after}"
budget = "100000000 per day"
[demand]
refresh = "1s"
[politeness]
delay = 0.02
max_delay = 1.0
latency_factor = 0.0
per_address = 4
"""


class NotReached(Exception):
    """A program ended by itself before the moment at which it was to be killed."""


def until(happens: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Wait for something that must happen, however slow the machine."""
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} seconds: {what}")
        time.sleep(0.01)


@dataclass
class Stage:
    """Where it all happens; `rng` chooses moments."""

    folder: Path
    served: Served
    rng: random.Random
    ledgers: dict[str, Ledger] = field(default_factory=dict)
    made: int = 0

    def ledger(self, name: str, *, again: bool = False) -> Ledger:
        """The crawl directory that a moment strikes at; requests count from here on, for others were made meanwhile."""
        if name not in self.ledgers:
            self.made += 1
            path = self.folder / f"crawl-{self.made}"
            path.mkdir()
            policy = "RoundRobin(new=True)" if again else "Split(new=BreadthFirst(), known=RoundRobin(), share=0.5)"
            options = {"policy": policy, "revisit_after": "0s" if again else "1d"}
            (path / "sought.toml").write_text(self.served.toml() + CONFIG.format(**options))
            self.ask(path, *QUERIES)
            self.ledgers[name] = Ledger(path, self.served, again)
        self.ledgers[name].seen = len(self.served.requests)
        return self.ledgers[name]

    def renew(self, name: str) -> None:
        """The next time the moment has a directory of its own again."""
        self.ledgers.pop(name, None)

    def ask(self, path: Path, *texts: str) -> None:
        """So that fetches are measured."""
        log = QueryLog(path / "queries")
        log.take([Search(text, time.time() - 100.0) for text in texts])

    def start(self, trap: Trap, *arguments: str | Path) -> Running:
        """`sought` (or a script) with a trap."""
        return Running((KILLING, trap.spec, *arguments), Path())

    def trapped(self, trap: Trap, *arguments: str | Path) -> Running:
        """The same until it has been killed; raises NotReached if it ends by itself."""
        running = self.start(trap, *arguments)
        code = running.wait(PATIENCE)
        if code != -9:
            _, errors = running.communicate()
            if code != 0:
                raise AssertionError(f"{' '.join(map(str, arguments[:2]))} ended with {code}: {errors[-2000:]}")
            raise NotReached
        return running

    def progress(self, running: Running, requests: int) -> None:
        """Wait until a crawl has made so many requests; raises NotReached if it ends before."""
        first = len(self.served.requests)
        until(lambda: len(self.served.requests) >= first + requests or running.poll() is not None, "no requests come")
        if running.poll() is not None:
            raise NotReached


@contextmanager
def stage(folder: Path, seed: int, sites: int = 6, pages: int = 40) -> Iterator[Stage]:
    with serve_in_thread(ToyWeb(sites=sites, pages=pages, hostile=False)) as served:
        yield Stage(folder, served, random.Random(seed))
