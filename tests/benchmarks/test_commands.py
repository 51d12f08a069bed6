"""`python -m benchmarks`: what others compare has the names they look for."""

import json
from typing import Any

import pytest

from benchmarks.parts import robots, sitemaps
from tests.testing.commands import run_benchmark

HELP = {
    "": ("crawl", "store", "duplicates", "gain", "curves"),
    "gain": ("--world", "--pages", "--queries", "--json"),
    "curves": ("--results", "--json"),
    "crawl": ("--pages", "--json"),
    "store": ("--urls", "--json"),
    "duplicates": ("--pairs", "--json"),
    "clusters": ("--seeds", "--json"),
    "parts": ("--json",),
}


def figures(*arguments: str) -> dict[str, Any]:
    done = run_benchmark(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_figures_of_the_store_and_of_duplicates() -> None:
    """The figures that others compare have the names they look for."""
    store = figures("store", "--urls", "20000")
    assert {"inserts_per_s", "rank_s", "rss_mb", "bytes_per_url"} <= set(store)
    assert store["urls"] == 20_000
    duplicates = figures("duplicates", "--pairs", "50")
    assert 0.0 <= duplicates["recall"] <= duplicates["precision"] <= 1.0
    assert "recall" in run_benchmark("duplicates", "--pairs", "50").stdout


@pytest.mark.parametrize("command", HELP)
def test_help(command: str) -> None:
    """Every benchmark says what it does and what it takes."""
    done = run_benchmark(*command.split(), "--help")
    assert done.returncode == 0
    assert all(each in done.stdout for each in HELP[command])


def test_parts_beside_libraries() -> None:
    """Sought decides all cases of robots.txt as they should be, and reads what stands before the end of a sitemap."""
    found = robots()
    assert found["sought"]["right"] == found["cases"] > found["protego"]["right"]
    assert sitemaps()["sought"]["share"] == 1.0
