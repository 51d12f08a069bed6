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

from sought.console.folders import without_folder
from sought.console.live import shown
from sought.console.office import Office
from sought.console.watching import last_pulse
from sought.console.wording import number, spelled
from sought.crawl.log import EVENTS
from sought.crawl.log_file import log_stamp, read_log

LEVELS = {"info": "Everything", "warning": "Warnings and errors", "error": "Errors"}
MOST = 200  # events on a page
_LONGEST = 200  # characters of a text to look for
_ROOM = 500  # characters of a field
_REMEMBERED = 50  # answers


@dataclass(frozen=True)
class Event:
    """As the page lists it: fields by name, in words; its page and its host have pages of their own."""

    time: float
    level: str
    name: str
    fields: Mapping[str, str]

    def is_wanted(self, level: str, text: str) -> bool:
        names = list(LEVELS)
        return names.index(self.level) >= names.index(level) and text.casefold() in self._said().casefold()

    def _said(self) -> str:
        """What the page shows, but for the time."""
        level = "" if self.level == "info" else f" {self.level}"
        return " ".join([spelled(self.name) + level, *(f"{spelled(key)} {each}" for key, each in self.fields.items())])


class Reader:
    """Reads the log for one at a time, and remembers what it found until there is more: both files may be read for it.

    Invariant: what was found is at least as new as the stamp that it is given with.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reading = asyncio.Lock()
        self._stamp = ""
        self._found: dict[tuple[str, str], list[Event]] = {}

    async def read(self, level: str, text: str) -> tuple[str, list[Event]]:
        """The stamp of the log, and its last events of a level with a text."""
        async with self._reading:
            stamp = log_stamp(self._path)
            if stamp != self._stamp or len(self._found) >= _REMEMBERED:
                self._stamp, self._found = stamp, {}
            if (level, text) not in self._found:
                self._found[level, text] = await asyncio.to_thread(_last, self._path, level, text)
            return stamp, self._found[level, text]


def routes(office: Office, reader: Reader) -> list[BaseRoute]:
    async def log(request: Request) -> HTMLResponse:
        return await _answered(office, reader, request, "console_log.html")

    async def lines(request: Request) -> HTMLResponse:
        return await _answered(office, reader, request, "console_log_lines.html")

    return [Route("/console/log", log), Route("/console/log/lines", lines)]


async def _answered(office: Office, reader: Reader, request: Request, name: str) -> HTMLResponse:
    level, text = request.query_params.get("level", "info"), request.query_params.get("text", "").strip()
    if level not in LEVELS:
        raise HTTPException(400, f"The parameter level is one of {', '.join(LEVELS)}.")
    if len(text) > _LONGEST:
        raise HTTPException(400, f"A text to look for has at most {_LONGEST} characters.")
    stamp, events = await reader.read(level, text)
    values = shown(await asyncio.to_thread(last_pulse, office.path), time.time())
    values |= {"stamp": stamp, "events": events, "level": level, "text": text}
    return office.page(request, name, **values, levels=LEVELS, meanings=EVENTS, most=MOST)


def _last(path: Path, level: str, text: str) -> list[Event]:
    return list(islice((each for each in _events(path) if each.is_wanted(level, text)), MOST))


def _events(path: Path) -> Iterator[Event]:
    """What is no event is passed over: anybody may have written it.  Which folder it is in is nobody's business."""
    for line in read_log(path):
        when, level, name, _ = (line.pop(each, None) for each in ("time", "level", "event", "directory"))
        if isinstance(when, int | float) and level in LEVELS and isinstance(name, str):
            fields = {key[:_ROOM]: without_folder(path, _words(each))[:_ROOM] for key, each in line.items()}
            yield Event(when, level, name[:_ROOM], fields)


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if value is None or isinstance(value, int | float) else str(value)
