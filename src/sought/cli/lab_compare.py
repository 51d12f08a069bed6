"""`sought lab compare`: which policy is better on a world?"""

import os
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from sought.cli.lab_show import Bars, Cores, Results, World, cell_of, day, plain_rows, show_rows
from sought.cli.options import Json, console, errors, make_folder, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for polars
    import polars as pl

    from sought.lab.measures import Measure
    from sought.lab.replay.setting import Setting
    from sought.web.policy import Policy

_CRAWLED = 0.5
_HISTORIES = {
    "all": "in-sample: estimators learned from the units that judge them",
    "half": "estimators learned from the first half of the units, judged in the second",
}
_MEASURES = ("quality", "quality_before", "quality_known", "freshness", "age")


def compare(
    world: World,
    policy: Annotated[
        list[str] | None,
        typer.Option(
            help="A policy (repeatable); the others are compared with the first; "
            "default: RoundRobin(new=True) and that of a new sought.toml.",
            show_default=False,
        ),
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(help="Fetches a unit, 260, or a share of pages, 2% or 0.02 (repeatable).", show_default="2%"),
    ] = None,
    floor: Annotated[
        str | None,
        typer.Option(help="A lower reference policy; with --bound, prints the share of the gap.", show_default=False),
    ] = None,
    bound: Annotated[
        str | None, typer.Option(help="An upper reference policy, usually Ceiling().", show_default=False)
    ] = None,
    measure: Annotated[
        list[str] | None,
        typer.Option(help="A measure (repeatable).", show_default=", ".join(_MEASURES)),
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, max=1000, help="Number of samples of demand.")] = 1,
    start: Annotated[str, typer.Option(help="warm: up to date; cold: seeds only; frontier: new pages only.")] = "warm",
    split: Annotated[
        str, typer.Option(help="How demand is split for judging: time, thinning, string, none.")
    ] = "thinning",
    searches: Annotated[
        float, typer.Option(min=1, help="Searches a week that thinning splits into two samples.")
    ] = 1e5,
    crawled: Annotated[float, typer.Option(help="Share of pages fetched before a frontier start.")] = _CRAWLED,
    rounds: Annotated[int, typer.Option(min=1, help="Number of rankings in a unit.")] = 8,
    units: Annotated[int, typer.Option(min=0, help="Stop after this many units; 0: at the world's end.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Units of the world in one unit of the replay.")] = 1,
    fixed: Annotated[bool, typer.Option("--fixed", help="Only pages that exist from start to end.")] = False,
    scorer: Annotated[str, typer.Option(help="How pages are scored for a query.")] = "BM25()",
    tie: Annotated[
        str, typer.Option(help="Order of equal scores: hash, or mean (they share the attention of their ranks).")
    ] = "hash",
    history: Annotated[
        str,
        typer.Option(
            help="What estimators learn from: own: the crawl's fetches; all: every page in every unit (in-sample); "
            "half: everything in the first half, and the second is replayed."
        ),
    ] = "own",
    sitemaps: Annotated[bool, typer.Option("--sitemaps", help="Servers have sitemaps with dates.")] = False,
    etags: Annotated[bool, typer.Option("--etags", help="Servers answer conditional requests.")] = False,
    dates: Annotated[bool, typer.Option("--dates", help="Servers send Last-Modified.")] = False,
    recall: Annotated[float, typer.Option(min=0, max=1, help="Share of changes that these signals announce.")] = 1.0,
    noise: Annotated[float, typer.Option(min=0, max=1, help="False signals per page and unit.")] = 0.0,
    lag: Annotated[str, typer.Option(help="Delay between a change and its signal: 0s, 2d.")] = "0s",
    liars: Annotated[
        float, typer.Option(min=0, max=1, help="Share of hosts that always announce that everything changed.")
    ] = 0.0,
    results: Results = Path("lab-results"),
    decisions: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write every fetch as Parquet.", show_default=False)
    ] = None,
    cores: Cores = 2,
    json: Json = False,
) -> None:
    """Replay policies on a world and judge them.  Ctrl-C keeps finished results; the same command resumes."""
    from sought.lab.measures import parse_measure
    from sought.lab.replay.setting import Setting
    from sought.lab.replay.signals import Signals
    from sought.lab.studies.compare import parse_any_policy
    from sought.lab.worlds.files import read_name
    from sought.record.config import seconds
    from sought.web.expression import expression_of

    read_name(world)  # says so if there is none
    if bool(floor) != bool(bound):
        raise BadInput("--floor and --bound are the two ends of one gap: give both")
    if not (sitemaps or etags or dates) and (recall, noise, seconds(lag), liars) != (1.0, 0.0, 0.0, 0.0):
        raise BadInput("--recall, --noise, --lag and --liars are about signals: add --sitemaps, --etags or --dates")
    if crawled != _CRAWLED and start != "frontier":
        raise BadInput("--crawled is for --start frontier")
    signals = Signals(sitemaps, etags, recall, noise, seconds(lag), liars, dates=dates)
    kinds: dict[str, Any] = {"tie": tie, "pages": "fixed" if fixed else "all", "every": every, "history": history}
    setting = Setting(start, rounds, split, searches, signals, scorer, crawled, units, **kinds)  # type: ignore[arg-type]  # checked there
    _check(setting)
    gap = (parse_any_policy(floor), parse_any_policy(bound)) if floor and bound else None
    if gap and gap[0] == gap[1]:
        raise BadInput(f"--floor and --bound are both {gap[0]!r}: there is no gap between them")
    policies = list(dict.fromkeys([*map(parse_any_policy, policy or _default_policies()), *(gap or ())]))
    measures = [parse_measure(name) for name in dict.fromkeys(measure or _MEASURES)]
    budgets = {text.strip(): share_or_number(text) for text in budget or ["2%"]}
    _check_places(results, decisions)
    asked = _Asked(world, policies, gap, budgets, measures, range(seeds), setting, lag)
    compared = _compared(asked, results, cores, decisions, quiet=json)
    if json:
        label = {"history": _HISTORIES[history]} if history in _HISTORIES else {}
        print_json(label | {name: plain_rows(frame) for name, frame in compared._asdict().items() if frame is not None})
    else:
        if history in _HISTORIES:
            console.print(f"{_HISTORIES[history]}\n", markup=False)
        _show(compared, [measure.name for measure in measures], expression_of(policies[0]))
        if decisions:
            console.print(f"Every fetch is in {decisions}", markup=False)


