"""May this address be fetched?  The rules of a robots.txt, matched as RFC 9309 §2.2.2 and §2.2.3 say.

The longest matching rule decides, `allow` on a tie.  One departure: a file with more wildcard rules than anyone would
write by hand closes the host, because checking them at every address would cost more than the page.
"""

import re
from dataclasses import dataclass, field
from typing import Self

from sought.fetch import robots_text

MAX_WILDCARDS = 2000

# Unreserved characters stand for themselves, everything else as %XX; `/` and `?` also stand, they give the structure.
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
        """What an address must contain, at the least, to match."""
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
    """What one host asks of us.

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
        """Read a robots.txt as the crawler called `agent` (a product token or a whole User-Agent)."""
        group, sitemaps = robots_text.read(body, agent)
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
    if "?" not in pattern and tail != _plain_query(tail):  # behind a `*` it may be meant for the query
        wildcards.append(Wildcard(rank, tuple(f"{head}{star}{_plain_query(tail)}".split("*")), anchored))


def _normal(text: str, unplain: re.Pattern[str]) -> str:
    """One spelling for equivalent paths (§2.2.2, and its table of examples)."""
    path, mark, query = unplain.sub(_spelled, text).partition("?")
    return f"{path}?{_plain_query(query)}" if mark else path


def _plain_query(query: str) -> str:
    """In a query, unlike in a path, an encoded `/` or `?` means the same as a plain one."""
    return query.replace("%2F", "/").replace("%3F", "?")


def _spelled(found: re.Match[str]) -> str:
    return _SPELLINGS[found[0]]


class _Spellings(dict[str, str]):
    """One octet, plain or as %XX, to its only spelling; filled as they are met (there are not many)."""

    def __missing__(self, text: str) -> str:
        if len(text) == 1:  # robots_text reads octets, and canonical addresses are ASCII
            return f"%{ord(text):02X}"
        character = chr(int(text[1:], 16))
        spelling = self[text] = character if character in _UNRESERVED else text.upper()
        return spelling


_SPELLINGS = _Spellings({chr(octet): f"%{octet:02X}" for octet in range(256)})

ALLOW_ALL = Robots()
DENY_ALL = Robots(_plain={"/": 2}, _lengths=(1,))
