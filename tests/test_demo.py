"""The whole demo, as a person starts it: a toy web, two crawls, two search pages, people, a judge."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """`sought demo`, with its temporary files in a folder; what is left of it at the end fails the test."""
    folder.mkdir()
    command = [sys.executable, "-m", "sought", "demo", *arguments]
    environment = {**os.environ, "TMPDIR": str(folder)}
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        yield running
        assert not list(folder.iterdir())
        assert not _processes(str(folder))
    finally:
        for process in [running.pid, *_processes(str(folder))]:
            if running.poll() is None or process != running.pid:
                os.kill(process, signal.SIGKILL)
        running.communicate()


def _processes(name: str) -> list[int]:
    """Those with it in their command lines."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if name in file.read_text():
                found.append(int(file.parent.name))
        except OSError:
            continue  # it has just ended
    return found


def test_headless(tmp_path: Path) -> None:
    """It ends by itself and says how good the answers of both were, and what that took: the same number of fetches."""
    with started(tmp_path / "tmp", "--headless", "--json", "--seconds", "8") as running:
        out, errors = running.communicate(timeout=240)
    assert running.returncode == 0, errors
    found = json.loads(out)
    assert 8.0 <= found["seconds"] < 60.0
    assert found["searches"] > 20
    for side in ("default", "round_robin"):
        assert 0.0 < found[f"quality_{side}"] <= 1.0
        assert 0.0 < found[f"quality_lately_{side}"] <= 1.0
        assert found[f"searchable_{side}"] > 100
        assert found[f"fetches_{side}"] > 60
    fetches = found["fetches_default"], found["fetches_round_robin"]
    assert max(fetches) - min(fetches) <= 0.25 * max(fetches)  # both began within a second or two
    assert "Worth" in found["policy_default"]
    assert "RoundRobin" in found["policy_round_robin"]


def test_ctrl_c_ends_everything(tmp_path: Path) -> None:
    """At any moment: no process and no file is left, and nobody sees a traceback."""
    with started(tmp_path / "tmp", "--port", "0") as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline().startswith("The demo is at http://127.0.0.1:")
        while "search page http" not in running.stderr.readline():
            assert running.poll() is None
        assert len(_processes(str(tmp_path / "tmp"))) == 2  # the search pages
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 0
    assert "Traceback" not in errors


@pytest.mark.parametrize("arguments", [("--seconds", "0"), ("--port", "x"), ("--keep", "/")])
def test_what_makes_no_sense_is_one_line(arguments: tuple[str, str]) -> None:
    """With exit code 2, at once."""
    done = subprocess.run(
        [sys.executable, "-m", "sought", "demo", *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
