"""Ends and trouble other than kill -9: a full disk, SIGTERM, SIGSTOP."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.endurance.killing import Trap
from tests.endurance.ledger import Ledger, Verdict
from tests.endurance.moments import LIMIT, Moment
from tests.endurance.stage import CONFIG, QUERIES, NotReached, Stage

SMALL = 700_000  # bytes of a disk, or of a file where no disk can be made


def terminated(stage: Stage, name: str) -> Verdict:
    """SIGTERM at any moment: exit code 0, and everything that was answered in time is on record."""
    ledger = stage.ledger(name)
    crawler = stage.start(Trap(), "sought", "crawl", ledger.path)
    try:
        stage.progress(crawler, stage.rng.randint(1, 60))
        crawler.send_signal(signal.SIGTERM)
        code = crawler.wait()
    finally:
        crawler.kill()
    problems = () if code == 0 else (f"SIGTERM ended the crawl with {code}: {crawler.communicate()[1][-300:]}",)
    verdict = Verdict(problems=problems) + ledger.judge()
    stage.renew(name)
    return verdict


def stopped(stage: Stage, name: str) -> Verdict:
    """SIGSTOP for a while, SIGCONT: the crawl goes on and ends by itself as if nothing had been; or it is killed."""
    ledger = stage.ledger(name)
    crawler = stage.start(Trap(), "sought", "crawl", ledger.path, "--fetches", "120")
    try:
        stage.progress(crawler, stage.rng.randint(1, 40))
        crawler.send_signal(signal.SIGSTOP)
        time.sleep(stage.rng.uniform(0.2, 3.0))
        if stage.rng.random() < 0.3:
            crawler.kill()
        else:
            crawler.send_signal(signal.SIGCONT)
        code = crawler.wait()
    finally:
        crawler.kill()
    problems = () if code in (0, -9) else (f"stopped and continued, the crawl ended with {code}",)
    verdict = Verdict(problems=problems) + ledger.judge()
    stage.renew(name)
    return verdict


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """A disk of its own in memory; False if it cannot be had (that takes root, and a system that lets root)."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "sought-chaos", str(folder)]
    if os.getuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        yield False
        return
    try:
        yield True
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], capture_output=True, check=False)


def full(stage: Stage, name: str) -> Verdict:
    """A disk that fills up: a line that says so, exit code 2; with room again the crawl goes on, nothing was lost."""
    stage.made += 1
    folder = stage.folder / f"disk-{stage.made}"
    with small_disk(folder, SMALL + stage.rng.randint(0, SMALL)) as mounted:
        path = folder / "crawl"
        path.mkdir()
        options = {"policy": "BreadthFirst()", "revisit_after": "1d"}
        (path / "sought.toml").write_text(stage.served.toml() + CONFIG.format(**options))
        stage.ask(path, *QUERIES)
        ledger = Ledger(path, stage.served, seen=len(stage.served.requests))
        verdict = _crawled_until_full(path, None if mounted else SMALL // 4)
        if mounted:
            more = ["mount", "-o", "remount,size=200m", str(folder)]
            subprocess.run(more, check=True)
        verdict += ledger.judge()
        again = stage.start(Trap(), "sought", "crawl", path, *LIMIT)
        if again.wait() != 0:
            verdict += Verdict(problems=(f"with room again it ended with {again.poll()}: {again.communicate()[1]}",))
        return verdict + ledger.judge()


def _crawled_until_full(path: Path, largest: int | None) -> Verdict:
    """`largest`: of a file, where there is no small disk."""

    def limited() -> None:
        if largest is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    command = [sys.executable, "-m", "sought", "crawl", str(path), *LIMIT]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited, timeout=300, check=False)
    if done.returncode == 0:
        raise NotReached
    last = done.stderr.splitlines()[-1] if done.stderr else ""
    if done.returncode != 2 or "Traceback" in done.stderr or not (last.startswith("sought: ") and "space" in last):
        return Verdict(problems=(f"a full disk ended the crawl with {done.returncode}: {done.stderr[-600:]}",))
    return Verdict()


ENDINGS = (
    Moment("disk full", full, kills=False),
    Moment("SIGTERM", terminated, kills=False),
    Moment("SIGSTOP, then SIGCONT or SIGKILL", stopped, kills=False),
)
