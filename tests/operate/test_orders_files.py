"""Orders are files: given by a command, by anybody, in any moment; what is none does no harm."""

import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sought
from sought.operate.audit import read_audit
from sought.operate.order_check import check_order, place
from sought.operate.orders import (
    ASIDE,
    FOLDER,
    AddSeed,
    AnyOrder,
    BlockHost,
    FetchNow,
    Given,
    Inbox,
    Pause,
    Resume,
    SetBudget,
    UnblockHost,
    checked,
    give,
    waiting_orders,
)
from sought.operate.view import View
from sought.record.settings import Settings, load_settings, save_settings
from sought.toyweb import Served
from sought.web.errors import BadInput
from tests.testing.demand_site import write_config
from tests.testing.ordered_crawl import WAIT, cli, crawled, outcomes, until


@pytest.mark.slow
def test_orders_from_the_command_line(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """Each has a command; a mistake is one line and exit code 2, and nothing is left in the folder."""
    path = make_crawl(healthy)
    host = next(name for name in healthy.resolve if not name.startswith("portal"))
    url = f"http://{host}:{healthy.port}/"
    said = [
        cli("order", *words)
        for words in (
            (str(path), "pause"),
            (str(path), "resume", "--json"),
            (str(path), "budget", "77 per hour"),
            (str(path), "seed", url),
            (str(path), "block", host.upper()),
            (str(path), "unblock", host),
            (str(path), "fetch", url),
        )
    ]
    assert [done.returncode for done in said] == [0] * 7, [done.stderr for done in said]
    assert said[0].stdout == "No crawl is running. The next one applies the order when it starts.\n"
    waiting = sorted(file.stem for file in (path / FOLDER).glob("*.json"))
    assert json.loads(said[1].stdout) == {"id": waiting[1], "running": None, "waits_already": False}
    again = [cli("order", str(path), "unblock", host), cli("order", str(path), "resume", "--json")]
    assert again[0].stdout == "This order is already waiting. The crawl applies it when it runs.\n"
    assert json.loads(again[1].stdout) == {"id": waiting[1], "running": None, "waits_already": True}
    for words, what in (
        ((str(path), "budget", "much"), "not a budget"),
        ((str(path), "fetch", "ftp://x/"), "not an http"),
        ((str(path), "block", "a b"), "not a host"),
        ((str(path), "block", f"{host}:{healthy.port}"), f"all its ports: {host}"),
        ((str(path), "block", f"{host}:80"), f"all its ports: {host}"),
        ((str(path), "block", f"http://{host}/private/"), "not the name of a host"),
        ((str(path), "block", "nosuchhost"), "no host of this crawl, and outside its scope"),
        ((str(path), "unblock", f"x{host}"), "is not blocked"),
        ((str(path), "fetch", "http://elsewhere.example/"), "not admitted: the host is outside [scope]"),
        ((str(path), "seed", "http://elsewhere.example/"), "not admitted: the host is outside [scope]"),
        ((str(path), "seed", f"{url}a/a/a/a"), "not admitted: its path repeats itself"),
        ((str(path), "budget", "0 per day"), "not a budget"),
        ((str(path), "budget", "5000 per fortnight"), "not a budget"),
        ((str(path), "fetch"), "needs a url"),
        ((str(path), "pause", "now"), "takes no argument"),
        ((str(path), "explode"), "explode"),
        ((str(path / "no"), "pause"), "no crawl"),
    ):
        done = cli("order", *words)
        assert done.returncode == 2
        assert what in done.stderr
        assert done.stderr.count("\n") == 1
    assert sorted(file.stem for file in (path / FOLDER).glob("*.json")) == waiting
    sought.open(path).crawl(3)
    assert outcomes(path) == ["applied"] * 7
    assert [each.id for each in reversed(read_audit(path))] == waiting
    status = json.loads(cli("status", str(path), "--json").stdout)
    assert (status["budget"], status["paused"], status["blocked"]) == ("77 per hour", False, [])


def test_orders_that_make_no_sense_are_refused_at_once(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """By what the crawl knows: its hosts, which are blocked, its robots.txt and its scope; the rest is accepted."""
    path = make_crawl(healthy)
    sought.open(path).crawl(8, "BreadthFirst()")
    with View(path) as view:
        host = view.hosts[int(view.table["host"][np.flatnonzero(view.table["fetches"])[-1]])]
        known = view.store.url(0)
    save_settings(path, Settings(blocked=("known.toy.test",)))
    for order, why in (
        (BlockHost(host.name + "x"), f"did you mean '{host.name}'"),
        (UnblockHost("knwn.toy.test"), "did you mean 'known.toy.test'"),
        (FetchNow("http://known.toy.test/"), "unblock known.toy.test"),
        (AddSeed("http://known.toy.test/"), "is blocked"),
        (FetchNow(f"{host.origin}/private/x"), "robots.txt forbids"),
        (FetchNow("http://elsewhere.example/"), "outside [scope]"),
    ):
        with pytest.raises(BadInput, match=re.escape(why)):
            check_order(path, order, time.time())
    for good in (BlockHost(host.name), BlockHost("new.toy.test"), UnblockHost("known.toy.test"), FetchNow(known)):
        check_order(path, good, time.time())
    give(path, UnblockHost("known.toy.test"), "tester")  # waits: what comes after it finds the host open
    check_order(path, FetchNow("http://known.toy.test/"), time.time())
    config = path / "sought.toml"
    config.write_text(config.read_text().replace('domains = ["toy.test"]', 'domains = ["other.test"]'))
    check_order(path, FetchNow(known), time.time())  # it is known: today's scope is about new pages
    with pytest.raises(BadInput, match="outside"):
        check_order(path, FetchNow(f"{host.origin}/new"), time.time())


def test_an_order_that_waits_is_not_given_again(tmp_path: Path) -> None:
    """Unless another about the same has come after it, however many wait."""
    path = write_config(tmp_path / "crawl")
    words: list[AnyOrder] = [
        SetBudget("5 per day"),
        BlockHost("a.example"),
        SetBudget("5  per day"),
        UnblockHost("a.example"),
    ]
    asked: list[AnyOrder] = [
        Pause(),
        Pause(),
        Resume(),
        Pause(),
        *words,
        UnblockHost("A.example"),
        BlockHost("a.example"),
    ]
    placed = [place(path, each, "tester") for each in asked]
    assert [each.waits_already for each in placed] == [False, True, *[False] * 4, True, False, True, False]
    assert [placed[at].id for at in (1, 6, 8)] == [placed[at].id for at in (0, 4, 7)]
    given = [Pause(), Resume(), Pause(), SetBudget("5 per day"), BlockHost("a.example"), UnblockHost("a.example")]
    assert [order for _, order in waiting_orders(path)] == [*given, BlockHost("a.example")]
    for number in range(120):
        place(path, SetBudget(f"{number + 1} per day"), "tester")
    assert place(path, SetBudget("120 per day"), "tester").waits_already


def test_what_is_no_order_is_put_aside(healthy: Served, make_crawl: Callable[..., Path], tmp_path: Path) -> None:
    """Torn, huge, a link, a folder, a pipe, a name that is no text: noted, out of the way, and the crawl goes on."""
    path = make_crawl(healthy)
    folder = path / FOLDER
    folder.mkdir()
    whole = msgspec.json.encode(Given(1.0, "me", Pause()))
    (folder / "a.json").write_bytes(whole[:-3])
    (folder / "b.json").write_bytes(whole + b" " * 20_000)
    (folder / "c.json").write_bytes(whole.replace(b"pause", b"explode"))
    (tmp_path / "secret").write_bytes(whole)
    (folder / "d.json").symlink_to(tmp_path / "secret")
    (folder / "e.json").mkdir()
    os.mkfifo(folder / "f.json")
    (folder / "g.json").write_bytes(b"[" * 10_000)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xfe.json")).write_bytes(b"{}")
    (folder / ".half.json.new").write_bytes(whole)
    (folder / "h.json").write_bytes(msgspec.json.encode(Given(1.0, "me", SetBudget("-1 per day"))))
    give(path, BlockHost("example.org"), "tester")
    crawled(path, [until(lambda cycle: load_settings(path).blocked == ("example.org",))])
    assert sorted(each.name for each in folder.iterdir()) == [".half.json.new", ASIDE]
    assert len(list((folder / ASIDE).iterdir())) == 8
    assert (tmp_path / "secret").read_bytes() == whole
    found = read_audit(path)
    assert len(found) == 10
    assert sum(each.outcome.startswith("not an order: ") for each in found) == 8
    assert [each.outcome for each in found if each.id == "h"] == [
        "not a budget: '-1 per day' (write for example '10000 per day'; per hour, per day or per week)"
    ]
    assert not load_settings(path).paused


texts = st.text(max_size=30)
any_order = st.one_of(
    st.just(Pause()),
    st.builds(SetBudget, texts),
    st.builds(AddSeed, texts),
    st.builds(BlockHost, texts),
    st.builds(FetchNow, texts),
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=60) | plain.map(msgspec.json.encode), max_size=8), st.lists(any_order, max_size=4))
def test_hostile_files_neither_fail_nor_hide_orders(files: list[bytes], orders: list[AnyOrder]) -> None:
    """Whatever lies in the folder: what can be read is an order, and after one look nothing is left."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / FOLDER
        folder.mkdir()
        for number, content in enumerate(files):
            (folder / f"{number}.json").write_bytes(content)
        wanted = []
        for order in orders:
            try:
                give(Path(place), order, "x" * 1000)
                wanted.append(checked(order))
            except BadInput:
                continue
        inbox = Inbox(Path(place))
        found = inbox.look(time.time())
        assert [each.given.order for each in found if each.given] == wanted
        assert all(len(each.given.who) <= 200 for each in found if each.given)
        for each in found:
            if each.given:
                inbox.remove(each)
            else:
                assert each.problem
                inbox.put_aside(each)
        assert inbox.look(time.time()) == []
        assert [each.name for each in folder.iterdir()] in ([], [ASIDE])


def test_an_order_that_comes_while_the_folder_is_read_is_not_missed(tmp_path: Path) -> None:
    """The folder's time is coarse; orders given in quick succession by several are all found, each once."""
    inbox = Inbox(tmp_path)
    found: list[str] = []
    (tmp_path / FOLDER).mkdir()

    def many(who: str) -> None:
        for _ in range(50):
            give(tmp_path, Pause(), who)

    givers = [threading.Thread(target=many, args=(who,)) for who in "ab"]
    for giver in givers:
        giver.start()
    deadline = time.monotonic() + WAIT
    while len(found) < 100 and time.monotonic() < deadline:
        for each in inbox.look(time.time()):
            found.append(each.id)
            inbox.remove(each)
    for giver in givers:
        giver.join()
    assert len(set(found)) == len(found) == 100


