"""A web graph as a world: one moment, links without words.

Node n is the page http://graph.invalid/n (RFC 2606: that host will never be).  Three formats, recognised by their
content: an edge list (two numbers a line, `#` begins a comment), SciPy's npz of a sparse matrix (row = source), and
WebGraph's ASCII format (the number of nodes, then a line of successors for each).  Text may be gzipped.
"""

import gzip
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from sought.lab.worlds.imports.importer import Importer, ImportOption, ImportResult, Progress, Read
from sought.lab.worlds.recorder import RecordedSpan, WorldRecorder
from sought.lab.worlds.world import WEEK
from sought.web.document import Document, Link
from sought.web.errors import BadInput
from sought.web.message import Response
from sought.web.url import fingerprint

HOST = "http://graph.invalid/"
_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_MAX_LINE = 1 << 26  # a node may have millions of successors
_MAX_DIGITS = 18  # what fits into 63 bits
_REPORT_EVERY = 4096
_UNREADABLE = (
    OSError, EOFError, ValueError, KeyError, AttributeError, TypeError, NotImplementedError, MemoryError,
    zlib.error, zipfile.BadZipFile,
)  # fmt: skip

Numbers = NDArray[np.int64]
Report = Callable[[int, int], None]


@dataclass(frozen=True)
class ImportedGraph:
    """`names[i]` is the number of a node; its successors are `names[targets[bounds[i]:bounds[i + 1]]]`."""

    names: Numbers
    bounds: Numbers
    targets: Numbers


def import_graph(
    recorder: WorldRecorder, file: Path, report: Report = lambda _done, _total: None, seed_node: int | None = None
) -> RecordedSpan:
    """Record every node; by default the seed is the node with most links in the largest strong component."""
    graph = read_graph(file)
    if not len(graph.names):
        raise BadInput(f"{file}: no links in it")
    seed = _seed(graph, file, seed_node)
    links = [Link(f"{HOST}{name}") for name in graph.names.tolist()]
    bounds, targets = graph.bounds.tolist(), graph.targets.tolist()
    for number, name in enumerate(graph.names.tolist()):
        successors = tuple([links[target] for target in targets[bounds[number] : bounds[number + 1]]])
        url, text = links[number].url, str(name)
        document = Document(title=text, text=text, links=successors, content=fingerprint(url), size=len(text))
        recorder.answer(Response(url, 200, headers=_HTML), document)
        if number % _REPORT_EVERY == 0:
            report(number, len(links))
    report(len(links), len(links))
    return RecordedSpan(0.0, 0.0, (f"{HOST}{graph.names[seed]}",), _reached(graph, seed))


def read_graph(file: Path) -> ImportedGraph:
    """The graph in a file, whichever of the formats it has."""
    with _readable(file):
        with file.open("rb") as plain:
            if plain.read(2) == b"PK":
                return _sparse(file)
        with _opened(file) as lines:
            return _read_text(lines, file)


def _seed(graph: ImportedGraph, file: Path, seed_node: int | None) -> int:
    """Which node crawls start at: within a largest strongly connected component the one with most successors."""
    if seed_node is None:
        from scipy.sparse import csgraph

        untyped: Any = csgraph
        component = untyped.connected_components(_matrix(graph), connection="strong")[1]
        sizes = np.bincount(component)[component]
        return int(np.argmax(np.where(sizes == sizes.max(), np.diff(graph.bounds), -1)))
    places = np.flatnonzero(graph.names == seed_node)
    if not len(places):
        raise BadInput(f"{file}: no node {seed_node}")
    return int(places[0])


def _reached(graph: ImportedGraph, seed: int) -> int:
    """How many pages can be reached from the seed, which counts too."""
    from scipy.sparse import csgraph

    untyped: Any = csgraph
    return len(untyped.breadth_first_order(_matrix(graph), seed, return_predecessors=False))


def _matrix(graph: ImportedGraph) -> Any:
    from scipy import sparse

    untyped: Any = sparse
    shape = (len(graph.names), len(graph.names))
    return untyped.csr_matrix((np.ones(len(graph.targets), np.int8), graph.targets, graph.bounds), shape)


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    """Turn any error about the file as a whole into BadInput."""
    try:
        yield
    except _UNREADABLE as error:
        raise BadInput(f"cannot read {file}: {getattr(error, 'strerror', None) or error or type(error)}") from None


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    with file.open("rb") as raw:
        if raw.peek(2)[:2] != b"\x1f\x8b":
            yield raw
            return
        with gzip.open(raw) as unpacked:
            yield cast("IO[bytes]", unpacked)


