"""Worlds from graphs and wikis, synthetic worlds, and queries for worlds that have none."""

import inspect
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from sought.cli.lab_import import Name, Queries, To, making
from sought.cli.options import Json, console, print_json
from sought.lab.worlds.synthetic.shape import WebShape
from sought.web.errors import BadInput

app = typer.Typer(help="Make a world from a graph or a wiki.", no_args_is_help=True)
queries = typer.Typer(help="Replace the queries of a world.", no_args_is_help=True)

World = Annotated[Path, typer.Argument(metavar="WORLD", help="The world's folder.", show_default=False)]


@app.command()
def graph(
    file: Annotated[
        Path, typer.Argument(help="Edges as text, SciPy's .npz or WebGraph's ASCII format; text also .gz.")
    ],
    seed_node: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Node to start from; default: the one with most links in the largest strongly connected component.",
        ),
    ] = None,
    queries: Queries = None,
    name: Name = None,
    to: To = None,
    json: Json = False,
) -> None:
    """Import a web graph: one moment, links without words."""
    from sought.lab.worlds.imports.graph import import_graph
    from sought.lab.worlds.recorder import WorldRecorder
    from sought.lab.worlds.world import WEEK

    with making([file], name, to, json) as made:
        recorder = WorldRecorder()
        taken = import_graph(recorder, file, made.progress("nodes"), seed_node)
        made.finish(recorder, taken, WEEK, queries, source="graph", file=file.resolve().name)


@app.command()
def wiki(
    dump: Annotated[Path, typer.Argument(help="MediaWiki's XML export with revisions, also .gz or .bz2.")],
    base_url: Annotated[str, typer.Option(help="The URL of the wiki's root; pages are at /wiki/ below it.")],
    unit: Annotated[str, typer.Option(help="Length of a unit in replays.")] = "7d",
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="DATE",
            help="First day, as 2020-01-31; default: when half of all pages exist.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(help="Title of the start page; default: the most linked one that exists from the start."),
    ] = None,
    queries: Queries = None,
    name: Name = None,
    to: To = None,
    json: Json = False,
) -> None:
    """Import the articles of a wiki with all revisions."""
    from sought.lab.worlds.imports.wiki import import_wiki
    from sought.lab.worlds.recorder import WorldRecorder
    from sought.record.config import seconds

    step = seconds(unit)
    if not step:
        raise BadInput("--unit: 0 is no time at all")
    since = _moment(from_) if from_ is not None else None
    with making([dump], name, to, json) as made:
        recorder = WorldRecorder()
        taken = import_wiki(recorder, dump, base_url, made.progress("bytes read"), seed, since)
        made.finish(recorder, taken, step, queries, source="wiki", file=dump.resolve().name, base_url=base_url)


def _moment(date: str) -> float:
    from sought.lab.worlds.imports.wiki_dump import moment

    try:
        return moment(date)
    except ValueError:
        raise BadInput(f"--from: not a date such as 2020-01-31: {date[:60]!r}") from None


def generate(name: str, to: Path | None, json: bool, **knobs: Any) -> None:
    """Generate a synthetic world: pages that are born, change, move and die, and queries."""
    from sought.lab.worlds.recorder import WorldRecorder
    from sought.lab.worlds.synthetic.web import generate as make
    from sought.lab.worlds.world import WEEK

    shape = WebShape(**knobs)
    with making([Path(name)], name, to, json) as made:
        recorder = WorldRecorder()
        taken = make(recorder, shape, made.progress("events"))
        made.finish(recorder, taken, WEEK, None, source="generated", shape=asdict(shape))


def _with_knobs() -> None:
    """The knobs of Shape are the options of `generate`: their names, defaults and bounds are said in one place."""
    hints: dict[str, Any] = {"name": Annotated[str, typer.Option(help="The world's name.")], "to": To, "json": Json}
    defaults: dict[str, Any] = {"name": "made-up", "to": None, "json": False}
    for each in fields(WebShape):
        kind = int if each.type is int else float
        said = each.metadata
        hints[each.name] = Annotated[kind, typer.Option(min=said["min"], max=said["max"], help=said["help"])]
        defaults[each.name] = each.default
    order = [
        inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=defaults[n], annotation=hints[n]) for n in hints
    ]
    generate.__signature__ = inspect.Signature(order)  # type: ignore[attr-defined]  # typer reads options from it
    generate.__annotations__ = hints


_with_knobs()


@queries.command()
def derive(
    world: World,
    weighting: Annotated[str, typer.Option(help="zipf: by links; views: by page views.")] = "zipf",
    views: Annotated[
        Path | None, typer.Option(help="A table with a header: url<TAB>share of page views.", show_default=False)
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=10_000_000, help="Maximum number of queries.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the ranks.")] = 0,
    json: Json = False,
) -> None:
    """Derive queries from the titles and anchors of a world; replaces those it has."""
    from sought.cli.live import status_line
    from sought.lab.worlds.derived_queries import derive as make
    from sought.lab.worlds.derived_queries import read_views
    from sought.lab.worlds.files import open_world, save_queries

    if weighting not in ("zipf", "views"):
        raise BadInput(f"no weighting {weighting!r}: one of zipf, views")
    with status_line("reading titles and anchors", quiet=json):
        found = open_world(world)
        shares = read_views(views, found) if views else None
        tallies, notes = make(found, "views" if weighting == "views" else "zipf", count, seed, shares)
        if views:
            notes["file"] = views.resolve().name
        save_queries(found.with_tallies(tallies, demand=[notes]), world)
    _say(world, notes | {"later": int((tallies.since > found.start).sum())}, json)


@queries.command("import")
def import_(
    world: World,
    file: Annotated[Path, typer.Argument(help="Any file that 'sought queries import' reads.")],
    json: Json = False,
) -> None:
    """Import queries from a file; replaces those of the world."""
    from sought.cli.options import errors
    from sought.lab.worlds.files import open_world, save_queries
    from sought.lab.worlds.imports.queries import import_queries

    found = open_world(world)
    tallies = import_queries(file, found.start, lambda bad: errors.print(bad, markup=False))
    notes = {"file": file.resolve().name, "queries": len(tallies)}
    save_queries(found.with_tallies(tallies, demand=[notes]), world)
    _say(world, notes | {"later": int((tallies.since > found.start).sum())}, json)


def _say(world: Path, said: dict[str, Any], json: bool) -> None:
    if json:
        print_json(said | {"directory": str(world)})
    else:
        console.print(f"{world}: {said['queries']:,} queries, {said['later']:,} of them asked later", markup=False)
