"""Is a parameter valid?  If not, BadInput names it."""

from collections.abc import Sequence
from math import isfinite

from sought.web.errors import BadInput


def check_share(name: str, value: object, *, below_one: bool = False) -> None:
    """A number from 0 to 1."""
    if not _is_number(value) or not 0.0 <= value <= 1.0 or (below_one and value == 1.0):  # type: ignore[operator]  # a number
        raise BadInput(f"{name} is a number from 0 to {'below ' * below_one}1, not {value!r}")


def check_positive(name: str, value: object, *, or_zero: bool = False) -> None:
    """A number above 0."""
    if not _is_number(value) or not isfinite(value) or value < 0 or (value == 0 and not or_zero):  # type: ignore[arg-type,operator]  # a number
        raise BadInput(f"{name} is a number {'from 0 on' if or_zero else 'above 0'}, not {value!r}")


def check_whole(name: str, value: object, least: int, most: int) -> None:
    """A whole number between bounds."""
    if type(value) is not int or not least <= value <= most:
        raise BadInput(f"{name} is a whole number from {least:,} to {most:,}, not {value!r}")


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """One of a few words."""
    if value not in choices:
        raise BadInput(f"{name} is one of {', '.join(choices)}, not {value!r}")


def check_topic(name: str, value: object) -> None:
    """A topic: words."""
    if not isinstance(value, str) or not any(character.isalnum() for character in value) or len(value) > 200:
        raise BadInput(f"{name} needs a topic of at least one word and at most 200 characters, not {value!r}")


def check_estimator(name: str, value: object) -> None:
    """A belief that is learned from fetches."""
    if not callable(getattr(value, "learner", None)):
        raise BadInput(f"{name} is an estimator such as BayesRate(), not {value!r}")


def _is_number(value: object) -> bool:
    return type(value) in (int, float)
