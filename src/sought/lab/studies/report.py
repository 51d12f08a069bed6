"""All findings on one self-contained page: questions, results, and how to repeat them."""

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from itertools import pairwise
from statistics import fmean
from typing import Any

import msgspec

from sought.lab.studies.figures import lines
from sought.lab.studies.findings import key_of, newest_first
from sought.lab.studies.registry import EXPERIMENTS
from sought.lab.studies.study import (
    FAILS,
    HOLDS,
    UNJUDGED,
    VERDICTS,
    Figure,
    Finding,
    JudgedStatement,
    ResultTable,
    Study,
    Value,
    Verdict,
)

_KINDS: dict[Verdict, str] = {HOLDS: "holds", FAILS: "fails", UNJUDGED: "unjudged"}
_TITLE = "What the laboratory found"
_WIDTH = 100  # of commands


def report_page(
    findings: Sequence[Finding], tables: Sequence[ResultTable] = (), studies: Mapping[str, Study] = EXPERIMENTS
) -> str:
    """The same findings and tables give the same page."""
    ordered = sorted(newest_first(findings), key=lambda finding: (*_paper(finding, studies), finding.study))
    return document(
        _TITLE,
        text("h1", _TITLE),
        _counts(ordered),
        _contents(ordered, tables, studies),
        *(_section(finding, studies.get(finding.study)) for finding in ordered),
        _comparisons(tables),
    )


def command_of(finding: Finding) -> str:
    """The command that repeats it, in a folder that holds the worlds."""
    worlds = [part for name in finding.settings.get("worlds", {}) for part in ("--world", str(name))]
    quick = ["--quick"] if finding.settings.get("quick") else []
    return shlex.join(["sought", "lab", "run", finding.study, *worlds, *quick])


def shown(value: Value) -> str:
    """A value, formatted for people."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _paper(finding: Finding, studies: Mapping[str, Study]) -> tuple[bool, str]:
    """The sort key of findings: those of papers come first."""
    study = studies.get(finding.study)
    return not (study and study.paper), study.paper if study else ""


def _counts(findings: Sequence[Finding]) -> str:
    """How many verdicts of each kind."""
    counts = Counter(finding.verdict for finding in findings)
    if not findings:
        return text("p", "No experiment has been run yet: sought lab run all")
    return element(
        "p", " ".join(_badge(verdict, f"{counts[verdict]} × {verdict}") for verdict in VERDICTS), id="counts"
    )


def _badge(verdict: Verdict, words: str) -> str:
    return text("span", words, kind=f"verdict {_KINDS[verdict]}")


def _contents(findings: Sequence[Finding], tables: Sequence[ResultTable], studies: Mapping[str, Study]) -> str:
    rows = [
        element(
            "li",
            text("a", _name(finding, studies), href=f"#{key_of(finding)}"),
            " ",
            _badge(finding.verdict, finding.verdict),
            text("span", f" {finding.scope}", kind="dim"),
        )
        for finding in findings
    ]
    if tables:
        rows.append(element("li", text("a", "Comparisons", href="#comparisons"), f" ({len(tables)})"))
    return element("nav", text("h3", "Contents"), element("ul", *rows)) if rows else ""


def _name(finding: Finding, studies: Mapping[str, Study]) -> str:
    study = studies.get(finding.study)
    return f"{study.title} ({study.name})" if study else finding.study


def _section(finding: Finding, study: Study | None) -> str:
    asked = (
        [
            text("p", study.question),
            *([] if finding.claims else [element("p", "Must hold: ", text("span", study.expects))]),
            text("p", f"Needs {study.needs}{f'; paper {study.paper}' if study.paper else ''}.", kind="dim"),
        ]
        if study
        else []
    )
    return element(
        "section",
        text("h2", study.title if study else finding.study),
        text("p", finding.scope, kind="dim") if finding.scope else "",
        *asked,
        element("p", _badge(finding.verdict, finding.verdict), " ", text("span", finding.because)),
        element("ul", *map(_statement, finding.claims)) if finding.claims else "",
        *(_numbers(world, numbers) for world, numbers in finding.numbers.items() if numbers),
        *map(_table, finding.tables),
        *map(_figure, finding.figures),
        _repeat(finding),
        id=key_of(finding),
    )


def _statement(claim: JudgedStatement) -> str:
    """A statement with its verdict; details of each world are in the table."""
    paper = text("span", f" (paper: {claim.paper})", kind="dim") if claim.paper else ""
    return element("li", _badge(claim.verdict, claim.verdict), " ", text("span", claim.text), paper)


def _numbers(world: str, numbers: Mapping[str, Value]) -> str:
    rows = [element("tr", text("td", name), text("td", shown(value), kind="number")) for name, value in numbers.items()]
    return text("h3", world) + element("div", element("table", *rows), kind="wide")


def _table(table: ResultTable) -> str:
    kinds = [{"kind": "number"} if _is_number(table, at) else {} for at in range(len(table.columns))]
    head = element("tr", *(text("th", name, **kind) for name, kind in zip(table.columns, kinds, strict=True)))
    rows = [
        element("tr", *(text("td", shown(value), **kind) for value, kind in zip(row, kinds, strict=True)))
        for row in table.rows
    ]
    whole = element("table", element("thead", head), element("tbody", *rows))
    return text("h3", table.title) + element("div", whole, kind="wide")


def _is_number(table: ResultTable, at: int) -> bool:
    return all(not isinstance(row[at], str) for row in table.rows)


def _figure(figure: Figure) -> str:
    return element("figure", drawing(figure.svg), text("figcaption", figure.title))


def _repeat(finding: Finding) -> str:
    """The command, the settings, and which code and day it was."""
    of = ", ".join(filter(None, (finding.date, finding.code and f"code {finding.code}")))
    return "".join(
        (
            text("h3", "To repeat it"),
            text("pre", folded(command_of(finding))),
            text("pre", _settings(finding.settings)),
            text("p", of, kind="dim") if of else "",
        )
    )


def _settings(settings: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(settings), indent=1).decode()


def _comparisons(tables: Sequence[ResultTable]) -> str:
    if not tables:
        return ""
    parts = [_comparison(table, number) for number, table in enumerate(tables, 1)]
    return element("section", text("h2", "Comparisons"), *parts, id="comparisons")


def _comparison(table: ResultTable, number: int) -> str:
    """A table of a comparison; the number distinguishes two of the same title, and their figures."""
    numbered = replace(table, title=f"{number}. {table.title}")
    return "".join(
        (
            _table(numbered),
            *map(_figure, curves(numbered)),
            text("pre", folded(table.note)) if table.note else "",
            text("p", table.date, kind="dim") if table.date else "",
        )
    )


def curves(table: ResultTable) -> list[Figure]:
    """Quality over budget by policy, mean over seeds; none for one budget, or for shares of pages beside numbers."""
    if not {"policy", "budget", "quality"} <= set(table.columns):
        return []
    at = [table.columns.index(name) for name in ("policy", "budget", "quality")]
    qualities: dict[str, dict[float, list[float]]] = {}
    for policy, budget, quality in ([row[i] for i in at] for row in table.rows):
        if isinstance(budget, (int, float)) and isinstance(quality, (int, float)):
            qualities.setdefault(str(policy), {}).setdefault(float(budget), []).append(float(quality))
    budgets = {budget for of_policy in qualities.values() for budget in of_policy}
    if len(budgets) < 2 or len({budget < 1 for budget in budgets}) > 1:
        return []
    scale, axis = (100, "fetches a unit, % of pages") if min(budgets) < 1 else (1, "fetches a unit")
    series = {
        policy: ([scale * budget for budget in sorted(of)], [fmean(of[budget]) for budget in sorted(of)])
        for policy, of in qualities.items()
    }
    title = f"{table.title}: quality by budget"
    return [Figure(title, lines(series, axis, "mean quality", title))]


def folded(command: str) -> str:
    """A long command over several lines, that can be typed as it stands; other text as it is."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    if words[:1] != ["sought"] or shlex.join(words) != command:
        return command
    folds = [""]
    for option in _options(words):
        if folds[-1] and len(folds[-1]) + len(option) > _WIDTH:
            folds.append("")
        folds[-1] += f" {option}" if folds[-1] else option
    return " \\\n  ".join(folds)


