"""The program that starts commands for tests is safe to copy."""

import subprocess
import sys
from pathlib import Path

SERVER = "import os; from tests.testing import command_server; "


def python(code: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", SERVER + code]
    return subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=False)


def test_it_has_one_thread() -> None:
    """With everything loaded, whatever the number of cores; and commands may have as many as they like."""
    done = python(
        "before = dict(os.environ); command_server.load(); command_server.check_alone(); print(before == os.environ)"
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_it_does_not_copy_threads() -> None:
    """It says which there are, and ends."""
    wait = "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start(); "
    done = python(wait + "command_server._start(['sought', '--version'], '.', os.devnull, os.devnull)")
    assert done.returncode == 1
    assert "RuntimeError: not safe to fork, there are threads: " in done.stderr
