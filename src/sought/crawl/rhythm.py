"""How often does a cycle do what need not be done at every step?"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rhythm:
    """How often things are done, in seconds: tables committed, the index committed, a plan thrown away for a new one.

    `chosen` is how many rows a plan has; 0: enough for all connections.
    """

    commit: float = 0.5
    index: float = 10.0
    plan: float = 30.0
    chosen: int = 0


LIVE = Rhythm()
