"""Parts of Sought beside a library that offers the same: what each gets right, and how long it takes.

Larger comparisons have commands of their own: `crawl`, `graph`, `html`, `cluster` and `clusters`.
"""

import importlib
import io
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.site import make_html
from sought.archive import Archive
from sought.beliefs.entry_model import poisson_weights
from sought.fetch.robots import Robots
from sought.fetch.sitemaps import read_sitemap
from sought.lab.judge.transport import Jobs, solve
from sought.lab.worlds.imports.warc_files import record_fields, record_spans
from sought.web.errors import BadInput
from sought.web.message import Response
from tests.testing.robots_cases import RFC_CASES

_CUTS = 400
_UNITS, _BUDGET = 52, 20

Figures = dict[str, Any]


def run(report: Callable[[int], None] = lambda _: None) -> Figures:
    result: Figures = {}
    for done, (name, measure) in enumerate(PARTS.items(), 1):
        result[name] = measure()
        report(done)
    return result


def _seconds(work: Callable[[], Any]) -> float:
    """The least of three: other work on the machine is not its own."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


# ---- WARC files of any writer: of files that end too early, how many are noticed?


def warc() -> Figures:
    """200 pages; the file is cut at `cuts` places, each within a record."""
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as folder:
        whole = _archive(Path(folder), 200)
        file, size = Path(folder) / "cut.warc.gz", len(whole)
        readers = {"sought": _read_warc, "fastwarc": _fastwarc, "warcio": _warcio}
        file.write_bytes(whole)
        found: Figures = {"cuts": _CUTS}
        found |= {name: {"seconds": _seconds(partial(read, file))} for name, read in readers.items()}
        for name, read in readers.items():
            assert not read(file)
            noticed = 0
            for cut in np.random.default_rng(0).integers(1, size, _CUTS).tolist():
                file.write_bytes(whole[:cut])
                noticed += read(file)
            found[name]["noticed"] = noticed
            file.write_bytes(whole)
    return found


def _archive(folder: Path, pages: int) -> bytes:
    with Archive.open(folder / "archive", software="bench") as archive:
        for number, html in enumerate(make_html(pages)):
            body, kind = html.encode(), (("Content-Type", "text/html"),)
            archive.append(Response(f"https://a.example/{number}", 200, "OK", kind, body, body, time=1.6e9 + number))
    return next((folder / "archive").glob("*.warc.gz")).read_bytes()


def _read_warc(file: Path) -> bool:
    """Whether anything is wrong with it."""
    try:
        for spot in record_spans(file):
            record_fields(file, spot)
    except BadInput:
        return True
    return False


def _fastwarc(file: Path) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # importing it subclasses its own deprecated classes
        fast: Any = importlib.import_module("fastwarc.warc")
    try:
        for record in fast.ArchiveIterator(str(file), parse_http=False):
            if len(record.reader.read()) < record.content_length:
                return True
    except OSError:
        return True
    return False


def _warcio(file: Path) -> bool:
    warcio: Any = importlib.import_module("warcio.archiveiterator")
    exceptions: Any = importlib.import_module("warcio.exceptions")
    try:
        for record in warcio.ArchiveIterator(io.BytesIO(file.read_bytes()), no_record_parse=True):
            length = int(record.rec_headers.get_header("Content-Length") or -1)
            if len(record.raw_stream.read()) < length or length < 0:
                return True
    except (exceptions.ArchiveLoadFailed, ValueError, OSError, EOFError):
        return True
    return False


# ---- robots.txt


def robots() -> Figures:
    """Cases of RFC 9309 and of files in the wild that are decided as they should be."""
    protego: Any = importlib.import_module("protego")

    def ours(text: str, path: str) -> bool:
        return Robots.parse(text.encode(), "sought/0.1").allows(f"http://example.org{path}")

    def theirs(text: str, path: str) -> bool:
        return bool(protego.Protego.parse(text).can_fetch(f"http://example.org{path}", "sought"))

    hostile, path = f"User-agent: *\nDisallow: /{'*a' * 200}b\n", "/" + "a" * 400
    found: Figures = {"cases": len(RFC_CASES)}
    for name, allows in {"sought": ours, "protego": theirs}.items():
        right = sum(allows(text, at) == expected for _, text, at, expected in RFC_CASES)
        found[name] = {
            "right": right,
            "seconds_for_200_wildcards": _seconds(partial(allows, hostile, path)),
        }
    return found


# ---- sitemaps that end too early


def sitemaps() -> Figures:
    """The share of addresses before the cut that are read, mean over cuts."""
    xml: Any = importlib.import_module("xml.etree.ElementTree")
    entries = "".join(f"<url><loc>https://a.example/{i}</loc></url>" for i in range(1000))
    whole = f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'

    def ours(text: str) -> int:
        return len(read_sitemap(text.encode(), "https://a.example/").pages)

    def theirs(text: str) -> int:
        try:
            return sum(1 for element in xml.fromstring(text).iter() if element.tag.endswith("}loc"))
        except xml.ParseError:
            return 0

    cuts = np.random.default_rng(0).integers(200, len(whole), 50).tolist()
    found: Figures = {}
    for name, count in {"sought": ours, "elementtree": theirs}.items():
        shares = [count(whole[:cut]) / max(1, whole[:cut].count("</url>")) for cut in cuts]
        found[name] = {"share": float(np.mean(shares)), "seconds": _seconds(partial(count, whole))}
    return found


# ---- the bound of a schedule


def transport() -> Figures:
    """3,000 versions, 52 weeks: the schedule that earns most."""
    dice = np.random.default_rng(0)
    first = dice.integers(0, _UNITS, 3000)
    stop = np.minimum(first + dice.integers(1, _UNITS, 3000), _UNITS)
    jobs = Jobs(np.arange(3000), first, stop, dice.random(3000))
    solve(jobs, _UNITS, 1)  # machine code is made before the clock runs
    earned = jobs.earned(solve(jobs, _UNITS, _BUDGET)[0])
    optimum, seconds = _linear_programme(jobs)
    ours = _seconds(lambda: solve(jobs, _UNITS, _BUDGET))
    return {"sought": {"seconds": ours}, "scipy": {"seconds": seconds}, "differs_by": abs(earned / optimum - 1.0)}


def _linear_programme(jobs: Jobs) -> tuple[float, float]:
    optimize: Any = importlib.import_module("scipy.optimize")
    sparse: Any = importlib.import_module("scipy.sparse")
    start, sizes = time.perf_counter(), jobs.stop - jobs.first
    job = np.repeat(np.arange(len(jobs)), sizes)
    slot = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes - jobs.first, sizes)
    at = np.arange(len(job))
    rows, columns = np.concatenate([job, len(jobs) + slot]), np.concatenate([at, at])
    limits = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(len(jobs) + _UNITS, len(job)))
    room = np.concatenate([np.ones(len(jobs)), np.full(_UNITS, _BUDGET)])
    best = optimize.linprog(-jobs.loss[job] * (jobs.stop[job] - slot), A_ub=limits, b_ub=room, method="highs")
    return -float(best.fun), time.perf_counter() - start


# ---- Poisson regression


def regression() -> Figures:
    """What scikit-learn would add to the plain installation for the default policy."""
    dice = np.random.default_rng(0)
    x = np.column_stack([np.ones(2000), dice.standard_normal((2000, 5))])
    y = dice.poisson(np.exp(x @ np.linspace(-0.5, 0.5, 6))).astype(np.float64)
    ridge = np.array([0.0, *[1e-3] * 5])
    ours = poisson_weights(x, y, np.ones(2000), ridge)
    linear: Any = importlib.import_module("sklearn.linear_model")
    model = linear.PoissonRegressor(alpha=1e-3, tol=1e-10, max_iter=1000, solver="newton-cholesky").fit(x[:, 1:], y)
    differs = float(np.abs(ours - np.array([model.intercept_, *model.coef_])).max())
    names = ("scikit-learn", "scipy", "joblib", "threadpoolctl")
    return {
        "differs_by": differs,
        "sklearn_import_s": min(_import_seconds("sklearn.linear_model") for _ in range(3)),
        "sklearn_mb": sum(_megabytes(name) for name in names),
    }


def _import_seconds(module: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
    middle = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import numpy"], check=True)
    return 2 * middle - start - time.perf_counter()


def _megabytes(name: str) -> float:
    return sum(_sizes(name)) / 1e6


def _sizes(name: str) -> Iterator[int]:
    for file in distribution(name).files or ():
        path = Path(str(file.locate()))
        if path.is_file():
            yield path.stat().st_size


PARTS: dict[str, Callable[[], Figures]] = {
    "warc": warc,
    "robots": robots,
    "sitemaps": sitemaps,
    "transport": transport,
    "regression": regression,
}
