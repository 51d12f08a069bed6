"""`sought order`: give an order to a crawl, running or not."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from sought.cli.options import Dir, Json, console, print_json
from sought.web.errors import BadInput

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.operate.orders import AnyOrder


class OrderName(StrEnum):
    """The orders of operate/orders.py, by their tags."""

    PAUSE = "pause"
    RESUME = "resume"
    BUDGET = "budget"
    SEED = "seed"
    BLOCK = "block"
    UNBLOCK = "unblock"
    FETCH = "fetch"


def order(
    directory: Dir,
    what: Annotated[OrderName, typer.Argument(metavar="ORDER", show_default=False)],
    about: Annotated[
        str | None, typer.Argument(metavar="[RATE|URL|HOST]", help="The budget, page or host that the order is about.")
    ] = None,
    json: Json = False,
) -> None:
    """Give an order to a crawl, running or not; audit.jsonl in its directory records the outcome.

    pause: start no more requests.  resume: continue.  budget RATE: for example "5000 per day", overrides sought.toml
    ("" restores it).  seed URL: a page to start from.  block HOST: send it no more requests; unblock HOST.  fetch URL:
    with the next request to its host.

    An order that is known to be impossible is refused at once, with the reason.
    """
    from sought.api import Crawl

    placed = Crawl(directory).orders.give(_order(what, about))
    if json:
        print_json(placed.to_json())
    elif placed.waits_already:
        console.print("This order is already waiting. The crawl applies it when it runs.")
    elif placed.running is None:
        console.print("No crawl is running. The next one applies the order when it starts.")
    else:
        console.print(
            f"The order was sent to process {placed.running}; {directory / 'audit.jsonl'} will record the outcome.",
            markup=False,
        )


def _order(what: OrderName, about: str | None) -> "AnyOrder":
    from typing import get_args

    from sought.operate.orders import AnyOrder

    kind = next(each for each in get_args(AnyOrder) if each.__struct_config__.tag == what)
    needs: tuple[str, ...] = kind.__struct_fields__
    if needs and about is None:
        raise BadInput(f"'{what}' needs a {needs[0]}: sought order DIR {what} {needs[0].upper()}")
    if not needs and about is not None:
        raise BadInput(f"'{what}' takes no argument, but got {about!r}")
    result: AnyOrder = kind(*([about] if needs else []))
    return result
