"""Sought, Scrapy and a bare aiohttp loop crawl the same pages, one after the other."""

import importlib.util
import json
import subprocess
import sys
from typing import Any

from sought.bench.site import addresses
from sought.web.errors import BadInput, SoughtError

_LONGEST = 600


def run(pages: int = 4000) -> dict[str, Any]:
    """Pages a second and a core-second, peak memory, and ratios of pages per core-second."""
    if importlib.util.find_spec("scrapy") is None:
        raise BadInput("the benchmark needs its peers: pip install 'sought[bench]'")
    server = subprocess.Popen(
        [sys.executable, "-m", "sought.bench.site", str(pages)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        seeds = [f"http://{address}:{port}/" for address in addresses()]
        figures = {
            "bare": _peer("sought.bench.bare", seeds, pages),
            "scrapy": _peer("sought.bench.scrapy_peer", seeds, pages),
            "sought": _peer("sought.bench.own", [str(pages), *seeds], pages),
        }
    finally:
        server.communicate("")
    result: dict[str, Any] = {"pages": pages}
    for name, f in figures.items():
        result[f"{name}_pages_per_s"] = f["pages"] / f["seconds"]
        result[f"{name}_pages_per_core_s"] = f["pages"] / f["cpu"]
        result[f"{name}_rss_mb"] = f["rss_mb"]
    core = {name: result[f"{name}_pages_per_core_s"] for name in figures}
    result |= {"ratio_scrapy": core["sought"] / core["scrapy"], "ratio_bare": core["sought"] / core["bare"]}
    return result | {"rss_mb": figures["sought"]["rss_mb"], "searchable": figures["sought"]["searchable"]}


def _peer(module: str, arguments: list[str], pages: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, timeout=_LONGEST, check=False
    )
    if done.returncode:
        raise SoughtError(f"{module} failed: {done.stderr.strip().splitlines()[-1] if done.stderr else '?'}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if figures["pages"] < pages:
        raise SoughtError(f"{module} fetched {figures['pages']} of {pages} pages")
    return figures
