"""What each budget is expected to achieve, as sentences."""

from typing import Any

from sought.cli.options import console


def show_budget(report: dict[str, Any]) -> None:
    for line in lines(report):
        console.print(line, markup=False)


def lines(report: dict[str, Any]) -> list[str]:
    if "why_not" in report:
        return [f"There is not enough data to estimate what a budget achieves: {report['why_not']}."]
    return [
        _basis(report),
        *(_level(float(level), each, report["days_between_fetches"]) for level, each in report["levels"].items()),
        _today(report["budget"]),
        f"Without any fetch the quality would be {_quality(report['without_fetches'])}.",
    ]


def _basis(report: dict[str, Any]) -> str:
    record = f"{report['measured_fetches']:,} measured fetches in {report['days_on_record']:,.0f} days"
    return f"Estimated from {record}, for the next {report['days_ahead']:,.0f} days; brackets hold 80 % intervals."


def _today(budget: dict[str, Any]) -> str:
    fetches, quality = _number(budget["fetches_a_day"]), _quality(budget["quality"])
    return f"The current budget, {fetches} fetches a day, is expected to reach {quality} of the attainable quality."


def _level(level: float, each: dict[str, float | None], least: float) -> str:
    target = f"{level:.0%} of the attainable quality"
    if each["value"] is None:
        limit = f"with at least {24 * least:g} hours between two fetches of a page"
        return f"{target} is out of reach {limit} [{_range(each)}]."
    return f"{target} needs {_number(each['value'])} fetches a day [{_range(each)}]."


def _range(each: dict[str, float | None]) -> str:
    """An interval without an upper end if the quality may be out of reach."""
    low, high = each["low"], each["high"]
    return "none" if low is None else f"{_number(low)} {'or more' if high is None else f'to {_number(high)}'}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _quality(each: dict[str, float]) -> str:
    return f"{each['value']:.1%} [{each['low']:.1%} to {each['high']:.1%}]"
