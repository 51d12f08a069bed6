"""Worlds from recorded history: git repositories and WARC files."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sought.cli.options import Json, console, errors, make_folder, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for polars
    from sought.lab.worlds.recorder import Taken, WorldRecorder
    from sought.lab.worlds.world import World, WorldDemand

_MAX_UNITS = 100_000

app = typer.Typer(help="Make a world from recorded history.", no_args_is_help=True)

Name = Annotated[str | None, typer.Option(help="The world's name; default: that of the folder or file.")]
To = Annotated[Path | None, typer.Option(help="The folder to write; default: NAME.world here.", show_default=False)]
Queries = Annotated[
    list[Path] | None,
    typer.Option(
        help="What people ask: any file that 'sought queries import' reads (again for more).", show_default=False
    ),
]


@app.command()
def git(
    paths: Annotated[
        list[Path], typer.Argument(metavar="PATH_OR_BUNDLE...", help="A git repository or bundle for each site.")
    ],
    base_url: Annotated[list[str], typer.Option(help="The URL of the site's root; once for each path, in order.")],
    every: Annotated[
        str, typer.Option(help="Time between snapshots, from the first commit on; 0s: every commit is one.")
    ] = "7d",
    moves: Annotated[
        list[Path] | None,
        typer.Option(help="A table week, from, to of pages that moved; once for each path.", show_default=False),
    ] = None,
    queries: Queries = None,
    name: Name = None,
    to: To = None,
    json: Json = False,
) -> None:
    """The HTML and Markdown pages of git repositories, as they were at each snapshot."""
    from sought.lab.worlds.imports.git import import_git
    from sought.lab.worlds.recorder import WorldRecorder
    from sought.lab.worlds.world import WEEK
    from sought.record.config import seconds

    tables = _each_path("--moves", moves or [None] * len(paths), paths)
    sites = list(zip(paths, _each_path("--base-url", base_url, paths), tables, strict=True))
    if len(set(base_url)) < len(base_url):
        raise BadInput("--base-url: each site needs one of its own")
    step = seconds(every)
    with making(paths, name, to, json) as made:
        recorder = WorldRecorder()
        taken = [
            import_git(recorder, path, base, step, table, made.progress(f"reading {path.name}"))
            for path, base, table in sites
        ]
        about = [
            {"base_url": base, "from": path.name, "moves": table.name if table else ""} for path, base, table in sites
        ]
        made.finish(recorder, _together(taken), step or WEEK, queries, source="git", every=every, sites=about)


@app.command()
def warc(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILES...", help="WARC files, folders of them, CDXJ indexes, crawl directories."),
    ],
    unit: Annotated[str, typer.Option(help="How finely a replay cuts time.")] = "7d",
    queries: Queries = None,
    name: Name = None,
    to: To = None,
    json: Json = False,
) -> None:
    """What a crawl recorded; the first capture of a page counts from the beginning.

    Of a crawl directory its query log is taken, too, unless --queries names another.
    """
    from sought.lab.worlds.imports.queries import logged_queries
    from sought.lab.worlds.imports.warc import import_warc
    from sought.lab.worlds.recorder import WorldRecorder
    from sought.record.config import seconds
    from sought.record.workload import FOLDER

    step = seconds(unit)
    if not step:
        raise BadInput("--unit: 0 is no time at all")
    with making(files, name, to, json) as made:
        recorder = WorldRecorder()
        taken = import_warc(recorder, files, made.progress("reading captures"))
        logs = [] if queries else [file / FOLDER for file in files if (file / FOLDER).is_dir()]
        own = sum(_ask_all(recorder, logged_queries(log, taken.start, taken.end)) for log in logs)
        about = {"files": [file.resolve().name for file in files]} | ({"own_queries": own} if own else {})
        made.finish(recorder, taken, step, queries, source="warc", **about)


def _each_path(option: str, values: list[Any], paths: list[Path]) -> list[Any]:
    if len(values) != len(paths):
        raise BadInput(f"{option}: {len(values)} for {len(paths)} paths; it is given once for each path, in order")
    return values


def _together(taken: "list[Taken]") -> "Taken":
    from sought.lab.worlds.recorder import Taken

    seeds = tuple(seed for each in taken for seed in each.seeds)
    return Taken(min(each.start for each in taken), max(each.end for each in taken), seeds)


def default_name(path: Path) -> str:
    """`k8s` for k8s.world, k8s.git, k8s/site.bundle and k8s.warc.gz."""
    path = path.resolve()
    if path.name == "site.bundle":
        return path.parent.name
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name


class _WorldMaker:
    """A world in the making: where to, and what is shown meanwhile."""

    def __init__(self, name: str, folder: Path, json: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        self.name, self.folder, self.json = name, folder, json
        self.began = time.monotonic()
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        self.bars = Progress(*columns, console=errors, transient=True, disable=json or not errors.is_terminal)

    def progress(self, what: str) -> Callable[[int, int], None]:
        """Shows how far one piece of work is."""
        task = self.bars.add_task(what, total=None)
        return lambda done, total: self.bars.update(task, completed=done, total=total or None)

    def finish(
        self, recorder: "WorldRecorder", taken: "Taken", unit: float, queries: list[Path] | None, **notes: Any
    ) -> None:
        """Add what people ask, save the world, and say in a line what it is."""
        from sought.lab.worlds.files import save_world
        from sought.record.files import folder_bytes

        if (taken.end - taken.start) / unit > _MAX_UNITS:
            raise BadInput(f"{self.name}: more than {_MAX_UNITS:,} units of {unit:g} s; choose longer ones")
        demand = [_ask(recorder, file, taken.start) for file in queries or ()]
        world = recorder.finish(self.name, taken.seeds, taken.start, taken.end, unit, **notes, demand=demand)
        save_world(world, self.folder, recorder.texts)
        self.bars.stop()
        about = _about(world) | {"bytes": folder_bytes(self.folder), "seconds": round(time.monotonic() - self.began, 1)}
        about |= {} if taken.reached is None else {"reached": taken.reached}
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
