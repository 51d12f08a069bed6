"""`sought demo`: a real crawl of the toy web, and searches in what was crawled."""

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from sought.cli.live import Watch
from sought.cli.options import Json, console, print_json
from sought.cli.show import show_answer

QUERIES = ("observing a comet with a telescope", "chess openings", "hardy pumpkin seedlings")
_LONGEST = 600


def demo(
    seconds: Annotated[float, typer.Option(min=1, max=_LONGEST, help="How long to crawl.")] = 20.0,
    keep: Annotated[Path | None, typer.Option(help="Keep the crawl in this new directory.")] = None,
    json: Json = False,
) -> None:
    """Crawl the toy web for a while, print what happened, and search what was crawled."""
    folder = keep or Path(tempfile.mkdtemp(prefix="sought-demo-"))
    try:
        found = run(folder, seconds, quiet=json)
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)
    if json:
        print_json(found)


def run(folder: Path, seconds: float, *, quiet: bool) -> dict[str, Any]:
    import sought
    from sought.crawl.live import warm_up
    from sought.toyweb import ToyWeb, serve_in_thread

    if not quiet:
        console.print("Getting ready (the first run on a machine compiles for about twenty seconds) …")
    warm_up()
    with serve_in_thread(ToyWeb(), days_per_second=0.5) as served:
        crawl = sought.init(folder, served.seeds, contact="demo@example.org")
        (folder / "sought.toml").write_text(_config(served.toml()))
        if not quiet:
            console.print(f"The toy web: {len(served.resolve)} hosts on loopback, port {served.port}, a day every 2 s.")
            console.print(f"Crawling for {seconds:g} s into {folder} …", markup=False)
        with Watch(quiet=quiet, seconds=seconds) as watch:
            result = crawl.crawl(started=watch.started)
        status = crawl.status()
        answers = {query: crawl.search(query, 3) for query in QUERIES}
    if not quiet:
        watch.summary(result)
        console.print(f"searchable: {status['searchable']:,} pages")
        console.print("left out: " + ", ".join(f"{n:,} × {why}" for why, n in status["reasons"].items()))
        console.print("not admitted: " + ", ".join(f"{n:,} × {why}" for why, n in status["refused"].items()))
        for query, answer in answers.items():
            console.print(f'\n[bold]sought search "{query}"[/bold]')
            show_answer(answer)
    hits = {query: [hit.url for hit in answer.hits] for query, answer in answers.items()}
    return {"crawl": result, "status": status, "answers": hits}


def _config(toy: str) -> str:
    """Quick manners are fine here: the hosts are our own."""
    return f"""\
{toy.replace("[fetch]", "[fetch]" + chr(10) + "timeout = 5.0", 1)}
[agent]
contact = "demo@example.org"

[scope]
domains = ["toy.test"]

[crawl]
budget = "10000000 per day"
revisit_after = "4s"

[politeness]
delay = 0.1
latency_factor = 1.0
"""
