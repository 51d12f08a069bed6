"""What the tables say: read by one thread, again only if they have changed, and nobody waits for long."""

import asyncio
import threading
import time

import pytest

from sought.console.view_cache import Pending, ViewCache
from sought.operate.view import View
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.record.settings import Settings, save_settings
from sought.record.table import Source
from sought.web.errors import BadInput
from tests.testing.demand_site import write_config


@pytest.fixture
def path(tmp_path):
    """A crawl that knows of its seed."""
    path = write_config(tmp_path / "crawl")
    directory = open_directory(path)
    plant_seeds(directory)
    directory.close()
    return path


def test_tables_are_read_again_only_if_they_have_changed(path):
    """The same answer until then, by one thread; a new one afterwards."""
    asked, threads = [], set()
    directory = open_directory(path)

    def known(view):
        asked.append(view)
        threads.add(threading.current_thread().name)
        return len(view.table)

    async def look():
        standing = ViewCache(path, patience=300.0)
        first = await standing.ask("known", known)
        assert (await standing.ask("known", known), first.found, len(asked)) == (first, 1, 1)
        standing._looked_at -= 60.0
        assert await standing.ask("known", known) == first
        directory.writer.add_urls(["http://a.example/more"], "urn:test", Source.LOAD)
        assert await standing.ask("known", known) == first  # it is not looked at again that soon
        standing._looked_at -= 60.0
        assert (await standing.ask("known", known)).found == 2
        assert (len(asked), len(set(map(id, asked))), len(threads)) == (2, 2, 1)
        await standing.close()

    asyncio.run(look())
    directory.close()


def test_what_took_long_is_good_for_longer(path):
    """Ten times as long as it took, up to ten minutes: else a large crawl would be read all the time."""
    directory = open_directory(path)

    async def known(standing, later):
        standing._looked_at -= later
        return (await standing.ask("known", lambda view: len(view.table))).found

    async def look():
        standing = ViewCache(path, patience=300.0)
        assert await known(standing, 0.0) == 1
        await standing.ask("slow", lambda view: time.sleep(0.05))
        assert standing._worked >= 0.05
        directory.writer.add_urls(["http://a.example/more"], "urn:test", Source.LOAD)
        standing._worked = 20.0
        assert await known(standing, 60.0) == 1
        assert await known(standing, 150.0) == 2
        assert standing._worked < 10.0  # of another View
        directory.writer.add_urls(["http://a.example/most"], "urn:test", Source.LOAD)
        standing._worked = 1e6
        assert await known(standing, 500.0) == 2
        assert await known(standing, 150.0) == 3
        await standing.close()

    asyncio.run(look())
    directory.close()


def test_an_order_is_seen_at_once(path):
    """However long the tables are good for: a budget that was ordered, or written into sought.toml.

    But they are not read again for every page that was asked for and has been fetched.
    """

    async def look():
        standing = ViewCache(path, patience=300.0)
        standing._worked = 1e6
        seen = []
        for change in (lambda: None, order, fetch, rewrite):
            change()
            seen.append(await standing.ask("budget", lambda view: view.config.crawl.budget))
            standing._worked = 1e6
        assert [each.found for each in seen] == ["100000 per day", "7 per day", "7 per day", "3 per day"]
        assert seen[1] is seen[2]
        await standing.close()

    def order():
        save_settings(path, Settings(budget="7 per day", wanted=("http://a.example/1", "http://a.example/2")))

    def fetch():
        save_settings(path, Settings(budget="7 per day", wanted=("http://a.example/2",)))

    def rewrite():
        (path / "settings.json").unlink()
        config = path / "sought.toml"
        config.write_text(config.read_text().replace("[crawl]", '[crawl]\nbudget = "3 per day"'))

    asyncio.run(look())


def test_to_open_the_tables_is_work_too(path, monkeypatch):
    """A large table takes long to read: it is not read all the time either."""

    class Large(View):
        def __init__(self, path):
            time.sleep(0.05)
            super().__init__(path)

    monkeypatch.setattr("sought.console.view_cache.View", Large)

    async def look():
        standing = ViewCache(path, patience=300.0)
        await standing.ask("known", lambda view: len(view.table))
        assert standing._worked >= 0.05
        await standing.close()

    asyncio.run(look())


def test_nobody_asks_any_more(path, monkeypatch):
    """Then the tables are let go, and read again for the next who asks."""
    monkeypatch.setattr("sought.console.view_cache.IDLE", 0.05)

    def gone(standing):
        deadline = time.monotonic() + 300.0
        while standing._view:
            assert time.monotonic() < deadline
            time.sleep(0.01)

    async def look():
        standing = ViewCache(path, patience=300.0)
        for _ in range(2):
            assert (await standing.ask("known", lambda view: len(view.table))).found == 1
            await asyncio.to_thread(gone, standing)
        await standing.close()

    asyncio.run(look())


def test_who_has_to_wait_is_told_so(path):
    """The event loop goes on; the last answer is good enough if there is one; errors are the question's own."""
    free = threading.Event()

    async def look():
        standing = ViewCache(path, patience=0.05)
        with pytest.raises(Pending):
            await standing.ask("slow", lambda view: free.wait(60) and len(view.table))
        free.set()
        while True:
            try:
                known = await standing.ask("slow", lambda view: len(view.table))
                break
            except Pending:
                continue
        free.clear()
        standing._looked_at, standing._stamp = -1e9, None
        assert await standing.ask("slow", lambda view: free.wait(60)) == known  # the last one
        free.set()
        with pytest.raises(BadInput):
            await _patient(standing, "bad")
        await standing.close()

    asyncio.run(look())


async def _patient(standing, key):
    def question(view):
        raise BadInput("no")

    while True:
        try:
            return await standing.ask(key, question)
        except Pending:
            continue
