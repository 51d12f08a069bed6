"""What budgets bring, told to people."""

from typing import Any

from sought.cli.options import console


def show_budget(found: dict[str, Any]) -> None:
    for line in lines(found):
        console.print(line, markup=False)


def lines(found: dict[str, Any]) -> list[str]:
    """One sentence each."""
    if "why_not" in found:
        return [f"Too little is known to say what a budget brings: {found['why_not']}."]
    return [
        _from_what(found),
        *(_level(float(level), each, found["days_between_fetches"]) for level, each in found["levels"].items()),
        _today(found["budget"]),
        f"Without any fetch it would be {_quality(found['without_fetches'])}.",
    ]


def _from_what(found: dict[str, Any]) -> str:
    record = f"{found['measured_fetches']:,} measured fetches of {found['days_on_record']:,.0f} days"
    return f"From {record}, for the {found['days_ahead']:,.0f} days ahead; in brackets what is 80 % certain."


def _today(budget: dict[str, Any]) -> str:
    fetches, quality = _number(budget["fetches_a_day"]), _quality(budget["quality"])
    return f"The present budget, {fetches} a day, is expected to bring {quality} of the attainable quality."


def _level(level: float, each: dict[str, float | None], least: float) -> str:
    what = f"For {level:.0%} of the attainable quality"
    if each["value"] is None:
        rarely = f"if a page may be fetched every {24 * least:g} hours at most"
        return f"{what} no number of fetches is expected to be enough, {rarely} [{_range(each)}]."
    return f"{what}: {_number(each['value'])} fetches a day [{_range(each)}]."


def _range(each: dict[str, float | None]) -> str:
    """Of what is out of reach there is no upper end."""
    low, high = each["low"], each["high"]
    return "none" if low is None else f"{_number(low)} {'or more' if high is None else f'to {_number(high)}'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _quality(each: dict[str, float]) -> str:
    return f"{each['value']:.1%} [{each['low']:.1%} to {each['high']:.1%}]"
