"""`sought` in a process of its own, as a person starts it, but loaded already: 0.1 s a command, not two seconds."""

import atexit
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ENVIRONMENT = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Done:
    """What a command left."""

    returncode: int
    stdout: str
    stderr: str


class Running:
    """A command that may not have ended; used like subprocess.Popen."""

    def __init__(self, arguments: tuple[str | Path, ...], cwd: Path) -> None:
        number = next(_NUMBERS)
        self._out, self._err = files = [_folder() / f"{number}.{name}" for name in ("out", "err")]
        for file in files:
            file.touch()
        self.returncode: int | None = None
        words = [str(each) for each in arguments]
        self.pid: int = _ask("start", words, str(cwd.absolute()), *map(str, files))

    def poll(self) -> int | None:
        if self.returncode is None:
            self.returncode = _ask("ended", self.pid)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)  # its number is not given to another before poll() has heard of its end

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float = 300.0) -> int:
        end = time.monotonic() + timeout
        while (code := self.poll()) is None:
            assert time.monotonic() < end, f"still running after {timeout} s"
            time.sleep(0.005)
        return code

    def said(self) -> str:
        """What it has printed so far."""
        return self._out.read_text()

    def errors(self) -> str:
        """The same on standard error."""
        return self._err.read_text()

    def communicate(self, timeout: float = 300.0) -> tuple[str, str]:
        self.wait(timeout)
        return self._out.read_text(), self._err.read_text()


def start(*arguments: str | Path, cwd: Path = Path()) -> Running:
    """`sought` with these arguments."""
    return Running(("sought", *arguments), cwd)


def run(*arguments: str | Path, cwd: Path = Path()) -> Done:
    """The same to its end."""
    return _to_its_end(start(*arguments, cwd=cwd))


def printed(*arguments: str | Path) -> str:
    """What a command that goes well says."""
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def run_program(program: str, *arguments: str | Path, cwd: Path = Path()) -> Done:
    """`python -m PROGRAM` with these arguments: sought or benchmarks."""
    return _to_its_end(Running((program, *arguments), cwd))


def run_benchmark(*arguments: str | Path) -> Done:
    """`python -m benchmarks` with these arguments."""
    return run_program("benchmarks", *arguments)


def run_script(path: Path) -> Done:
    """A file of Python."""
    return _to_its_end(Running((path,), Path()))


def _to_its_end(command: Running) -> Done:
    out, err = command.communicate()
    return Done(command.wait(), out, err)


@cache
def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="sought-test-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@cache
def _server() -> "subprocess.Popen[str]":
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": ENVIRONMENT}
    process = subprocess.Popen([sys.executable, Path(__file__).with_name("command_server.py")], **pipes)
    atexit.register(process.communicate)  # closes its standard input, which ends it
    return process


def _ask(*what: Any) -> Any:
    process = _server()
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(what) + "\n")
    process.stdin.flush()
    answer = process.stdout.readline()
    assert answer, "command_server.py has died: see its standard error"
    return json.loads(answer)
