"""How far is a running crawl?"""

from dataclasses import dataclass, field

from sought.web.message import Response

_TROUBLES = 20


@dataclass(slots=True)
class Progress:
    """The state of a running crawl in numbers; only the cycle writes to it."""

    started: float
    fetched: int = 0
    bytes: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    troubles: dict[str, str] = field(default_factory=dict)
    in_flight: int = 0
    chosen: int = 0
    waiting: int = 0
    hosts_waiting: int = 0
    known: int = 0
    disk: int = 0
    seconds: float = 0.0
    measured: int = 0
    gain: float = 0.0
    hot: int | None = None  # pages about the topic of the policy, once it has ended; None if it has none
    ended: str = ""

    def trouble(self, origin: str, response: Response) -> None:
        """Keep the last failure of a host, for a few hosts."""
        if len(self.troubles) < _TROUBLES or origin in self.troubles:
            what = response.failure or f"status {response.status}"
            self.troubles[origin] = f"{what}: {response.detail}" if response.detail else str(what)

    def count(self, response: Response) -> None:
        self.fetched += 1
        self.bytes += len(response.raw)
        name = str(response.failure) if response.failure else str(response.status)
        self.outcomes[name] = self.outcomes.get(name, 0) + 1
