"""Which host is odd in which way?  One table; each row is a host or path of its own with a name that says so.

Beside its rows every odd host has a home page that links to them, three ordinary pages, a page under /private/ and,
unless a row says otherwise, a robots.txt that forbids the latter.
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


def odd_answer(ask: OddRequest) -> ToyAnswer:
    """The row for this very path, else what every odd host has, else the row whose pattern covers the path."""
    rows = BY_HOST[ask.host]
    exact = next((row for row in rows if row.path == ask.path), None)
    if exact is not None:
        return exact.respond(ask)
    if ask.path == "/":
        return _home(ask, rows)
    if ask.path == "/robots.txt":
        return plain(robots_lines("Disallow: /private/"))
    if _ORDINARY.fullmatch(ask.path):
        return article(ask)
    covering = next((row for row in rows if row.covers(ask.path)), None)
    return covering.respond(ask) if covering else not_found()


def _home(ask: OddRequest, rows: tuple[Oddity, ...]) -> ToyAnswer:
    odd = [link(row.entry, row.note) for row in rows if row.linked and row.path != "/robots.txt"]
    ordinary = [link(f"/page/{n}", f"ordinary page {n}") for n in (1, 2, 3)]
    return essay(ask, "/", [*odd, *ordinary, link("/private/page", "private page")])
