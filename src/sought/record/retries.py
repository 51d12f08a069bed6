"""When is a fetch that brought no page tried again?  One table, no nested ifs."""

from dataclasses import dataclass

from sought.record.table import Reason, State
from sought.web.message import Failure, Response

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class Retry:
    """Wait `first` seconds, after each further failure `factor` times as long, and give up after `tries` in a row."""

    state: State
    reason: Reason
    first: float
    factor: float = 1.0
    tries: int = 255

    def wait(self, failures: int) -> float:
        return min(self.first * self.factor ** (failures - 1), 30 * DAY)


# What is done about an answer that brings no page.  The host's own cool-down is the fetcher's business.
RETRIES: dict[str, Retry] = {
    "gone": Retry(State.GONE, Reason.NOT_FOUND, 7 * DAY, 2.0),
    "forbidden": Retry(State.FAILED, Reason.SERVER, 7 * DAY, 2.0, 3),
    "busy": Retry(State.FAILED, Reason.SERVER, 600.0, 4.0, 8),
    "server-error": Retry(State.FAILED, Reason.SERVER, 1800.0, 4.0, 5),
    "odd-status": Retry(State.FAILED, Reason.SERVER, 7 * DAY, 2.0, 3),
    "type": Retry(State.DEAD, Reason.TYPE, 30 * DAY),
    "hostile": Retry(State.FAILED, Reason.REFUSED, 7 * DAY, 4.0, 3),
    "network": Retry(State.FAILED, Reason.NETWORK, 600.0, 6.0, 5),
    "address": Retry(State.DEAD, Reason.NETWORK, 30 * DAY),
    "refused": Retry(State.FAILED, Reason.REFUSED, 30 * DAY, 1.0, 3),
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


def retry_kind(response: Response) -> str:
    """The key of an answer in RETRIES; empty if it brings a page, a redirect or a 304."""
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
