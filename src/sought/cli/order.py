"""`sought order`: telling a crawl what to do, whether it is running or not."""

import getpass
from typing import TYPE_CHECKING, Annotated

import typer

from sought.cli.options import Dir, Json, console, print_json

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.crawl.orders import AnyOrder

app = typer.Typer(help="Tell a crawl what to do, also while it is running.", no_args_is_help=True)
Url = Annotated[str, typer.Argument(metavar="URL", help="The address of a page.")]
HostName = Annotated[str, typer.Argument(metavar="HOST", help="The name of a host, as example.org.")]


def _give(directory: Dir, order: "AnyOrder", *, json: bool) -> None:
    from sought.crawl.directory import crawl_files
    from sought.crawl.orders import give
    from sought.crawl.view import running_process

    crawl_files(directory)
    number = give(directory, order, _who())
    process = running_process(directory)
    if json:
        print_json({"id": number, "running": process})
    elif process is None:
        console.print("No crawl is running: it is applied when the next one starts.")
    else:
        console.print(f"Process {process} is told; {directory / 'audit.jsonl'} will say what came of it.", markup=False)


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, in a container
        return "somebody"


@app.command()
def pause(directory: Dir, json: Json = False) -> None:
    """Ask for nothing more, until told to go on; what is in flight ends."""
    from sought.crawl.orders import Pause

    _give(directory, Pause(), json=json)


@app.command()
def resume(directory: Dir, json: Json = False) -> None:
    """Go on."""
    from sought.crawl.orders import Resume

    _give(directory, Resume(), json=json)


@app.command()
def budget(
    directory: Dir,
    rate: Annotated[str, typer.Argument(help='As "5000 per day", in place of sought.toml\'s; "": that one again.')],
    json: Json = False,
) -> None:
    """Fetch more or less from now on."""
    from sought.crawl.orders import SetBudget

    _give(directory, SetBudget(rate), json=json)


@app.command()
def seed(directory: Dir, url: Url, json: Json = False) -> None:
    """Add a page to start from, if scope and traps let it in."""
    from sought.crawl.orders import AddSeed

    _give(directory, AddSeed(url), json=json)


@app.command()
def block(directory: Dir, host: HostName, json: Json = False) -> None:
    """Never ask a host again; what was fetched stays searchable."""
    from sought.crawl.orders import BlockHost

    _give(directory, BlockHost(host), json=json)


@app.command()
def unblock(directory: Dir, host: HostName, json: Json = False) -> None:
    """A host may be asked again."""
    from sought.crawl.orders import UnblockHost

    _give(directory, UnblockHost(host), json=json)


@app.command()
def fetch(directory: Dir, url: Url, json: Json = False) -> None:
    """Fetch a page at the next turn of its host, within robots.txt and the budget."""
    from sought.crawl.orders import FetchNow

    _give(directory, FetchNow(url), json=json)
