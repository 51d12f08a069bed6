"""The whole demo, as a person starts it: a toy web, two crawls, two search pages, people, a judge."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo_process import started


def test_headless(tmp_path: Path) -> None:
    """It ends by itself and says how good the answers of both were, and what that took: the same number of fetches."""
    with started(tmp_path / "tmp", "--headless", "--json", "--seconds", "8") as running:
        out, errors = running.communicate(timeout=600)
    assert running.returncode == 0, errors
    found = json.loads(out)
    assert 8.0 <= found["seconds"] < 60.0
    assert found["searches"] > 0
    for side in ("default", "round_robin"):
        assert 0.0 < found[f"quality_{side}"] <= 1.0
        assert 0.0 < found[f"quality_lately_{side}"] <= 1.0
        assert found[f"searchable_{side}"] > 100
        assert 20 < found[f"fetches_{side}"] <= 64 + 12 * (found["seconds"] + 5.0)  # what the budget allows
    assert "Worth" in found["policy_default"]
    assert "RoundRobin" in found["policy_round_robin"]


@pytest.mark.parametrize("arguments", [("--seconds", "0"), ("--port", "x"), ("--keep", "/")])
def test_what_makes_no_sense_is_one_line(arguments: tuple[str, str]) -> None:
    """With exit code 2, at once."""
    done = subprocess.run(
        [sys.executable, "-m", "sought", "demo", *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