class _Asked(NamedTuple):
    """What is to be compared; `gap` is between a floor and a bound, `budgets` and `lag` are kept as they were given."""

    world: Path
    policies: list["Policy"]
    gap: tuple["Policy", "Policy"] | None
    budgets: dict[str, float]
    measures: list["Measure"]
    seeds: range
    setting: "Setting"
    lag: str


class _Compared(NamedTuple):
    """The resulting tables; the last only for several budgets.  Without queries only the first has rows."""

    table: "pl.DataFrame"
    differences: "pl.DataFrame"
    over_budgets: "pl.DataFrame | None"


def _compared(asked: _Asked, results: Path, cores: int, decisions: Path | None, *, quiet: bool) -> _Compared:
    from sought.lab.studies.compare import differences, gaps, has_queries, over_budgets
    from sought.lab.studies.experiment import decisions as fetches
    from sought.lab.studies.experiment import grid, run_all, table
    from sought.lab.studies.findings import save_table

    cells = grid(asked.policies, asked.world, list(asked.budgets.values()), asked.seeds, asked.setting)
    is_asked = has_queries(asked.world)
    measures = _with_quality(asked.measures) if is_asked or asked.gap else asked.measures
    with Bars(quiet=quiet) as bars:
        try:
            run_all(cells, asked.world, measures, results, cores, bars.progress("replaying"))
        except KeyboardInterrupt:
            errors.print(f"What is finished is kept in {results}; the same command goes on.", markup=False)
            raise
        compared = table(cells, measures, results)
        if asked.gap:
            compared = gaps(compared, asked.gap[0], asked.gap[1])
        bars.say("drawing samples of queries and units")
        apart = differences(cells if is_asked else [], asked.world, results, asked.policies[0])
    if decisions:
        _write(fetches(cells, results), decisions)
    label = f" ({_HISTORIES[asked.setting.history]})" if asked.setting.history in _HISTORIES else ""
    title = f"{cells[0].world}: {len(asked.policies)} policies{label}"
    save_table(_merged(compared, apart, title, _command(asked)), results, day(time.time()))
    is_curve = is_asked and len(asked.budgets) > 1
    return _Compared(compared, apart, over_budgets(cells, asked.world, results) if is_curve else None)


def _with_quality(measures: list["Measure"]) -> list["Measure"]:
    """Differences, curves and gaps are of judged quality, whatever else is asked for."""
    from sought.lab.measures import MEASURES

    return list(dict.fromkeys([*measures, MEASURES["quality"]]))


def share_or_number(text: str) -> float:
    """`260`, `0.02` or `2%`."""
    from sought.lab.replay.setting import fetches_of

    bare = text.strip()
    try:
        value = float(bare.removesuffix("%")) / (100 if bare.endswith("%") else 1)
    except ValueError:
        raise BadInput(f"--budget: 260, 0.02 or 2%, not {text!r}") from None
    if bare.endswith("%") and not 0 < value < 1:
        raise BadInput(f"--budget: a share of pages is more than 0% and less than 100%, not {text!r}")
    fetches_of(value, 1)
    return value


