"""`sought order`: telling a crawl what to do, whether it is running or not."""

import getpass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sought.cli.options import Dir, Json, console, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.operate.orders import AnyOrder


class What(StrEnum):
    """Each is an order of operate/orders.py, by its tag."""

    PAUSE = "pause"
    RESUME = "resume"
    BUDGET = "budget"
    SEED = "seed"
    BLOCK = "block"
    UNBLOCK = "unblock"
    FETCH = "fetch"


def order(
    directory: Dir,
    what: Annotated[What, typer.Argument(show_default=False)],
    about: Annotated[
        str | None, typer.Argument(metavar="[RATE|URL|HOST]", help="A budget, a page or a host, as the order needs it.")
    ] = None,
    json: Json = False,
) -> None:
    """Tell a crawl what to do, also while it is running; audit.jsonl in its directory says what came of it.

    pause: ask for nothing more.  resume: go on.  budget RATE: as "5000 per day", in place of sought.toml's ("": that
    one again).  seed URL: a page to start from.  block HOST: never ask it again; unblock HOST.  fetch URL: at the next
    turn of its host.

    An order that cannot be carried out, as far as is known now, is refused at once, with the reason.
    """
    from sought.operate.order_check import place
    from sought.operate.view import running_process
    from sought.record.settings import crawl_config

    crawl_config(directory)
    placed = place(directory, _order(what, about), _who())
    process = running_process(directory)
    if json:
        print_json({"id": placed.id, "running": process, "waits_already": placed.waits_already})
    elif placed.waits_already:
        console.print("This order waits already: it is applied when the crawl runs.")
    elif process is None:
        console.print("No crawl is running: the order is applied when the next one starts.")
    else:
        console.print(f"Process {process} is told; {directory / 'audit.jsonl'} will say what came of it.", markup=False)


def _order(what: What, about: str | None) -> "AnyOrder":
    from typing import get_args

    from sought.operate.orders import AnyOrder

    kind = next(each for each in get_args(AnyOrder) if each.__struct_config__.tag == what)
    needs: tuple[str, ...] = kind.__struct_fields__
    if needs and about is None:
        raise BadInput(f"which {needs[0]}? Write: sought order DIR {what} {needs[0].upper()}")
    if not needs and about is not None:
        raise BadInput(f"'{what}' stands alone, without {about!r}")
    made: AnyOrder = kind(*([about] if needs else []))
    return made


def _who() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, in a container
        return "somebody"
