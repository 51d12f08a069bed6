"""Synthetic worlds, and queries for worlds that have none."""

import inspect
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from sought.cli.lab_import import To, making
from sought.cli.options import Json, console, print_json
from sought.lab.worlds.synthetic.shape import WebShape
from sought.web.errors import BadInput

queries = typer.Typer(help="Replace the queries of a world.", no_args_is_help=True)

World = Annotated[Path, typer.Argument(metavar="WORLD", help="The world's folder.", show_default=False)]


def generate(name: str, to: Path | None, json: bool, **knobs: Any) -> None:
    """Generate a synthetic world: pages that are born, change, move and die, and queries."""
    from sought.lab.worlds.recorder import WorldRecorder
    from sought.lab.worlds.synthetic.web import generate as make
    from sought.lab.worlds.world import WEEK

    shape = WebShape(**knobs)
    with making([Path(name)], name, to, json) as made:
        recorder = WorldRecorder()
        span = make(recorder, shape, made.progress("events"))
        made.finish(recorder, span, WEEK, None, source="generated", shape=asdict(shape))


def _with_knobs() -> None:
    """The knobs of Shape are the options of `generate`: their names, defaults and bounds are defined in one place."""
    hints: dict[str, Any] = {"name": Annotated[str, typer.Option(help="The world's name.")], "to": To, "json": Json}
    defaults: dict[str, Any] = {"name": "made-up", "to": None, "json": False}
    for each in fields(WebShape):
        kind = int if each.type is int else float
        knob = each.metadata
        hints[each.name] = Annotated[kind, typer.Option(min=knob["min"], max=knob["max"], help=knob["help"])]
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
        opened = open_world(world)
        shares = read_views(views, opened) if views else None
        tallies, notes = make(opened, "views" if weighting == "views" else "zipf", count, seed, shares)
        if views:
            notes["file"] = views.resolve().name
        save_queries(opened.with_tallies(tallies, demand=[notes]), world)
    _say(world, notes | {"later": int((tallies.since > opened.start).sum())}, json)


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

    opened = open_world(world)
    tallies = import_queries(file, opened.start, lambda bad: errors.print(bad, markup=False))
    notes = {"file": file.resolve().name, "queries": len(tallies)}
    save_queries(opened.with_tallies(tallies, demand=[notes]), world)
    _say(world, notes | {"later": int((tallies.since > opened.start).sum())}, json)


def _say(world: Path, facts: dict[str, Any], json: bool) -> None:
    if json:
        print_json(facts | {"directory": str(world)})
    else:
        console.print(f"{world}: {facts['queries']:,} queries, {facts['later']:,} of them asked later", markup=False)
