"""The crawl beside the server has what processor time is left."""

import os
from pathlib import Path

import pytest

from sought.console.companion import Companion


def policy_of_companion(path: Path) -> int:
    """How the system shares out time to it."""
    companion = Companion(path)
    companion._command = ["sleep", "60"]
    process = companion._started()
    assert process is not None
    try:
        assert process.poll() is None
        return os.sched_getscheduler(process.pid)
    finally:
        process.kill()
        process.communicate()


def test_it_has_what_is_left(tmp_path: Path) -> None:
    assert os.sched_getscheduler(0) == os.SCHED_OTHER
    assert policy_of_companion(tmp_path) == os.SCHED_IDLE


def test_it_crawls_where_that_is_not_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert policy_of_companion(tmp_path) == os.SCHED_OTHER
