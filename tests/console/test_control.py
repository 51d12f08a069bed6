"""Control from the console: off unless asked for, by a token, by our own forms only, and on record."""

import asyncio
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlencode

import pytest

from sought.console import serving
from sought.console.control import PAUSES, Control
from sought.operate.audit import Audited, note
from sought.operate.orders import AddSeed, BlockHost, FetchNow, Inbox, Pause, Resume, SetBudget, UnblockHost
from sought.record.settings import Settings, save_settings
from tests.testing.browser import chromium, tab
from tests.testing.console_site import served
from tests.testing.control_client import FORM, TOKEN, entered, send
from tests.testing.demand_site import write_config


@pytest.fixture
def path(tmp_path):
    return write_config(tmp_path / "crawl")


@pytest.fixture
def server(path):
    with served(path, control=Control(path, TOKEN, (0.0,))) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


def given(path, what="order"):
    """The orders that wait, or who gave them."""
    return [getattr(each.given, what) for each in Inbox(path).look(2e9)]


ALL = {
    "pause": ("", Pause()),
    "resume": ("", Resume()),
    "budget": ("5000  per day", SetBudget("5000 per day")),
    "seed": ("HTTP://a.example/x", AddSeed("http://a.example/x")),
    "block": ("a.example", BlockHost("a.example")),
    "unblock": ("a.example", UnblockHost("a.example")),
    "fetch": ("http://a.example/y#z", FetchNow("http://a.example/y")),
}


def test_without_control_there_is_nothing_to_press(path):
    """No such addresses, no forms; the audit log is shown all the same."""
    note(path, Audited(1.7e9, "1", "applied", "somebody", 1.7e9, {"order": "pause"}))
    with served(path) as server:
        assert {send(server, order, key="x", token=TOKEN).status for order in (*ALL, "enter", "leave")} == {404}
        page = server.ask("/console/control").text
        assert 'method="post"' not in page
        assert "Control is off on this server." in page
        assert "somebody" in page
    assert not given(path)


@pytest.mark.parametrize("order", ALL)
def test_each_order_reaches_the_crawl(server, path, order):
    """As operate/orders.py spells it, from the console."""
    if order == "unblock":
        save_settings(path, Settings(blocked=("a.example",)))
    cookie, key = entered(server)
    text, expected = ALL[order]
    answer = send(server, order, cookie, key=key, what=text)
    assert answer.status == 303
    assert given(path) == [expected]
    assert given(path, "who") == ["console"]
    assert "waiting for the crawl" in server.ask(answer.headers["location"].partition("#")[0]).text


@pytest.mark.parametrize("order", ALL)
def test_a_second_press_changes_nothing(server, path, order):
    """While the first order waits the page says that it does; also if both come at the same moment."""
    if order == "unblock":
        save_settings(path, Settings(blocked=("a.example",)))
    cookie, key = entered(server)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: send(server, order, cookie, key=key, what=ALL[order][0]), range(4)))
    assert [each.status for each in answers] == [303] * 4
    assert given(path) == [ALL[order][1]]
    pages = [server.ask(each.headers["location"], Cookie=cookie) for each in answers]
    assert [each.status for each in pages] == [200] * 4
    assert sum("The same order is already waiting." in each.text for each in pages) == 3
    note_of_it = server.ask("/console/control?given=made-up&again=1", Cookie=cookie).text
    assert "waits already" not in note_of_it


def test_a_directory_that_takes_no_orders_says_so(server, path):
    """One sentence and 409, whatever the reason; where the crawl lies is not in it."""
    cookie, key = entered(server)
    (path / "orders").write_text("no folder")
    (path / "settings.json").write_text("{")
    said = [send(server, order, cookie, key=key, what=ALL[order][0]) for order in ("pause", "unblock")]
    assert [each.status for each in said] == [409] * 2
    assert "The order cannot be written: " in said[0].text
    assert "DIR/settings.json" in said[1].text
    assert not [each for each in said if str(path) in each.text]


