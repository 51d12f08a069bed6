"""`sought init`: a new crawl directory.  Seeds on a private network are noticed, and never opened silently."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sought.cli.options import Json, console, errors, print_json

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.api import Crawl

_OWN_DELAY = 0.1  # seconds; latency_factor still leaves a slow server twice its response time


def init(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The directory to make.")],
    seeds: Annotated[list[str], typer.Argument(metavar="URL...", help="Where the crawl starts.")],
    contact: Annotated[str, typer.Option(help="Whom site owners can reach: an e-mail address or a URL.")],
    domain: Annotated[
        list[str] | None, typer.Option(help="A domain to stay in (again for more); default: those of the URLs.")
    ] = None,
    own_site: Annotated[
        bool, typer.Option("--own-site", help=f"The sites are yours: wait {_OWN_DELAY} s between requests, not 1 s.")
    ] = False,
    allow_private: Annotated[
        bool,
        typer.Option("--allow-private", help="Let the crawl fetch from the private addresses that the URLs lead to."),
    ] = False,
    json: Json = False,
) -> None:
    """Make a crawl directory with a sought.toml to look through and change."""
    from sought.api import init as make
    from sought.fetch.private import network, private_addresses
    from sought.web.url import canonical, hostname

    private = private_addresses(hostname(canonical(seed)) for seed in seeds)
    addresses = list(dict.fromkeys(each for found in private.values() for each in found))
    networks = [network(each) for each in addresses]
    allowed = bool(networks) and (allow_private or _agreed(private))
    delay = _OWN_DELAY if own_site else 1.0
    crawl = make(directory, seeds, contact, domain or [], allow_networks=networks if allowed else (), delay=delay)
    if networks and not allowed:
        _warn(private, networks, crawl.path)
    if json:
        made = {"directory": str(crawl.path), "config": str(crawl.path / "sought.toml"), "delay": delay}
        print_json(made | {"private_networks": networks, "allowed": allowed})
    else:
        _say(crawl, networks if allowed else [], delay if own_site else None)


def _say(crawl: "Crawl", networks: Sequence[str], delay: float | None) -> None:
    if networks:
        console.print(f"The crawl may fetch from {_listed(networks)} ([fetch] allow_networks).", markup=False)
    if delay is not None:
        console.print(f"It asks a host again {delay} s after its answer ([politeness] delay).", markup=False)
    console.print(f"Made {crawl.path / 'sought.toml'}. Look through it, then: sought crawl {crawl.path}", markup=False)


def _agreed(private: dict[str, list[str]]) -> bool:
    """What a person at a terminal answers; nobody else is asked."""
    if not (sys.stdin.isatty() and errors.is_terminal):
        return False
    return typer.confirm(f"{_where(private)} Allow the crawl to fetch from there?", err=True)


def _where(private: dict[str, list[str]]) -> str:
    hosts = _listed([f"{host} ({', '.join(found)})" for host, found in private.items()])
    return f"{hosts} {'is' if len(private) == 1 else 'are'} on a private network, which a crawl refuses."


def _warn(private: dict[str, list[str]], networks: list[str], path: Path) -> None:
    line = f"allow_networks = {networks!r}".replace("'", '"')
    remedy = f"To allow it, add [fetch] with {line} to {path / 'sought.toml'}; init --allow-private writes it for you."
    errors.print(f"sought: warning: {_where(private)} {remedy}", markup=False, soft_wrap=True)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names)