def _default_policies() -> list[str]:
    from sought.record.config import CrawlSection

    return ["RoundRobin(new=True)", CrawlSection().policy]


def _check(setting: "Setting") -> None:
    """Refuse here what would otherwise fail in another process."""
    from sought.index.scorers import SCORERS
    from sought.lab.worlds.demand import SPLITS
    from sought.web.expression import evaluated

    evaluated(setting.scorer, SCORERS, "scorer")
    if setting.split not in SPLITS:
        raise BadInput(f"--split: {', '.join(SPLITS)}, not {setting.split!r}")


def _check_places(results: Path, decisions: Path | None) -> None:
    """Check the output folders before work that may take hours."""
    make_folder(results, "--results")
    if decisions and decisions.is_dir():
        raise BadInput(f"--decisions: {decisions} is a folder; name a file")
    if decisions:
        make_folder(decisions.parent, "--decisions")


def _write(frame: "pl.DataFrame", path: Path) -> None:
    """Complete or not at all; the same fetches are the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    frame.write_parquet(fresh, compression="zstd")
    fresh.replace(path)


def _command(asked: _Asked) -> str:
    """The command that repeats the comparison, in the folder that holds the world."""
    from sought.web.expression import expression_of

    setting, signals = asked.setting, asked.setting.signals
    parts = ["sought", "lab", "compare", asked.world.resolve().name]
    parts += [part for policy in asked.policies for part in ("--policy", expression_of(policy))]
    parts += [part for text in asked.budgets for part in ("--budget", text)]
    parts += [part for measure in asked.measures for part in ("--measure", _named(measure))]
    if asked.gap:
        parts += ["--floor", expression_of(asked.gap[0]), "--bound", expression_of(asked.gap[1])]
    given: dict[str, Any] = {"seeds": len(asked.seeds), "start": setting.start, "split": setting.split}
    given |= {"searches": setting.searches, "crawled": setting.crawled, "rounds": setting.rounds}
    given |= {
        "units": setting.units,
        "every": setting.every,
        "scorer": setting.scorer,
        "tie": setting.tie,
        "history": setting.history,
    }
    given |= {"recall": signals.recall, "noise": signals.noise, "lag": asked.lag, "liars": signals.liars}
    parts += [part for name, value in given.items() for part in (f"--{name}", str(value))]
    parts += ["--sitemaps"] * signals.sitemap + ["--etags"] * signals.etag + ["--dates"] * signals.dates
    parts += ["--fixed"] * (setting.pages == "fixed")
    return shlex.join(parts)


def _named(measure: "Measure") -> str:
    from sought.lab.measures import MEASURES

    return measure.name if MEASURES.get(measure.name) == measure else repr(measure)


def _merged(measured: "pl.DataFrame", gaps: "pl.DataFrame", title: str, command: str) -> Any:
    from sought.lab.studies.study import ResultTable, plain

    keys = ["policy", "budget", "seed"]
    whole = measured.drop("world", "seconds").join(gaps.drop("baseline"), on=keys, how="left", maintain_order="left")
    rows = [[plain(value) for value in row] for row in whole.rows()]
    return ResultTable(title, whole.columns, rows, command)


def _show(compared: _Compared, measures: list[str], baseline: str) -> None:
    several = ["seed"] if compared.table["seed"].n_unique() > 1 else []
    gap = ["share_of_gap"] if "share_of_gap" in compared.table.columns else []
    show_rows([_shown(row, [*several, "fetches", *measures, *gap]) for row in compared.table.iter_rows(named=True)])
    if len(compared.differences):
        console.print(f"\ndifference of judged quality after the fetches to {baseline}\n", markup=False)
        show_rows([_gap(row, several) for row in compared.differences.iter_rows(named=True)])
    if compared.over_budgets is not None:
        from sought.lab.studies.over_budgets import shown

        console.print("\nquality over budgets: mean height of the curve, and fetches a unit needed for a quality\n")
        show_rows([shown(row) for row in compared.over_budgets.iter_rows(named=True)])


def _shown(row: dict[str, Any], names: list[str]) -> dict[str, str]:
    cells = {name.replace("_", " "): cell_of(row[name]) for name in names}
    return {"budget": _budget(row["budget"]), **cells, "policy": row["policy"]}


def _gap(row: dict[str, Any], several: list[str]) -> dict[str, str]:
    between = {"difference": f"{row['difference']:+.4f}", "95 % interval": f"{row['low']:+.4f} … {row['high']:+.4f}"}
    shown = _shown(row, several)
    return {name: value for name, value in shown.items() if name != "policy"} | between | {"policy": shown["policy"]}


def _budget(value: float) -> str:
    return f"{value:,.0f}" if value >= 1 else f"{100 * value:g} %"