def test_nothing_happens_without_the_token(server, path):
    """Neither with none, nor with a wrong one, nor with a cookie that was made up."""
    page = server.ask("/console/control").text
    assert "Token printed" in page
    assert 'action="/console/control/pause"' not in page
    for token in ("", "x", TOKEN[:-1], TOKEN + "0", "ä\ud800".encode("utf-8", "replace").decode()):
        answer = send(server, "enter", token=token)
        assert (answer.status, "set-cookie" in answer.headers) == (403, False)
    for order in (*ALL, "leave"):
        assert send(server, order, what="http://a.example/").status == 403
        assert send(server, order, "sought-control=made-up", key="made-up", what="http://a.example/").status == 403
    assert not given(path)


def test_the_session_is_for_our_own_pages_only(server):
    """Scripts cannot read the cookie, other sites cannot use it, and it goes when the browser is closed."""
    answer = send(server, "enter", token=TOKEN)
    kept = {each.strip().lower() for each in answer.headers["set-cookie"].split(";")[1:]}
    assert kept == {"httponly", "samesite=strict", "path=/console"}
    assert TOKEN not in answer.headers["set-cookie"]


def test_a_form_of_somebody_else_is_refused(server, path):
    """No key, the key of another session, or a request that another site has caused."""
    (mine, key), (_, another) = entered(server), entered(server)
    for wrong in ("", "x", another):
        assert send(server, "pause", mine, key=wrong).status == 403
    body = urlencode({"key": key}).encode()
    for name, value in {
        "Sec_Fetch_Site": "cross-site",
        "sec_fetch_site": "same-site",
        "Origin": "http://evil.example",
        "origin": "null",
    }.items():
        headers = {"Content_Type": FORM, "Cookie": mine, name: value}
        assert server.ask("/console/control/pause", "POST", body, **headers).status == 403
    assert server.ask("/console/control/pause", Cookie=mine).status == 405
    assert server.ask("/console/control", "POST", body, Content_Type=FORM, Cookie=mine).status == 405
    assert not given(path)
    assert send(server, "pause", mine, key=key).status == 303


def test_control_can_be_given_up(server, path):
    """Then the cookie is worth nothing."""
    cookie, key = entered(server)
    assert send(server, "leave", cookie, key=key).status == 303
    assert send(server, "pause", cookie, key=key).status == 403
    assert not given(path)


@pytest.mark.parametrize(
    ("order", "text", "sentence"),
    [
        ("budget", "lots", "lots"),
        ("seed", "javascript:alert(1)", "alert(1)"),
        ("fetch", "", ""),
        ("block", "a b", "Not a host"),
        ("unblock", "a.example", "a.example is not blocked"),
        ("block", "b.example", "b.example is no host of this crawl, and outside its scope"),
        ("seed", "http://b.example/", "http://b.example/ is not admitted: the host is outside [scope]"),
        ("fetch", "http://b.example/", "http://b.example/ is not admitted: the host is outside [scope]"),
        ("fetch", "http://blocked.example/", "first: sought order DIR unblock blocked.example"),
        ("dance", "", "No such order."),
    ],
)
def test_what_is_no_order_gets_one_clear_sentence(server, path, order, text, sentence):
    """And the right status; where the crawl lies is not in it."""
    save_settings(path, Settings(blocked=("blocked.example",)))
    cookie, key = entered(server)
    answer = send(server, order, cookie, key=key, what=text)
    assert answer.status == (404 if order == "dance" else 400)
    assert sentence in answer.text
    assert str(path) not in answer.text
    assert not given(path)


@pytest.mark.parametrize(
    ("kind", "body", "status"),
    [("application/json", b"{}", 415), (FORM, b"\xff\xfe", 400), (FORM, b"a&" * 50, 400), (FORM, b"a" * 100_000, 413)],
)
def test_what_is_no_form_is_refused(server, kind, body, status):
    """Bounded, and one kind only."""
    assert server.ask("/console/control/enter", "POST", body, Content_Type=kind).status == status


