"""What tests of orders need: a real crawl that is told to do things while it runs."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sought
from sought.crawl.cycle import Cycle
from sought.operate.audit import read_audit
from sought.operate.check import check
from sought.operate.orders import AnyOrder, give
from sought.record.recovery import open_directory
from sought.toyweb import Served, ToyWeb

SITES = ToyWeb(sites=3, pages=12, hostile=False)
WAIT = 300.0  # seconds after which something that should happen has not


def crawled(path: Path, steps: list[Callable[[Cycle], bool]], fetches: int | None = None) -> dict[str, Any]:
    """Crawl, and go through the steps: each is tried again and again until it says True; then the crawl is stopped."""
    left = list(steps)
    deadline = time.monotonic() + WAIT

    def started(cycle: Cycle) -> None:
        loop = asyncio.get_running_loop()

        def look() -> None:
            if left and left[0](cycle):
                left.pop(0)
            if not left or time.monotonic() > deadline:
                cycle.stop()
            else:
                loop.call_later(0.02, look)

        look()

    found = sought.open(path).crawl(fetches, started=started)
    assert not left, f"{len(left)} steps were not reached"
    return found.to_json()


def given_order(path: Path, order: AnyOrder) -> Callable[[Cycle], bool]:
    """A step: the order is given, and answered in the audit log."""
    ids: list[str] = []

    def step(cycle: Cycle) -> bool:
        if not ids:
            ids.append(give(path, order, "tester"))
        return ids[0] in {each.id for each in read_audit(path)}

    return step


def until(says: Callable[[Cycle], bool]) -> Callable[[Cycle], bool]:
    return says


def urls_of(served: Served, since: int = 0) -> list[str]:
    return [f"http://{v.host}:{served.port}{v.path}" for v in list(served.requests)[since:]]


def outcomes(path: Path) -> list[str]:
    """Newest last."""
    return [each.outcome for each in reversed(read_audit(path))]


def agrees(path: Path) -> None:
    opened = open_directory(path)
    try:
        assert check(opened, lambda _: None) == []
    finally:
        opened.close()


def cli(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sought", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
