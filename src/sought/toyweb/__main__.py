"""How is the toy web served by hand?  `python -m sought.toyweb`, until Ctrl-C."""

import argparse
import asyncio
import sys

import uvloop

from sought.toyweb import ToyWeb, serve


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sought.toyweb", description="Serve the toy web on loopback.")
    parser.add_argument("--port", type=int, default=0, help="port on all its addresses (0: any free one)")
    parser.add_argument("--seed", type=int, default=ToyWeb.seed, help="another seed is another web")
    parser.add_argument("--sites", type=int, default=ToyWeb.sites, help="healthy sites")
    parser.add_argument("--pages", type=int, default=ToyWeb.pages, help="pages per site")
    parser.add_argument("--days-per-second", type=float, default=0.0, help="how fast toy time runs")
    parser.add_argument("--healthy", action="store_true", help="leave the oddities out")
    return parser.parse_args()


async def run(chosen: argparse.Namespace) -> None:
    toy = ToyWeb(chosen.seed, chosen.sites, chosen.pages, hostile=not chosen.healthy)
    async with serve(toy, chosen.days_per_second, port=chosen.port) as served:
        sys.stdout.write(f"# The toy web is at {served.seeds[0]} until Ctrl-C.  To crawl it, in sought.toml:\n")
        sys.stdout.write(served.toml())
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(run(options()))
    except KeyboardInterrupt:
        pass
    except OSError as error:
        sys.exit(f"cannot serve the toy web: {error}")


if __name__ == "__main__":
    main()
