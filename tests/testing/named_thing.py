"""A class whose values a registry finds by their names."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Thing:
    name: str
    also: tuple[str, ...] = ()
