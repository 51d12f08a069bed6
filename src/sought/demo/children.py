"""Which processes make up the demo?  For each side a server with its search processes, and a crawl; all end with it."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO

from sought.console.companion import Companion
from sought.web.errors import SoughtError

_PATIENCE = 30.0  # seconds for a server to end


@contextmanager
def servers(paths: list[Path]) -> Iterator[Callable[[], list[str]]]:
    """`sought serve` for each crawl; yields what waits for their addresses."""
    started: list[subprocess.Popen[str]] = []
    try:
        started += [_server(path) for path in paths]
        yield lambda: [_address(each) for each in started]
    finally:
        for each in started:
            each.terminate()
        for each in started:
            _end(each)


def _server(path: Path) -> subprocess.Popen[str]:
    """In a session of its own, so that Ctrl-C reaches it from us."""
    command = [sys.executable, "-m", "sought", "serve", str(path), "--port", "0", "--json"]
    with notes(path) as errors:
        return subprocess.Popen(  # noqa: S603  our own command
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
        )


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout
    line = server.stdout.readline()
    if not line:
        raise SoughtError("a search page could not be started")
    return str(json.loads(line)["address"])


def _end(server: subprocess.Popen[str]) -> None:
    try:
        server.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
    if server.stdout:
        server.stdout.close()


@asynccontextmanager
async def crawls(paths: list[Path]) -> AsyncIterator[None]:
    """`sought crawl` for each; they are started, and told to end, at the same time."""
    with notes(paths[0]) as first, notes(paths[1]) as second:
        running = [Companion(path, errors=errors) for path, errors in zip(paths, (first, second), strict=True)]
        for each in running:
            each.start()
        try:
            yield
        finally:
            await asyncio.gather(*(asyncio.to_thread(each.stop) for each in running))


def notes(path: Path) -> IO[str]:
    """Where the processes of a crawl say what they have to say."""
    return (path / "said.log").open("a")
