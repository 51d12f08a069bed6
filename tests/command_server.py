"""What does a command do, if loading the program must not take two seconds each time?

Loads the program once, then makes a process of its own for every command, as a shell would.  Started by commands.py,
with which it talks in lines of JSON: `["start", arguments, folder, out, err]` answers the number of a process,
`["ended", number]` the exit code, or null while it runs.
"""

import json
import os
import runpy
import sys
from importlib import import_module

import numpy as np

from sought.crawl.keys import KeyIndex

MOST = ("sought.api", "sought.cli", "sought.crawl.check", "sought.lab.experiment")  # of what commands load


def serve() -> None:
    for name in MOST:
        import_module(name)
    KeyIndex().find(*2 * [np.zeros(0, np.uint64)])  # loads the compiler, too
    for line in sys.stdin:
        what, *about = json.loads(line)
        print(json.dumps(_start(*about) if what == "start" else _ended(*about)), flush=True)


def _start(arguments: list[str], folder: str, out: str, err: str) -> int:
    child = os.fork()
    if not child:
        for number, file in ((0, os.devnull), (1, out), (2, err)):
            os.dup2(os.open(file, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        os.chdir(folder)
        sys.argv = arguments
        try:
            _run()
        except SystemExit as end:
            sys.stdout.flush()
            os._exit(end.code or 0)  # type: ignore[arg-type]  # taking the compiler apart would cost more than the command
    return child


def _run() -> None:
    if sys.argv[0] == "sought":
        runpy.run_module("sought", run_name="__main__", alter_sys=True)  # as `python -m sought` does
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.exit()


def _ended(child: int) -> int | None:
    found, status = os.waitpid(child, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


if __name__ == "__main__":
    serve()
