"""The page of the log: what has the crawl said of itself lately, and is anything wrong with it?"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.live import shown
from sought.console.office import Office
from sought.console.watching import understood
from sought.console.wording import number
from sought.crawl.log import EVENTS
from sought.crawl.log_file import log_stamp, read_log
from sought.crawl.pulse import read_pulse

LEVELS = {"info": "Everything", "warning": "Warnings and errors", "error": "Errors"}
MOST = 200  # events on a page
_LONGEST = 200  # characters of a text to look for
_ROOM = 500  # characters of a field


@dataclass(frozen=True)
class Event:
    """As the page lists it: fields by name, in words; its page and its host have pages of their own."""

    time: float
    level: str
    name: str
    fields: Mapping[str, str]

    def is_wanted(self, level: str, text: str) -> bool:
        names = list(LEVELS)
        said = " ".join([self.name, *self.fields.values()]).casefold()
        return names.index(self.level) >= names.index(level) and text.casefold() in said


def routes(office: Office) -> list[BaseRoute]:
    async def log(request: Request) -> HTMLResponse:
        return await _answered(office, request, "console_log.html")

    async def lines(request: Request) -> HTMLResponse:
        return await _answered(office, request, "console_log_lines.html")

    return [Route("/console/log", log), Route("/console/log/lines", lines)]


async def _answered(office: Office, request: Request, name: str) -> HTMLResponse:
    level, text = request.query_params.get("level", "info"), request.query_params.get("text", "").strip()
    if level not in LEVELS:
        raise HTTPException(400, f"The parameter level is one of {', '.join(LEVELS)}.")
    if len(text) > _LONGEST:
        raise HTTPException(400, f"A text to look for has at most {_LONGEST} characters.")
    values = await asyncio.to_thread(_read, office.path, level, text)
    return office.page(request, name, **values, level=level, text=text, levels=LEVELS, meanings=EVENTS, most=MOST)


def _read(path: Path, level: str, text: str) -> dict[str, Any]:
    now, stamp = time.time(), log_stamp(path)
    wanted = (each for each in _events(path) if each.is_wanted(level, text))
    return shown(understood(read_pulse(path)), now) | {"stamp": stamp, "events": list(islice(wanted, MOST))}


def _events(path: Path) -> Iterator[Event]:
    """What is no event is passed over: anybody may have written it.  Which folder it is in is nobody's business."""
    for line in read_log(path):
        when, level, name, _ = (line.pop(each, None) for each in ("time", "level", "event", "directory"))
        if isinstance(when, int | float) and level in LEVELS and isinstance(name, str):
            yield Event(when, level, name[:_ROOM], {key[:_ROOM]: _words(each)[:_ROOM] for key, each in line.items()})


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if value is None or isinstance(value, int | float) else str(value)
