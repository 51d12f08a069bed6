"""What does a command do, if loading the program must not take two seconds each time?

Loads the program once, then makes a process of its own for every command, as a shell would.  A process that has threads
must not be copied: a lock that one of them holds would never be free in the copy.  So what starts some (polars) is left
to the commands that need it.

Started by commands.py, with which it talks in lines of JSON: `["start", arguments, folder, out, err]` answers the
number of a process, `["ended", number]` the exit code, or null while it runs.
"""

import json
import os
import runpy
import sys
from importlib import import_module
from pathlib import Path

MOST = ("sought.api", "sought.cli", "sought.operate.check")  # of what commands load
_BLAS = "OPENBLAS_NUM_THREADS"


def serve() -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))  # benchmarks
    load()
    for line in sys.stdin:
        what, *about = json.loads(line)
        print(json.dumps(_start(*about) if what == "start" else _ended(*about)), flush=True)


def load() -> None:
    """Without threads of NumPy's and SciPy's; the programs that commands start may have them."""
    given = os.environ.get(_BLAS)
    os.environ[_BLAS] = "1"
    for name in MOST:
        import_module(name)
    none = import_module("numpy").zeros(0, "uint64")
    import_module("sought.record.keys").KeyIndex().find(none, none)  # loads the compiler, too
    import_module("sought.web.html.markup").read(b"a page")  # loads the reader, which takes a second
    if given is None:
        del os.environ[_BLAS]
    else:
        os.environ[_BLAS] = given


def check_alone() -> None:
    """That no library has started a thread."""
    names = [task.joinpath("comm").read_text().strip() for task in Path("/proc/self/task").iterdir()]
    if len(names) != 1:
        raise RuntimeError(f"not safe to fork, there are threads: {', '.join(sorted(names))}")


def _start(arguments: list[str], folder: str, out: str, err: str) -> int:
    check_alone()
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
    if sys.argv[0] in ("sought", "benchmarks"):
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)  # as `python -m sought` does
    runpy.run_path(sys.argv[0], run_name="__main__")
    sys.exit()


def _ended(child: int) -> int | None:
    found, status = os.waitpid(child, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if found else None


if __name__ == "__main__":
    serve()