@pytest.mark.slow
def test_the_right_token_never_waits_for_wrong_ones(path):
    """Over real connections: wrong tokens wait, the eleventh is sent away, and the right one is answered meanwhile."""
    control = Control(path, TOKEN, (3600.0,))
    body = urlencode({"token": "wrong"})
    head = f"Host: localhost\r\nContent-Type: {FORM}\r\nContent-Length: {len(body)}"
    with served(path, control=control) as server, ExitStack() as guessers:
        for _ in range(10):
            guesser = guessers.enter_context(socket.create_connection(("127.0.0.1", server.port), 60))
            guesser.sendall(f"POST /console/control/enter HTTP/1.1\r\n{head}\r\n\r\n{body}".encode())
        deadline = time.monotonic() + 60
        while control._waiting < 10:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert send(server, "enter", token=TOKEN).status == 303
        answer = send(server, "enter", token="wrong")
        assert (answer.status, answer.headers["retry-after"]) == (429, "60")
        assert "Too many wrong tokens" in answer.text
        assert entered(server)


def test_the_server_ends_without_breaking_off_a_pause():
    """A wrong token is answered before the server gives up on its answers, which would be in the log."""
    assert max(PAUSES) < serving._GRACE


def test_each_wrong_token_waits_longer_than_the_one_before(path, monkeypatch):
    """The right one starts again from the beginning."""
    waited = []
    really = asyncio.sleep

    async def noted(seconds):
        waited.append(seconds)
        await really(0)

    monkeypatch.setattr(asyncio, "sleep", noted)

    async def knock():
        control = Control(path, TOKEN, (0.1, 0.2, 0.4))
        for token in ("a", "b", "c", "d", TOKEN, "e"):
            assert bool(await control.enter(token)) == (token == TOKEN)

    asyncio.run(knock())
    assert waited == [0.1, 0.2, 0.4, 0.4, 0.1]


@pytest.mark.slow
def test_an_operator_pauses_the_crawl_in_a_browser(path, browser, tmp_path):
    """Token, button, and what came of it, by keyboard; whatever the audit log holds is text."""
    note(
        path,
        Audited(
            1.7e9, "1", "<script>alert(1)</script>", "<b>who</b>", 1.7e9, {"order": "<img src=x onerror=alert(2)>"}
        ),
    )
    save_settings(path, Settings(blocked=("bad.example",)))
    with served(path, control=Control(path, TOKEN)) as server:
        for scheme in ("light", "dark"):
            with tab(browser, color_scheme=scheme, viewport={"width": 375, "height": 800}) as it:
                it.page.goto(server.url + "/console/control")
                it.assert_accessible()
                it.page.get_by_label("Token printed").fill(TOKEN)
                it.page.keyboard.press("Enter")
                it.page.get_by_role("button", name="Pause the crawl").focus()
                it.assert_accessible()
                it.assert_no_sideways_scroll()
                it.page.keyboard.press("Enter")
                it.page.wait_for_selector("tr.given")
                assert it.page.locator("tr.given").inner_text().split("\t")[:3] == [
                    "pause",
                    "console",
                    "waiting for the crawl",
                ]
                assert "<script>alert(1)</script>" in it.page.locator("main").inner_text()
                it.page.get_by_role("button", name="Unblock").click()
                it.page.wait_for_selector("tr.given:has-text('unblock bad.example')")
                it.picture(f"control-{scheme}", tmp_path)
                assert not it.troubles
    assert given(path) == [Pause(), UnblockHost("bad.example")]  # the second time both wait already


@pytest.mark.parametrize(("paused", "button"), [(False, "Pause the crawl"), (True, "Resume the crawl")])
def test_what_was_paused_is_resumed(server, path, paused, button):
    """One name for each order, on the button and in the audit log."""
    save_settings(path, Settings(paused=paused))
    cookie, _ = entered(server)
    page = server.ask("/console/control", Cookie=cookie).text
    assert re.findall(r">((?:Pause|Resume|Go on)[^<]*)</button>", page) == [button]
