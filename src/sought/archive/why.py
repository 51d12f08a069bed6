"""Why a page was chosen, as one line of a record: "rank value policy", or "rank value/expected/chance/purpose policy".

Archives of before know of no purpose, or of nothing expected either.
"""

import math

from sought.web.message import Why


def why_line(why: Why) -> str:
    """The line of a record.

    >>> why_line(Why(3, 0.25, 0.5, None, "new", "Worth()"))
    '3 0.25/0.5/nan/new Worth()'
    """
    expected = f"/{_spelled(why.expected)}/{_spelled(why.chance)}"
    if why.purpose:
        expected += f"/{why.purpose}"
    elif why.expected is why.chance is None:
        expected = ""
    return f"{why.rank} {why.value!r}{expected} {why.policy}"


def parsed_why(line: str) -> Why | None:
    """The same the other way round; None if the line is not one of these."""
    try:
        rank, numbers, policy = line.split(" ", 2)
        first, *others = numbers.split("/")
        expected, chance = (*map(float, others[:2]), math.nan, math.nan)[:2]
        return Why(int(rank), float(first), _number(expected), _number(chance), "".join(others[2:3]), policy)
    except ValueError:
        return None


def _spelled(number: float | None) -> str:
    return "nan" if number is None else repr(number)


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
