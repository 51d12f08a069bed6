"""How does an open page stay up to date?  By server-sent events: parts of the page, whenever the pulse changes.

The parts are those of the page itself, so that it looks the same with and without scripts.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from sought.console.answers import answers
from sought.console.context import ConsoleContext, fragment
from sought.console.pulse import Pulse, condition, last_pulse, share_of_errors
from sought.operate.log import log_stamp

EVERY = 1.0  # seconds between two looks at the pulse
MOST = 100  # browsers that watch at a time
RETRY = 3000  # milliseconds until a browser that lost us looks for us again
_SHOWN = 12  # rows of a list
PARTS = ("state", "headline", "now")


class PulseWatch:
    """Looks at the pulse while browsers watch, once for all of them, and sends what `put` makes of it.

    `put` runs in a thread; its text is sent only if it changed.
    """

    def __init__(self, path: Path, put: Callable[[Pulse | None, float], str]) -> None:
        self._path = path
        self._put = put
        self._watching: set[asyncio.Queue[str | None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._last: str | None = None

    @property
    def is_full(self) -> bool:
        return len(self._watching) >= MOST

    async def texts(self) -> AsyncIterator[str]:
        """Each new text, until the server ends."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(2)
        self._watching.add(queue)
        if self._task is None or self._task.done():
            self._last, self._task = None, asyncio.create_task(self._look())
        elif self._last is not None:
            _send(queue, self._last)
        try:
            while (text := await queue.get()) is not None:
                yield text
        finally:
            self._watching.discard(queue)

    def end(self) -> None:
        """End all streams."""
        for queue in self._watching:
            _send(queue, None)

    async def _look(self) -> None:
        while self._watching:
            text = await asyncio.to_thread(self._text)
            for queue in self._watching if text != self._last else ():
                _send(queue, text)
            self._last = text
            await asyncio.sleep(EVERY)

    def _text(self) -> str:
        return self._put(last_pulse(self._path), time.time())


def _send(queue: asyncio.Queue[str | None], text: str | None) -> None:
    """A slow browser misses old texts."""
    while queue.full():
        queue.get_nowait()
    queue.put_nowait(text)


def routes(context: ConsoleContext) -> tuple[PulseWatch, list[BaseRoute]]:
    watch = PulseWatch(context.path, partial(_parts, context.path))

    async def events(_: Request) -> Response:
        if watch.is_full:
            raise HTTPException(503, "Too many open consoles: try again in a minute.", {"Retry-After": "60"})
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(_stream(watch), headers=headers, media_type="text/event-stream")

    return watch, [Route("/console/events", events)]


async def _stream(watch: PulseWatch) -> AsyncIterator[bytes]:
    yield b"retry: %d\n\n" % RETRY
    async for text in watch.texts():
        yield b"data: %s\n\n" % text.encode()


def _parts(path: Path, pulse: Pulse | None, now: float) -> str:
    """All parts as one line of JSON, and whether there is more in the log than before.

    Key figures are sent while a crawl runs and measures; otherwise the tables are newer.
    """
    values = shown(pulse, now)
    is_measured = pulse is not None and pulse.demand.queries and values["condition"] in ("running", "silent")
    parts = {part: fragment(f"console_{part}.html", **values) for part in PARTS if part != "headline" or is_measured}
    return msgspec.json.encode({"parts": parts, "log": log_stamp(path)}).decode()


def shown(pulse: Pulse | None, now: float, report: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the parts show of a pulse, and of what the tables say of the answers."""
    state = condition(pulse, now)
    is_on = state in ("running", "silent")
    known = answers(pulse, state, report)
    return {
        "pulse": pulse,
        "condition": state,
        "answers": known,
        "unit": known.unit,
        "has_price": pulse is not None and pulse.price is not None,  # then values are in its unit
        "speed": _speed(pulse) if is_on else None,
        "error_share": share_of_errors(pulse.progress.outcomes) if pulse else None,
        "now": now,
        "asked": pulse.in_flight[:_SHOWN] if pulse and is_on else [],
        "finished": pulse.finished[:_SHOWN] if pulse else [],
        "next": pulse.next[:_SHOWN] if pulse and is_on else [],
        "turns": pulse.hosts[:_SHOWN] if pulse and is_on else [],
    }


def _speed(pulse: Pulse | None) -> float | None:
    """Answers a second; since its start where the crawl does not say (a crawl of before)."""
    if pulse is None or pulse.speed is not None:
        return pulse.speed if pulse else None
    seconds = pulse.time - pulse.started
    return pulse.progress.fetched / seconds if pulse.started and seconds >= 1.0 else None
