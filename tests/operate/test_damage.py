"""Whatever file of a crawl is damaged: one clear sentence, what is healthy goes on, and a repair mends it."""

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

import sought
from sought.archive import Archive, Damage
from sought.archive.damage import known_damage
from sought.archive.members import walk
from sought.operate.check import check
from sought.operate.rebuild import rebuild
from sought.operate.view import View
from sought.record import swap
from sought.record.directory import Directory
from sought.record.recovery import open_directory, recover
from sought.record.store import Store
from sought.record.swap import part_for_reading
from sought.web.errors import CrawlDamaged
from sought.web.message import RequestPurpose
from tests.testing.commands import start
from tests.testing.damaged_crawl import HARMS, called, copied, files_of, fill, flip

COMMANDS = ("status",), ("search", "comet"), ("frontier", "stats"), ("check",)
WARC = "archive/crawl-00000001.warc.gz"


@pytest.fixture(scope="module")
def crawl(healthy, tmp_path_factory) -> Path:
    """A small crawl with queries; tests copy it."""
    path = tmp_path_factory.mktemp("damage") / "crawl"
    path.mkdir()
    toy = healthy.toml().replace("[fetch]", "[fetch]\ntimeout = 5.0", 1)
    agent = '[agent]\ncontact = "test@example.org"\n[scope]\ndomains = ["toy.test"]\n[politeness]\ndelay = 0.0\n'
    (path / "sought.toml").write_text(f'{toy}\n{agent}[crawl]\npolicy = "BreadthFirst()"\n')
    fill(path)
    return path  # type: ignore[no-any-return]  # fixtures have no types


@pytest.fixture
def copy(crawl, tmp_path) -> Path:
    return Path(shutil.copytree(crawl, tmp_path / "crawl"))


def on_record(path: Path) -> list[str]:
    archive = Archive.open(path / "archive", software="test", writable=False, on_damage=lambda _: None)
    pages = [r.response for r in archive.records() if r.response]
    return sorted(page.url for page in pages if page.purpose is RequestPurpose.PAGE)


