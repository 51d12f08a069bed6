"""Which processes make up the demo?  For each side a server with its search processes, and a crawl.

All of them end with us: they hold one end of a pipe, and end when the other end is closed, also after kill -9.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from sought.console.companion import Companion
from sought.operate.pulse import read_pulse
from sought.web.errors import SoughtError

_PATIENCE = 30.0  # seconds for a server to end


class Runner:
    """The processes of one side.

    The crawl makes as many fetches as `allow` says.  After a crash it goes on with what it had not made by then.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._errors = (path / "output.log").open("a")
        self.ready = False  # the crawl has chosen pages, and waits to be allowed to fetch them
        self.resting = False  # it may fetch, and there is nothing that it wants to
        self.server = _server(path, self._errors)
        self.companion = Companion(path, errors=self._errors, allowance=True, background=False)
        self._pulse: dict[str, Any] = {}
        self._process = 0  # of the crawl that is heard of
        self._before = self._allowed = 0  # fetches of crawls that crashed; what this one was allowed
        self.companion.start()

    async def address(self) -> str:
        """Of the search page, as soon as it is served."""
        assert self.server.stdout
        line = await asyncio.to_thread(self.server.stdout.readline)
        if not line:
            raise SoughtError(
                "a search page could not be started; with --keep, its directory has the reason in output.log"
            )
        return str(json.loads(line)["address"])

    @property
    def fetches(self) -> int:
        return self._before + self._fetched

    @property
    def _fetched(self) -> int:
        return int(self._pulse["progress"]["fetched"]) if self._pulse else 0

    def look(self) -> None:
        """Read the state of the crawl."""
        pulse = read_pulse(self.path)
        process = self.companion.process
        if not pulse or process is None or pulse["process"] != process or pulse["time"] == self._pulse.get("time"):
            return
        if process != self._process:
            self._before, self._allowed, self._process = self.fetches, 0, process
        was_idle, self._pulse = self._idle, pulse
        self.ready = self.ready or pulse["progress"]["chosen"] > 0
        self.resting = was_idle and self._idle

    @property
    def _idle(self) -> bool:
        p = self._pulse.get("progress", {})
        has_nothing = p.get("chosen") == 0 and p.get("in_flight") == 0
        return has_nothing and self._fetched < self._allowed

    def allow(self, fetches: int) -> None:
        """Allow so many fetches in all; ignored while the crawl is restarting."""
        more = fetches - self._before - self._allowed
        if more > 0 and self._process and self.companion.process == self._process:
            self.companion.allow(more)
            self._allowed += more

    def end(self) -> None:
        if self.server.stdin:
            self.server.stdin.close()
        self.companion.stop()
        try:
            self.server.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self.server.kill()
            self.server.wait()
        if self.server.stdout:
            self.server.stdout.close()
        self._errors.close()


def _server(path: Path, errors: IO[str]) -> "subprocess.Popen[str]":
    """In a session of its own, so that Ctrl-C reaches it from us."""
    command = [sys.executable, "-m", "sought", "serve", str(path), "--port", "0", "--json", "--end-with-stdin"]
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603  our own command
        command, stdin=pipe, stdout=pipe, stderr=errors, text=True, start_new_session=True
    )


@contextmanager
def runners(paths: Sequence[Path]) -> Iterator[list[Runner]]:
    """All processes of both sides; at the end all are stopped at the same time."""
    running: list[Runner] = []
    try:
        running.extend(map(Runner, paths))
        yield running
    finally:
        with ThreadPoolExecutor(2) as ending:
            list(ending.map(Runner.end, running))
