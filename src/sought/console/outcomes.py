"""Which answers of hosts are errors?  All but pages, redirects and "not modified"."""

from collections.abc import Mapping


def errors(outcomes: Mapping[str, int]) -> dict[str, int]:
    """Those of some counts that are: status 4xx and 5xx, and why there was no answer.

    >>> errors({"200": 7, "304": 1, "404": 2, "timeout": 1})
    {'404': 2, 'timeout': 1}
    """
    return {name: count for name, count in outcomes.items() if count and not _is_good(name)}


def share_of_errors(outcomes: Mapping[str, int]) -> float | None:
    """Of all answers; None if there are none.

    >>> share_of_errors({"200": 9, "404": 1}), share_of_errors({})
    (0.1, None)
    """
    whole = sum(outcomes.values())
    return sum(errors(outcomes).values()) / whole if whole > 0 else None


def _is_good(name: str) -> bool:
    return name.isdecimal() and 200 <= int(name[:9]) < 400
