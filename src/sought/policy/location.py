"""New pages by what their addresses look like."""

from dataclasses import dataclass

from sought.policy.ordering import Ordering


@dataclass(frozen=True)
class Location(Ordering):
    """IL(p): addresses whose paths have fewer slashes first (Cho, Garcia-Molina & Page 1998, §2.1)."""
