"""What must survive when a process ends between any two steps."""

from pathlib import Path

import pytest

import sought
from sought.archive import Archive
from sought.fetch.robots import RobotsFetch
from sought.operate.check import check
from sought.operate.live import settle_leases
from sought.operate.rebuild import rebuild
from sought.record.leases import Visit
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.record.table import State
from sought.web.message import RequestPurpose, Response

HOME = "http://a.example/"
CONFIG = """
seeds = ["http://a.example/"]
[agent]
contact = "test@example.org"
[politeness]
delay = 60.0
max_delay = 90.0
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "sought.toml").write_text(CONFIG)
    return tmp_path


def answer(
    url=HOME, body="<p>some words <a href=/b>first words</a></p>", status=200, purpose=RequestPurpose.PAGE, **fields
):
    data = body.encode()
    headers = (("Content-Type", "text/html"), *((k.replace("_", "-"), v) for k, v in fields.items()))
    return Response(url, status, "OK", headers, data, data, time=1e9, elapsed=0.5, address="192.0.2.1", purpose=purpose)


def crawl_one(path: Path, *answers: Response) -> None:
    """Record answers and commit everything, as a crawl would."""
    directory = open_directory(path)
    plant_seeds(directory)
    for response in answers:
        directory.writer.record(directory.repository.known_row(response.url, response.time), response)
        directory.writer.commit()
    directory.close()


def problems(path: Path) -> list[str]:
    directory = open_directory(path)
    found = check(directory, lambda _: None)
    directory.close()
    return found


def test_a_denial_reaches_the_index_after_a_crash(path):
    """A page robots.txt has closed is not found, although the process died before the index was committed."""
    crawl_one(path, answer())
    directory = open_directory(path)
    directory.repository.deny(0, 2e9, forbidden=True)
    directory.writer.commit()
    directory.abandon()
    assert problems(path) == []
    assert sought.open(path).search("words").total == 0


def test_a_crawl_delay_survives(path):
    """The stored robots.txt still asks for its delay after a crash, and a recorded one after a rebuild."""
    crawl_one(path)
    directory = open_directory(path)
    robots = RobotsFetch("parsed", b"User-agent: *\nCrawl-delay: 77", 1e9)
    directory.repository.hosts.set_robots(directory.repository.hosts.at("http://a.example"), robots)
    directory.writer.commit()
    directory.abandon()
    directory = open_directory(path)
    assert directory.politeness.state("a.example").crawl_delay == 77
    text = "User-agent: *\nCrawl-delay: 66"
    directory.writer.record(-1, answer(f"{HOME}robots.txt", text, purpose=RequestPurpose.ROBOTS))
    directory.close()
    rebuild(path, lambda _: None)
    directory = open_directory(path)
    assert directory.politeness.state("a.example").crawl_delay == 66
    directory.close()


def test_what_recovery_learns_of_politeness_is_kept(path):
    """An answer only the archive knows of still counts when the directory is opened a second time."""
    crawl_one(path)
    archive = Archive.open(path / "archive", software="test")
    archive.append(answer(status=503, retry_after="3600"))
    archive.close()
    for _ in range(2):
        directory = open_directory(path)
        assert directory.politeness.ready_at("a.example", "", 1e9) >= 1e9 + 3600
        directory.close()


def test_leases_are_kept_over_two_crashes(path):
    """A request whose answer was lost keeps its delay, for its address too, however often the process dies."""
    crawl_one(path, answer())
    directory = open_directory(path)
    directory.politeness.began("a.example", "192.0.2.1", 2e9)
    directory.manners.remember(directory.repository.hosts[0])
    directory.leases.add(Visit(0, RequestPurpose.PAGE, 2e9, 0))
    directory.writer.commit()
    directory.abandon()
    directory = open_directory(path)
    settle_leases(directory)
    directory.abandon()
    directory = open_directory(path)
    assert directory.politeness.ready_at("a.example", "", 2e9) == 2e9 + 60
    assert directory.politeness.ready_at("other.example", "192.0.2.1", 2e9) == 2e9 + 60
    directory.close()


def lost_home(path: Path) -> None:
    """Damage the first page on record: what only it linked to is not known to a rebuild, and numbers move."""
    with Archive.open(path / "archive", software="test", writable=False) as archive:
        place = next(record.place for record in archive.records() if record.uri == HOME)
    file = path / "archive/crawl-00000001.warc.gz"
    data = bytearray(file.read_bytes())
    data[place.offset + place.length // 2] ^= 0xFF
    file.write_bytes(data)


def test_leases_mean_the_same_after_a_rebuild_with_losses(path):
    """Requests that a crash left in flight are charged to the hosts that were asked, whatever their numbers are now."""
    x, y = "http://x.a.example/", "http://y.a.example/"
    home = answer(body=f"<a href={x}>x</a> <a href={HOME}only>only here</a>")
    crawl_one(path, home, answer(f"{HOME}b", f"<p>words</p><a href={y}>y</a> <a href={x}>x</a>"))
    directory = open_directory(path)
    hosts, row = directory.repository.hosts.by_origin, directory.repository.discovery.row
    before = {url: (hosts[url[:-1]].number, row(url)) for url in (x, y)}
    for host, page in ((before[y][0], row(y)), (0, row(f"{HOME}only")), (77, 1)):
        directory.leases.add(Visit(host, RequestPurpose.PAGE, 2e9, page))
    directory.leases.add(Visit(before[y][0], RequestPurpose.ROBOTS, 2e9))
    directory.abandon()
    lost_home(path)
    rebuild(path, lambda _: None)
    directory = open_directory(path)
    repository = directory.repository
    after = {url: (repository.hosts.by_origin[url[:-1]].number, repository.discovery.row(url)) for url in (x, y)}
    assert before[x][0] == after[y][0] != before[y][0]
    found = {(visit.purpose, visit.row) for visit in directory.leases.unanswered}
    assert found == {(RequestPurpose.PAGE, after[y][1]), (RequestPurpose.ROBOTS, None), (RequestPurpose.PAGE, None)}
    settle_leases(directory)
    names = [host.name for host in repository.hosts.list]
    assert {n for n in names if directory.politeness.state(n).last_began == 2e9} == {"a.example", "y.a.example"}
    assert repository.spent_since(1.5e9) == 2
    directory.close()


def test_leases_of_tables_that_cannot_be_read_are_dropped(path):
    """Nobody knows whom they name: a rebuild goes on without them."""
    crawl_one(path, answer())
    directory = open_directory(path)
    directory.leases.add(Visit(0, RequestPurpose.PAGE, 2e9, 0))
    directory.abandon()
    (path / "store/CURRENT").unlink()
    rebuild(path, lambda _: None)
    directory = open_directory(path)
    assert directory.leases.unanswered == []
    directory.close()


def test_anchors_are_the_same_after_a_rebuild(path):
    """Words of links find their target, whether the link was committed long before or stood in the same batch."""
    crawl_one(path, answer(), answer(f"{HOME}b", "<p>the target page</p>"))
    assert [h.url for h in sought.open(path).search("first").hits if h.url.endswith("/b")]
    rebuild(path, lambda _: None)
    assert [h.url for h in sought.open(path).search("first").hits if h.url.endswith("/b")]
    assert problems(path) == []


def test_later_anchors_reach_the_index_with_the_next_visit(path):
    """A page that new words point at is indexed again when it is visited, although it did not change."""
    home, b = answer(), answer(f"{HOME}b", "<p>the target page</p>")
    later = answer(f"{HOME}c", "<p>another page <a href=/b>zebra</a></p>")
    crawl_one(path, home, b, later, b)
    assert f"{HOME}b" in [h.url for h in sought.open(path).search("zebra").hits]


def test_links_of_a_page_replayed_twice_in_a_batch(path):
    """In-links are counted once however the replay is cut into batches."""
    crawl_one(path, answer(), answer(body="<p>new words <a href=/b>first words</a></p>"))
    rebuild(path, lambda _: None)
    assert problems(path) == []


def test_a_lost_index_is_made_again(path):
    """Opening compares the index with the table and fills what is missing."""
    crawl_one(path, answer())
    for file in sorted((path / "index").rglob("*"), reverse=True):
        file.unlink()
    assert problems(path) == []
    assert sought.open(path).search("words").total == 1


def test_waiting_costs_nothing(healthy, make_crawl):
    """While a host rests, the loop sleeps: a few turns a second, not thousands."""
    path = make_crawl(healthy, delay=0.5)
    steps = []

    def count(cycle):
        step = cycle._step

        async def counted(now):
            steps.append(now)
            return await step(now)

        cycle._step = counted

    sought.open(path).crawl(fetches=3, started=count)
    assert len(steps) < 100


def test_a_host_whose_robots_cannot_be_had_keeps_its_pages(path):
    """A server error on robots.txt stops fetching; it does not take pages out of the search."""
    crawl_one(path, answer())
    directory = open_directory(path)
    directory.repository.deny(0, 2e9, forbidden=False)
    directory.close()
    directory = open_directory(path)
    assert directory.repository.table["state"][0] == State.LIVE
    assert directory.repository.table["not_before"][0] == 2e9
    directory.close()
    assert sought.open(path).search("words").total == 1


def test_an_interrupted_rebuild_goes_on(path):
    """A rebuild that is stopped halfway loses nothing: the next command replays the rest."""
    pages = [answer(f"{HOME}{n}", f"<p>page number {n}</p>") for n in range(600)]
    crawl_one(path, answer(), *pages[:3])
    archive = Archive.open(path / "archive", software="test")
    for page in pages[3:]:
        archive.append(page)
    archive.close()

    def stop(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild(path, stop)
    assert problems(path) == []
    directory = open_directory(path)
    assert int((directory.repository.table["fetches"] > 0).sum()) == 601
    directory.close()


def test_a_rebuild_does_not_bring_back_what_robots_forbids(path):
    """A page that was fetched while it was open and is closed now stays out of the search."""
    crawl_one(path, answer(), answer(f"{HOME}private/x", "<p>secret words</p>"))
    directory = open_directory(path)
    directory.writer.record(
        -1, answer(f"{HOME}robots.txt", "User-agent: *\nDisallow: /private/", purpose=RequestPurpose.ROBOTS)
    )
    directory.close()
    rebuild(path, lambda _: None)
    assert sought.open(path).search("secret").total == 0
    assert sought.open(path).search("first").total == 1
    assert problems(path) == []
