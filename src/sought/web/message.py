"""What is sent to the Web, and what comes back?

The Web enters through one type, `Web`: the live Web over HTTP, a recorded web on a clock and a plain function in a test
are three values of it.  An expected failure (no such host, too slow, too large) is a
Response whose `failure` says which; exceptions are for surprises.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class RequestPurpose(StrEnum):
    """Why something was fetched."""

    PAGE = "page"
    ROBOTS = "robots"
    SITEMAP = "sitemap"


class Failure(StrEnum):
    """Why a request got no usable answer."""

    DNS = "dns"  # the name does not resolve
    ADDRESS = "address"  # the name resolves to an address the guard refuses
    CONNECT = "connect"  # nobody listens, or the connection was cut
    TLS = "tls"  # no trustworthy encryption
    TIMEOUT = "timeout"  # headers or body took too long
    HEADERS = "headers"  # not HTTP, or headers beyond the bounds
    TOO_LARGE = "too-large"  # the body went beyond the bound
    EXPANSION = "expansion"  # decompression went beyond the bound
    CODING = "coding"  # a content coding that is damaged or not supported
    TYPE = "type"  # a content type that is not fetched


@dataclass(frozen=True, slots=True)
class Request:
    """One address to fetch; the two validators make it conditional."""

    url: str
    etag: str = ""
    last_modified: str = ""
    purpose: RequestPurpose = RequestPurpose.PAGE


class Why(NamedTuple):
    """Why a page was chosen: rank and value in the plan, the gain the policy expects and its probability (None: not
    stated), the purpose (empty: not recorded) and the policy.  Rank 0: a person ordered the page.
    """

    rank: int
    value: float
    expected: float | None = None
    chance: float | None = None
    purpose: str = ""
    policy: str = ""


@dataclass(frozen=True, slots=True)
class Response:
    """One answer, redirects not followed.

    `raw` is the body as received (perhaps compressed), `body` is decoded.  `headers` are in the server's order and
    spelling, `sent` are the request's headers.  `time` is when the request was sent (seconds
    since 1970), `elapsed` how long until the last byte; both are whole microseconds, as the archive keeps them.  `why`
    is the reason for the request.
    """

    url: str
    status: int = 0
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    raw: bytes = b""
    body: bytes = b""
    sent: tuple[tuple[str, str], ...] = ()
    time: float = 0.0
    elapsed: float = 0.0
    address: str = ""
    failure: Failure | None = None
    detail: str = ""
    purpose: RequestPurpose = RequestPurpose.PAGE
    why: Why | None = None

    def header(self, name: str) -> str:
        """First value of a header, in any case; empty if absent."""
        name = name.lower()
        for key, value in self.headers:
            if key.lower() == name:
                return value
        return ""

    def all_headers(self, name: str) -> list[str]:
        name = name.lower()
        return [value for key, value in self.headers if key.lower() == name]

    @property
    def media_type(self) -> str:
        return self.header("content-type").partition(";")[0].strip().lower()

    @property
    def is_redirect(self) -> bool:
        return self.status in (301, 302, 303, 307, 308)


Web = Callable[[Request], Awaitable[Response]]
