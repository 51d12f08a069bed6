"""The demo in a browser: one page that draws the state each second."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from sought.console import assets
from sought.console.guard import HostGuard
from sought.console.refusals import UnexpectedErrors, refusal, refused
from sought.console.serving import address, listen, make_server, run
from sought.demo.example import ExampleAnswers, difference
from sought.demo.figures import SIDES
from sought.demo.state import NAMES, DemoState

_HERE = Path(__file__).parent
_CONSOLE = Path(assets.__file__).parent / "templates"
_FILES = {"/demo.js": "text/javascript", "/demo.css": "text/css"}
_FRESH = {"Cache-Control": "no-store"}
_encode = msgspec.json.Encoder().encode


@contextmanager
def open_page(state: Callable[[], DemoState], port: int) -> Iterator[str]:
    """Serve the page from a thread of its own; yields its address."""
    listening = listen("127.0.0.1", port)
    server = make_server(make_page(state))
    thread = threading.Thread(target=run, args=(server, listening), name="page", daemon=True)
    thread.start()
    try:
        yield address(listening)
    finally:
        server.should_exit = True
        thread.join()


def make_page(state: Callable[[], DemoState]) -> Starlette:
    async def page(_: Request) -> Response:
        return HTMLResponse(_page(), headers=_FRESH)

    async def now(_: Request) -> Response:
        return Response(_encode(as_json(state())), headers=_FRESH, media_type="application/json")

    async def file(request: Request) -> Response:
        path = request.url.path
        return Response((_HERE / "static" / path[1:]).read_bytes(), headers=_FRESH, media_type=_FILES[path])

    files = [Route(path, file) for path in _FILES]
    routes = [Route("/", page), Route("/state.json", now), *files, *assets.routes()]
    return Starlette(
        routes=routes,
        middleware=[Middleware(HostGuard), Middleware(UnexpectedErrors, answer=_failed)],
        exception_handlers={HTTPException: refused},
    )


def _failed(request: Request) -> Response:
    return refusal(request.url.path, 500, "Internal error. The terminal of the demo has the details.")


@cache
def _page() -> str:
    folders = [_HERE / "templates", _CONSOLE]
    made = Environment(autoescape=True, loader=FileSystemLoader(folders), undefined=StrictUndefined)
    return made.get_template("demo.html").render(asset=assets.asset, names=NAMES)


def as_json(state: DemoState) -> dict[str, Any]:
    """The state, as JSON has it."""
    points = state.history
    return {
        "phase": state.phase,
        "steps": [{"name": step.name, "words": step.words, "share": step.share} for step in state.steps],
        "busy": state.busy,
        "seconds_to_start": state.seconds_to_start,
        "seconds": state.seconds,
        "day": state.day,
        "searches": state.searches,
        "sides": {name: side._asdict() for name, side in state.sides.items()},
        "times": [each.time for each in points],
        "quality": {name: [each.quality[k] for each in points] for k, name in enumerate(SIDES)},
        "asked": [{"query": query, "share": share} for query, share in state.asked],
        "answers": _answers(state.answers) if state.answers else None,
    }


def _answers(examples: ExampleAnswers) -> dict[str, Any]:
    """What both showed; of each result, how good it really is: 1 is the best page there is, 0 gone or off the point."""
    lists = {
        name: [
            {"title": title, "url": url, "worth": worth / examples.best, "gone": gone}
            for title, url, worth, gone in zip(shown.titles, shown.urls, worths, away, strict=True)
        ][:5]
        for name, shown, worths, away in zip(SIDES, examples.shown, examples.worth, examples.gone, strict=True)
    }
    return {"query": examples.query, "difference": difference(examples, NAMES), "sides": lists}
