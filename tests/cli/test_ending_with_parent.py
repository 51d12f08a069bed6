"""Whoever starts a crawl or a server may be killed: what it started ends, cleanly, and nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sought.cli.standard_input import FetchAllowance
from sought.operate.pulse import read_pulse
from sought.operate.view import running_process
from sought.toyweb import serve_in_thread
from tests.testing.ordered_crawl import SITES, agrees

WAIT = 60.0  # seconds after which something that should happen has not


def until(says: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT
    while not says():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def runs(process: int) -> bool:
    """Whether it is there, and not as a zombie that nobody waits for."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@contextmanager
def started(*arguments: str) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "sought", *arguments]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        yield running
    finally:
        running.kill()
        running.wait()
        for pipe in (running.stdin, running.stdout, running.stderr):
            if pipe:
                pipe.close()


def fetched(path: Path) -> int:
    pulse = read_pulse(path)
    return int(pulse["progress"]["fetched"]) if pulse else -1


@pytest.mark.slow
def test_a_crawl_beside_a_server_ends_with_it(make_crawl: Callable[..., Path]) -> None:
    """After kill -9 of `serve --crawl` the crawl ends by itself, in good order."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.02, revisit_after="0s")
        with started("serve", str(path), "--crawl", "--port", "0", "--json") as server:
            until(lambda: fetched(path) > 5)
            crawl = running_process(path)
            assert crawl is not None
            assert crawl != server.pid
            try:
                server.kill()
                until(lambda: not runs(crawl))
            finally:
                if runs(crawl):
                    os.kill(crawl, signal.SIGKILL)
        pulse = read_pulse(path)
        assert pulse is not None
        assert pulse["ended"] == "stopped"
    agrees(path)


@pytest.mark.slow
def test_a_server_ends_with_its_standard_input(make_crawl: Callable[..., Path]) -> None:
    """`--end-with-stdin`: it serves until then."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served)
        with started("serve", str(path), "--port", "0", "--json", "--end-with-stdin") as server:
            assert server.stdout
            assert server.stdin
            address = json.loads(server.stdout.readline())["address"]
            urllib.request.urlopen(f"{address}api/openapi.json", timeout=WAIT).close()
            assert server.poll() is None
            server.stdin.close()
            assert server.wait(WAIT) == 0


@pytest.mark.slow
def test_a_crawl_makes_as_many_fetches_as_it_is_allowed(make_crawl: Callable[..., Path]) -> None:
    """None before the first line, exactly as many as the lines say, none while it waits; it ends with the input."""
    with serve_in_thread(SITES) as served:
        path = make_crawl(served, delay=0.0, revisit_after="0s")
        with started("crawl", str(path), "--json", "--allowance-stdin") as crawl:
            assert crawl.stdin
            until(lambda: fetched(path) == 0)
            for allowed, line in ((7, b"7\n"), (8, b"1\n"), (20, b"0\n12\n")):
                crawl.stdin.write(line)
                crawl.stdin.flush()
                until(lambda: fetched(path) >= allowed)  # noqa: B023  called at once
                time.sleep(2.5)  # two pulses: it would have fetched more
                pulse = read_pulse(path)
                assert pulse is not None
                assert (pulse["progress"]["fetched"], pulse["budget"]["allowed"]) == (allowed, allowed)
            out, errors = crawl.communicate(timeout=WAIT)
            assert crawl.returncode == 0, errors
            assert (json.loads(out)["fetched"], json.loads(out)["ended"]) == (20, "stopped")
    agrees(path)


@pytest.mark.parametrize("line", [b"many\n", b"-1\n", b"7" * 20, b"7", b"\xff\n"])
def test_only_whole_numbers_are_understood(line: bytes) -> None:
    """Nothing else is guessed at."""
    assert FetchAllowance()._handle(b"7\n")
    assert not FetchAllowance()._handle(line)


def test_what_is_no_number_of_fetches_is_an_error(make_crawl: Callable[..., Path]) -> None:
    """One line that says so, and exit code 2."""
    with serve_in_thread(SITES) as served, started("crawl", str(make_crawl(served)), "--allowance-stdin") as crawl:
        _, errors = crawl.communicate(b"many\n", timeout=WAIT)
    assert crawl.returncode == 2
    [complaint] = errors.decode().splitlines()[-1:]
    assert "not a number of fetches" in complaint
