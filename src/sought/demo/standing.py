"""How does the contest stand?  One value, made anew every second, for the terminal and for the page."""

from dataclasses import dataclass, field
from typing import NamedTuple

from sought.demo.crowd import Answers
from sought.demo.figures import SIDES, Point

NAMES = {"default": "Default policy", "round_robin": "Round-robin"}


class Side(NamedTuple):
    """One of the two: its policy, where its search page is, and how far it has come since both went on."""

    policy: str = ""
    address: str = ""
    fetches: int = 0
    searchable: int = 0
    lately: float | None = None
    overall: float | None = None


@dataclass(frozen=True)
class Standing:
    """`phase` says in a sentence what is going on; `seconds` is for how long both crawls have run."""

    phase: str
    seconds: float = 0.0
    day: float = 0.0
    searches: int = 0
    sides: dict[str, Side] = field(default_factory=lambda: {name: Side() for name in SIDES})
    history: tuple[Point, ...] = ()
    asked: tuple[tuple[str, float], ...] = ()
    answers: Answers | None = None


def outcome(standing: Standing) -> dict[str, float | int | str | None]:
    """What came of it, in plain numbers."""
    found: dict[str, float | int | str | None] = {
        "seconds": round(standing.seconds, 1),
        "toy_days": round(standing.day, 2),
        "searches": standing.searches,
    }
    for name, side in standing.sides.items():
        found |= {
            f"policy_{name}": side.policy,
            f"quality_{name}": side.overall,
            f"quality_lately_{name}": side.lately,
            f"fetches_{name}": side.fetches,
            f"searchable_{name}": side.searchable,
        }
    return found
