"""`sought` at a terminal, as a person sees it: a process of its own on a pseudo-terminal."""

import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.testing.commands import ENVIRONMENT

_BIN = Path(sys.executable).parent


def at_terminal(*arguments: str | Path, answer: str = "") -> tuple[int, str]:
    """Run a command; its exit code and all that was on the screen.  `answer` is typed at once."""
    ours, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-m", "sought", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    os.write(ours, answer.encode())
    shown = b""
    try:
        while data := os.read(ours, 65536):
            shown += data
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    return process.wait(120), shown.decode().replace("\r\n", "\n")


def in_bash(script: str, home: Path) -> str:
    """What a script prints in a bash whose path has our `sought`; it must go well."""
    environment = {**ENVIRONMENT, "HOME": str(home), "PATH": f"{_BIN}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "--norc", "--noprofile", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done
    return done.stdout
