"""A long list in pages: which rows are on this one, and where are the others?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request

from sought.console.asking import number

ROWS = 50  # on a page
MOST = 10_000  # pages that can be asked for
LONGEST = 200  # characters of a text to look for
Row = TypeVar("Row")


@dataclass(frozen=True)
class ListPage(Generic[Row]):
    """One page of a list: its rows, which page of how many it is, and the address of any other."""

    rows: Sequence[Row]
    at: int
    count: int
    where: str
    asked: dict[str, str]

    @property
    def last(self) -> int:
        return max(1, -(-self.count // ROWS))

    @property
    def first_row(self) -> int:
        return (self.at - 1) * ROWS + 1

    def link(self, at: int) -> str:
        given = {name: text for name, text in {**self.asked, "page": str(at) if at > 1 else ""}.items() if text}
        return f"{self.where}?{urlencode(given)}" if given else self.where


def page_asked(request: Request) -> int:
    return number(request, "page", 1, 1, MOST)


def rows_of(at: int) -> slice:
    """Of a page."""
    return slice((at - 1) * ROWS, at * ROWS)


def choice(request: Request, name: str, known: Sequence[str]) -> str:
    """One of these words; the first if none is given."""
    given = request.query_params.get(name, known[0])
    if given not in known:
        raise HTTPException(400, f"The parameter {name} must be one of {', '.join(known)}.")
    return given


def text_asked(request: Request) -> str:
    text = request.query_params.get("text", "").strip()
    if len(text) > LONGEST:
        raise HTTPException(400, f"The filter text has at most {LONGEST} characters.")
    return text
