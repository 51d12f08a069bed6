"""The crawl beside the server yields to it, however nice the server itself is."""

import os
import threading
from pathlib import Path

import pytest

from sought.console.companion import Companion


def niceness_of_companion(own: int, path: Path) -> int:
    """Of what a server with a niceness starts: in Linux each thread has one, and hands it on."""
    found = []

    def look() -> None:
        os.setpriority(os.PRIO_PROCESS, 0, own)
        companion = Companion(path)
        companion._command = ["sleep", "60"]
        with companion:
            while companion.process is None:
                companion._thread.join(0.01)
                assert companion._thread.is_alive()
            with companion._starting:  # it has been started as a whole
                found.append(os.getpriority(os.PRIO_PROCESS, companion.process))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join(30)
    [niceness] = found
    return niceness


@pytest.mark.parametrize(("own", "niceness"), [(0, 10), (15, 15)])
def test_it_is_no_less_nice_than_the_server(tmp_path: Path, own: int, niceness: int) -> None:
    """To take niceness back needs a right that a server seldom has."""
    assert niceness_of_companion(max(own, os.getpriority(os.PRIO_PROCESS, 0)), tmp_path) >= niceness


def test_it_crawls_where_niceness_cannot_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: int) -> None:
        raise PermissionError(13, "Permission denied")

    own = os.getpriority(os.PRIO_PROCESS, 0)
    companion = Companion(tmp_path)
    companion._command = ["sleep", "60"]
    monkeypatch.setattr(os, "setpriority", refuse)
    process = companion._started()
    assert process is not None
    try:
        assert process.poll() is None
        assert os.getpriority(os.PRIO_PROCESS, process.pid) == own
    finally:
        process.kill()
        process.wait()
