"""Which lines of a robots.txt speak to us?  Groups and records of RFC 9309 §2.1–2.2, tolerant of what people write.

The file is read as octets (Latin-1, one character each): its patterns are compared octet by octet, and a stray byte in
one line must not change another.
"""

import math
import re
from dataclasses import dataclass, field

from sought.fetch.agent import product_token
from sought.web.errors import BadURL
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
    """What a file says to one crawler: (allow?, pattern) in order, and the longest delay asked for."""

    rules: list[tuple[bool, str]] = field(default_factory=list)
    delay: float | None = None


def read(body: bytes, agent: str) -> tuple[Group, tuple[str, ...]]:
    """The group for this agent (or for `*`, or an empty one), and the sitemaps named."""
    ours = product_token(agent)
    groups: dict[str, Group] = {}
    sitemaps: dict[str, None] = {}
    addressed: list[Group] = []
    naming = False  # in a run of user-agent lines; only a rule ends it
    for record, value in _records(body):
        if record == "agent":
            addressed = addressed if naming else []
            naming = True
            name = "*" if value.startswith("*") else product_token(value)
            if name in (ours, "*"):
                addressed.append(groups.setdefault(name, Group()))
        elif record == "sitemap":
            _add_sitemap(sitemaps, value)
        elif record == "delay":
            _ask_delay(addressed, value)
        else:
            naming = False
            for group in addressed if value else ():
                group.rules.append((record == "allow", value))
    return groups.get(ours) or groups.get("*") or Group(), tuple(sitemaps)


def _records(body: bytes) -> list[tuple[str, str]]:
    if len(body) >= MAX_BYTES:
        body = body[:MAX_BYTES].rpartition(b"\n")[0]  # a rule cut in half would be another rule
    text = body.removeprefix(b"\xef\xbb\xbf").decode("latin-1")
    found = (_record(line) for line in re.split(r"[\r\n]+", text))
    return [record for record in found if record is not None]


def _record(line: str) -> tuple[str, str] | None:
    line = line.partition("#")[0].strip(_BLANK)
    name, _, value = line.partition(":")
    record = _RECORDS.get(name.strip(_BLANK).lower())
    if record is None:  # the colon is sometimes forgotten
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


def _ask_delay(addressed: list[Group], value: str) -> None:
    try:
        seconds = float(value)
    except ValueError:
        return
    if math.isfinite(seconds) and seconds >= 0:
        for group in addressed:
            group.delay = max(seconds, group.delay or 0.0)
