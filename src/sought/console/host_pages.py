"""Which hosts does the crawl know, and how is each treated?"""

import asyncio
import time
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import BaseRoute, Route

from sought.console.context import ConsoleContext
from sought.console.live import shown
from sought.console.lookup import About, route
from sought.console.paging import ListPage, choice, page_asked, rows_of, text_asked
from sought.console.pulse import last_pulse
from sought.operate.explain_host import all_hosts, explain_host
from sought.operate.view import View
from sought.record.admission import REASONS
from sought.record.settings import load_settings
from sought.web.errors import BadInput, SoughtError
from sought.web.url import canonical, hostname, origin

MOST = 5_000  # hosts that are looked through, those with most URLs first
KINDS = {"all": "All hosts", "trouble": "In trouble"}


def routes(context: ConsoleContext) -> list[BaseRoute]:
    async def hosts(request: Request) -> HTMLResponse:
        kind, text, at = choice(request, "show", list(KINDS)), text_asked(request), page_asked(request)
        tables = await context.tables("hosts", _all_hosts)
        found = tables.found or {"rows": [], "count": 0}
        rows = [each for each in found["rows"] if _is_wanted(each, kind, text)]
        asked = {"show": kind if kind != "all" else "", "text": text}
        part = ListPage(rows[rows_of(at)], at, len(rows), "/console/hosts", asked)
        values = {"part": part, "kinds": KINDS, "kind": kind, "text": text, "partly": found["count"] > MOST}
        pulse = await asyncio.to_thread(last_pulse, context.path)
        return context.with_tables(
            request, "console_hosts.html", tables, **values, most=MOST, **shown(pulse, time.time())
        )

    return [Route("/console/hosts", hosts), route(context, About("host", "Host", _read, _one_host))]


def _is_wanted(host: dict[str, Any], kind: str, text: str) -> bool:
    return text.casefold() in host["origin"].casefold() and (kind == "all" or host["troubles_in_a_row"] > 0)


def _all_hosts(view: View) -> dict[str, Any]:
    return {"rows": [each.to_json() for each in all_hosts(view, MOST)], "count": len(view.hosts)}


def _read(text: str) -> str:
    """An origin, or the bare name of a host."""
    if "://" in text:
        return origin(canonical(text))
    return origin(canonical(f"https://{text.strip()}")).removeprefix("https://")


def _one_host(view: View, wanted: str, now: float) -> dict[str, Any]:
    found = explain_host(view, _origin(view, wanted))
    name = hostname(f"{found.origin}/")
    return found.to_json() | {"name": name, "blocked": name in _blocked(view), "now": now, "refusals": REASONS}


def _origin(view: View, wanted: str) -> str:
    """A bare name may stand for either kind of address, and for any port."""
    if "://" in wanted or wanted.startswith("["):
        return wanted
    known = view.hosts.by_origin
    likely = [each for each in known if hostname(f"{each}/") == wanted or each.partition("://")[2] == wanted]
    if not likely:
        raise BadInput(f"{wanted} is not a host of this crawl")
    return max(likely)  # https rather than http


def _blocked(view: View) -> tuple[str, ...]:
    try:
        return load_settings(view.path).blocked
    except SoughtError:
        return ()
