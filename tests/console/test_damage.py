"""The server over a crawl of which any one file is damaged: it goes on, and says what is damaged and what to do."""

import json
import re
import shutil
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from tests.testing.console_site import Served, served
from tests.testing.damaged_crawl import HARMS, copied, files_of, fill

PAGES = (
    "/",
    "/?q=comet",
    "/api/search?q=comet",
    "/api/suggest?q=com",
    "/console",
    "/console/history.json",
    "/console/crawl",
    "/console/pages",
    "/console/hosts",
    "/console/queries",
    "/console/errors",
    "/console/log",
    "/console/budget",
    "/metrics",
)
REMEDY = re.compile(r"sought (check|rebuild|crawl) DIR|restore it from a copy|from a backup|mend it")


@pytest.fixture(scope="module")
def crawl(healthy, tmp_path_factory) -> Path:
    """With every kind of file; tests copy it."""
    path = tmp_path_factory.mktemp("served") / "crawl"
    path.mkdir()
    toy = healthy.toml().replace("[fetch]", "[fetch]\ntimeout = 300.0", 1)
    agent = '[agent]\ncontact = "test@example.org"\n[scope]\ndomains = ["toy.test"]\n[politeness]\ndelay = 0.0\n'
    (path / "sought.toml").write_text(f'{toy}\n{agent}[crawl]\npolicy = "BreadthFirst()"\n')
    fill(path)
    return path  # type: ignore[no-any-return]  # fixtures have no types


def kinds(path: Path) -> list[str]:
    """One file of each kind, the largest: the same damage to another is no other case."""
    found: dict[tuple[str, str], str] = {}
    for name in sorted(files_of(path), key=lambda name: (path / name).stat().st_size):
        kind = Path(name).suffix or Path(name).stem.rstrip("0123456789")
        found[str(Path(name).parent), "manifest" if name.endswith("manifest.json") else kind] = name
    return sorted(found.values())


def answers(server: Served) -> dict[str, tuple[int, str]]:
    """What each page says; those that wait for the tables are waited for."""
    said = {}
    for where in PAGES:
        deadline = time.monotonic() + 120
        while (answer := server.ask(where)).status == 503 and "moment" in answer.text:
            assert time.monotonic() < deadline, where
            time.sleep(0.1)
        said[where] = answer.status, " ".join(unescape(re.sub(r"<[^>]*>", " ", answer.text)).split())
    return said


def judged(path: Path, said: dict[str, tuple[int, str]], caplog: pytest.LogCaptureFixture) -> Iterator[str]:
    """What is wrong with answers: no crash, no path of this machine, and what fails says what to do."""
    yield from (f"a surprise: {record.getMessage()}" for record in caplog.records if record.exc_info)
    for where, (status, text) in said.items():
        if status != 200 and not (status in (409, 503) and REMEDY.search(text)):
            yield f"{where}: {status} {text[:300]}"
        if "Traceback" in text or str(path) in text:
            yield f"{where} tells too much: {text[:300]}"


def belongs(name: str) -> bool:
    """Without what RocksDB and tantivy note for people, files that are only locked, and the one that a person wrote."""
    return not name.endswith(("LOG", "LOCK", "lock", "sought.toml"))


@pytest.mark.slow
def test_a_server_starts_over_any_damaged_file(crawl, tmp_path, caplog):
    """Every page answers, or says which command mends it; only what the index says needs the index."""
    for number, name in enumerate(filter(belongs, kinds(crawl))):
        how = [*HARMS][number % len(HARMS)]
        with copied(crawl, tmp_path / "crawl") as path:
            HARMS[how](path / name)
            caplog.clear()
            with served(path) as server:
                said = answers(server)
            assert not list(judged(path, said, caplog)), f"{name}: {how}"
            if not name.startswith(("index/", "settings.json")):
                assert {said[where][0] for where in PAGES[:3]} == {200}, f"{name}: {how}"
                assert json.loads(said["/api/search?q=comet"][1])["total"] > 0, f"{name}: {how}"


@pytest.mark.slow
def test_files_are_damaged_beneath_a_server(crawl, tmp_path, caplog):
    """It goes on, and when the file is whole again it answers as before.

    Not of the index: its files are mapped, and to cut one in place ends a search process.
    """
    with copied(crawl, tmp_path / "crawl") as path, served(path) as server:
        before = {where: status for where, (status, _) in answers(server).items()}
        for number, name in enumerate(name for name in filter(belongs, kinds(crawl)) if not name.startswith("index/")):
            for how in [*HARMS][number % 3 :: 3]:
                caplog.clear()
                HARMS[how](path / name)
                assert not list(judged(path, answers(server), caplog)), f"{name}: {how}"
                if (path / name).is_dir():
                    (path / name).rmdir()
                shutil.copy2(crawl / name, path / name)
        assert {where: status for where, (status, _) in answers(server).items()} == before


@pytest.mark.slow
@pytest.mark.parametrize("part", ["index", "store", "queries"])
def test_what_is_damaged_is_named(crawl, tmp_path, part):
    """The page or the API that needs it says what it is and which command mends it; the rest goes on."""
    with copied(crawl, tmp_path / "crawl") as path:
        suffix, where = {
            "index": ("meta.json", "/api/search?q=comet"),
            "store": ("CURRENT", "/console/pages"),
            "queries": ("*-searches.parquet", "/api/suggest?q=com"),
        }[part]
        HARMS["cut"](next((path / part).glob(suffix)))
        with served(path) as server:
            said = answers(server)
        assert f"DIR/{part}" in said[where][1]
        assert "'sought check DIR --repair'" in said[where][1]
        assert (said["/?q=comet"][0] == 200) == (part != "index")
        assert said["/console/log"][0] == 200
