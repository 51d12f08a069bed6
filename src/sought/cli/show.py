"""Results for people."""

import time
from typing import TYPE_CHECKING, Any

from rich.padding import Padding
from rich.text import Text

from sought.cli.options import console

if TYPE_CHECKING:  # printing a status must not load the search engine
    from sought.index import Answer

_TIMES = ("last_fetch", "not_before", "signal", "found", "time", "first_time", "last_time")


def show_answer(answer: "Answer") -> None:
    if not answer.hits:
        console.print("Nothing found. Fewer or other words may help.")
        return
    more = f" of {answer.total:,}" if answer.total > len(answer.hits) else ""
    note = "no page has all the words; these have some" if answer.relaxed else ""
    console.print(f"{len(answer.hits)}{more} in {answer.elapsed * 1000:.1f} ms{'; ' + note if note else ''}\n")
    for number, hit in enumerate(answer.hits, 1):
        snippet, at = Text(), 0
        for start, end in hit.highlights:
            snippet.append(hit.snippet[at:start]).append(hit.snippet[start:end], "bold")
            at = end
        snippet.append(hit.snippet[at:])
        console.print(Text(f"{number:>2} ").append(hit.title or hit.url, "bold"))
        console.print(Text(f"   {hit.url}  (fetched {moment(hit.time)})", "dim"))
        # Wrapped for a person's screen; in a pipe a snippet is one line.
        console.print(Padding(snippet, (0, 0, 1, 3)), soft_wrap=not console.is_terminal)


def show_status(found: dict[str, Any]) -> None:
    kinds = found.get("expected_against_measured", {})
    show_tree(found | ({"expected_against_measured": {k: _calibrated(v) for k, v in kinds.items()}} if kinds else {}))


def _calibrated(found: dict[str, Any]) -> str:
    """How far what was expected agrees with what was measured, in one line."""
    verdict, fetches = found["verdict"], f"of {found['fetches']:,} fetches"
    if found["rank_correlation"] is found["top_tenth"] is None:
        return str(verdict)
    slope, correlation = _shown("", found["slope"]), _shown("", found["rank_correlation"])
    if found["slope_low"] is not None:
        slope += f" (80 % certain: {_shown('', found['slope_low'])} to {_shown('', found['slope_high'])})"
    share = "–" if found["top_tenth"] is None else f"{100 * found['top_tenth']:.0f} %"
    return f"{verdict}: slope {slope}, rank correlation {correlation}, {share} of the gain in the best tenth, {fetches}"


def show_tree(data: dict[str, Any], indent: str = "") -> None:
    """A nested dictionary as aligned lines."""
    width = max((len(str(k)) for k in data), default=0) + 2
    for key, value in data.items():
        if isinstance(value, dict):
            console.print(Text(f"{indent}{key}" + ("" if value else ": none")))
            show_tree(value, indent + "  ")
        elif isinstance(value, list):
            console.print(Text(f"{indent}{key}" + ("" if value else ": none")))
            for item in value:
                console.print(Text(f"{indent}  {_line(item) if isinstance(item, dict) else item}"))
        else:
            console.print(Text(f"{indent}{key!s:<{width}}{_shown(str(key), value)}"))


def _line(item: dict[str, Any]) -> str:
    return "  ".join(f"{key} {_shown(key, value)}" for key, value in item.items() if value not in ("", 0))


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "–"
    if key in _TIMES:
        return moment(value)
    if key == "running":
        return f"process {value}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_shown("", each) for each in value)
    if isinstance(value, float):
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.1f}".removesuffix(".0")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def moment(value: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(value))
