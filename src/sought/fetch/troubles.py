"""How long is a host left alone after it had trouble?  A table, not nested ifs."""

import math
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from sought.web.message import Failure, Response

HOUR = 3600.0
DAY = 24 * HOUR


@dataclass(frozen=True, slots=True)
class Rule:
    """Cool down for `first` seconds, `growth` times longer each time in a row up to `cap`; at last, dead for a day."""

    first: float
    growth: float
    cap: float
    dead_after: int


RULES: dict[str, Rule] = {
    "429": Rule(first=60, growth=2, cap=2 * HOUR, dead_after=10),  # we are too fast for it
    "503": Rule(first=60, growth=2, cap=2 * HOUR, dead_after=10),
    "5xx": Rule(first=5, growth=2, cap=HOUR, dead_after=15),  # often one broken page of a healthy host
    Failure.TIMEOUT: Rule(first=30, growth=3, cap=2 * HOUR, dead_after=6),
    Failure.CONNECT: Rule(first=60, growth=4, cap=6 * HOUR, dead_after=5),
    Failure.DNS: Rule(first=300, growth=4, cap=6 * HOUR, dead_after=4),
    Failure.TLS: Rule(first=600, growth=6, cap=6 * HOUR, dead_after=3),
    Failure.HEADERS: Rule(first=30, growth=4, cap=6 * HOUR, dead_after=5),  # not a web server
    Failure.ADDRESS: Rule(first=HOUR, growth=6, cap=6 * HOUR, dead_after=3),  # our own refusal
}


def trouble(response: Response) -> str:
    """The rule an answer falls under; nothing if the host is well (a missing or an unwanted page is no trouble)."""
    if response.failure:
        return response.failure if response.failure in RULES else ""
    if response.status in (429, 503):
        return str(response.status)
    return "5xx" if 500 <= response.status <= 599 else ""


def cool_down(kind: str, in_a_row: int, response: Response, now: float) -> float:
    """Seconds to leave the host alone: what the table says or what the host asked for, the longer of the two."""
    rule = RULES[kind]
    if in_a_row >= rule.dead_after:
        return DAY
    seconds = min(rule.cap, rule.first * rule.growth ** (in_a_row - 1))
    return max(seconds, retry_after(response, now)) if kind in ("429", "503") else seconds


def retry_after(response: Response, now: float) -> float:
    """Seconds asked for by a Retry-After header (RFC 9110 §10.2.3), at most a day; 0 if there is none to understand."""
    text = response.header("retry-after").strip()
    try:
        seconds = float(text) if text.isdecimal() else parsedate_to_datetime(text).timestamp() - now
    except (ValueError, OverflowError):
        return 0.0
    return min(max(seconds, 0.0), DAY) if math.isfinite(seconds) else DAY