def harmed_in_the_middle(path: Path) -> tuple[str, int]:
    """Damage the record of a page in the middle of the archive; returns its URL and where its record begins."""
    archive = Archive.open(path / "archive", software="test", writable=False)
    pages = [
        r
        for r in archive.records()
        if r.response and r.response.purpose is RequestPurpose.PAGE and r.kind == "response"
    ]
    record = pages[len(pages) // 2]
    data = bytearray((path / WARC).read_bytes())
    data[record.place.offset + record.place.length // 2] ^= 0xFF
    (path / WARC).write_bytes(data)
    return record.uri, record.place.offset


def kinds(path: Path) -> list[str]:
    """One file of each kind: the same damage to another SST is no other case."""
    found: dict[tuple[str, str], str] = {}
    for name in files_of(path):
        found.setdefault((str(Path(name).parent), Path(name).suffix or Path(name).stem.rstrip("0123456789")), name)
    return sorted(found.values())


@pytest.mark.slow
def test_any_damage_of_any_file_is_told_and_mended(crawl, tmp_path):
    """No command has a traceback; after a repair all agrees, and what the archive holds is there."""
    before = on_record(crawl)
    for number, name in enumerate(kinds(crawl)):
        harms = list(HARMS) if name == WARC else list(HARMS)[number % 4 :: 4]
        for how in harms:
            if name == "sought.toml" or (name.endswith(("LOG", "lock", "LOCK")) and how not in ("folder", "delete")):
                continue
            with copied(crawl, tmp_path / "copy") as path:
                HARMS[how](path / name)
                held = len(on_record(path))
                for command, *words in COMMANDS:
                    code, _, complaint = called(command, path, *words)
                    told = f"{name} {how}: {command} {code} {complaint}"
                    assert "Traceback" not in complaint, told
                    assert code in (0, 1, 2), told
                    assert code != 2 or complaint.strip().splitlines()[-1].startswith("sought: "), told
                code, printed, complaint = called("check", path, "--repair")
                assert code in (0, 3), f"{name} {how}: {printed} {complaint}"
                assert called("check", path)[:1] == (0,), f"{name} {how}"
                assert len(on_record(path)) == held, f"{name} {how}"
                assert (code == 3) == (held < len(before) or "lost: " in printed), f"{name} {how}: {printed}"
                with View(path) as view:
                    assert int(view.table["fetches"].sum()) == held


def test_a_damaged_record_in_the_middle_stops_nothing(copy):
    """Crawling, searching and rebuilding go on without it; it is named, and its page is fetched again."""
    url, offset = harmed_in_the_middle(copy)
    code, printed, _ = called("rebuild", copy, "--json")
    told = json.loads(printed)
    assert code == 3
    assert len(told["lost"]) == 1
    assert f"bytes {offset:,} to" in told["lost"][0]
    assert url in told["lost"][0]
    assert called("check", copy)[0] == 0
    assert called("rebuild", copy)[0] == 0  # it is listed now: no news
    assert [each.start for each in known_damage(copy / "archive")] == [offset]
    assert sought.open(copy).search("comet").total > 0
    assert url not in on_record(copy)
    sought.open(copy).crawl(fetches=100)
    assert url in on_record(copy)
    assert called("check", copy)[0] == 0


def test_a_rebuild_that_fails_leaves_the_old_tables(copy, monkeypatch):
    """Until the new tables are whole, the old ones answer; what was begun is deleted."""
    before = sought.open(copy).status().searchable

    def fail(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("sought.operate.rebuild._deny_again", fail)
        with pytest.raises(OSError, match="Input"):
            rebuild(copy, lambda _: None)
    assert not (copy / swap.FOLDER).exists()
    assert sought.open(copy).status().searchable == before
    assert called("check", copy)[0] == 0


def test_a_swap_can_be_killed_at_any_moment(copy, monkeypatch):
    """After each of its steps the tables can be read, and the next writer finishes or discards it."""
    searchable = sought.open(copy).status().searchable
    real, left = Path.rename, [0]

    def rename(self, target):
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        return real(self, target)

    for steps in range(5):
        directory = Directory.open(copy, rebuilding=True)
        recover(directory, lambda _: None)
        left[0] = steps
        with monkeypatch.context() as patch:
            patch.setattr(Path, "rename", rename)
            if steps < 4:
                with pytest.raises(KeyboardInterrupt):
                    directory.take_over([])
            else:
                directory.take_over([])
        assert part_for_reading(copy, "store").exists()
        assert sought.open(copy).search("comet").total > 0
        assert sought.open(copy).status().searchable == searchable
        directory = open_directory(copy)
        assert check(directory, lambda _: None) == []
        directory.close()
        assert not (copy / swap.FOLDER).exists()


def test_kill_9_of_a_rebuild_leaves_a_crawl(copy):
    """The old tables answer as long as the new ones are in the making."""
    for wait in (0.05, 0.3, 0.6):
        command = start("rebuild", copy)
        try:
            command.wait(timeout=wait)
        except AssertionError:
            command.send_signal(signal.SIGKILL)
            command.wait()
        assert sought.open(copy).search("comet").total > 0
        assert called("check", copy)[0] == 0
        assert not (copy / swap.FOLDER).exists()


def test_a_finished_record_at_the_end_is_no_torn_tail(copy):
    """A record that the tables know is never cut off, although nothing whole lies behind it."""
    size = (copy / WARC).stat().st_size
    (copy / "archive/crawl-00000001.cdxj").unlink()  # as after kill -9
    flip(1.0)(copy / WARC)
    directory = open_directory(copy)
    assert [each.stop for each in directory.damage.unlisted] == [size]
    directory.close()
    assert (copy / WARC).stat().st_size >= size


def test_an_archive_that_lost_its_end_gets_another_file(copy):
    """Places that are on record are never used twice; a repair says which pages were lost."""
    whole = [m.offset for m in walk(copy / WARC, 0, forgive_torn_tail=False)]
    os.truncate(copy / WARC, whole[-4])
    assert called("crawl", copy, "--fetches", "2", "--json")[0] == 0
    assert (copy / WARC).stat().st_size == whole[-4]
    assert (copy / "archive/crawl-00000002.warc.gz").exists()
    code, printed, _ = called("check", copy, "--repair", "--json")
    assert code == 3
    assert "http://" in json.loads(printed)["lost"][0]
    assert called("check", copy)[0] == 0


def test_a_scan_over_a_damaged_block_does_not_end_in_silence(copy):
    """RocksDB's iterators end there as if nothing came behind; a store says that it is damaged."""
    [table] = (copy / "store").glob("*.sst")
    flip(0.4)(table)
    store = Store(copy / "store", writable=False)
    with pytest.raises(CrawlDamaged, match="--repair"):
        list(store.scan(b""))
    store.close()


def test_damage_is_told_by_a_running_crawl(copy):
    """A crawl that cannot read a copy goes on, and says what to do."""
    url, _ = harmed_in_the_middle(copy)
    directory = open_directory(copy)
    directory.repository.changes.renewed.add(directory.repository.discovery.row(url))
    directory.writer.commit()
    [damage] = directory.damage.unlisted
    assert isinstance(damage, Damage)
    assert damage.urls == (url,)
    directory.close()


def test_a_log_without_its_manifest_is_not_swept_away(copy):
    """Segments that nothing names are damage, not rubbish; a repair names them again."""
    before = sought.open(copy).queries.searches().height
    (copy / "queries/manifest.json").unlink()
    with pytest.raises(CrawlDamaged, match="--repair"):
        sought.open(copy).queries.searches()
    assert called("check", copy, "--repair")[0] == 3
    assert sought.open(copy).queries.searches().height == before


def test_the_query_log_is_its_owners_alone(copy, crawl):
    """Folder 0700, files 0600, also of a log that was made when they were open to all."""
    for file in (copy / "queries").iterdir():
        file.chmod(0o644)
    (copy / "queries").chmod(0o755)
    with sought.open(copy).queries.writing():
        pass
    for path in (copy, crawl):
        assert (path / "queries").stat().st_mode & 0o777 == 0o700
        assert {file.stat().st_mode & 0o777 for file in (path / "queries").iterdir()} == {0o600}