def _options(words: Sequence[str]) -> list[str]:
    """The words before the first option, then each option with its value, as a shell takes them."""
    starts = [0, *(at for at, word in enumerate(words) if word.startswith("--")), len(words)]
    return [shlex.join(words[start:stop]) for start, stop in pairwise(starts) if start < stop]


# ---- The frame of a page that needs nothing but itself: style, and text that can do no harm.


_UNSAFE = re.compile(r"<script|<foreignobject|javascript:|\son\w+\s*=|(?:href|src)\s*=\s*[\"'](?!#)", re.IGNORECASE)

STYLE = """
:root { color-scheme: light dark; --text: #1c1c1c; --back: #ffffff; --soft: #f2f2f2; --line: #d5d5d5; --dim: #555555;
  --good: #00684c; --bad: #a33d00; --open: #5c5c5c; --link: #0057a3; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --back: #161616; --soft: #232323; --line: #3d3d3d; --dim: #ababab;
    --good: #4fc3a0; --bad: #ff9a5c; --open: #b8b8b8; --link: #7fbfff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--back); overflow-wrap: break-word; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.3rem; margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
a { color: var(--link); }
.dim { color: var(--dim); }
.verdict { font-weight: 700; padding: .1rem .5rem; border: 2px solid currentColor; border-radius: .4rem; }
.holds { color: var(--good); } .fails { color: var(--bad); } .unjudged { color: var(--open); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; font-size: .85rem; border-radius: .3rem; }
figure { margin: 1rem 0; } figcaption { color: var(--dim); font-size: .9rem; }
figure svg { max-width: 100%; height: auto; background: #ffffff; border-radius: .3rem; }
dt { font-weight: 600; } dd { margin: 0 0 .4rem; }
"""


def document(title: str, *parts: str) -> str:
    """A whole page; the title is text, the parts are HTML."""
    head = (
        '<meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    body = "\n".join(part for part in parts if part)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def element(tag: str, *parts: str, **attributes: str) -> str:
    """Parts are HTML; values of attributes are text, and `kind` is the class."""
    written = "".join(f' {"class" if name == "kind" else name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}>{''.join(parts)}</{tag}>"


def text(tag: str, content: str, **attributes: str) -> str:
    """An element of nothing but text."""
    return element(tag, escape(content), **attributes)


def drawing(svg: str) -> str:
    """A drawing as it is; one that could do or load anything is shown as text."""
    return svg if svg.startswith("<svg") and not _UNSAFE.search(svg) else text("pre", svg)
