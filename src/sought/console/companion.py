"""Who crawls while we serve?  `sought crawl` as a child process, started again after a crash."""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Self

PAUSES = (1.0, 2.0, 5.0, 15.0, 60.0)  # seconds before another start; the last for all that follow
_WELL = 60.0  # seconds after which a crawl that ends is a new misfortune
_PATIENCE = 60.0  # seconds for requests in flight


class Companion:
    """A crawl that runs until the end of the block, or until it ends by itself: exit code 0 is no crash.

    It has a session of its own, so that Ctrl-C reaches it once, from us, and it can end cleanly.  It ends with us, even
    after kill -9.  What it says goes to `errors`, by default where ours goes.

    With `allowance` it makes as many fetches as `allow` says, and no more.  In the `background` it gets only processor
    time that is left over.
    """

    def __init__(
        self,
        path: Path,
        pauses: tuple[float, ...] = PAUSES,
        errors: IO[str] | None = None,
        *,
        allowance: bool = False,
        background: bool = True,
    ) -> None:
        ending = "--allowance-stdin" if allowance else "--end-with-stdin"
        self._command = [sys.executable, "-m", "sought", "crawl", str(path), "--json", ending]
        self._pauses = pauses
        self._errors = errors
        self.crashes = 0
        self._background = background
        self._stopping = threading.Event()
        self._starting = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._work, name="companion", daemon=True)

    @property
    def process(self) -> int | None:
        """The crawl's process id while there is one."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Tell the crawl to end, and wait for it; it is killed if it does not."""
        with self._starting:
            self._stopping.set()
            if self._process:
                self._process.terminate()
        self._thread.join(_PATIENCE)
        if self._process and self._process.poll() is None:
            self._process.kill()
            self._thread.join()

    def allow(self, fetches: int) -> None:
        """So many more, for the process that runs now; what one did not make before it crashed is not passed on."""
        process = self._process
        if process and process.stdin:
            with suppress(BrokenPipeError, ValueError):  # it has ended
                process.stdin.write(f"{fetches}\n".encode())

    def _work(self) -> None:
        crashes = 0
        while process := self._started():
            began = time.monotonic()
            code = process.wait()
            if process.stdin:
                process.stdin.close()
            if code == 0:
                return
            self.crashes += 1
            crashes = 1 if time.monotonic() - began > _WELL else crashes + 1
            self._stopping.wait(self._pauses[min(crashes, len(self._pauses)) - 1])

    def _started(self) -> subprocess.Popen[bytes] | None:
        with self._starting:
            if self._stopping.is_set():
                return None
            self._process = subprocess.Popen(  # noqa: S603  our own command
                self._command,
                bufsize=0,
                stdin=subprocess.PIPE,  # which ends when we do: the crawl watches it
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                start_new_session=True,
            )
            if self._background:
                _step_back(self._process.pid)
            return self._process


def _step_back(process: int) -> None:
    """Leave it the processor time that is left over; its threads will inherit that.

    A niceness would not do: the system looks for an idle core when somebody is to be answered, and takes one that is
    left to such a crawl for idle.  Where this is not allowed it crawls all the same.
    """
    with suppress(OSError, AttributeError):  # not all systems have it
        os.sched_setscheduler(process, os.SCHED_IDLE, os.sched_param(0))
