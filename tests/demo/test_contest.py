"""The whole demo, as a person starts it: a toy web, two crawls, two search pages, people, a judge."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sought.demo.conditions import Conditions
from sought.operate.pulse import read_pulse
from tests.testing.demo_process import processes, started

SIDES = ("default", "round_robin")
TICK = Conditions.lead * Conditions.fetches_a_second  # fetches between the two sides at most
WAIT = 600.0  # seconds after which something that should happen has not


def until(says: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + WAIT
    while not (found := says()):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found


@pytest.mark.slow
def test_a_side_that_is_slow_gets_the_same_number_of_fetches(tmp_path: Path) -> None:
    """The page is there at once and shows how far the preparation is; then both crawl in step, even if the process of
    one side stands still for a while: the clock waits for it, and the page says so.  In the end it says how good the
    answers of both were, and what that took.
    """
    folder = tmp_path / "tmp"
    with started(folder, "--port", "0", "--json", "--seconds", "8") as running:
        assert running.stderr
        [address] = re.findall(r"http://127\.0\.0\.1:\d+/", running.stderr.readline())

        def state() -> Any:
            with urllib.request.urlopen(f"{address}state.json", timeout=60) as answer:
                return json.load(answer)

        first = state()
        assert (first["seconds_to_start"], first["seconds"]) == (None, 0.0)
        until(lambda: any(0.0 < (step["share"] or 0.0) < 1.0 for step in state()["steps"]))  # some way through one
        until(lambda: state()["seconds"] > 1.0)
        assert all(step["share"] in (1.0, None) for step in state()["steps"])
        crawl = _crawl(folder, "round-robin")
        os.kill(crawl, signal.SIGSTOP)
        try:
            stopped_at = _fetches(folder, "round-robin")
            until(lambda: "waits for the round-robin crawl" in state()["busy"])
            until(lambda: state()["seconds"] >= stopped_at / Conditions.fetches_a_second + Conditions.lead - 0.01)
            time.sleep(2.0)
            assert state()["seconds"] <= stopped_at / Conditions.fetches_a_second + Conditions.lead + 0.01
            assert _fetches(folder, "default") <= stopped_at + TICK
        finally:
            os.kill(crawl, signal.SIGCONT)
        out, errors = running.communicate(timeout=WAIT)
    assert running.returncode == 0, errors
    found = json.loads(out)
    assert found["seconds_to_start"] > 1.0
    assert 8.0 <= found["seconds"] < 60.0
    assert found["speed"] < 0.9
    assert found["searches"] > 0
    for side in SIDES:
        assert 0.0 < found[f"quality_{side}"] <= 1.0
        assert 0.0 < found[f"quality_lately_{side}"] <= 1.0
        assert found[f"searchable_{side}"] > 100
        assert 20 < found[f"fetches_{side}"] <= 12 * found["seconds"]  # what the clock allows
    assert abs(found["fetches_default"] - found["fetches_round_robin"]) <= TICK
    assert "Worth" in found["policy_default"]
    assert "RoundRobin" in found["policy_round_robin"]


def _crawl(folder: Path, side: str) -> int:
    """The process that crawls for a side."""
    commands = {each: Path(f"/proc/{each}/cmdline").read_text().split("\0") for each in processes(str(folder))}
    [found] = [each for each, words in commands.items() if "crawl" in words and any(side in word for word in words)]
    return found


def _fetches(folder: Path, side: str) -> int:
    [path] = folder.glob(f"sought-demo-*/{side}")
    pulse = until(lambda: read_pulse(path))
    return int(pulse["progress"]["fetched"])


@pytest.mark.slow
def test_nothing_outlives_the_demo(tmp_path: Path) -> None:
    """After kill -9 all its processes end by themselves: servers, searches and crawls."""
    folder = tmp_path / "tmp"
    with started(folder, "--headless", "--json") as running:
        until(lambda: len(processes(str(folder))) >= 4)
        running.kill()
        running.wait()
        until(lambda: not processes(str(folder)))
        shutil.rmtree(folder)  # nobody was left to do that
        folder.mkdir()


def test_ctrl_c_ends_it_while_it_loads(tmp_path: Path) -> None:
    """As soon as the page is there; no process and no file stays."""
    with started(tmp_path / "tmp", "--port", "0", "--json") as running:
        assert running.stderr
        assert "The demo is at" in running.stderr.readline()
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=WAIT)
        assert (running.returncode, out) == (130, "")
        assert "Traceback" not in errors


@pytest.mark.parametrize("arguments", [("--seconds", "0"), ("--port", "x"), ("--keep", "/")])
def test_what_makes_no_sense_is_one_line(arguments: tuple[str, str]) -> None:
    """With exit code 2, at once."""
    done = subprocess.run(
        [sys.executable, "-m", "sought", "demo", *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
