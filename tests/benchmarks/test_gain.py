"""The benchmark of measuring runs on any recorded site."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.asked import simulated

WORDS = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "jetty", "kelp", "larch"]


def git(folder: Path, *arguments: str) -> None:
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *names, *arguments], check=True, capture_output=True)


def sought(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", "gain", *arguments]
    surroundings = {name: value for name, value in os.environ.items() if name != "SOUGHT_WORLDS"}
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env=surroundings)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    """A site of two weeks; its pages change from one to the other."""
    site, folder = tmp_path / "site", tmp_path / "world"
    site.mkdir()
    folder.mkdir()
    git(site, "init", "-q", "-b", "main")
    for week in range(2):
        for page in range(30):
            words = [WORDS[(page * 7 + i * (week + 1)) % len(WORDS)] for i in range(40 + page)]
            (site / f"p{page}").mkdir(exist_ok=True)
            text = f"<html lang=en><title>{words[0]} {page}</title><body><p>{' '.join(words)}</p></body></html>"
            (site / f"p{page}" / "index.html").write_text(text)
        git(site, "add", ".")
        git(site, "commit", "-qm", f"week {week}")
    git(site, "bundle", "create", str(folder / "site.bundle"), "HEAD", "main")
    (folder / "queries.tsv").write_text("query\tcount\n" + "".join(f"{a} {b}\t1\n" for a in WORDS for b in WORDS[:3]))
    return folder


@pytest.mark.slow
def test_overheads_by_size_of_the_workload(world: Path):
    """It prints, for every size, what measuring adds to indexing; and how far estimates are from exact gains."""
    ended = sought("--world", str(world), "--pages", "100", "--queries", "10", "--queries", "60", "--json")
    assert ended.returncode == 0, ended.stderr
    found = json.loads(ended.stdout)
    assert found["pages"] == 30
    for name in ("overhead", "overhead_first", "overhead_changed", "overhead_single_words", "matches_per_page"):
        assert set(found[name]) == {"10", "60"}
    assert found["matches_per_page"]["60"] > found["matches_per_page"]["10"] > 0
    assert found["bytes_per_query"] > 20
    assert set(found["estimated_over_exact"]) == {"first_100", "all_results"}
    assert 0 < found["correlation_with_exact"] <= 1


def test_without_a_world_it_says_so(tmp_path: Path):
    """One line and exit code 2, which says what to do."""
    for arguments in ([], ["--world", str(tmp_path)]):
        ended = sought(*arguments)
        assert ended.returncode == 2
        assert len(ended.stderr.strip().splitlines()) == 1


def test_made_up_queries_are_distinct_and_of_the_pages():
    """Real queries come first; the others hold words of one page."""
    texts = [" ".join(WORDS[:6]), " ".join(WORDS[6:])]
    found = simulated(texts, ["amber", "birch cedar"], 50)
    assert found[:2] == ["amber", "birch cedar"]
    assert len(found) == len(set(found)) <= 50
    assert all(set(query.split()) <= set(WORDS[:6]) or set(query.split()) <= set(WORDS[6:]) for query in found)
