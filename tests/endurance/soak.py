"""A crawl, a server, and people and an operator who use both, for minutes or hours:  python -m tests.endurance.soak

Samples memory, descriptors and threads of every process, prints a table, and ends with exit code 1 if one of them still
grows in the second half of the run beyond what pages explain (growth.py has the rule).  Everything happens on loopback
and in a folder that is removed.
"""

import argparse
import json
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from sought.operate.orders import AnyOrder, BlockHost, FetchNow, Pause, Resume, UnblockHost, give
from sought.operate.pulse import read_pulse
from tests.endurance.growth import DESCRIPTORS, MEMORY, THREADS, Allowance, Growth, Sample, growth
from tests.endurance.processes import Held, held, role
from tests.endurance.serving_moments import children
from tests.endurance.site import WORDS, Pages, served
from tests.endurance.stage import until
from tests.testing.commands import Running, start
from tests.testing.console_site import Served as Client
from tests.testing.console_site import event

CONFIG = """
seeds = ["{origin}/"]
[agent]
contact = "soak@example.org"
[scope]
hosts = ["127.0.0.1"]
[crawl]
budget = "{budget} per hour"
revisit_after = "10s"
sitemaps = false
[demand]
refresh = "5s"
max_queries = 1000
[politeness]
delay = 0.0
max_delay = 0.1
latency_factor = 0.0
per_host = 4
per_address = 4
[fetch]
allow_networks = ["127.0.0.0/8"]
"""
CONSOLE = ("/console", "/console/history.json", "/console/budget", "/console/log", "/metrics", "/console/log/lines")
FIGURES: dict[str, tuple[Callable[[Held], float], Allowance, str]] = {
    "memory": (lambda held: held.uss, MEMORY, "MB"),
    "descriptors": (lambda held: held.descriptors, DESCRIPTORS, ""),
    "threads": (lambda held: held.threads, THREADS, ""),
}


@dataclass(frozen=True)
class Rates:
    """How much happens a second; `pages` there are at the start, `new` come each second."""

    pages: int = 1000
    new: float = 0.2
    edits: float = 10.0
    searches: float = 10.0
    looks: float = 1.0
    orders: float = 0.2
    fetches_an_hour: int = 100_000


@dataclass
class Seen:
    """All samples of one process."""

    role: str
    times: list[float] = field(default_factory=list)
    held: list[Held] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)

    def series(self, figure: Callable[[Held], float]) -> list[Sample]:
        return [Sample(t, figure(h), p) for t, h, p in zip(self.times, self.held, self.pages, strict=True)]


