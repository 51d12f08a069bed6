"""Run a program and end it with SIGKILL at a chosen moment.

    python killing.py TRAP sought crawl DIR …
    python killing.py TRAP script.py …

TRAP is JSON, as `Trap.spec` makes it.  The program is the real one, in this process; only one function is wrapped, or
the operations on files are counted, and at the chosen one the process kills itself, as `kill -9` would.
"""

import inspect
import json
import os
import runpy
import signal
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from functools import wraps
from importlib import import_module
from typing import Any

_CHANGES = frozenset({"os.rename", "os.remove", "os.truncate", "os.mkdir", "os.rmdir", "os.link", "shutil.rmtree"})
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


@dataclass(frozen=True)
class Trap:
    """Where to kill: at the `call`-th call of a function, or the `call`-th change to files.

    `at` is `module:name`, or `files` for operations (open to write, rename, remove, truncate …) on paths that have
    `within` in them.  `when` is `before` or `after` the call, `during` it (`seconds` after it began, in another thread)
    or `halfway`: of a function that writes bytes to a file, half of them are written.  `sets` are limits to lower, so
    that what is rare happens often: `module:name` of a constant or of a keyword's default, and its value.
    """

    at: str = ""
    call: int = 1
    when: str = "before"
    seconds: float = 0.0
    within: str = ""
    sets: dict[str, int] = field(default_factory=dict)

    @property
    def spec(self) -> str:
        return json.dumps(asdict(self))

    def check(self) -> None:
        """Fail if a name is not there: a trap that is never reached would look like a moment that never comes."""
        for where in self.sets:
            _holder_with(where)
        if self.at not in ("", "files"):
            _holder_with(self.at)

    def arm(self) -> None:
        for where, value in self.sets.items():
            _set(where, value)
        if self.at == "files":
            _watch_files(self)
        elif self.at:
            _wrap(self)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)  # the signal may take a moment; nothing more may happen


class _Count:
    """Calls so far, by any thread."""

    def __init__(self, last: int) -> None:
        self._left, self._lock = last, threading.Lock()

    def is_last(self) -> bool:
        with self._lock:
            self._left -= 1
            return self._left == 0


def _found(where: str) -> tuple[Any, str]:
    """What holds a name, and the last part of the name."""
    module, _, name = where.partition(":")
    holder, (*path, last) = import_module(module), name.split(".")
    for each in path:
        holder = getattr(holder, each)
    return holder, last


def _holder_with(where: str) -> tuple[Any, str]:
    """The same, of a name that is there: a function's keyword with a default, or an attribute."""
    holder, name = _found(where)
    if inspect.isroutine(holder):
        assert name in _keywords(holder), f"{where}: no such keyword"
    else:
        assert hasattr(holder, name), f"{where}: no such name"
    return holder, name


def _keywords(function: Any) -> dict[str, Any]:
    """The defaults of a function's or a method's keywords, which may be changed."""
    defaults: dict[str, Any] = getattr(function, "__func__", function).__kwdefaults__
    return defaults


def _set(where: str, value: int) -> None:
    holder, name = _holder_with(where)
    if inspect.isroutine(holder):
        _keywords(holder)[name] = value
    else:
        setattr(holder, name, value)


def _wrap(trap: Trap) -> None:
    holder, name = _holder_with(trap.at)
    real, count = getattr(holder, name), _Count(trap.call)

    @wraps(real)
    def trapped(*given: Any, **options: Any) -> Any:
        if not count.is_last():
            return real(*given, **options)
        if trap.when == "before":
            kill()
        elif trap.when == "halfway":
            handle, data, *rest = given
            real(handle, bytes(data)[: len(data) // 2], *rest)
            kill()
        elif trap.when == "during":
            threading.Timer(trap.seconds, kill).start()
        result = real(*given, **options)
        if trap.when == "after":
            kill()
        return result

    setattr(holder, name, trapped)


def _watch_files(trap: Trap) -> None:
    count = _Count(trap.call)

    def heard(event: str, given: tuple[Any, ...]) -> None:
        if event != "open" and event not in _CHANGES:
            return
        if event == "open" and not (isinstance(given[2], int) and given[2] & _WRITES):
            return
        paths = [os.fsdecode(each) for each in given[:2] if isinstance(each, str | bytes | os.PathLike)]
        if any(trap.within in path for path in paths) and count.is_last():
            kill()

    sys.addaudithook(heard)


def main() -> None:
    _, spec, *sys.argv = sys.argv
    Trap(**json.loads(spec)).arm()
    if sys.argv[0] == "sought":
        runpy.run_module("sought", run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