def _sparse(file: Path) -> ImportedGraph:
    from scipy import sparse

    untyped: Any = sparse
    with file.open("rb") as raw:
        matrix: Any = untyped.csr_matrix(untyped.load_npz(raw))
    matrix.check_format(full_check=True)
    if matrix.shape[0] != matrix.shape[1]:
        raise BadInput(f"{file}: {matrix.shape[0]} rows and {matrix.shape[1]} columns, where a graph has as many")
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return ImportedGraph(np.arange(matrix.shape[0]), matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64))


def _read_text(file: IO[bytes], path: Path) -> ImportedGraph:
    """Only WebGraph's format begins with a line of one number."""
    for at, numbers in _lines(file, path):
        if len(numbers) == 1:
            return _successors(file, path, at, numbers[0])
        return _edges(file, path, at, numbers)
    return ImportedGraph(*(np.zeros(size, np.int64) for size in (0, 1, 0)))


def _lines(
    file: IO[bytes], path: Path, before: int = 0, *, with_empty: bool = False
) -> Iterator[tuple[int, list[int]]]:
    at = before
    while line := file.readline(_MAX_LINE):
        at += 1
        words = line.partition(b"#")[0].split()
        if len(line) == _MAX_LINE or not all(word.isdigit() and len(word) <= _MAX_DIGITS for word in words):
            raise BadInput(
                f"{path}, line {at}: not a line of numbers: {line[:60].decode('utf-8', 'replace').strip()!r}"
            )
        if words or (with_empty and not line.lstrip().startswith(b"#")):
            yield at, [int(word) for word in words]


def _edges(file: IO[bytes], path: Path, at: int, first: list[int]) -> ImportedGraph:
    pairs = array("q")
    lines = _lines(file, path, at)
    numbers = first
    while True:
        if len(numbers) != 2:
            raise BadInput(f"{path}, line {at}: {len(numbers)} numbers where a link has two")
        pairs.extend(numbers)
        if (following := next(lines, None)) is None:
            break
        at, numbers = following
    names, ends = np.unique(np.frombuffer(pairs, np.int64), return_inverse=True)
    edges = np.unique(ends.reshape(-1, 2), axis=0)
    return ImportedGraph(names, np.searchsorted(edges[:, 0], np.arange(len(names) + 1)).astype(np.int64), edges[:, 1])


def _successors(file: IO[bytes], path: Path, at: int, count: int) -> ImportedGraph:
    targets, bounds = array("q"), array("q", [0])
    for line, numbers in _lines(file, path, at, with_empty=True):
        if len(bounds) > count:
            if not numbers:
                continue
            raise BadInput(f"{path}, line {line}: more lines than the {count} nodes")
        if numbers and max(numbers) >= count:
            raise BadInput(f"{path}, line {line}: node {max(numbers)} of {count}")
        targets.extend(sorted(set(numbers)))
        bounds.append(len(targets))
    if len(bounds) <= count:
        raise BadInput(f"{path}: ends after {len(bounds) - 1} of {count} nodes")
    return ImportedGraph(np.arange(count), np.array(bounds, np.int64), np.array(targets, np.int64))


def _plan(paths: Sequence[Path], options: Mapping[str, Any]) -> Read:
    [file] = paths

    def read(recorder: WorldRecorder, progress: Progress) -> ImportResult:
        span = import_graph(recorder, file, progress("nodes"), options["seed-node"])
        return ImportResult(span, WEEK, {"source": "graph", "file": file.resolve().name})

    return read


GRAPH = Importer(
    "graph",
    "Import a web graph: one moment, links without words.",
    "Edges as text, SciPy's .npz or WebGraph's ASCII format; text also .gz.",
    _plan,
    (
        ImportOption(
            "seed-node",
            int | None,
            "Node to start from; default: the one with most links in the largest strongly connected component.",
            None,
            least=0,
        ),
    ),
)
