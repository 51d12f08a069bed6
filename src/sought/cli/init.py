"""`sought init`: create a crawl directory.  Private networks are allowed only on request."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sought.cli.options import Json, console, errors, print_json

if TYPE_CHECKING:  # --help must not wait for a crawler to load
    from sought.api import Crawl

_OWN_DELAY = 0.1  # seconds; latency_factor still gives a slow server twice its response time


def init(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The directory to create.")],
    seeds: Annotated[list[str], typer.Argument(metavar="URL...", help="The seeds, where the crawl starts.")],
    contact: Annotated[str, typer.Option(help="An e-mail address or URL where site owners can reach you.")],
    domain: Annotated[
        list[str] | None, typer.Option(help="A domain to crawl (repeatable); default: the domains of the URLs.")
    ] = None,
    own_site: Annotated[
        bool,
        typer.Option("--own-site", help=f"The sites are yours: wait {_OWN_DELAY} s between requests, not 1 s."),
    ] = False,
    allow_private: Annotated[
        bool,
        typer.Option("--allow-private", help="Allow fetches from the private addresses that the URLs resolve to."),
    ] = False,
    json: Json = False,
) -> None:
    """Create a crawl directory with a sought.toml to review and edit."""
    from sought.api import init as make
    from sought.fetch.private import network, private_addresses
    from sought.web.url import canonical, hostname

    private = private_addresses(hostname(canonical(seed)) for seed in seeds)
    addresses = dict.fromkeys(each for several in private.values() for each in several)
    networks = [network(each) for each in addresses]
    allowed = bool(networks) and (allow_private or _confirmed(private))
    delay = _OWN_DELAY if own_site else 1.0
    crawl = make(directory, seeds, contact, domain or [], allow_networks=networks if allowed else (), delay=delay)
    if networks and not allowed:
        _warn(private, networks, crawl.path)
    if json:
        made = {"directory": str(crawl.path), "config": str(crawl.path / "sought.toml"), "delay": delay}
        print_json(made | {"private_networks": networks, "allowed": allowed})
    else:
        _print_result(crawl, networks if allowed else [], delay if own_site else None)


def _print_result(crawl: "Crawl", networks: Sequence[str], delay: float | None) -> None:
    if networks:
        console.print(f"The crawl may fetch from {', '.join(networks)} ([fetch] allow_networks).", markup=False)
    if delay is not None:
        console.print(
            f"The crawl waits {delay} s after an answer before the next request to the same host ([politeness] delay).",
            markup=False,
        )
    console.print(f"Created {crawl.path / 'sought.toml'}. Review it, then run: sought crawl {crawl.path}", markup=False)


def _confirmed(private: dict[str, list[str]]) -> bool:
    """Ask for confirmation at a terminal; False elsewhere."""
    if not (sys.stdin.isatty() and errors.is_terminal):
        return False
    return typer.confirm(f"{_private_hosts(private)} Allow the crawl to fetch from there?", err=True)


def _private_hosts(private: dict[str, list[str]]) -> str:
    hosts = ", ".join(f"{host} ({', '.join(addresses)})" for host, addresses in private.items())
    return f"{hosts} {'is' if len(private) == 1 else 'are'} on a private network, from which a crawl does not fetch."


def _warn(private: dict[str, list[str]], networks: list[str], path: Path) -> None:
    line = f"allow_networks = {networks!r}".replace("'", '"')
    remedy = f"To allow it, add [fetch] with {line} to {path / 'sought.toml'}; init --allow-private writes it for you."
    errors.print(f"sought: warning: {_private_hosts(private)} {remedy}", markup=False, soft_wrap=True)
