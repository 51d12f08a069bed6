"""Whom does the server answer, and what may a browser do with an answer?

- Only requests to its own names are answered: a page elsewhere whose name was made to lead to this machine (DNS
  rebinding) cannot read what is here.
- Only our own pages can change anything: what a browser sends on behalf of another site is refused.
- Nothing on a page runs or loads unless it is a file of this server: not what a crawled page says, not inline scripts.
"""

from collections.abc import Iterable

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sought.console.refusals import HEADERS, refusal

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_SAFE = ("GET", "HEAD", "OPTIONS")
_WRITTEN = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class HostGuard:
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
                message["headers"] = [*message["headers"], *_WRITTEN]
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send_guarded)

    def _refusal(self, scope: Scope) -> Response | None:
        path, headers = scope["path"], {name: value.decode("latin-1") for name, value in scope["headers"]}
        if sum(name == b"host" for name, _ in scope["headers"]) > 1:
            return refusal(path, 400, "A request must have exactly one Host header.")
        host = headers.get(b"host", "").lower()
        name = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
        if name not in self._hosts:
            text = "This server does not answer to that host name; 'sought serve --allow-host NAME' adds it."
            return refusal(path, 421, text)
        if scope["method"] not in _SAFE and _from_elsewhere(headers, host):
            return refusal(path, 403, "Only pages of this server may send this request.")
        return None


def _from_elsewhere(headers: dict[bytes, str], host: str) -> bool:
    """Browsers say so in headers; programs send neither header and are admitted."""
    site, origin = headers.get(b"sec-fetch-site", "same-origin"), headers.get(b"origin")
    return site not in ("same-origin", "none") or (origin is not None and origin.partition("://")[2].lower() != host)
