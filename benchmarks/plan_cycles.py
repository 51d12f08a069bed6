"""What one policy pays for plans, in a process of its own: `python -m benchmarks.plan_cycles POLICY CRAWL`.

A cycle is what a running crawl does between two plans: a thousand pages are fetched and committed, of which only what
keeps the beliefs up is counted, then the next ones are chosen.  Half of the pages are the best of the last plan, half
any that were fetched before, so that every policy has both to learn from.
"""

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.memory import peak_mb
from benchmarks.plan_crawl import HTML, NOW, anchor
from benchmarks.plan_words import LANGUAGE, TITLE, Words
from sought.crawl.cycle import beliefs_in
from sought.crawl.plan import Limits, Rows, choose
from sought.policy import LambdaCrawl, SearchImpact, Split
from sought.policy.worth.worth import Worth
from sought.record.commit import Commit
from sought.record.directory import Directory
from sought.web.message import Response
from sought.web.pages import Floats, Pages
from sought.web.policy import Expected, Expecting, Policy

POLICIES: dict[str, Policy] = {"worth": Worth(), "peer": Split(SearchImpact(), LambdaCrawl(), 1.0)}
MOST_BYTES = 12_000_000_000  # that a process may ask for
_CYCLES, _HOUR = 3, 3600.0
_FETCHES = 1000
_LINKS = 12
_GONE, _MOVED, _AS_BEFORE = 0.03, 0.02, 0.5  # shares of fetches of known pages; of new ones as many have gone
_LOST = 0.03  # share of the links of a changed page
_PARTS = ("take", "beliefs", "policy", "choose")
_INNER = "policy"  # asked while rows are chosen


class Watch:
    """Seconds since it was last read, by what they were spent on, and what all cores spent together."""

    def __init__(self) -> None:
        self.seconds, self.cpu = dict.fromkeys(_PARTS, 0.0), 0.0

    def timed(self, name: str, done: Callable[..., Any], *arguments: Any) -> Any:
        start, cpu = time.perf_counter(), time.process_time()
        found = done(*arguments)
        self.seconds[name] += time.perf_counter() - start
        self.cpu += time.process_time() - cpu if name != _INNER else 0.0
        return found

    def read(self) -> dict[str, float]:
        found, cpu = self.seconds, self.cpu
        self.seconds, self.cpu = dict.fromkeys(_PARTS, 0.0), 0.0
        found["choose"] -= found[_INNER]
        return {"seconds": sum(found.values()), "cpu_seconds": cpu} | found


def run(name: str, path: Path) -> dict[str, Any]:
    """Seconds to open the crawl and its beliefs, of the first plan, of each cycle, and of the median one in parts."""
    start = time.perf_counter()
    directory = Directory.open(path)
    opened = time.perf_counter()
    crawl = _Crawl(directory, POLICIES[name])
    ready = time.perf_counter()
    first = crawl.plan(NOW)
    cycles = [crawl.cycle(NOW + number * _HOUR) for number in range(1, _CYCLES + 1)]  # an hour apart
    middle = median(each["seconds"] for each in cycles)
    found = {
        "policy": repr(crawl.policy),
        "open_s": opened - start,
        "read_history_s": ready - opened,
        "first_plan": first,
        "cycle": next(each for each in cycles if each["seconds"] == middle),
        "cycles_s": [each["seconds"] for each in cycles],
        "chosen": len(crawl.chosen),
        "new_of_chosen": crawl.new_of_chosen,
        "rss_mb": _resident_mb(),
        "peak_mb": peak_mb(),
    }
    directory.abandon()
    return found


class _Crawl:
    """A directory, as a cycle of the crawler has it."""

    def __init__(self, directory: Directory, policy: Policy) -> None:
        self.directory, self.policy, self.watch = directory, policy, Watch()
        self.table, self.store = directory.repository.table, directory.store
        self.beliefs = beliefs_in(directory, policy)
        self.dice, self.words = np.random.default_rng(2001), Words(0)
        self.chosen: Rows = np.zeros(0, np.int64)
        self.new_of_chosen = 0

    def plan(self, now: float) -> dict[str, float]:
        """As `Cycle._plan`."""
        config = self.directory.config
        room = max(64 * config.fetch.connections, 1024)
        limits = Limits(room, int(30.0 / config.politeness.delay), config.revisit_after)
        pages = self.watch.timed("beliefs", self.beliefs.pages)
        nothing = np.zeros(0, np.int64)
        self.chosen, _ = self.watch.timed("choose", choose, self._value, self.table, pages, now, limits, nothing)
        self.new_of_chosen = int(np.count_nonzero(pages.is_new[self.chosen]))
        return self.watch.read()

    def cycle(self, now: float) -> dict[str, float]:
        known = np.flatnonzero(self.table.is_live)
        again = self.dice.choice(known, min(_FETCHES // 2, len(known)), replace=False)
        rows = np.unique(np.concatenate([self.chosen[: _FETCHES // 2], again]))
        for row, answer in zip(rows.tolist(), self._answers(rows, now), strict=True):
            self.directory.writer.record(row, answer)
        self._take(self.directory.writer.commit())
        return self.plan(now)

    def _value(self, pages: Pages, now: float) -> Floats:
        if isinstance(self.policy, Expecting):
            expected: Expected = self.watch.timed(_INNER, self.policy.expects, pages, now)
            return expected.value
        found: Floats = self.watch.timed(_INNER, self.policy, pages, now)
        return found

    def _take(self, committed: Commit) -> None:
        self.watch.timed("take", self.beliefs.take, committed)

    def _answers(self, rows: Rows, now: float) -> Iterator[Response]:
        """Of pages that have changed or not, have gone or moved."""
        urls, is_new = self.store.spellings(rows.tolist()), np.isneginf(self.table["last_fetch"][rows])
        chances = self.dice.random(len(rows)).tolist()
        for row, url, new, chance in zip(rows.tolist(), urls, is_new.tolist(), chances, strict=True):
            if chance < _GONE:
                yield Response(url, 404, headers=HTML, time=now)
            elif new or chance > _GONE + _MOVED + _AS_BEFORE:
                body = self._html(url, self._targets(row, is_new=new))
                yield Response(url, 200, headers=HTML, raw=body, body=body, time=now)
            elif chance < _GONE + _MOVED:
                yield Response(url, 301, headers=(("Location", f"{url}-moved"),), time=now)
            else:
                yield Response(url, 304, time=now)

    def _targets(self, row: int, *, is_new: bool) -> Rows:
        """Any that are known; of a page fetched again what it linked to, but for a few."""
        if is_new:
            return self.dice.integers(0, len(self.table), _LINKS)
        known = self.store.links(row).astype(np.int64)
        return known[self.dice.random(len(known)) >= _LOST]

    def _html(self, url: str, targets: Rows) -> bytes:
        """One more link leads to a page that nobody knows; links are named by the addresses they lead to."""
        links = [*self.store.spellings(np.sort(targets).tolist()), f"{url}-more"]
        named = "".join(f"<a href={link}>{anchor(link)}</a> " for link in links)
        words = self.words.texts(self.words.drawn(self.dice, (1, self.words.long)))[0].split()
        text = f"<title>{' '.join(words[:TITLE])}</title><p>{' '.join(words[TITLE:])}</p>"
        return f"<html lang={LANGUAGE}>{text}{named}".encode()


def _resident_mb() -> float:
    """Memory in use now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES if most < 0 else min(MOST_BYTES, most), most))
    sys.stdout.write(json.dumps(run(sys.argv[1], Path(sys.argv[2]))) + "\n")
