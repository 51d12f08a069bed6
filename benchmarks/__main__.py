"""`python -m benchmarks`: how fast, beside others, in one run."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sought.cli import run_app
from sought.cli.live import CountDisplay
from sought.cli.options import Json, print_json
from sought.cli.show import show_tree

app = typer.Typer(help="Measure speed and memory, beside others in one run.", no_args_is_help=True)


def _show(found: dict[str, Any], json: bool) -> None:
    if json:
        print_json(found)
    else:
        show_tree({k: round(v, 2) if isinstance(v, float) else v for k, v in found.items()})


@app.command()
def crawl(
    pages: Annotated[int, typer.Option(min=100, max=1_000_000, help="Pages to serve and crawl.")] = 4000,
    json: Json = False,
) -> None:
    """Crawl pages on loopback with Sought (everything on), Scrapy and a bare aiohttp loop."""
    from benchmarks.crawl import run

    _show(run(pages), json)


@app.command()
def store(
    urls: Annotated[int, typer.Option(min=1000, max=1_000_000_000, help="URLs to insert.")] = 10_000_000,
    json: Json = False,
) -> None:
    """Insert, look up and rank URLs."""
    from benchmarks.store import run

    with CountDisplay("URLs inserted", quiet=json) as report:
        found = run(urls, report)
    _show(found, json)


@app.command()
def duplicates(
    pairs: Annotated[int, typer.Option(min=10, max=100_000, help="Labelled pairs to make.")] = 2000, json: Json = False
) -> None:
    """Recall and precision of near-duplicate detection on labelled pairs."""
    from benchmarks.duplicates import run

    _show(run(pairs=pairs), json)


@app.command()
def gain(
    world: Annotated[
        Path | None, typer.Option(help="A folder with site.bundle and queries.tsv; default: mdn-2024 of SOUGHT_WORLDS.")
    ] = None,
    pages: Annotated[int, typer.Option(min=100, max=1_000_000, help="Pages to index.")] = 4000,
    queries: Annotated[
        list[int] | None, typer.Option(min=1, help="Size of a workload (again for more); default: 1,000 to 1,000,000.")
    ] = None,
    json: Json = False,
) -> None:
    """What measuring every fetch adds to the cost of indexing real pages, for workloads of growing size."""
    from benchmarks.gain import SIZES, run
    from benchmarks.world import default_world

    with CountDisplay("queries now", quiet=json) as report:
        found = run(world or default_world(), pages, queries or SIZES, report)
    _show(found, json)


@app.command()
def curves(
    results: Annotated[
        list[int] | None, typer.Option(min=1, max=1_000_000, help="Length of a list (again for more).")
    ] = None,
    json: Json = False,
) -> None:
    """How far estimated gains are from exact ones, on lists of random scores."""
    from benchmarks.curves import SIZES, run

    with CountDisplay("results now", quiet=json) as report:
        found = run(results or SIZES, report)
    _show(found, json)


@app.command()
def lab(
    world: Annotated[
        Path | None,
        typer.Option(help="A folder with site.bundle, queries.tsv and moves.tsv; default: mdn-2024 of SOUGHT_WORLDS."),
    ] = None,
    policy: Annotated[str, typer.Option(help="The policy to replay.")] = "RoundRobin(new=True)",
    json: Json = False,
) -> None:
    """Import a recorded year, replay it under one policy at 2 % of pages a week, and judge every week."""
    from benchmarks.lab import run
    from benchmarks.world import default_world
    from sought.policy import parse_policy

    with CountDisplay("done", quiet=json) as report:
        found = run(world or default_world(), parse_policy(policy), lambda done, _: report(done))
    _show(found, json)


@app.command()
def impact(
    urls: Annotated[int, typer.Option(min=10_000, max=100_000_000, help="URLs of the frontier.")] = 1_000_000,
    json: Json = False,
) -> None:
    """Rank a frontier by impact on search, a small and a large one with the same needy queries."""
    from benchmarks.impact import run

    with CountDisplay("URLs inserted", quiet=json) as report:
        found = run(urls, report)
    _show(found, json)


@app.command()
def plan(
    urls: Annotated[
        list[int] | None,
        typer.Option(min=1000, max=100_000_000, help="URLs known (again for more); default: 100,000 to 10,000,000."),
    ] = None,
    queries: Annotated[int, typer.Option(min=10, max=1_000_000, help="Queries asked.")] = 100_000,
    json: Json = False,
) -> None:
    """Choose what to fetch next among all URLs, by Worth and by published rules: the first time, and from then on."""
    from benchmarks.plan import SIZES, run

    with CountDisplay("URLs made", quiet=json) as report:
        found = run(urls or SIZES, queries, report)
    _show(found, json)


@app.command()
def serve(
    pages: Annotated[int, typer.Option(min=100, max=10_000_000, help="Pages to search.")] = 100_000,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="Seconds of each measurement.")] = 15.0,
    json: Json = False,
) -> None:
    """Search over HTTP, alone and beside a crawl at full speed, on two cores; the same with SQLite."""
    from benchmarks.serve import run

    with CountDisplay("pages made", quiet=json) as report:
        found = run(pages, seconds, report)
    _show(found, json)


@app.command()
def graph(
    nodes: Annotated[int, typer.Option(min=100, max=1_000_000_000, help="Pages of the graph.")] = 5_000_000,
    edges: Annotated[int, typer.Option(min=100, max=4_000_000_000, help="Links between them, about.")] = 50_000_000,
    peers: Annotated[bool, typer.Option(help="Also by the other libraries.")] = True,
    json: Json = False,
) -> None:
    """PageRank and RW-EG on a web-like graph, beside scipy, scikit-network, networkit and igraph."""
    from benchmarks.graph import run

    with CountDisplay("measured", quiet=json) as report:
        found = run(nodes, edges, peers, report)
    _show(found, json)


@app.command()
def cluster(
    pages: Annotated[int, typer.Option(min=100, max=10_000_000, help="Pages to cluster.")] = 300_000,
    k: Annotated[int, typer.Option("-k", min=2, max=10_000, help="Clusters to make.")] = 100,
    json: Json = False,
) -> None:
    """Cluster pages by 68 features and by their words, beside scikit-learn's BisectingKMeans."""
    from benchmarks.cluster import run

    with CountDisplay("measured", quiet=json) as report:
        found = run(pages, k, report)
    _show(found, json)


