"""A world on disk: a folder of Parquet files, described in docs/reference/lab.md.

world.json           name, times, seeds, headers, notes, and the number of this format
pages.parquet        url
versions.parquet     the columns of Versions; `links`, `terms` and `sketch` say how many of each below are its
links.parquet        url, anchor, nofollow: each distinct link once
link_lists.parquet   numbers of links, version after version
vectors.parquet      vectors over the terms, version after version
sketches.parquet     sketches, version after version
terms.parquet        term
texts.parquet        text: the body of each version, for people; replay does not read it
files.parquet        robots.txt and sitemaps as they were answered
queries.parquet      query, count a week, since
"""

import shutil
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from sought.index.vectors import Vectors
from sought.lab.worlds.restricted_vectors import are_vectors
from sought.lab.worlds.world import Ragged, Versions, World, WorldDemand
from sought.web.document import Link, PageCounts
from sought.web.errors import BadInput
from sought.web.message import Failure, RequestPurpose, Response

FORMAT = 1
_HEAD = "world.json"
_LISTS = {"links": "link_lists", "terms": "vectors", "sketch": "sketches"}
_MAX_UNITS = 1_000_000
_NUMBERS = {"number": pl.UInt32}
_TABLES: dict[str, dict[str, Any]] = {
    "pages": {"url": pl.String},
    "versions": {
        "page": pl.UInt32,
        "time": pl.Float64,
        "status": pl.UInt16,
        "headers": pl.UInt32,
        "size": pl.UInt32,
        "content": pl.UInt64,
        "digest": pl.String,
        "failure": pl.String,
        "language": pl.String,
        "title": pl.String,
        "headings": pl.List(pl.String),
        "canonical": pl.String,
        "refused": pl.String,
        "noindex": pl.Boolean,
        "nofollow": pl.Boolean,
        "has_text": pl.Boolean,
        "counts": pl.Array(pl.Int32, len(fields(PageCounts))),
        **dict.fromkeys(_LISTS, pl.Int64),
    },
    "links": {"url": pl.String, "anchor": pl.String, "nofollow": pl.Boolean},
    "link_lists": _NUMBERS,
    "vectors": _NUMBERS,
    "sketches": _NUMBERS,
    "terms": {"term": pl.String},
    "texts": {"text": pl.String},
    "files": {
        "url": pl.String,
        "purpose": pl.String,
        "time": pl.Float64,
        "status": pl.UInt16,
        "failure": pl.String,
        "headers": pl.List(pl.String),
        "body": pl.Binary,
    },
    "queries": {"query": pl.String, "count": pl.Float64, "since": pl.Float64},
}


class _Format(msgspec.Struct):
    """Read first: the rest of the file may have an unknown format."""

    format: int


