"""What does a study claim of a world, and is it so?"""

from collections.abc import Sequence
from typing import NamedTuple

from sought.lab.study import Table


class Claim(NamedTuple):
    """`found` are the numbers that it follows from."""

    what: str
    holds: bool
    found: str


def verdict(claims: Sequence[Claim]) -> tuple[bool, str]:
    """Whether all hold; and those that do not, or all."""
    failed = [claim for claim in claims if not claim.holds]
    told = [f"not so: {claim.what} ({claim.found})" for claim in failed]
    return not failed, "; ".join(told or [f"{claim.what} ({claim.found})" for claim in claims])


def claimed(world: str, claims: Sequence[Claim]) -> Table:
    rows = [[claim.what, claim.found, "yes" if claim.holds else "no"] for claim in claims]
    return Table(f"{world}: what must hold", ["claim", "found", "holds"], [list(row) for row in rows])
