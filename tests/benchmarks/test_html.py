"""The benchmark of reading HTML runs on any pages, and survives the worst ones."""

from pathlib import Path

import pytest

from benchmarks import html
from benchmarks.html_peers import READERS, is_installed
from tests.testing.commands import run_benchmark

PAGE = "<title>Harbour</title><h1>Boats</h1><p>They leave at noon. <a href=/next>More</a>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two pages, and a file that is none."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.html").write_text(PAGE)
    (tmp_path / "deep" / "b.htm").write_text(PAGE * 3)
    (tmp_path / "notes.txt").write_text("no page")
    return tmp_path


@pytest.mark.slow
def test_each_reader_has_a_figure(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the pages of a folder together, and for each worst case; one that is not installed is named."""
    monkeypatch.setattr(html, "WORST", {"short": "<div>" * 50 + "x"})
    reports: list[int] = []
    found = html.run(folder=folder, seconds=600.0, report=reports.append)
    assert (found["pages"], found["megabytes"]) == (2, pytest.approx(4 * len(PAGE) / 1e6))
    assert reports == list(range(1, 2 * len(READERS) + 1))
    for case in ("ordinary", "short"):
        for reader in READERS:
            figures = found[case][reader]
            if not is_installed(reader):
                assert figures == html.MISSING
                continue
            assert set(figures) == {"seconds", "megabytes_per_second", "extracted"}
            assert figures["seconds"] > 0.0
    assert found["ordinary"]["sought"]["extracted"] > len("They leave at noon.")


@pytest.mark.slow
def test_a_reader_that_takes_too_long_is_stopped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a worst case only; the table says so, and the others go on."""
    monkeypatch.setattr(html, "WORST", {"nested": html.WORST["nested"]})
    found = html.run(folder=folder, seconds=1e-6)
    assert found["nested"]["sought"] == "stopped after 1e-06 s"
    assert found["ordinary"]["sought"]["extracted"] > 0


def test_a_folder_without_pages_is_refused(tmp_path: Path) -> None:
    """In one line."""
    done = run_benchmark("html", "--folder", tmp_path, "--json")
    assert (done.returncode, done.stderr) == (2, f"benchmarks: no .html files in {tmp_path}\n")
    assert done.stdout == ""