class _Head(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    name: str
    start: float
    end: float
    unit: float
    seeds: tuple[str, ...]
    headers: list[tuple[tuple[str, str], ...]]
    addresses: dict[str, str]
    notes: dict[str, Any]


def save_world(world: World, folder: Path, texts: Sequence[str]) -> None:
    """Write a world.  An existing world is replaced when the new one is complete; any other folder must be empty."""
    check_folder(folder)
    fresh = folder.with_name(folder.name + ".new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name, frame in _frames(world, texts).items():
        frame.write_parquet(fresh / f"{name}.parquet", compression="zstd", statistics=False)
    _save_head(world, fresh)
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def check_folder(folder: Path) -> None:
    """Raise BadInput if no world can be written here; also called before long work."""
    if folder.exists() and not (folder / _HEAD).exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise BadInput(f"{folder} is not empty and holds no world: choose another folder")


def save_queries(world: World, folder: Path) -> None:
    """Write the demand and the notes of a world on disk."""
    tidy = folder / "queries.new"
    _queries(world.tallies).write_parquet(tidy, compression="zstd", statistics=False)
    tidy.replace(folder / "queries.parquet")
    _save_head(world, folder)


def open_world(folder: Path) -> World:
    """A world as it was saved."""
    head = _read_head(folder / _HEAD)
    versions = _read(folder, "versions")
    lists = {name: _ragged(folder, name, versions[column].to_numpy()) for column, name in _LISTS.items()}
    links = _read(folder, "links")
    vectors = lists.pop("vectors")
    world = World(
        head.name,
        head.start,
        head.end,
        head.unit,
        head.seeds,
        _read(folder, "pages")["url"].to_list(),
        _versions(versions),
        head.headers,
        list(map(Link, links["url"].to_list(), links["anchor"].to_list(), links["nofollow"].to_list())),
        vectors=Vectors(vectors.data, vectors.bounds),
        terms=_read(folder, "terms")["term"].to_list(),
        files=_files(folder),
        tallies=_tallies(_read(folder, "queries")),
        addresses=head.addresses,
        notes=head.notes,
        **lists,
    )
    _check(world, folder)
    return world


def read_name(folder: Path) -> str:
    """The name of a world."""
    return _read_head(folder / _HEAD).name


def read_texts(folder: Path) -> list[str]:
    """The body of each version."""
    return _read(folder, "texts")["text"].to_list()


def _frames(world: World, texts: Sequence[str]) -> dict[str, pl.DataFrame]:
    sizes = {column: np.diff(getattr(world, name).bounds) for column, name in _LISTS.items()}
    columns = {each.name: getattr(world.versions, each.name) for each in fields(Versions)}
    links = [(link.url, link.anchor, link.nofollow) for link in world.links]
    files = [_file(each) for each in world.files]
    return {
        "pages": pl.DataFrame({"url": world.urls}, _TABLES["pages"]),
        "versions": pl.DataFrame(columns | sizes, _TABLES["versions"]),
        "links": pl.DataFrame(links, _TABLES["links"], orient="row"),
        **{name: pl.DataFrame({"number": getattr(world, name).data}, _NUMBERS) for name in _LISTS.values()},
        "terms": pl.DataFrame({"term": world.terms}, _TABLES["terms"]),
        "texts": pl.DataFrame({"text": list(texts)}, _TABLES["texts"]),
        "files": pl.DataFrame(files, _TABLES["files"], orient="row"),
        "queries": _queries(world.tallies),
    }


def _file(response: Response) -> tuple[Any, ...]:
    flat = [part for header in response.headers for part in header]
    failure = str(response.failure or "")
    return response.url, str(response.purpose), response.time, response.status, failure, flat, response.body


def _files(folder: Path) -> list[Response]:
    try:
        return [_answer(row) for row in _read(folder, "files").iter_rows(named=True)]
    except ValueError as error:
        raise BadInput(f"{folder / 'files.parquet'} is damaged: {error}") from None


def _answer(row: dict[str, Any]) -> Response:
    headers = tuple(zip(row["headers"][::2], row["headers"][1::2], strict=True))
    return Response(
        row["url"],
        row["status"],
        headers=headers,
        raw=row["body"],
        body=row["body"],
        time=row["time"],
        failure=Failure(row["failure"]) if row["failure"] else None,
        purpose=RequestPurpose(row["purpose"]),
    )


def _queries(tallies: WorldDemand) -> pl.DataFrame:
    columns = {each.name: getattr(tallies, each.name) for each in fields(WorldDemand)}
    return pl.DataFrame(columns, _TABLES["queries"])


def _tallies(frame: pl.DataFrame) -> WorldDemand:
    return WorldDemand(frame["query"].to_list(), frame["count"].to_numpy(), frame["since"].to_numpy())


def _versions(frame: pl.DataFrame) -> Versions:
    def column(name: str) -> Any:
        if name == "counts":
            return frame[name].to_numpy().reshape(len(frame), -1)
        is_plain = frame.schema[name].is_numeric() or frame.schema[name] == pl.Boolean
        return frame[name].to_numpy() if is_plain else frame[name].to_list()

    return Versions(**{each.name: column(each.name) for each in fields(Versions)})


def _ragged(folder: Path, name: str, counts: Any) -> Ragged:
    bounds = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=bounds[1:])
    data = _read(folder, name)["number"].to_numpy()
    if len(data) != bounds[-1]:
        raise BadInput(f"{folder / name}.parquet has {len(data)} numbers where the versions need {bounds[-1]}")
    return Ragged(data, bounds)


def _save_head(world: World, folder: Path) -> None:
    head = _Head(
        FORMAT, world.name, world.start, world.end, world.unit, world.seeds, world.headers, world.addresses, world.notes
    )
    tidy = folder / (_HEAD + ".new")
    tidy.write_bytes(msgspec.json.format(msgspec.json.encode(head), indent=1))
    tidy.replace(folder / _HEAD)


def _read_head(path: Path) -> _Head:
    if not path.is_file():
        raise BadInput(f"no world at {path.parent}: make one with 'sought lab import' or 'sought lab generate'")
    data = path.read_bytes()
    try:
        version = msgspec.json.decode(data, type=_Format).format
        if version == FORMAT:
            return msgspec.json.decode(data, type=_Head)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadInput(f"{path} is damaged: {error}") from None
    newer = "was written by a newer version of sought: install that, or" if version > FORMAT else "is of an old format:"
    raise BadInput(f"{path} (format {version}, not {FORMAT}) {newer} import the world again")


def _read(folder: Path, name: str) -> pl.DataFrame:
    path = folder / f"{name}.parquet"
    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise BadInput(f"{path} is damaged: {' '.join(str(error).split())[:200]}") from None
    if dict(frame.schema) != _TABLES[name]:
        raise BadInput(f"{path} is damaged: its columns are {', '.join(frame.columns)[:200]}, or of another kind")
    if any(column.null_count() for column in frame):
        raise BadInput(f"{path} is damaged: something is missing in it")
    return frame


def _check(world: World, folder: Path) -> None:
    """Raise BadInput for numbers out of range or out of order, which would cause errors much later."""
    v, problem = world.versions, ""
    pairs = (
        ("page", v.page, len(world.urls)),
        ("header", v.headers, len(world.headers)),
        ("link", world.link_lists.data, len(world.links)),
    )
    for name, numbers, size in pairs:
        if len(numbers) and int(numbers.max()) >= size:
            problem = f"{name} {int(numbers.max())} of {size}"
    if not are_vectors(world.vectors, len(world.terms)):
        problem = "vectors that are none, or terms that are not there"
    in_order = (v.page[1:] > v.page[:-1]) | ((v.page[1:] == v.page[:-1]) & (v.time[1:] > v.time[:-1]))
    if not in_order.all():
        problem = "versions are not in order"
    if len(set(world.urls)) < len(world.urls) or not all(url.startswith(("http://", "https://")) for url in world.urls):
        problem = "URLs that are none, or twice"
    if not set(v.failure) <= {"", *Failure}:
        problem = "failures of a kind nobody knows"
    if not (np.isfinite(world.tallies.count).all() and (world.tallies.count >= 0).all()):
        problem = "queries.parquet has counts that are none"
    if not np.isfinite(v.time).all() or not 0 < world.unit < np.inf or not world.start <= world.end < np.inf:
        problem = "times that are none"
    elif world.units > _MAX_UNITS:
        problem = f"{world.units} units"
    if problem:
        raise BadInput(f"{folder / 'versions.parquet'} does not fit the other files: {problem}")