def test_an_order_of_the_same_moment_is_found(tmp_path: Path) -> None:
    """Where the folder's time has not moved since it was found empty, as that of coarse clocks does not."""
    folder, inbox = tmp_path / FOLDER, Inbox(tmp_path)
    folder.mkdir()
    moment = folder.stat().st_mtime_ns
    assert inbox.look(moment / 1e9 + 0.1) == []
    give(tmp_path, Pause(), "x")
    os.utime(folder, ns=(moment, moment))
    assert len(inbox.look(moment / 1e9 + 0.2)) == 1


def test_too_many_orders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no crawl takes them, a folder does not grow without end; nor does what is put aside."""
    monkeypatch.setattr("sought.operate.orders._WAITING", 3)
    monkeypatch.setattr("sought.operate.orders._ASIDE", 2)
    for _ in range(3):
        give(tmp_path, Pause(), "x")
    with pytest.raises(BadInput, match="3 orders wait"):
        give(tmp_path, Pause(), "x")
    inbox = Inbox(tmp_path)
    for _ in range(4):
        for each in inbox.look(time.time()):
            inbox.put_aside(each)
        (tmp_path / FOLDER / "x.json").write_bytes(b"")
    assert len(list((tmp_path / FOLDER / ASIDE).iterdir())) <= 3
