"""`sought serve`: the search page, the API and the console of a crawl."""

import re
import sys
from contextlib import nullcontext
from typing import Annotated

import typer

from sought.cli.options import Dir, EndWithStdin, Json, console, print_json
from sought.web.errors import BadInput

_NAME = re.compile(r"[\w.-]+|\[[0-9A-Fa-f:.]+\]")  # as a browser names whom it asks


def serve(
    directory: Dir,
    host: Annotated[
        str, typer.Option(help="The address to serve at; others than loopback can be reached.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8080,
    allow_host: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="A further name the server goes by (again for more).")
    ] = None,
    crawl: Annotated[bool, typer.Option("--crawl", help="Crawl as well, in a process of its own.")] = False,
    control: Annotated[
        bool, typer.Option("--control", help="Let who has the token that is printed once give the crawl orders.")
    ] = False,
    end_with_stdin: EndWithStdin = False,
    json: Json = False,
) -> None:
    """Serve the search page, the JSON API and the console of a crawl, also while it is running."""
    from sought.cli.standard_input import StandardInput

    for name in allow_host or []:
        if not _NAME.fullmatch(name):
            raise BadInput(f"--allow-host: a name such as search.example.org, without scheme, port or path: {name!r}")

    if end_with_stdin:
        StandardInput().start()  # before all that takes long
    from sought.console.app import make_app
    from sought.console.companion import Companion
    from sought.console.control import Control, new_token
    from sought.console.serving import address, bound, make_server, run

    token = new_token() if control else ""
    names = [host if ":" not in host else f"[{host}]", *(allow_host or [])]
    app = make_app(directory, names, Control(directory, token) if control else None)
    listening = bound(host, port)
    where = address(listening)
    if json:
        print_json({"address": where} | ({"token": token} if control else {}))
    else:
        console.print(f"Serving {directory} at {where} (Ctrl-C ends); the console is at {where}console", markup=False)
        if control:
            console.print(f"The token for control: {token}", markup=False)
    sys.stdout.flush()  # whoever started us may be waiting for the address
    with Companion(directory) if crawl else nullcontext():
        run(make_server(app), listening)
