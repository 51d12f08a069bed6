"""What happens now, without anybody asking again: parts of the overview, sent whenever the pulse has changed.

The parts are those of the page itself, so that it looks the same with and without scripts.
"""

from collections.abc import AsyncIterator, Mapping
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
from sought.console.outcomes import share_of_errors
from sought.console.watching import Pulse, PulseWatch, condition
from sought.operate.log import log_stamp

RETRY = 3000  # milliseconds until a browser that lost us looks for us again
_SHOWN = 12  # rows of a list
PARTS = ("state", "headline", "now")


def routes(office: ConsoleContext) -> tuple[PulseWatch, list[BaseRoute]]:
    watch = PulseWatch(office.path, partial(_told, office.path))

    async def events(_: Request) -> Response:
        if watch.is_full:
            raise HTTPException(503, "Too many watch already.", {"Retry-After": "60"})
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(_stream(watch), headers=headers, media_type="text/event-stream")

    return watch, [Route("/console/events", events)]


async def _stream(watch: PulseWatch) -> AsyncIterator[bytes]:
    yield b"retry: %d\n\n" % RETRY
    async for text in watch.told():
        yield b"data: %s\n\n" % text.encode()


def _told(path: Path, pulse: Pulse | None, now: float) -> str:
    """All parts as one line of JSON, and whether there is more in the log than before.

    What the answers are worth is told while a crawl runs and measures it: else the tables know better.
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
