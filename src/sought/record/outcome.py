"""What came of a fetch, and when to try again: one table, no nested ifs."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from sought.record.table import Reason, State
from sought.web.message import Failure, Response

DAY = 86400.0
GONE_KINDS = frozenset(("status-404", "status-410"))
_AS_BEFORE = frozenset(("not-modified", "unchanged", "same-text"))


class Outcome(msgspec.Struct, array_like=True, omit_defaults=True):
    """One line of a page's history.

    `gain` is what the fetch added to the quality of the answers, None if there were no queries to measure it by;
    `affected` queries saw another score of the page, and `helped` are those that gained most (gains.py).  `policy` is
    the number of the policy that chose the page (-1: not on record), by this `value`, as the `rank`-th of its plan.

    `modified` is when the server says the page was last modified (0: it does not say), `signalled` whether a signal had
    come since the fetch before.  `base_gap` and `drift` are as in Fetches; a negative gap is none.  `again`: a page
    that had gone is gone, or one that led elsewhere leads to the same place.

    `fate`, `doubted`, `seen_gap` and `found` are as in Fetches; so are `expected` and `chance`, None if the policy did
    not say.  `purpose` is what the fetch was for, as a policy's Purpose is spelled (empty: not on record).
    """

    time: float
    kind: str
    status: int = 0
    elapsed: float = 0.0
    size: int = 0
    difference: float = 0.0
    detail: str = ""
    gain: float | None = None
    affected: int = 0
    helped: bytes = b""
    policy: int = -1
    value: float = 0.0
    rank: int = 0
    modified: float = 0.0
    signalled: bool = False
    base_gap: float = -1.0
    drift: float = 0.0
    again: bool = False
    fate: int = 0
    doubted: bool = False
    seen_gap: float = -1.0
    found: int = 0
    expected: float | None = None
    chance: float | None = None
    purpose: str = ""

    @property
    def is_observation(self) -> bool:
        """Whether the fetch saw how the page is: there it is, or it redirects, or it is gone."""
        return self.kind in GONE_KINDS or not self.kind.startswith(("failed-", "status-"))


class Finished(NamedTuple):
    """A fetch that has been applied; `gap` is the time since the page was last observed, infinite if it never was."""

    row: int
    outcome: Outcome
    gap: float

    @property
    def is_observation(self) -> bool:
        """Whether the fetch saw how the page is."""
        return self.outcome.is_observation

    @property
    def changed(self) -> bool:
        """Whether the page was not as before: other words, or no page any more."""
        return self.outcome.kind not in _AS_BEFORE and not self.outcome.again

    @property
    def difference(self) -> float:
        """The share of the page that is not as before: all of one that is new, or has gone or moved."""
        return self.outcome.difference if self.outcome.kind == "changed" else float(self.changed)


def said(number: float) -> float | None:
    """NaN is for what was not said."""
    return None if math.isnan(number) else number


ASKED_FOR = "asked for"  # in place of a policy: an order said to fetch the page now


@dataclass(frozen=True, slots=True)
class Again:
    """Wait `first` seconds, each further time `factor` as long, and give up after `tries` in a row."""

    state: State
    reason: Reason
    first: float
    factor: float = 1.0
    tries: int = 255

    def wait(self, failures: int) -> float:
        return min(self.first * self.factor ** (failures - 1), 30 * DAY)


# What is done about an answer that brings no page.  The host's own cool-down is the fetcher's business.
AGAIN: dict[str, Again] = {
    "gone": Again(State.GONE, Reason.NOT_FOUND, 7 * DAY, 2.0),
    "forbidden": Again(State.FAILED, Reason.SERVER, 7 * DAY, 2.0, 3),
    "busy": Again(State.FAILED, Reason.SERVER, 600.0, 4.0, 8),
    "server-error": Again(State.FAILED, Reason.SERVER, 1800.0, 4.0, 5),
    "odd-status": Again(State.FAILED, Reason.SERVER, 7 * DAY, 2.0, 3),
    "type": Again(State.DEAD, Reason.TYPE, 30 * DAY),
    "hostile": Again(State.FAILED, Reason.REFUSED, 7 * DAY, 4.0, 3),
    "network": Again(State.FAILED, Reason.NETWORK, 600.0, 6.0, 5),
    "address": Again(State.DEAD, Reason.NETWORK, 30 * DAY),
    "refused": Again(State.FAILED, Reason.REFUSED, 30 * DAY, 1.0, 3),
}

_FAILURES: dict[Failure, str] = {
    Failure.DNS: "network",
    Failure.ADDRESS: "address",
    Failure.CONNECT: "network",
    Failure.TLS: "network",
    Failure.TIMEOUT: "network",
    Failure.HEADERS: "hostile",
    Failure.TOO_LARGE: "hostile",
    Failure.EXPANSION: "hostile",
    Failure.CODING: "hostile",
    Failure.TYPE: "type",
}


def trouble(response: Response) -> str:
    """Which line of AGAIN an answer falls under; empty if it brings a page, a redirect or a 304."""
    if response.failure:
        return _FAILURES[response.failure]
    status = response.status
    if status in (404, 410):
        return "gone"
    if status in (401, 402, 403, 405, 406, 451):
        return "forbidden"
    if status in (429, 503):
        return "busy"
    if 500 <= status < 600:
        return "server-error"
    if 200 <= status < 300 or status == 304 or response.is_redirect:
        return ""
    return "odd-status"


def outcome_name(response: Response) -> str:
    """The name an unsuccessful answer is counted under."""
    return f"failed-{response.failure}" if response.failure else f"status-{response.status}"
