"""`sought serve` as a person runs it: a real process, while a crawl runs in another, and its end."""

import gc
import json
import os
import signal
import socket
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import sought
from sought.console.serving import address, few_collections, listen
from sought.operate.audit import APPLIED, read_audit
from sought.operate.pulse import read_pulse
from sought.operate.rebuild import rebuild
from sought.operate.view import running_process
from sought.web.errors import BadInput
from tests.testing.changing_site import HTML
from tests.testing.commands import Running, run, start
from tests.testing.console_site import Served, crawl_lighthouses, crawled, lighthouses, served
from tests.testing.control_client import entered, send
from tests.testing.demand_site import write_config


@contextmanager
def serving(path: Path, *options: str) -> Iterator[tuple[Served, Running]]:
    """A server process that has said where it is."""
    with started(path, *options) as (server, process, _):
        yield server, process


@contextmanager
def started(path: Path, *options: str) -> Iterator[tuple[Served, Running, dict[str, str]]]:
    """The same, with all that it has said."""
    process = start("serve", path, "--port", "0", "--json", *options)
    try:
        until(lambda: process.said().endswith("\n") or process.poll() is not None)
        said = json.loads(process.said())
        yield Served(path, int(said["address"].rsplit(":", 1)[1].strip("/"))), process, said
    finally:
        process.kill()
        process.communicate()


def until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 300
    while not true():
        assert time.monotonic() < deadline, "waited for five minutes"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_serves_before_anything_was_crawled_and_ends_cleanly(tmp_path: Path, how: signal.Signals) -> None:
    """Exit code 0 after Ctrl-C or SIGTERM, not a word on standard error, and what was recorded is in the log."""
    path = crawl_lighthouses(tmp_path / "crawl") if how is signal.SIGINT else write_config(tmp_path / "crawl")
    with serving(path) as (server, process):
        assert server.get("/", q="lamp").status == 200
        process.send_signal(how)
        _, said = process.communicate()
        assert (process.returncode, said) == (0, "")
    assert server.log.searches().height == (1 if how is signal.SIGINT else 0)


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    """A port that is taken, a directory that is no crawl: exit code 2, no traceback."""
    path = write_config(tmp_path / "crawl")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for arguments, said in [([str(path), "--port", port], "in use"), ([str(tmp_path / "none")], "sought init")]:
            done = run("serve", *arguments)
            assert done.returncode == 2, done
            assert said in done.stderr
            assert done.stderr.startswith("sought: ")
            assert done.stderr.count("\n") == 1
            assert done.stdout == ""


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.name.invalid", "fe80::1", ""])
def test_an_address_that_is_not_ours_is_refused(host: str) -> None:
    """In a sentence that names it."""
    with pytest.raises(BadInput, match=f"cannot serve at {host or 'nowhere'} port 0: .*; try another --host"):
        listen(host, 0)


def test_where_a_browser_finds_it() -> None:
    for host, where in [("127.0.0.1", "127.0.0.1"), ("localhost", "127.0.0.1"), ("0.0.0.0", "127.0.0.1")]:
        with listen(host, 0) as listening:
            assert address(listening) == f"http://{where}:{listening.getsockname()[1]}/"


def test_garbage_is_left_to_who_started_a_server_in_a_thread(tmp_path: Path) -> None:
    """A program that serves beside its own work collects as before."""
    before = gc.get_freeze_count(), gc.get_threshold()
    with served(write_config(tmp_path / "crawl")) as server:
        assert server.get("/").status == 200
        assert (gc.get_freeze_count(), gc.get_threshold()) == before


def test_a_server_keeps_no_garbage_of_its_start() -> None:
    """What is there when it begins stays until it ends; what is garbage by then does not."""
    before = gc.get_freeze_count(), gc.get_threshold()

    class Node:
        other: "Node"

    first, second = Node(), Node()
    first.other, second.other = second, first
    gone = weakref.ref(first)
    gc.disable()  # but for the one that is asked for
    try:
        del first, second
        assert gone() is not None
        with few_collections():
            assert gone() is None
            assert gc.get_freeze_count() > before[0]
            assert gc.get_threshold() != before[1]
    finally:
        gc.enable()
    assert (gc.get_freeze_count(), gc.get_threshold()) == before


@pytest.mark.slow
def test_it_sees_what_a_crawl_adds_and_a_rebuild_replaces(tmp_path: Path) -> None:
    """One server all the time: nothing yet, then pages, then more pages, then an index made anew, then none."""
    path = tmp_path / "crawl"
    with lighthouses() as site:
        write_config(path, site.url("/"), "127.0.0.1")
        with served(path) as server:
            assert "Nothing has been crawled yet" in server.get("/").text
            crawled(site, path)
            assert server.get("/api/search", q="lighthouse").data["total"] == 32
            assert "34 searchable pages" in server.get("/").text
            page = "<html><title>Comet</title><body><p>A comet over the old lighthouse.</p></body></html>"
            site.answers["/comet"] = (200, HTML, page)
            site.answers["/"] = (200, HTML, site.answers["/"][2].replace("</body>", "<a href=/comet>comet</a></body>"))
            sought.open(path).crawl(fetches=60)
            assert server.get("/api/search", q="comet").data["total"] >= 1
            assert server.get("/api/search", q="lighthouse").data["total"] == 33
            rebuild(path, lambda _: None)
            assert server.get("/api/search", q="lighthouse").data["total"] == 33
            (path / "index").rename(path / "gone")
            assert server.get("/api/search", q="lighthouse").data["pages"] == 0
            assert "No searchable pages yet" in server.get("/").text
            (path / "gone").rename(path / "index")
            assert server.get("/api/search", q="lighthouse").data["total"] == 33


@pytest.mark.slow
def test_it_crawls_as_well(tmp_path: Path) -> None:
    """`--crawl` has a process of its own, which yields to the server: started again when it is killed, told to stop
    when the terminal goes.
    """
    with lighthouses() as site:
        path = write_config(tmp_path / "crawl", site.url("/"), "127.0.0.1")
        with serving(path, "--crawl") as (server, process):
            until(lambda: running_process(path))
            first = running_process(path)
            assert first
            assert (os.sched_getscheduler(process.pid), os.sched_getscheduler(first)) == (os.SCHED_OTHER, os.SCHED_IDLE)
            os.kill(first, signal.SIGKILL)
            until(lambda: running_process(path) not in (None, 0, first))
            until(lambda: server.get("/api/search", q="lighthouse").data["total"])
            process.send_signal(signal.SIGHUP)
            _, said = process.communicate()
            assert (process.returncode, "Traceback" in said) == (0, False), said
        assert running_process(path) is None
        assert sought.open(path).status().searchable


@pytest.mark.slow
def test_a_running_crawl_is_paused_from_the_console(tmp_path: Path) -> None:
    """By who has the token that is printed; the crawl itself notes that it has done so, and says so from then on."""
    with lighthouses() as site:
        path = write_config(tmp_path / "crawl", site.url("/"), "127.0.0.1")
        with started(path, "--crawl", "--control") as (server, process, said):
            cookie, key = entered(server, said["token"])
            until(lambda: (read_pulse(path) or {}).get("paused") is False)
            assert send(server, "pause", cookie, key=key).status == 303
            until(lambda: (read_pulse(path) or {}).get("paused"))
            assert [(each.who, each.outcome) for each in read_audit(path)] == [("console", APPLIED)]
            process.send_signal(signal.SIGINT)
            process.communicate()
