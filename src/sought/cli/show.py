"""Print the results of commands as text."""

import time
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from sought.cli.options import SafeConsole, console
from sought.cli.wording import amount
from sought.console import wording
from sought.operate.searches import searches_a_week

if TYPE_CHECKING:  # printing a status must not load the search engine
    from sought.index import Answer

_EVENTS = ("last_fetch", "signal", "found", "first_time", "last_time")
_LINE = 10_000  # characters
_SHARES = (
    *("unanswered", "poor", "held_out_unanswered", "held_out_poor"),
    *("quality_of_own_copies", "judged_by_share_of_demand"),
)
_TIMES = (*_EVENTS, "not_before", "time", "about", "next_request_at")


def show_answer(answer: "Answer") -> None:
    if not answer.hits:
        console.print("Nothing found. Fewer or other words may help.")
        return
    more = f" of {answer.total:,}" if answer.total > len(answer.hits) else ""
    note = "no page has all the words; these pages have some of them" if answer.relaxed else ""
    console.print(f"{len(answer.hits)}{more} in {answer.elapsed * 1000:.1f} ms{'; ' + note if note else ''}\n")
    for number, hit in enumerate(answer.hits, 1):
        snippet, at = Text(), 0
        for start, end in hit.highlights:
            snippet.append(hit.snippet[at:start]).append(hit.snippet[start:end], "bold")
            at = end
        snippet.append(hit.snippet[at:])
        console.print(Text(f"{number:>2} ").append(hit.title or hit.url, "bold"))
        console.print(Text(f"   {hit.url}  (fetched {moment(hit.time)})", "dim"))
        # wrapped on a terminal; in a pipe a snippet is one line
        console.print(Padding(snippet, (0, 0, 1, 3)), soft_wrap=not console.is_terminal)


def show_status(report: dict[str, Any], *, verbose: bool = False) -> None:
    kinds = report.get("expected_against_measured", {})
    calibration = {"expected_against_measured": {k: _calibration(v) for k, v in kinds.items()}} if kinds else {}
    show_tree(report | {"demand": answers_in_words(report["demand"], verbose=verbose)} | calibration)


def answers_in_words(report: Mapping[str, Any], *, verbose: bool) -> dict[str, Any]:
    """`Measuring.report` for people: shares in per cent, gains in searches a week; `verbose` adds the exact gains."""
    shown = {name: wording.share(value) if name in _SHARES else value for name, value in report.items()}
    if "worth_of_answers" in report:
        shown["worth_of_answers"] = _searches(report["worth_of_answers"], report, verbose=verbose)
    if "gain" in report:
        shown["gain"] = {name: _searches(value, report, verbose=verbose) for name, value in report["gain"].items()}
    return shown


def _searches(gain: float, report: Mapping[str, Any], *, verbose: bool) -> str:
    searches = searches_a_week(gain, report)
    text = "unknown in searches: no query has a result" if searches is None else f"{amount(searches)} searches a week"
    return f"{text} (exactly {gain:.12g})" if verbose else text


def _calibration(report: dict[str, Any]) -> str:
    """How well expected gains agree with measured ones, in one line."""
    verdict, fetches = report["verdict"], f"of {report['fetches']:,} fetches"
    if report["rank_correlation"] is report["top_tenth"] is None:
        return str(verdict)
    slope, correlation = _shown("", report["slope"]), _shown("", report["rank_correlation"])
    if report["slope_low"] is not None:
        slope += f" (80 % certain: {_shown('', report['slope_low'])} to {_shown('', report['slope_high'])})"
    share = "–" if report["top_tenth"] is None else f"{100 * report['top_tenth']:.0f} %"
    return f"{verdict}: slope {slope}, rank correlation {correlation}, {share} of the gain in the best tenth, {fetches}"


def show_tree(data: dict[str, Any], indent: str = "", times: Collection[str] = _TIMES) -> None:
    """Print a nested dictionary as aligned lines; the values named in `times` are shown as dates."""
    width = max((len(str(k)) for k in data), default=0) + 2
    for key, value in data.items():
        if isinstance(value, dict):
            console.print(Text(f"{indent}{key}" + ("" if value else ": none")))
            show_tree(value, indent + "  ", times)
        elif isinstance(value, list):
            console.print(Text(f"{indent}{key}" + ("" if value else ": none")))
            for item in value:
                console.print(Text(f"{indent}  {_line(item, times) if isinstance(item, dict) else item}"))
        else:
            console.print(Text(f"{indent}{key!s:<{width}}{_shown(str(key), value, times)}"))


def _line(item: dict[str, Any], times: Collection[str]) -> str:
    return "  ".join(f"{key} {_shown(key, value, times)}" for key, value in item.items() if value not in ("", 0))


def _shown(key: str, value: Any, times: Collection[str] = _TIMES) -> str:
    if value is None:
        return "never" if key in _EVENTS and key in times else "–"
    if key in times:
        return moment(value)
    if key == "running" and not isinstance(value, bool):
        return f"process {value}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown("", each) for each in value)
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.1f}".removesuffix(".0")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def show_table(rows: list[dict[str, Any]]) -> None:
    """Print dictionaries that have the same keys as a table."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name, value in rows[0].items():
        table.add_column(name.replace("_", " "), justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row.values()))
    print_table(table)


def print_table(table: Table) -> None:
    """Wrap rows at the terminal's width; in a pipe each row is one line."""
    (console if console.is_terminal else SafeConsole(highlight=False, width=_LINE)).print(table)


def _cell(value: str | float | None) -> str:
    return "–" if value is None else value if isinstance(value, str) else number(value)


def number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def moment(value: float) -> str:
    """A Unix time as local time; 0 and less mean "never"."""
    if value <= 0:
        return "never"
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(value))
