"""Which host is odd in which way?  One table; each row is a host or path with a descriptive name.

Besides its rows, every odd host has a home page that links to them, three ordinary pages, a page under /private/ and,
unless a row overrides it, a robots.txt that forbids the latter.
"""

import re

from sought.toyweb.answer import ToyAnswer, not_found, plain
from sought.toyweb.odd_addresses import ADDRESSES
from sought.toyweb.odd_bytes import BYTES
from sought.toyweb.odd_manners import MANNERS
from sought.toyweb.oddity import Oddity, OddRequest, article, essay
from sought.toyweb.pages import link
from sought.toyweb.sitemaps import robots_lines

TABLE: tuple[Oddity, ...] = (*ADDRESSES, *MANNERS, *BYTES)
BY_HOST = {row.host: tuple(r for r in TABLE if r.host == row.host) for row in TABLE}
_ORDINARY = re.compile(r"/page/[1-5]|/private/page")


def odd_answer(request: OddRequest) -> ToyAnswer:
    """By the row with exactly this path, else a page of every odd host, else the row whose pattern covers the path."""
    rows = BY_HOST[request.host]
    exact = next((row for row in rows if row.path == request.path), None)
    if exact is not None:
        return exact.respond(request)
    if request.path == "/":
        return _home(request, rows)
    if request.path == "/robots.txt":
        return plain(robots_lines("Disallow: /private/"))
    if _ORDINARY.fullmatch(request.path):
        return article(request)
    covering = next((row for row in rows if row.covers(request.path)), None)
    return covering.respond(request) if covering else not_found()


def _home(request: OddRequest, rows: tuple[Oddity, ...]) -> ToyAnswer:
    odd = [link(row.entry, row.note) for row in rows if row.linked and row.path != "/robots.txt"]
    ordinary = [link(f"/page/{n}", f"ordinary page {n}") for n in (1, 2, 3)]
    return essay(request, "/", [*odd, *ordinary, link("/private/page", "private page")])
