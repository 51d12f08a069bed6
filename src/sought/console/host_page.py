"""The page of a host: what is known of it, what is it worth in the answers, and how is it treated?"""

from typing import Any

from starlette.routing import BaseRoute

from sought.console.context import ConsoleContext
from sought.console.lookup import About, route
from sought.operate.explain_host import explain_host
from sought.operate.view import View
from sought.record.admission import REASONS
from sought.record.settings import load_settings
from sought.web.errors import BadInput, SoughtError
from sought.web.url import canonical, hostname, origin


def routes(office: ConsoleContext) -> list[BaseRoute]:
    return [route(office, About("host", "Host", _read, _looked_up))]


def _read(text: str) -> str:
    """An origin, or the bare name of a host."""
    if "://" in text:
        return origin(canonical(text))
    return origin(canonical(f"https://{text.strip()}")).removeprefix("https://")


def _looked_up(view: View, wanted: str, now: float) -> dict[str, Any]:
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
