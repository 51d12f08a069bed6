"""May this address be fetched?  robots.txt by RFC 9309: how it is fetched, read and matched.

The file is read as octets (Latin-1, one character each): its patterns are compared octet by octet, and a stray byte in
one line must not change another.  The longest matching rule decides, `allow` on a tie.  One departure: a file with more
than MAX_WILDCARDS wildcard rules closes the host, because checking them at every address would cost more than the page.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Self

from sought.fetch.agent import product_token
from sought.web.errors import BadURL
from sought.web.message import Failure, Request, RequestPurpose, Response, Web
from sought.web.url import canonical

MAX_BYTES = 512_000  # §2.5
MAX_SITEMAPS = 50

# Spellings found in the wild; an unknown record changes nothing (§2.2.4).
_RECORDS = {
    "user-agent": "agent",
    "useragent": "agent",
    "user agent": "agent",
    "allow": "allow",
    "disallow": "disallow",
    "dissallow": "disallow",
    "dissalow": "disallow",
    "disalow": "disallow",
    "diasllow": "disallow",
    "disallaw": "disallow",
    "crawl-delay": "delay",
    "crawldelay": "delay",
    "sitemap": "sitemap",
    "site-map": "sitemap",
}
_BLANK = " \t\v\f\0"


@dataclass(slots=True)
class Group:
    """The rules for one crawler: (allow?, pattern) in order, and the longest delay asked for."""

    rules: list[tuple[bool, str]] = field(default_factory=list)
    delay: float | None = None


def read_group(body: bytes, agent: str) -> tuple[Group, tuple[str, ...]]:
    """The group for this agent (else for `*`, else an empty one), and the sitemaps."""
    own_name = product_token(agent)
    groups: dict[str, Group] = {}
    sitemaps: dict[str, None] = {}
    addressed: list[Group] = []
    naming = False  # in a run of user-agent lines, which a rule ends
    for record, value in _records(body):
        if record == "agent":
            addressed = addressed if naming else []
            naming = True
            name = "*" if value.startswith("*") else product_token(value)
            if name in (own_name, "*"):
                addressed.append(groups.setdefault(name, Group()))
        elif record == "sitemap":
            _add_sitemap(sitemaps, value)
        elif record == "delay":
            _add_delay(addressed, value)
        else:
            naming = False
            for group in addressed if value else ():
                group.rules.append((record == "allow", value))
    return groups.get(own_name) or groups.get("*") or Group(), tuple(sitemaps)


def _records(body: bytes) -> list[tuple[str, str]]:
    if len(body) >= MAX_BYTES:
        body = body[:MAX_BYTES].rpartition(b"\n")[0]  # a truncated rule would be another rule
    text = body.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    records = (_record(line) for line in re.split(r"[\r\n]+", text))
    return [record for record in records if record is not None]


def _record(line: str) -> tuple[str, str] | None:
    line = line.partition("#")[0].strip(_BLANK)
    name, _, value = line.partition(":")
    record = _RECORDS.get(name.strip(_BLANK).lower())
    if record is None:  # the colon may be missing
        name, _, value = line.partition(" ")
        record = _RECORDS.get(name.lower())
    return None if record is None else (record, value.strip(_BLANK))


def _add_sitemap(sitemaps: dict[str, None], value: str) -> None:
    if len(sitemaps) >= MAX_SITEMAPS:
        return
    try:
        sitemaps[canonical(value.encode("latin-1").decode("utf-8", "replace"))] = None
    except BadURL:
        pass


def _add_delay(addressed: list[Group], value: str) -> None:
    try:
        seconds = float(value)
    except ValueError:
        return
    if math.isfinite(seconds) and seconds >= 0:
        for group in addressed:
            group.delay = max(seconds, group.delay or 0.0)


MAX_WILDCARDS = 2000

# Unreserved characters, `/` and `?` are kept; everything else is written as %XX.
_UNPLAIN = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~/?]")
_UNPLAIN_IN_PATTERN = re.compile(r"%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~/?*]")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


@dataclass(frozen=True, slots=True)
class Wildcard:
    """`/a*b$` as its parts ("/a", "b"), tied to the end or not.  A single part is a pattern that ends with `$`."""

    rank: int
    parts: tuple[str, ...]
    anchored: bool

    @property
    def longest(self) -> str:
        """The longest part, which an address must contain to match."""
        return max(self.parts, key=len)

    def matches(self, path: str) -> bool:
        first, last = self.parts[0], self.parts[-1]
        if len(self.parts) == 1:
            return path == first
        if not path.startswith(first):
            return False
        position = len(first)
        for part in self.parts[1:-1]:
            position = path.find(part, position)
            if position < 0:
                return False
            position += len(part)
        return path.endswith(last, position) if self.anchored else path.find(last, position) >= 0


@dataclass(frozen=True, slots=True)
class Robots:
    """What one host asks of crawlers.

    A rule's rank is twice the length of its pattern, plus one if it allows: the highest rank that matches decides, and
    its last bit is the answer.
    """

    delay: float | None = None
    sitemaps: tuple[str, ...] = ()
    _plain: dict[str, int] = field(default_factory=dict, repr=False)
    _lengths: tuple[int, ...] = field(default=(), repr=False)
    _wildcards: tuple[tuple[int, str, Wildcard], ...] = field(default=(), repr=False)  # highest rank first

    @classmethod
    def parse(cls, body: bytes, agent: str) -> Self:
        """Read a robots.txt for a crawler called `agent` (a product token or a whole User-Agent)."""
        group, sitemaps = read_group(body, agent)
        plain: dict[str, int] = {}
        wildcards: list[Wildcard] = []
        for allow, written in group.rules:
            if written.startswith(("/", "*")):
                _add_rule(plain, wildcards, allow, written)
        if len(wildcards) > MAX_WILDCARDS:
            plain, wildcards = {"/": 2}, []
        wildcards.sort(key=lambda rule: -rule.rank)
        lengths = tuple(sorted({len(prefix) for prefix in plain}))
        ranked = tuple((rule.rank, rule.longest, rule) for rule in wildcards)
        return cls(group.delay, sitemaps, plain, lengths, ranked)

    def allows(self, url: str) -> bool:
        """Whether a canonical URL of this host may be fetched."""
        path = _normal(url[url.index("/", 8) :], _UNPLAIN)
        if path == "/robots.txt":
            return True
        best = 1
        for length in self._lengths:
            best = max(best, self._plain.get(path[:length], 0))
        for rank, longest, rule in self._wildcards:
            if rank <= best:
                break
            if longest in path and rule.matches(path):
                best = rank
                break
        return best & 1 == 1


def _add_rule(plain: dict[str, int], wildcards: list[Wildcard], allow: bool, written: str) -> None:
    anchored = written.endswith("$")
    pattern = _normal(re.sub(r"\*+", "*", written.removesuffix("$")), _UNPLAIN_IN_PATTERN)
    rank = 2 * (len(pattern) + anchored) + allow
    prefix = pattern.removesuffix("*")
    if "*" not in prefix and not (anchored and prefix == pattern):
        plain[prefix] = max(rank, plain.get(prefix, 0))
        return
    wildcards.append(Wildcard(rank, tuple(pattern.split("*")), anchored))
    head, star, tail = pattern.partition("*")
    if "?" not in pattern and tail != _plain_query(tail):  # after a `*` it may be meant for the query
        wildcards.append(Wildcard(rank, tuple(f"{head}{star}{_plain_query(tail)}".split("*")), anchored))


def _normal(text: str, unplain: re.Pattern[str]) -> str:
    """One spelling for equivalent paths (§2.2.2, and its table of examples)."""
    path, mark, query = unplain.sub(_spelling, text).partition("?")
    return f"{path}?{_plain_query(query)}" if mark else path


def _plain_query(query: str) -> str:
    """In a query, unlike in a path, an encoded `/` or `?` means the same as a plain one."""
    return query.replace("%2F", "/").replace("%3F", "?")


def _spelling(match: re.Match[str]) -> str:
    return _SPELLINGS[match[0]]


class _Spellings(dict[str, str]):
    """The normal spelling of an octet, plain or as %XX; filled on demand."""

    def __missing__(self, text: str) -> str:
        if len(text) == 1:  # the file is read as octets, and canonical addresses are ASCII
            return f"%{ord(text):02X}"
        character = chr(int(text[1:], 16))
        spelling = self[text] = character if character in _UNRESERVED else text.upper()
        return spelling


_SPELLINGS = _Spellings({chr(octet): f"%{octet:02X}" for octet in range(256)})

ALLOW_ALL = Robots()
DENY_ALL = Robots(_plain={"/": 2}, _lengths=(1,))


MAX_REDIRECTS = 5
HOUR = 3600.0

# How long an outcome is valid. "deny" means that the file could not be fetched: it is tried again sooner.
LIFETIMES = {"parsed": 24 * HOUR, "allow": 24 * HOUR, "deny": HOUR, "guarded": HOUR}


@dataclass(frozen=True, slots=True)
class RobotsFetch:
    """The outcome of fetching a robots.txt, as it is stored."""

    kind: str  # "parsed", "allow" (there is none), "deny" (the fetch failed) or "guarded" (the address is refused)
    text: bytes
    fetched_at: float

    @classmethod
    def from_response(cls, response: Response) -> Self:
        """The outcome of the last answer in a chain of redirects."""
        kind = _verdict(response)
        return cls(kind, response.body[:MAX_BYTES] if kind == "parsed" else b"", response.time)

    @property
    def expires_at(self) -> float:
        return self.fetched_at + LIFETIMES[self.kind]

    def robots(self, agent: str) -> Robots:
        """The rules of this outcome."""
        if self.kind == "parsed":
            return Robots.parse(self.text, agent)
        return ALLOW_ALL if self.kind == "allow" else DENY_ALL


async def fetch_robots(web: Web, origin: str) -> tuple[RobotsFetch, list[Response]]:
    """Fetch the robots.txt of an origin, through redirects to any host; all answers are returned for the archive."""
    url = f"{origin}/robots.txt"
    responses: list[Response] = []
    while True:
        response = await web(Request(url, purpose=RequestPurpose.ROBOTS))
        responses.append(response)
        url = redirected(response)
        if not url or len(responses) > MAX_REDIRECTS:
            return RobotsFetch.from_response(response), responses


def redirected(response: Response) -> str:
    """The target of a redirect; empty if the answer is none, or the target cannot be fetched."""
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
    # 429 is a 4xx, but an overloaded server has not allowed everything (as Google reads it).
    unavailable = 300 <= response.status <= 499 and response.status != 429
    return "allow" if unavailable else "deny"