@dataclass
class Soak:
    """What runs, and what was seen of it."""

    path: Path
    crawler: Running
    server: Running
    client: Client
    pages: Pages
    origin: str
    over: threading.Event = field(default_factory=threading.Event)
    done: dict[str, int] = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    seen: dict[int, Seen] = field(default_factory=dict)
    lasted: float = 0.0  # seconds
    busy: int = 0  # searches that were turned away

    # ---- what happens all the time

    def repeat(self, name: str, rate: float, action: Callable[[int], object]) -> threading.Thread:
        """So often a second, from a thread of its own; what was missed is not made up for."""

        def work() -> None:
            number = 0
            while not self.over.wait(1.0 / rate):
                try:
                    action(number)
                    number += 1
                except Exception as error:  # noqa: BLE001  whatever it is, the soak has failed, and says so
                    self.troubles.append(f"{name}: {type(error).__name__}: {error}")
                    return
                self.done[name] = number

        thread = threading.Thread(target=work, name=name, daemon=True)
        thread.start()
        return thread

    def search(self, number: int) -> None:
        """One of some thousand queries, a few of them often; every third answer is clicked."""
        text = f"{WORDS[number * number % 7]} {WORDS[number % len(WORDS)]} {number % 97 if number % 5 == 0 else ''}"
        found = self.client.get("/api/search", q=text.strip())
        if found.status == 503:
            self.busy += 1  # that is how a busy server answers: how fast it is, is not judged here
            return
        if found.status != 200:
            raise AssertionError(f"a search was answered with {found.status}: {found.text[:200]}")
        hits = found.data["hits"]
        if hits and number % 3 == 0:
            told = event(found.data["query_id"], "click", hits[0]["url"], 1)
            status = self.client.post("/api/events", [told]).status
            if status != 204:
                raise AssertionError(f"a click was answered with {status}")

    def look(self, number: int) -> None:
        """Pages of the console, one after another."""
        url = f"{self.origin}/page/{number % 50}"
        each = [*CONSOLE, f"/console/url?{urlencode({'url': url})}", f"/console/query?{urlencode({'q': 'comet'})}"]
        status = self.client.get(each[number % len(each)]).status
        if status >= 500 and status != 503:
            raise AssertionError(f"{each[number % len(each)]} was answered with {status}")

    def order(self, number: int) -> None:
        """Also a pause, which ends with the next order."""
        page = f"{self.origin}/page/{number % 100}"
        each: list[AnyOrder] = [
            FetchNow(page),
            BlockHost("other.example"),
            UnblockHost("other.example"),
            Pause(),
            Resume(),
        ]
        give(self.path, each[number % len(each)], "soak")

    def write(self, number: int, new: float) -> None:
        self.pages.edit()
        if int(number * new) < int((number + 1) * new):
            self.pages.add()

    # ---- what is looked at

    def sample(self, now: float) -> None:
        known = int((read_pulse(self.path) or {}).get("progress", {}).get("known", 0))
        roots = [self.crawler.pid, self.server.pid]
        for process in [*roots, *(child for root in roots for child in children(root))]:
            found = held(process)
            if found is None:
                continue
            seen = self.seen.setdefault(process, Seen(self._role(process)))
            seen.times.append(now)
            seen.held.append(found)
            seen.pages.append(known)

    def _role(self, process: int) -> str:
        """The first two are copies of a loaded program, so their command lines are not theirs."""
        return {self.crawler.pid: "crawl", self.server.pid: "serve"}.get(process) or role(process)

    def said(self) -> list[str]:
        """The last lines of both on standard error: why something went wrong."""
        both = {"crawl": self.crawler, "serve": self.server}
        return [f"{name} said: {line}" for name, each in both.items() for line in each.errors().splitlines()[-20:]]

    def died(self) -> list[str]:
        both = {"crawl": self.crawler, "serve": self.server}
        return [f"{name} ended with {each.poll()}" for name, each in both.items() if each.poll() is not None]


@contextmanager
def soaking(folder: Path, rates: Rates) -> Iterator[Soak]:
    """Everything runs within the block."""
    path, pages = folder / "crawl", Pages(rates.pages, seed=1)
    path.mkdir()
    with ExitStack() as stack:
        origin = stack.enter_context(served(pages))
        (path / "sought.toml").write_text(CONFIG.format(origin=origin, budget=rates.fetches_an_hour))
        crawler = start("crawl", path)
        stack.callback(_end, crawler)
        server = start("serve", path, "--port", "0", "--json")
        stack.callback(_end, server)
        until(lambda: server.said().endswith("\n"), "the server does not start")
        port = int(json.loads(server.said())["address"].rsplit(":", 1)[1].strip("/"))
        until(lambda: (read_pulse(path) or {}).get("progress", {}).get("fetched"), "the crawl does not start")
        soak = Soak(path, crawler, server, Client(path, port), pages, origin)
        threads = [
            soak.repeat("searches", rates.searches, soak.search),
            soak.repeat("looks", rates.looks, soak.look),
            soak.repeat("orders", rates.orders, soak.order),
            soak.repeat("edits", rates.edits, lambda number: soak.write(number, rates.new / rates.edits)),
        ]
        try:
            yield soak
        finally:
            soak.over.set()
            for thread in threads:
                thread.join(90)


def _end(running: Running) -> None:
    running.send_signal(signal.SIGTERM)
    try:
        running.wait(60)
    finally:
        running.kill()


def run(soak: Soak, seconds: float, every: float, samples: int = 0) -> float:
    """Sample until the time is over and there are so many samples, or something has gone wrong; how long it took."""
    began, count = time.monotonic(), 0
    while ((now := time.monotonic() - began) < seconds or count < samples) and not soak.troubles:
        soak.sample(now)
        count += 1
        if died := soak.died():
            soak.troubles += died
            break
        time.sleep(every)
    return time.monotonic() - began


