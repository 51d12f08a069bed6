"""`sought serve`: the search page, the API and the console of a crawl."""

import re
import sys
from typing import Annotated

import typer

from sought.cli.options import Dir, EndWithStdin, Json, console, print_json
from sought.web.errors import BadInput

_NAME = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.]+\]")  # as in a Host header


def serve(
    directory: Dir,
    host: Annotated[
        str, typer.Option(help="The address to listen on; any but loopback is reachable from other machines.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0: any free one.")] = 8080,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Another host name to answer to (repeatable).")
    ] = None,
    crawl: Annotated[bool, typer.Option("--crawl", help="Also crawl, in a separate process.")] = False,
    control: Annotated[
        bool,
        typer.Option("--control", help="Accept orders in the console from whoever has the printed token."),
    ] = False,
    end_with_stdin: EndWithStdin = False,
    json: Json = False,
) -> None:
    """Serve the search page, the JSON API and the console of a crawl, running or not."""
    from sought.cli.standard_input import StandardInput

    for name in allow_host or []:
        if not _NAME.fullmatch(name):
            raise BadInput(f"--allow-host needs a host name without scheme, port or path, not {name!r}")

    if end_with_stdin:
        StandardInput().start()  # before the slow imports
    from sought.api import Crawl, Serving

    def started(where: Serving) -> None:
        if json:
            print_json(where.to_json())
        else:
            address = where.address
            console.print(
                f"Serving {directory} at {address} (Ctrl-C stops); the console is at {address}console", markup=False
            )
            if where.token:
                console.print(f"Control token: {where.token}", markup=False)
        sys.stdout.flush()  # a parent process may wait for the address

    Crawl(directory).serve(host, port, allow_hosts=allow_host or [], crawl=crawl, control=control, started=started)
