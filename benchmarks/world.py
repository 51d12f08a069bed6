"""Real pages for benchmarks: the first and the last week of a recorded site, and what people ask of it."""

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sought.web.errors import BadInput
from sought.web.message import Response

_HTML = (("Content-Type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class World:
    """Pages that were there in both weeks, each twice, and queries, the most frequent first."""

    name: str
    first: list[Response]
    last: list[Response]
    queries: list[str]


def default_world() -> Path:
    folder = os.environ.get("SOUGHT_WORLDS")
    if not folder:
        raise BadInput(
            "no real pages: set SOUGHT_WORLDS to a folder of worlds, or name one (a folder with site.bundle)"
        )
    return Path(folder) / "mdn-2024"


def read_world(folder: Path, pages: int) -> World:
    """At most so many pages of a world, spread over all of it."""
    if not (folder / "site.bundle").exists():
        raise BadInput(f"no world at {folder}: it has no site.bundle")
    lines = (folder / "queries.tsv").read_text("utf-8").splitlines()[1:]
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as name:
        clone = Path(name) / "site"
        _git("clone", "-q", "--", str(folder / "site.bundle"), str(clone))
        last = _read(clone)
        commits = _git("-C", str(clone), "log", "--reverse", "--format=%H").split()
        _git("-C", str(clone), "checkout", "-q", commits[0])
        first = _read(clone)
    both = sorted(first.keys() & last.keys())
    chosen = both[:: max(1, len(both) // pages)][:pages]
    return World(
        folder.name,
        [_answer(path, first[path]) for path in chosen],
        [_answer(path, last[path]) for path in chosen],
        [line.partition("\t")[0] for line in lines],
    )


def _git(*arguments: str) -> str:
    try:
        return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadInput(f"git {arguments[0]} failed: {getattr(error, 'stderr', '') or error}") from None


def _read(clone: Path) -> dict[str, bytes]:
    return {str(file.relative_to(clone).parent): file.read_bytes() for file in clone.rglob("index.html")}


def _answer(path: str, body: bytes) -> Response:
    return Response(f"https://example.org/{path}", 200, headers=_HTML, raw=body, body=body)
