"""What does it cost to choose what to fetch next, among all URLs that a crawl knows?

A crawl directory is made (plan_crawl.py), and each policy plans in a process of its own (plan_cycles.py): `Worth`, and
for comparison the strongest published rules for new pages and for known ones.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.plan_crawl import Size, make
from benchmarks.plan_cycles import MOST_BYTES
from sought.web.errors import SoughtError

SIZES = (100_000, 1_000_000, 10_000_000)
_FETCHED, _MOST_FETCHED = 0.5, 500_000  # share of URLs, and pages: what these match must fit into memory
_LONGEST = 4 * 3600
_POLICIES = ("worth", "peer")

Report = Callable[[int], None]


def run(sizes: Sequence[int], queries: int, report: Report) -> dict[str, Any]:
    """Figures of each policy by number of URLs, and how many times as long a cycle takes with the other one.

    `fetched` says what share of the URLs was: half of them, at most about half a million.  A policy that needs more
    memory than MOST_BYTES has no figures.
    """
    found: dict[str, Any] = {}
    for urls in sizes:
        with tempfile.TemporaryDirectory(prefix="sought-bench-") as folder:
            found[str(urls)] = _measured(Path(folder) / "crawl", urls, queries, report)
    return {"queries": queries, "urls": found}


def _measured(crawl: Path, urls: int, queries: int, report: Report) -> dict[str, Any]:
    size = Size(urls, queries, min(_FETCHED, _MOST_FETCHED / urls))
    start = time.perf_counter()
    found: dict[str, Any] = {"fetched": size.fetched, "links": make(crawl, size, report)}
    found["make_s"] = time.perf_counter() - start
    for policy in _POLICIES:
        found[policy] = _figures(policy, crawl)
    cycles = [figures["cycle"]["seconds"] for figures in map(found.get, _POLICIES) if isinstance(figures, dict)]
    return found | ({"peer_over_worth": cycles[1] / cycles[0]} if len(cycles) == len(_POLICIES) else {})


def _figures(policy: str, crawl: Path) -> dict[str, Any] | str:
    command = [sys.executable, "-m", "benchmarks.plan_cycles", policy, str(crawl)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
    if not done.returncode:
        figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return figures
    why = done.stderr.strip().splitlines()[-1] if done.stderr else f"exit code {done.returncode}"
    if "MemoryError" in why or "bad_alloc" in why:
        return f"needs more than {MOST_BYTES / 1e9:.0f} GB"
    raise SoughtError(f"planning with {policy} failed: {why}")
