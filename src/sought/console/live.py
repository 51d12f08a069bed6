"""What happens now, without anybody asking again: parts of the overview, sent whenever the pulse has changed.

The parts are those of the page itself, so that it looks the same with and without scripts.
"""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from sought.console.office import Office, fragment
from sought.console.watching import Pulse, Watch, condition
from sought.crawl.log_file import log_stamp

RETRY = 3000  # milliseconds until a browser that lost us looks for us again
_SHOWN = 12  # rows of a list
PARTS = ("state", "headline", "now")


def routes(office: Office) -> tuple[Watch, list[BaseRoute]]:
    watch = Watch(office.path, partial(_told, office.path))

    async def events(_: Request) -> Response:
        if watch.is_full:
            raise HTTPException(503, "Too many watch already.", {"Retry-After": "60"})
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(_stream(watch), headers=headers, media_type="text/event-stream")

    return watch, [Route("/console/events", events)]


async def _stream(watch: Watch) -> AsyncIterator[bytes]:
    yield b"retry: %d\n\n" % RETRY
    async for text in watch.told():
        yield b"data: %s\n\n" % text.encode()


def _told(path: Path, pulse: Pulse | None, now: float) -> str:
    """All parts as one line of JSON, and whether there is more in the log than before."""
    values = shown(pulse, now)
    parts = {part: fragment(f"console_{part}.html", **values) for part in PARTS}
    return msgspec.json.encode({"parts": parts, "log": log_stamp(path)}).decode()


def shown(pulse: Pulse | None, now: float) -> dict[str, Any]:
    """What the parts show of a pulse."""
    is_on = condition(pulse, now) in ("running", "silent")
    return {
        "pulse": pulse,
        "condition": condition(pulse, now),
        "now": now,
        "asked": pulse.in_flight[:_SHOWN] if pulse and is_on else [],
        "finished": pulse.finished[:_SHOWN] if pulse else [],
        "next": pulse.next[:_SHOWN] if pulse and is_on else [],
        "turns": pulse.hosts[:_SHOWN] if pulse and is_on else [],
    }