@app.command()
def clusters(
    world: Annotated[Path, typer.Argument(help="A world that 'sought lab import' made.")],
    seeds: Annotated[int, typer.Option(min=1, max=100, help="Replays with each library.")] = 3,
    json: Json = False,
) -> None:
    """What depends on who makes the clusters: Figures 1 and 6 of Tan & Mitra 2010 with Sought's and scikit-learn's."""
    from benchmarks.cluster_world import run

    with CountDisplay("measured", quiet=json) as report:
        found = run(world, seeds, report)
    _show(found, json)


@app.command()
def parts(json: Json = False) -> None:
    """Small parts beside a library that offers the same: WARC, robots.txt, sitemaps, schedules, regression."""
    from benchmarks.parts import run

    with CountDisplay("measured", quiet=json) as report:
        found = run(report)
    _show(found, json)


@app.command()
def html(
    pages: Annotated[int, typer.Option(min=1, max=100_000, help="Pages to make and read.")] = 300,
    folder: Annotated[
        Path | None, typer.Option(exists=True, file_okay=False, help="Read the .html files of this folder instead.")
    ] = None,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="The most that one worst case may take.")] = 20.0,
    json: Json = False,
) -> None:
    """Read pages with Sought's reader and with two parsers that build the tree; ordinary pages and the worst."""
    from benchmarks.html import run

    with CountDisplay("measured", quiet=json) as report:
        found = run(pages, folder, seconds, report)
    _show(found, json)


if __name__ == "__main__":
    run_app(app, "python -m benchmarks")
