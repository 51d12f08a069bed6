"""What came of a fetch?  One line of a page's history."""

import math
from typing import NamedTuple

import msgspec

from sought.web.message import Response

GONE_KINDS = frozenset(("status-404", "status-410"))
_AS_BEFORE = frozenset(("not-modified", "unchanged", "same-text"))


class Outcome(msgspec.Struct, array_like=True, omit_defaults=True):
    """One line of a page's history.

    `gain` is what the fetch added to the quality of the answers, None if there were no queries to measure it by.
    `affected` is the number of queries for which the page's score changed, and `helped` holds those that gained most
    (gains.py).  `policy` is the number of the policy that chose the page (-1: not on record), with this `value` and at
    this `rank` of its plan.

    `modified` is when the server says the page was last modified (0: it does not say); `signalled` is whether a signal
    had arrived since the previous fetch.  `base_gap` and `drift` are as in Fetches; a negative gap means none.
    `again` is true if a page that was gone is still gone, or a redirect still leads to the same page.

    `fate`, `doubted`, `seen_gap` and `found` are as in Fetches; so are `expected` and `chance`, None if the policy does
    not give them.  `purpose` is what the fetch was for: the spelling of a Purpose (empty: not on record).
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
        """Whether the fetch showed the state of the page: it is there, it redirects, or it is gone."""
        return self.kind in GONE_KINDS or not self.kind.startswith(("failed-", "status-"))


class Finished(NamedTuple):
    """A fetch that has been applied; `gap` is the time since the page was last observed, infinite if it never was."""

    row: int
    outcome: Outcome
    gap: float

    @property
    def is_observation(self) -> bool:
        """Whether the fetch showed the state of the page."""
        return self.outcome.is_observation

    @property
    def changed(self) -> bool:
        """Whether the page had changed: its text differs, or it is gone or has moved."""
        return self.outcome.kind not in _AS_BEFORE and not self.outcome.again

    @property
    def difference(self) -> float:
        """The share of the page that has changed; 1 for a page that is new, gone or moved."""
        return self.outcome.difference if self.outcome.kind == "changed" else float(self.changed)


def number_or_none(number: float) -> float | None:
    """The number, or None for NaN, which stands for an unknown number."""
    return None if math.isnan(number) else number


ASKED_FOR = "asked for"  # in place of a policy: an order said to fetch the page now


def failure_name(response: Response) -> str:
    """The name an unsuccessful answer is counted under."""
    return f"failed-{response.failure}" if response.failure else f"status-{response.status}"
