"""What is the state of the contest?  One value each second, for the terminal and the page."""

from dataclasses import dataclass, field
from typing import NamedTuple

from sought.demo.example import ExampleAnswers
from sought.demo.figures import SIDES, Point

NAMES = {"default": "Default policy", "round_robin": "Round-robin"}


class Step(NamedTuple):
    """A step of the preparation: `done` of `total`; a total of 0 is not known."""

    name: str
    done: int = 0
    total: int = 1

    @property
    def share(self) -> float | None:
        """How far it is, from 0 to 1; None if that is not known."""
        return min(1.0, self.done / self.total) if self.total else None

    @property
    def words(self) -> str:
        if self.total == 0:
            return f"{self.done:,}" if self.done else ""
        if self.total == 1:
            return "done" if self.done else ""
        return f"{self.done:,} of {self.total:,}"


class Side(NamedTuple):
    """One of the two: its policy, where its search page is, and how far it has come since both went on."""

    policy: str = ""
    address: str = ""
    fetches: int = 0
    searchable: int = 0
    lately: float | None = None
    overall: float | None = None


@dataclass(frozen=True)
class DemoState:
    """`phase` says in a sentence what is going on, `busy` that the machine is too slow for the contest, if it is.

    `seconds` are those of the contest's clock, which waits for the slowest; `speed` is how fast it ran so far,
    and 1 is as fast as a clock on the wall.
    """

    phase: str
    steps: tuple[Step, ...] = ()
    busy: str = ""
    seconds_to_start: float | None = None
    seconds: float = 0.0
    speed: float | None = None
    day: float = 0.0
    searches: int = 0
    sides: dict[str, Side] = field(default_factory=lambda: {name: Side() for name in SIDES})
    history: tuple[Point, ...] = ()
    asked: tuple[tuple[str, float], ...] = ()
    answers: ExampleAnswers | None = None


def outcome(state: DemoState) -> dict[str, float | int | str | None]:
    """The result, in plain numbers."""
    values: dict[str, float | int | str | None] = {
        "seconds_to_start": _rounded(state.seconds_to_start),
        "seconds": round(state.seconds, 1),
        "speed": _rounded(state.speed),
        "toy_days": round(state.day, 2),
        "searches": state.searches,
    }
    for name, side in state.sides.items():
        values |= {
            f"policy_{name}": side.policy,
            f"quality_{name}": side.overall,
            f"quality_lately_{name}": side.lately,
            f"fetches_{name}": side.fetches,
            f"searchable_{name}": side.searchable,
        }
    return values


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
