"""The demo as a person starts it, and what is left of it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
        assert not processes(str(folder))
    finally:
        for process in [running.pid, *processes(str(folder))]:
            if running.poll() is None or process != running.pid:
                os.kill(process, signal.SIGKILL)
        running.communicate()


def processes(name: str) -> list[int]:
    """Those with it in their command lines."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if name in file.read_text():
                found.append(int(file.parent.name))
        except OSError:
            continue  # it has just ended
    return found
