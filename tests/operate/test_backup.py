"""What docs/how-to/upgrade-and-back-up.md says about backups is done, while a crawl and people write."""

import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

import sought
from sought.archive import Archive
from sought.archive.damage import known_damage
from sought.demand import Search
from sought.operate.orders import BlockHost, give
from sought.operate.pulse import read_pulse
from sought.operate.view import View
from tests.testing.commands import run, start
from tests.testing.damaged_crawl import called, fill, flip

DOCUMENT = Path(__file__).parents[2] / "docs/how-to/upgrade-and-back-up.md"


def until(says) -> None:
    deadline = time.monotonic() + 300
    while not says():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def damaged_and_repaired(path: Path) -> None:
    """So that there is an archive/damage.json."""
    with Archive.open(path / "archive", software="test", writable=False) as archive:
        page = [record for record in archive.records() if record.kind == "response"][-3]
    file = path / f"archive/crawl-{page.place.file:08}.warc.gz"
    flip((page.place.offset + page.place.length // 2) / file.stat().st_size)(file)
    assert called("check", path, "--repair")[0] == 3


@pytest.mark.slow
def test_a_backup_of_a_running_crawl_can_be_restored(healthy, make_crawl, tmp_path):
    """The shown commands copy a crawl that runs, with its damage, orders and queries, while its log is rewritten."""
    path = make_crawl(healthy, "my-crawl", revisit_after="0s", budget="10000000 per day")
    fill(path)
    damaged_and_repaired(path)
    [lost] = known_damage(path / "archive")
    with View(path) as view:
        before = int(view.table["fetches"].sum())
    give(path, BlockHost("www.blocked.test"), "tester")
    over = threading.Event()

    def ask() -> None:
        """Rewrites the log again and again, with pauses in which a copy can be made."""
        for number in range(1000):
            with sought.open(path).queries.writing() as staging:
                staging.add(Search(f"harbour {number}", time.time(), (), 5000 + number))
            if over.wait(0.5):
                return

    asking = threading.Thread(target=ask)
    crawl = start("crawl", path, "--json")
    try:
        asking.start()
        until(lambda: (read_pulse(path) or {}).get("progress", {}).get("fetched", 0) > 10)
        until(lambda: "blocked" in (path / "settings.json").read_text())
        [commands] = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(), re.S)
        subprocess.run(["sh", "-e", "-c", commands], cwd=tmp_path, check=True, timeout=300)
        assert crawl.poll() is None, crawl.errors()
    finally:
        over.set()
        asking.join()
        crawl.send_signal(signal.SIGINT)
        crawl.wait()
    assert {each.name for each in (tmp_path / "backup").iterdir()} >= {"archive", "queries", "sought.toml"}
    shutil.rmtree(path)
    (tmp_path / "backup").rename(tmp_path / "restored")
    for command in re.findall(r"^\$ (sought .*)$", DOCUMENT.read_text(), re.M):
        done = run(*shlex.split(command)[1:], cwd=tmp_path)
        assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"
    restored = tmp_path / "restored"
    assert known_damage(restored / "archive") == [lost]
    assert sought.open(restored).status().blocked == ("www.blocked.test",)
    assert "harbour 0" in set(sought.open(restored).queries.searches()["query"])
    assert sought.open(restored).search("comet").total > 0
    with View(restored) as view:
        assert int(view.table["fetches"].sum()) >= before


def test_without_the_list_of_damage_it_would_be_news(healthy, make_crawl):
    """That is why archive/damage.json belongs to a backup."""
    path = make_crawl(healthy)
    fill(path)
    damaged_and_repaired(path)
    assert called("rebuild", path)[0] == 0
    (path / "archive/damage.json").unlink()
    assert called("rebuild", path)[0] == 3
