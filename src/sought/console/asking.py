"""What does a request ask, and may it be remembered?  From query strings and headers to values, everything bounded."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request

from sought.demand.rows import MAX_QUERY, query_text, source_id
from sought.web.errors import BadInput

PAGE = 10  # results on a page
MAX_PAGE = 100
MAX_LIMIT = 100
MAX_OFFSET = 1_000
_OUR_ID = re.compile("sought-[0-9a-f]{16}")
_DIGITS = re.compile("[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class Question:
    """A search as it was asked.

    `search` is the recorded search of which this shows further results, or 0.  `remember`: it may go into the log.
    """

    text: str
    limit: int = PAGE
    offset: int = 0
    search: int = 0
    remember: bool = False


def may_remember(request: Request) -> bool:
    """Not if the person objects, and not what no person asked: requests of other sites, prefetching, HEAD."""
    headers: Mapping[str, str] = request.headers
    objects = "1" in (headers.get("dnt"), headers.get("sec-gpc"))
    elsewhere = headers.get("sec-fetch-site") == "cross-site"
    early = "prefetch" in headers.get("sec-purpose", headers.get("purpose", ""))
    return not (objects or elsewhere or early or request.method == "HEAD")


def query(request: Request) -> str:
    """The query in one line, or "" if there is none."""
    text = " ".join(request.query_params.get("q", "").split())
    if len(text) > MAX_QUERY:
        raise HTTPException(400, f"A query may have at most {MAX_QUERY:,} characters.")
    try:
        return query_text(text) if text else ""
    except BadInput as error:
        raise HTTPException(400, f"Invalid query: {error}.") from None


def number(request: Request, name: str, default: int, least: int, most: int) -> int:
    given = request.query_params.get(name)
    if given is None:
        return default
    if not _DIGITS.fullmatch(given) or not least <= int(given) <= most:
        raise HTTPException(400, f"The parameter {name} is a whole number from {least} to {most:,}.")
    return int(given)


def search_id(given: str) -> int:
    """The number of a search, from its id in an answer."""
    if not _OUR_ID.fullmatch(given):
        raise HTTPException(400, "No search has such a query_id.")
    return source_id(given)
