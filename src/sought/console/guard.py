"""Whom does the server answer, and what may a browser do with an answer?

- Only requests to its own names are answered: a page elsewhere whose name was made to lead to this machine (DNS
  rebinding) cannot read what is here.
- Only our own pages can change anything: what a browser sends on behalf of another site is refused.
- Nothing on a page runs or loads unless it is a file of this server: not what a crawled page says, not inline scripts.
"""

from collections.abc import Iterable

from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_SAFE = ("GET", "HEAD", "OPTIONS")
_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
_HEADERS = [
    (b"content-security-policy", "; ".join(f"{what} {who}" for what, who in _POLICY.items()).encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


class Guard:
    """Middleware around all routes.  `hosts` are names beside those of loopback, without ports."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._hosts = {*LOOPBACK, *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]  # no answer has one of these by itself
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get(b"host", "").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if name not in self._hosts:
            text = "This server does not go by that name; 'sought serve --allow-host NAME' lets it.\n"
            return PlainTextResponse(text, 421)
        if scope["method"] not in _SAFE and _from_elsewhere(headers, host):
            return PlainTextResponse("Only pages of this server may ask for that.\n", 403)
        return None


def _from_elsewhere(headers: dict[bytes, str], host: str) -> bool:
    """A browser says so; a program, which says neither, is nobody's unwitting messenger."""
    site, origin = headers.get(b"sec-fetch-site", "same-origin"), headers.get(b"origin")
    return site not in ("same-origin", "none") or (origin is not None and origin.partition("://")[2].lower() != host)
