"""How good the answers are, for people: shares in per cent, gains in searches a week; exact numbers if asked for."""

from collections.abc import Mapping
from typing import Any

from sought.cli.wording import amount
from sought.console.wording import share
from sought.operate.searches import searches_a_week

_SHARES = (
    *("unanswered", "poor", "held_out_unanswered", "held_out_poor"),
    *("quality_of_own_copies", "judged_by_share_of_demand"),
)


def in_words(report: Mapping[str, Any], *, verbose: bool) -> dict[str, Any]:
    """What `Measuring.report` says of the answers, as `status` and `queries stats` show it."""
    told = {name: share(value) if name in _SHARES else value for name, value in report.items()}
    if "worth_of_answers" in report:
        told["worth_of_answers"] = _searches(report["worth_of_answers"], report, verbose=verbose)
    if "gain" in report:
        gains = report["gain"].items()
        told["gain"] = {name: _searches(value, report, verbose=verbose) for name, value in gains}
    return told


def _searches(gain: float, report: Mapping[str, Any], *, verbose: bool) -> str:
    told = searches_a_week(gain, report)
    words = "not known in searches: no query has an answer" if told is None else f"{amount(told)} searches a week"
    return f"{words} (exactly {gain:.12g})" if verbose else words
