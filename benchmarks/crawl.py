"""Sought, Scrapy and a bare aiohttp loop crawl the same pages, one after the other."""

import importlib.util
import json
import os
import subprocess
import sys
from typing import Any

from benchmarks.site import addresses
from sought.web.errors import BadInput, SoughtError

_LONGEST = 600
_ROUNDS = 3


def run(pages: int = 4000) -> dict[str, Any]:
    """Pages a second and a core-second, peak memory, and ratios of pages per core-second.

    Each crawler has one core and the server another, so that nobody's helper threads get a second one for nothing.
    Sought and the bare loop run three times (the median counts), Scrapy takes long enough to run once.  `bare` takes
    title, text and links of a page as the others do, `bare_links` the links alone.
    """
    if importlib.util.find_spec("scrapy") is None:
        raise BadInput("the benchmark needs its peers: pip install --group bench")
    server = subprocess.Popen(
        _on_core(-1, "benchmarks.site", str(pages)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        seeds = [f"http://{address}:{port}/" for address in addresses()]
        runs = {
            "bare": ("bare", ["text", *seeds]),
            "bare_links": ("bare", ["links", *seeds]),
            "sought": ("own", [str(pages), *seeds]),
        }
        rounds = [{name: _peer(*run, pages) for name, run in runs.items()} for _ in range(_ROUNDS)]
        figures = {name: _median([each[name] for each in rounds]) for name in runs}
        figures["scrapy"] = _peer("scrapy_peer", seeds, pages)
    finally:
        server.communicate("")
    result: dict[str, Any] = {"pages": pages}
    for name, f in figures.items():
        result[f"{name}_pages_per_s"] = f["pages"] / f["seconds"]
        result[f"{name}_pages_per_core_s"] = f["pages"] / f["cpu"]
        result[f"{name}_rss_mb"] = f["rss_mb"]
    core = {name: result[f"{name}_pages_per_core_s"] for name in figures}
    result |= {f"ratio_{name}": core["sought"] / core[name] for name in ("scrapy", "bare", "bare_links")}
    return result | {"rss_mb": figures["sought"]["rss_mb"], "searchable": figures["sought"]["searchable"]}


def _on_core(number: int, module: str, *arguments: str) -> list[str]:
    """A command that runs a module on one of the machine's cores."""
    cores = sorted(os.sched_getaffinity(0))
    bound = f"import os, runpy, sys; os.sched_setaffinity(0, {{{cores[number]}}}); sys.argv[1:] = {list(arguments)!r}; "
    return [sys.executable, "-c", f"{bound}runpy.run_module({module!r}, run_name='__main__')"]


def _median(figures: list[dict[str, Any]]) -> dict[str, Any]:
    return sorted(figures, key=lambda f: float(f["cpu"]))[len(figures) // 2]


def _peer(name: str, arguments: list[str], pages: int) -> dict[str, Any]:
    command = _on_core(0, f"benchmarks.{name}", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
    if done.returncode:
        raise SoughtError(f"{name} failed: {done.stderr.strip().splitlines()[-1] if done.stderr else '?'}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if figures["pages"] < pages:
        raise SoughtError(f"{name} fetched {figures['pages']} of {pages} pages")
    return figures