@dataclass(frozen=True)
class Row:
    """One figure of one process; `found` is None where it did not live long enough to judge."""

    role: str
    process: int
    figure: str
    unit: str
    first: float
    most: float
    last: float
    found: Growth | None

    def __str__(self) -> str:
        f = self.found
        verdict = "too short to judge" if f is None else "GROWS" if f.is_leak else "ok"
        slope, limit = (f"{f.slope:+.2f}", f"{f.limit:.2f}") if f else ("", "")
        figures = f"{self.first:>9.1f} {self.most:>9.1f} {self.last:>9.1f} {slope:>9} {limit:>9}"
        return f"{self.role:16} {self.process:>8} {self.figure:12} {figures}  {verdict}"


def judged(soak: Soak) -> list[Row]:
    """Processes that lived through the second half are judged; others are named."""
    rows, seconds = [], soak.lasted
    for process, seen in soak.seen.items():
        whole = seen.times[0] <= seconds / 2 and seen.times[-1] >= 0.9 * seconds
        for name, (figure, allowance, unit) in FIGURES.items():
            series = seen.series(figure)
            values = [each.value for each in series]
            found = growth(series, allowance) if whole else None
            rows.append(Row(seen.role, process, name, unit, values[0], max(values), values[-1], found))
    return rows


def table(rows: list[Row]) -> str:
    head = (
        f"{'process':16} {'number':>8} {'figure':12} {'first':>9} {'most':>9} {'last':>9} {'a minute':>9} {'limit':>9}"
    )
    return "\n".join([head, *map(str, rows)])


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.soak", description="Crawl, serve and watch.")
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default 10)")
    parser.add_argument("--every", type=float, default=2.0, help="seconds between two samples (default 2)")
    parser.add_argument("--pages", type=int, default=Rates.pages, help=f"pages at the start (default {Rates.pages})")
    parser.add_argument("--searches", type=float, default=Rates.searches, help="searches a second")
    parser.add_argument("--samples", type=Path, help="write every sample to this file, as CSV")
    found = parser.parse_args(arguments)
    if not 0.1 <= found.minutes <= 7 * 24 * 60 or not 0.05 <= found.every <= found.minutes * 60 / 50:
        parser.error("--minutes is between 0.1 and 10080, and there must be at least 50 samples")
    if found.pages < 1 or not 0 < found.searches <= 1000:
        parser.error("--pages is at least 1, --searches between 0 and 1000")
    return found


def write_samples(soak: Soak, file: Path) -> None:
    lines = ["process,number,seconds,known,rss,uss,pss,descriptors,threads"]
    for process, seen in soak.seen.items():
        for t, h, p in zip(seen.times, seen.held, seen.pages, strict=True):
            figures = f"{h.rss:.2f},{h.uss:.2f},{h.pss:.2f},{h.descriptors},{h.threads}"
            lines.append(f"{seen.role},{process},{t:.1f},{p},{figures}")
    file.write_text("\n".join(lines) + "\n")


def main() -> int:
    asked = options()
    seconds = asked.minutes * 60
    rates = Rates(pages=asked.pages, searches=asked.searches)
    with tempfile.TemporaryDirectory(prefix="sought-soak-") as folder, soaking(Path(folder), rates) as soak:
        soak.lasted = run(soak, seconds, asked.every)
        told = (read_pulse(soak.path) or {}).get("progress", {})
        soak.troubles += soak.said() if soak.troubles else []
    rows = judged(soak)
    print(table(rows))
    print(
        f"{seconds / 60:.1f} minutes: {told.get('fetched', 0):,} fetches, {told.get('known', 0):,} URLs known; ", end=""
    )
    print(", ".join(f"{count:,} {name}" for name, count in sorted(soak.done.items())), end="")
    print(f" ({soak.busy:,} turned away)")
    for trouble in soak.troubles:
        print(f"trouble: {trouble}")
    if asked.samples:
        write_samples(soak, asked.samples)
    judgeable = {row.role for row in rows if row.found}
    if not soak.troubles and not {"crawl", "serve", "search process"} <= judgeable:
        print("not every kind of process lived long enough to be judged")
        return 1
    return 1 if soak.troubles or any(row.found and row.found.is_leak for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
