"""The server over a crawl of which any one file is damaged: it goes on, and says what is damaged and what to do."""

import json
import logging
import re
import shutil
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

import sought
from sought.crawl.journal import FOLDER as JOURNAL
from tests.console_site import Served, served
from tests.damaged_crawl import HARMS, copied, files_of, fill

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
    "/console/url?u=http://portal.toy.test/",
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


def judged(path: Path, said: dict[str, tuple[int, str]]) -> Iterator[str]:
    for where, (status, text) in said.items():
        if status >= 500 and not REMEDY.search(text):
            yield f"{where}: {status} {text[:300]}"
        if "Traceback" in text or str(path) in text:
            yield f"{where} tells too much: {text[:300]}"


def test_x(crawl, tmp_path, caplog):
    bad = []
    before = None
    for number, name in enumerate(kinds(crawl)):
        if name.endswith(("LOG", "LOCK", "lock")):
            continue
        for how in [*HARMS][number % 2 :: 2]:
            with copied(crawl, tmp_path / "crawl") as path:
                HARMS[how](path / name)
                caplog.clear()
                t = time.time()
                try:
                    with served(path) as server:
                        said = answers(server)
                except BaseException as e:
                    print("NOSTART", name, how, repr(e)[:300], flush=True)
                    continue
                for each in judged(path, said):
                    print("BAD", name, how, each, flush=True)
                for r in caplog.records:
                    if r.exc_info:
                        print("SURPRISE", name, how, r.getMessage(), repr(r.exc_info[1])[:300], flush=True)
                print(
                    "ok",
                    name,
                    how,
                    {w: s for w, (s, _) in said.items() if s != 200},
                    round(time.time() - t, 1),
                    flush=True,
                )
