"""Which oddities of addresses are there?  Duplicates, endless addresses and redirects."""

import re
from html import escape

from sought.toyweb.answer import ToyAnswer, not_found, page, redirect
from sought.toyweb.dice import digest
from sought.toyweb.oddity import Oddity, OddRequest, Respond, article, essay, essay_text
from sought.toyweb.pages import html, link

COLOURS, SIZES, ORDERS = ("red", "green", "blue", "black"), ("s", "m", "l", "xl"), ("price", "name", "new")


def _to(status: int, location: str) -> Respond:
    return lambda request: redirect(status, location)


def _last_number(path: str) -> int | None:
    last = path.rpartition("/")[2]
    return int(last) if re.fullmatch(r"[0-9]{1,9}", last) else None


def _chain(request: OddRequest) -> ToyAnswer:
    left = _last_number(request.path)
    if left is None:
        return not_found()
    return redirect(302, f"/chain/{left - 1}" if left > 1 else "/page/2")


def _endless_chain(request: OddRequest) -> ToyAnswer:
    step = _last_number(request.path)
    return not_found() if step is None else redirect(302, f"/endless/{step + 1}")


def _print_view(request: OddRequest) -> ToyAnswer:
    """The print view is the same text without the links."""
    if request.query == "view=print":
        return page(essay_text(request, request.path).replace("<main>", "<main><p>Print view</p>"))
    return essay(request, request.path, [link(f"{request.path}?view=print", "Print this page")])


def _canonical(request: OddRequest) -> ToyAnswer:
    ways = [link(f"{request.path}?from={way}", f"by way of {way}") for way in ("home", "search", "newsletter")]
    return essay(request, request.path, ways, head=f'<link rel="canonical" href="{request.url("/canonical")}">')


def _canonical_header(request: OddRequest) -> ToyAnswer:
    headers = (("Link", f'<{request.url("/canonical-header")}>; rel="canonical"'),)
    return essay(request, request.path, [link("/canonical-header?from=home", "by way of home")], headers=headers)


def _session(separator: str) -> Respond:
    """Three pages that link to each other, with a new session at every view."""

    def respond(request: OddRequest) -> ToyAnswer:
        plain_path = request.path.partition(";")[0]
        session = digest("session", request.target, request.t) * 2
        steps = [f"{plain_path.rpartition('-')[0]}-{n}{separator}{session}" for n in (1, 2, 3)]
        return essay(request, plain_path, [link(step, f"step {n}") for n, step in enumerate(steps, 1)])

    return respond


def _calendar(request: OddRequest) -> ToyAnswer:
    match = re.fullmatch(r"/calendar/(\d{4})/(\d{2})", request.path)
    if not match or not 1 <= int(match[2]) <= 12:
        return not_found()
    month = int(match[1]) * 12 + int(match[2]) - 1
    names = [f"{m // 12:04}/{m % 12 + 1:02}" for m in (month - 1, month, month + 1)]
    links = [link(f"/calendar/{names[0]}", "previous month"), link(f"/calendar/{names[2]}", "next month")]
    return page(html(f"Calendar {names[1]}", f"<main><h1>{names[1]}</h1><p>No events.</p>{' '.join(links)}</main>"))


def _repeat(request: OddRequest) -> ToyAnswer:
    """A server that has the same page at any path, with relative links that extend the path."""
    return essay(request, "repeat", [link("a/b/", "deeper"), link("b/a/", "deeper still")])


def _facets(request: OddRequest) -> ToyAnswer:
    """Every filter can be added to every address, in any order."""
    chosen = [part for part in request.query.split("&") if part][:12]
    choices = [f"colour={c}" for c in COLOURS] + [f"size={s}" for s in SIZES] + [f"sort={o}" for o in ORDERS]
    links = [link(escape("/shop?" + "&".join([*chosen, c])), c.replace("=", " ")) for c in choices if c not in chosen]
    return essay(request, "shop", links)


def _soft_404(request: OddRequest) -> ToyAnswer:
    return page(html("Page not found", "<h1>Page not found</h1><p>Sorry, the page you want does not exist.</p>"))


ADDRESSES = (
    *(Oddity("redirects", f"/{s}", f"{s} to a page", _to(s, "/page/1")) for s in (301, 302, 303, 307, 308)),
    Oddity("redirects", "/chain/*", "a chain of three", _chain, "/chain/3"),
    Oddity("redirects", "/endless/*", "a chain without end", _endless_chain, "/endless/1"),
    Oddity("redirects", "/loop/a", "a loop", _to(302, "/loop/b")),
    Oddity("redirects", "/loop/b", "the other half of the loop", _to(302, "/loop/a")),
    Oddity("redirects", "/self", "to itself", _to(301, "/self")),
    Oddity(
        "redirects",
        "/other-host",
        "to another host",
        lambda request: redirect(301, request.atlas.url("duplicates.toy.test")),
    ),
    Oddity("redirects", "/private-address", "to a private address", _to(302, "http://10.0.0.1/")),
    Oddity(
        "redirects",
        "/metadata-address",
        "to a link-local address",
        _to(302, "http://169.254.169.254/latest/meta-data/"),
    ),
    Oddity("redirects", "/other-scheme", "to a file", _to(302, "file:///etc/passwd")),
    Oddity("redirects", "/bad-location", "to something that is not a URL", _to(302, "http://[")),
    Oddity("redirects", "/no-location", "to nowhere", lambda request: ToyAnswer(302)),
    Oddity("duplicates", "/print/*", "near-duplicates: ?view=print", _print_view, "/print/1"),
    Oddity("duplicates", "/canonical", "one page, many queries, rel=canonical", _canonical, "/canonical?from=home"),
    Oddity(
        "duplicates", "/canonical-header", "the same by a Link header", _canonical_header, "/canonical-header?from=home"
    ),
    Oddity(
        "duplicates", "/same/*", "the same page under every number", lambda request: essay(request, "same"), "/same/1"
    ),
    Oddity("duplicates", "/same-too", "and under another name", lambda request: essay(request, "same")),
    Oddity("sessions", "/path-*", "a session in the path", _session(";jsessionid="), "/path-1"),
    Oddity("sessions", "/query-*", "a session in the query", _session("?sid="), "/query-1"),
    Oddity("sessions", "/unknown-*", "a session nobody can know by its name", _session("?visit="), "/unknown-1"),
    Oddity("calendar", "/calendar/*", "months without end", _calendar, "/calendar/2031/05"),
    Oddity("repeat", "/a/*", "path segments that repeat without end", _repeat, "/a/b/"),
    Oddity("repeat", "/b/*", "the same", _repeat, "/b/a/"),
    Oddity("facets", "/shop", "an explosion of parameters", _facets),
    Oddity("soft-404", "/*", "200 for what does not exist", _soft_404, "/no-such-page"),
    Oddity("soft-404", "/real", "a page that exists", article),
)
