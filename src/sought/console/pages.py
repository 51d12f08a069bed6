"""How does a page become HTML?  Templates, compiled once; whatever they are given is escaped."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from starlette.responses import HTMLResponse

from sought.console.assets import asset

_FOLDER = Path(__file__).parent / "templates"


@cache
def _environment() -> Environment:
    made = Environment(
        autoescape=True,
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals["asset"] = asset
    return made


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


def page(name: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A template of the folder `templates`, filled in.

    No copy of it is used when it is asked for again, but one is when somebody comes back to it: going back to the
    results is no new search.
    """
    headers = {"Cache-Control": "private, no-cache"}
    return HTMLResponse(_template(name).render(**values), status, headers)
