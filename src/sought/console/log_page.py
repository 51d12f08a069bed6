"""The page of the log: what happened lately, and is anything wrong?"""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.answers import Unit
from sought.console.context import ConsoleContext
from sought.console.folders import without_folder
from sought.console.live import shown
from sought.console.log_words import Sentence, sentence
from sought.console.pulse import last_pulse
from sought.console.wording import spelled
from sought.operate.log import EVENTS, log_stamp, read_log

LEVELS = {"info": "Everything", "warning": "Warnings and errors", "error": "Errors"}
MOST = 200  # events on a page
_LONGEST = 200  # characters of a text to look for
_ROOM = 500  # characters of a part of a sentence
_RAW = 4000  # characters of a line as it is in the file
_REMEMBERED = 50  # answers


@dataclass(frozen=True)
class LogEvent:
    """As the page lists it: when, what happened, to which host; and its line in the file."""

    time: float
    level: str
    name: str
    sentence: Sentence
    host: str
    raw: str

    def is_wanted(self, level: str, text: str) -> bool:
        names = list(LEVELS)
        return names.index(self.level) >= names.index(level) and text.casefold() in self._text().casefold()

    def _text(self) -> str:
        """What the page shows at first sight, but for the time."""
        level = "" if self.level == "info" else f" {self.level}"
        return f"{spelled(self.name)}{level} {''.join(each.text for each in self.sentence)} {self.host}"


class LogReader:
    """Reads the log for one at a time, and remembers what it found until there is more, or the unit of gains
    changes: both files may be read for it.

    Invariant: what was found is at least as new as the stamp that it is given with.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reading = asyncio.Lock()
        self._stamp, self._unit = "", Unit()
        self._found: dict[tuple[str, str], list[LogEvent]] = {}

    async def read(self, level: str, text: str, unit: Unit) -> tuple[str, list[LogEvent]]:
        """The stamp of the log, and its last events of a level with a text."""
        async with self._reading:
            stamp = log_stamp(self._path)
            if (stamp, unit) != (self._stamp, self._unit) or len(self._found) >= _REMEMBERED:
                self._stamp, self._unit, self._found = stamp, unit, {}
            if (level, text) not in self._found:
                self._found[level, text] = await asyncio.to_thread(_last, self._path, level, text, unit)
            return stamp, self._found[level, text]


def routes(context: ConsoleContext, reader: LogReader) -> list[BaseRoute]:
    async def log(request: Request) -> HTMLResponse:
        return await _answered(context, reader, request, "console_log.html")

    async def lines(request: Request) -> HTMLResponse:
        return await _answered(context, reader, request, "console_log_lines.html")

    return [Route("/console/log", log), Route("/console/log/lines", lines)]


async def _answered(context: ConsoleContext, reader: LogReader, request: Request, name: str) -> HTMLResponse:
    level, text = request.query_params.get("level", "info"), request.query_params.get("text", "").strip()
    if level not in LEVELS:
        raise HTTPException(400, f"The parameter level must be one of {', '.join(LEVELS)}.")
    if len(text) > _LONGEST:
        raise HTTPException(400, f"The filter text has at most {_LONGEST} characters.")
    values = shown(await asyncio.to_thread(last_pulse, context.path), time.time())
    stamp, events = await reader.read(level, text, values["unit"])
    values |= {"stamp": stamp, "events": events, "level": level, "text": text}
    return context.page(request, name, **values, levels=LEVELS, meanings=EVENTS, most=MOST)


def _last(path: Path, level: str, text: str, unit: Unit) -> list[LogEvent]:
    return list(islice((each for each in _events(path, unit) if each.is_wanted(level, text)), MOST))


def _events(path: Path, unit: Unit) -> Iterator[LogEvent]:
    """Lines that are no events are skipped."""
    for line in read_log(path):
        try:
            if event := _event(_without_folder(path, line), unit):
                yield event
        except (RecursionError, OverflowError):
            continue  # nested too deep, or a number beyond all bounds


def _event(line: dict[str, Any], unit: Unit) -> LogEvent | None:
    raw = _cut(msgspec.json.encode(line).decode(), _RAW)
    when, level, name, host = (line.pop(each, None) for each in ("time", "level", "event", "host"))
    if not isinstance(when, int | float) or level not in LEVELS or not isinstance(name, str):
        return None
    words = tuple(replace(each, text=_cut(each.text)) for each in sentence(name, line, unit))
    return LogEvent(float(when), level, _cut(name), words, _cut(host) if isinstance(host, str) else "", raw)


def _without_folder(path: Path, value: Any) -> Any:
    """Hide the crawl's path."""
    if isinstance(value, dict):
        return {name: _without_folder(path, each) for name, each in value.items()}
    if isinstance(value, list):
        return [_without_folder(path, each) for each in value]
    return without_folder(path, value) if isinstance(value, str) else value


def _cut(text: str, most: int = _ROOM) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
