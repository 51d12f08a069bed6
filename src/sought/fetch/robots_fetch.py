"""What does the host's robots.txt say today?  Fetching it, and what its absence means (RFC 9309 §2.3)."""

from dataclasses import dataclass
from typing import Self

from sought.fetch.robots import ALLOW_ALL, DENY_ALL, MAX_BYTES, Robots
from sought.web.errors import BadURL
from sought.web.message import Failure, Request, RequestPurpose, Response, Web
from sought.web.url import canonical

MAX_REDIRECTS = 5
HOUR = 3600.0

# How long an answer holds. "deny" only ever means that the file could not be had: asked again sooner.
LIFETIMES = {"parsed": 24 * HOUR, "allow": 24 * HOUR, "deny": HOUR, "guarded": HOUR}


@dataclass(frozen=True, slots=True)
class RobotsFetch:
    """The outcome of one look at a robots.txt, as it is stored: three plain values."""

    kind: str  # "parsed", "allow" (there is none), "deny" (it could not be had) or "guarded" (the address is refused)
    text: bytes
    fetched_at: float

    @classmethod
    def of(cls, response: Response) -> Self:
        """What the last answer of a chain of redirects means."""
        kind = _verdict(response)
        return cls(kind, response.body[:MAX_BYTES] if kind == "parsed" else b"", response.time)

    @property
    def expires_at(self) -> float:
        return self.fetched_at + LIFETIMES[self.kind]

    def robots(self, agent: str) -> Robots:
        """The rules this outcome stands for."""
        if self.kind == "parsed":
            return Robots.parse(self.text, agent)
        return ALLOW_ALL if self.kind == "allow" else DENY_ALL


async def fetch_robots(web: Web, origin: str) -> tuple[RobotsFetch, list[Response]]:
    """Look at the robots.txt of an origin, through redirects to any host; all answers are returned for the archive."""
    url = f"{origin}/robots.txt"
    responses: list[Response] = []
    while True:
        response = await web(Request(url, purpose=RequestPurpose.ROBOTS))
        responses.append(response)
        url = redirected(response)
        if not url or len(responses) > MAX_REDIRECTS:
            return RobotsFetch.of(response), responses


def redirected(response: Response) -> str:
    """Where the answer sends us; nowhere if it is not a redirect, or one to nothing fetchable."""
    location = response.header("location")
    if response.failure or not response.is_redirect or not location:
        return ""
    try:
        return canonical(location, response.url)
    except BadURL:
        return ""


def _verdict(response: Response) -> str:
    if response.failure:
        return "guarded" if response.failure is Failure.ADDRESS else "deny"
    if 200 <= response.status <= 299:
        return "parsed"
    # 429 is a 4xx, but a server that has too much to do has not told us that everything is open: Google's reading.
    unavailable = 300 <= response.status <= 499 and response.status != 429
    return "allow" if unavailable else "deny"
