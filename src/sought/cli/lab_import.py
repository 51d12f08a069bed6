"""Worlds from recorded history: a command for each importer."""

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from sought.cli.options import Json, console, errors, make_folder, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for polars
    from sought.lab.worlds.imports.importer import Importer
    from sought.lab.worlds.recorder import RecordedSpan, WorldRecorder
    from sought.lab.worlds.world import World, WorldDemand

_MAX_UNITS = 100_000

Name = Annotated[str | None, typer.Option(help="The world's name; default: that of the folder or file.")]
To = Annotated[Path | None, typer.Option(help="The folder to write; default: NAME.world here.", show_default=False)]
Queries = Annotated[
    list[Path] | None,
    typer.Option(help="Queries: any file that 'sought queries import' reads (repeatable).", show_default=False),
]


class _ImporterCommands(TyperGroup):
    """Importers are looked for when the first is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        from sought.lab.worlds.imports.importer import IMPORTERS

        return list(IMPORTERS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from sought.lab.worlds.imports.importer import importer_named

        return _command(cmd_name, importer_named(cmd_name))


app = typer.Typer(cls=_ImporterCommands, no_args_is_help=True)


@app.callback()
def _about_importers() -> None:
    """Make a world from recorded history: by an importer below, or my_importer:MINE of a file here."""


def _command(name: str, importer: "Importer") -> Any:
    def run(**given: Any) -> None:
        _import(importer, **given)

    parameters = list(_parameters(importer))
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # typer reads options from it
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, help=importer.help)(run)
    return typer.main.get_command(single)


def _parameters(importer: "Importer") -> Iterator[inspect.Parameter]:
    """The options of the importer, and those that all have."""
    paths = typer.Argument(metavar=importer.metavar, help=importer.paths)
    yield _parameter("paths", Annotated[list[Path] if importer.several else Path, paths])
    for each in importer.options:
        option = typer.Option(
            f"--{each.name}",
            help=each.help,
            min=each.least,
            metavar=each.metavar,
            show_default=each.default is not None,
        )
        yield _parameter(_own(each.name), Annotated[each.type, option], each.default)
    for name, hint in (("queries", Queries), ("name", Name), ("to", To)):
        yield _parameter(name, hint, None)
    yield _parameter("json", Json, False)


def _parameter(name: str, hint: Any, default: Any = ...) -> inspect.Parameter:
    value = inspect.Parameter.empty if default is ... else default
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=value, annotation=hint)


def _own(option: str) -> str:
    """The name of its parameter, distinct from options that all importers have."""
    return f"own_{option.replace('-', '_')}"


def _import(
    importer: "Importer",
    paths: list[Path] | Path,
    queries: list[Path] | None,
    name: str | None,
    to: Path | None,
    json: bool,
    **options: Any,
) -> None:
    from sought.lab.worlds.imports.queries import logged_queries
    from sought.lab.worlds.recorder import WorldRecorder

    files = paths if isinstance(paths, list) else [paths]
    read = importer.plan(files, {each.name: options[_own(each.name)] for each in importer.options})
    with making(files, name, to, json) as made:
        recorder = WorldRecorder()
        span, unit, about, logs = read(recorder, made.progress)
        own = sum(_ask_all(recorder, logged_queries(log, span.start, span.end)) for log in logs if not queries)
        made.finish(recorder, span, unit, queries, **about, **({"own_queries": own} if own else {}))


def default_name(path: Path) -> str:
    """`k8s` for k8s.world, k8s.git, k8s/site.bundle and k8s.warc.gz."""
    path = path.resolve()
    if path.name == "site.bundle":
        return path.parent.name
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


class _WorldMaker:
    """A world being made: its target, and the progress shown."""

    def __init__(self, name: str, folder: Path, json: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self.name, self.folder, self.json = name, folder, json
        self.began = time.monotonic()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.bars = Progress(*columns, console=errors, transient=True, disable=json or not errors.is_terminal)

    def progress(self, what: str) -> Callable[[int, int], None]:
        """Shows the progress of one piece of work."""
        task = self.bars.add_task(what, total=None)
        return lambda done, total: self.bars.update(task, completed=done, total=total or None)

    def finish(
        self, recorder: "WorldRecorder", span: "RecordedSpan", unit: float, queries: list[Path] | None, **notes: Any
    ) -> None:
        """Add queries, save the world, and describe it in one line."""
        from sought.lab.worlds.files import save_world
        from sought.record.files import folder_bytes

        if (span.end - span.start) / unit > _MAX_UNITS:
            raise BadInput(f"{self.name}: more than {_MAX_UNITS:,} units of {unit:g} s; choose longer ones")
        demand = [_ask(recorder, file, span.start) for file in queries or ()]
        world = recorder.finish(self.name, span.seeds, span.start, span.end, unit, **notes, demand=demand)
        save_world(world, self.folder, recorder.texts)
        self.bars.stop()
        about = _about(world) | {"bytes": folder_bytes(self.folder), "seconds": round(time.monotonic() - self.began, 1)}
        about |= {} if span.reached is None else {"reached": span.reached}
        if self.json:
            print_json(about | {"name": self.name, "directory": str(self.folder)})
        else:
            console.print(_line(self.folder, about), markup=False)


@contextmanager
def making(paths: list[Path], name: str | None, to: Path | None, json: bool) -> Iterator[_WorldMaker]:
    """A world for these files, if there is room for it; what is done within shows its progress."""
    from sought.lab.worlds.files import check_folder

    name = name or "+".join(dict.fromkeys(map(default_name, paths)))
    folder = to or Path(f"{name}.world")
    check_folder(folder)
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} holds a world already: delete it, or name another folder with --to")
    make_folder(folder.absolute().parent, "--to")
    made = _WorldMaker(name, folder, json)
    with made.bars:
        yield made


def _ask(recorder: "WorldRecorder", file: Path, start: float) -> dict[str, Any]:
    from sought.lab.worlds.imports.queries import import_queries

    tallies = import_queries(file, start, lambda bad: errors.print(bad, markup=False))
    return {"file": file.resolve().name, "queries": _ask_all(recorder, tallies)}


def _ask_all(recorder: "WorldRecorder", tallies: "WorldDemand") -> int:
    for query, count, since in zip(tallies.query, tallies.count.tolist(), tallies.since.tolist(), strict=True):
        recorder.ask(query, count, since)
    return len(tallies)


def _about(world: "World") -> dict[str, Any]:
    return {
        "pages": len(world.urls),
        "versions": len(world.versions),
        "links": len(world.link_lists.data),
        "queries": len(world.tallies),
        "from": _day(world.start),
        "to": _day(world.end),
    }


def _line(folder: Path, about: dict[str, Any]) -> str:
    counts = ", ".join(f"{about[what]:,} {what}" for what in ("pages", "versions", "links", "queries"))
    size = f"{about['bytes'] / 1e6:,.1f} MB in {about['seconds']} s"
    reached = f"; the seed reaches {about['reached']:,} of the pages" if "reached" in about else ""
    return f"{folder}: {counts}, from {about['from']} to {about['to']}, {size}{reached}"


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))
