"""What do all pages of the console need, and how does each become HTML?"""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import HTMLResponse

from sought.console import wording
from sought.console.control import Control
from sought.console.folders import without_folder
from sought.console.number_labels import FIGURES
from sought.console.pages import page
from sought.console.view_cache import Pending, Question, ViewCache
from sought.web.errors import SoughtError

AGAIN = "3"  # seconds after which a page that has to wait looks again


class Tables(NamedTuple):
    """What the tables say, and of when they are; or in `problem`, why they do not.  Neither: there are none yet."""

    found: Any = None
    time: float = 0.0
    problem: str = ""


class ConsoleContext:
    """One crawl, its tables, and who may give orders: nobody without `control`."""

    def __init__(self, path: Path, control: Control | None = None) -> None:
        self.path = path
        self.control = control
        self.views = ViewCache(path)

    def page(self, request: Request, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        """A template with all that templates of the console expect."""
        return page(name, status, **common(), control=self._rights(request), **values)

    async def tables(self, key: Hashable, question: Question[Any]) -> Tables:
        """The answer to a question about the tables, for a page that can do without."""
        if not (self.path / "store").exists():
            return Tables()
        try:
            answer = await self.views.ask(key, question)
        except SoughtError as why:  # it takes a while, or the crawl's files are in trouble: an operator should know
            return Tables(problem=without_folder(self.path, str(why)))
        return Tables(answer.found, answer.time)

    def with_tables(self, request: Request, name: str, tables: Tables, **values: Any) -> HTMLResponse:
        """A page that shows what the tables say, and looks again if they do not yet."""
        answer = self.page(request, name, **values, tables=tables)
        if tables.problem:
            answer.headers["Refresh"] = AGAIN
        return answer

    def sorry(self, request: Request, title: str, sentence: str, status: int) -> HTMLResponse:
        """A page that has nothing but one clear sentence."""
        return self.page(request, "console_sorry.html", status, title=title, sentence=_whole(sentence))

    def wait(self, request: Request, title: str, why: Pending) -> HTMLResponse:
        """A page that says that it has to wait, and looks again by itself."""
        answer = self.page(request, "console_wait.html", 503, title=title, sentence=str(why))
        answer.headers.update({"Refresh": AGAIN, "Retry-After": AGAIN})
        return answer

    def _rights(self, request: Request) -> Mapping[str, Any] | None:
        """None if there is no control; else what a form needs, if this browser has shown the token."""
        return self.control.rights(request) if self.control else None


def _whole(sentence: str) -> str:
    """With a capital, unless it begins with a name, and a full stop."""
    first, space, rest = sentence.partition(" ")
    text = f"{first.capitalize() if first.isalpha() else first}{space}{rest}"
    return text if text.endswith((".", "!", "?")) else f"{text}."


def common() -> dict[str, Any]:
    return {"say": wording, "figures": FIGURES, "link": link}


def fragment(name: str, **values: Any) -> str:
    """A part of a page."""
    return bytes(page(name, **common(), **values).body).decode()


def link(what: str, value: str) -> str:
    """The address of the page about a `url`, a `query` or a `host`."""
    return f"/console/{what}?{what[0]}={quote(value, safe='')}"
