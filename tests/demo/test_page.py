"""The demo's page in a real browser."""

import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from sought.demo.example import ExampleAnswers, ShownAnswer
from sought.demo.figures import SIDES, Point
from sought.demo.page import open_page
from sought.demo.state import DemoState, Side, Step
from tests.testing.browser import chromium, tab

HOSTILE = '<img src=x onerror="alert(1)"><script>alert(2)</script>'


def state() -> DemoState:
    """Some way into the contest, with pages that mean harm."""
    shown = [
        ShownAnswer(
            f"sought-{k:016x}", (f"http://a.toy.test/{k}", "http://b.toy.test/"), (HOSTILE, f"Owls {k}"), 300 + k
        )
        for k in range(2)
    ]
    sides = [
        Side(f"Policy{k}()", f"http://127.0.0.1:{5000 + k}/", 1234 + k, 300 + k, 0.61 - k / 10, 0.5 - k / 10)
        for k in range(2)
    ]
    return DemoState(
        phase="Both crawls are running.",
        seconds=42.0,
        day=7.5,
        searches=4321,
        sides=dict(zip(SIDES, sides, strict=True)),
        history=tuple(Point(float(t - 8), (0.2 + t / 100, 0.2 + t / 200)) for t in range(50)),
        asked=((HOSTILE, 0.07), ("northern owl", 0.03)),
        seconds_to_start=12.5,
        answers=ExampleAnswers(
            "northern owl",
            (shown[0], shown[1]),
            ([8.0, 4.0], [0.0, 4.0]),
            ([False, False], [True, False]),
            8.0,
            9.0,
            (0.9, 0.2),
        ),
    )


class Changing:
    """What the page is told now."""

    value = DemoState("Preparing.")


@pytest.fixture(scope="module")
def where() -> Iterator[str]:
    with open_page(lambda: Changing.value, 0) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 375)])
def test_the_page_follows_the_contest(where: str, browser: Browser, tmp_path: Path, scheme: str, width: int) -> None:
    """From "getting ready" to two lines, with a side by side; accessible, safe, nothing loaded from elsewhere."""
    steps = (Step("Pages fetched", 120, 300), Step("Compiled", 7, 0), Step("Copies", 1, 1), Step("Started", 0, 4))
    Changing.value = DemoState("Preparing.", steps=steps)
    with tab(browser, color_scheme=scheme, viewport={"width": width, "height": 900}) as t:
        t.page.goto(where)
        expect(t.page.locator("[data-phase]")).to_have_text("Preparing.")
        expect(t.page.locator("[data-steps] li")).to_have_text(
            ["Pages fetched120 of 300", "Compiled7", "Copiesdone", "Started0 of 4"]
        )
        assert t.page.locator("[data-steps] progress").first.evaluate("bar => bar.value") == 0.4
        expect(t.page.locator("[data-busy]")).to_be_hidden()
        t.assert_accessible()
        t.picture(f"demo-preparation-{scheme}-{width}", tmp_path)
        Changing.value = replace(state(), busy="This machine is busy: the contest is 3.0 times slower than planned.")
        expect(t.page.locator("[data-busy]")).to_have_text(Changing.value.busy)
        expect(t.page.locator("[data-steps] li")).to_have_count(0)
        best = t.page.locator("[data-side=default] [data-lately]")
        expect(best).to_have_text("61 %")
        expect(t.page.locator("[data-side=round_robin] [data-lately]")).to_have_text("51 %")
        expect(t.page.locator("[data-side=default] [data-fetches]")).to_have_text("1,234")
        expect(t.page.locator("[data-side=round_robin] [data-console]")).to_have_attribute(
            "href", "http://127.0.0.1:5001/console"
        )
        expect(t.page.locator("[data-answer=default] li").first).to_contain_text("100 % of the best possible page")
        expect(t.page.locator("[data-answer=round_robin] li").first).to_contain_text("gone")
        expect(t.page.locator("[data-query]")).to_have_text("“northern owl”.")
        expect(t.page.locator("[data-difference]")).to_contain_text("Round-robin shows a page that is gone: “<img")
        expect(t.page.locator("[data-asked] tr")).to_have_count(2)
        expect(t.page.locator(".u-legend tr")).to_have_count(3)
        for colour in ("--accent", "--second"):
            assert t.ink(".uplot canvas", colour) > 50, colour
        t.assert_accessible()
        t.assert_no_sideways_scroll()
        t.picture(f"demo-{scheme}-{width}", tmp_path)
        Changing.value = replace(state(), phase="Ending.")
        expect(t.page.locator("[data-phase]")).to_have_text("Ending.")
        assert {url.split("/")[2] for url in t.requested} == {where.split("/")[2]}
        assert not t.troubles


def test_what_the_page_refuses_looks_as_on_any_of_our_servers(where: str) -> None:
    """Nothing there, a wrong method, a wrong name, and what is no HTTP; the headers are those of every answer."""
    host, port = where.split("/")[2].split(":")
    for sent, status in [
        (b"GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405),
        (b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n", 413),
        (b"garbage\r\n\r\n", 400),
    ]:
        with socket.create_connection((host, int(port)), 60) as made:
            made.sendall(sent)
            made.shutdown(socket.SHUT_WR)
            said = b"".join(iter(lambda: made.recv(65536), b""))
        assert said.startswith(b"HTTP/1.1 %d " % status), said
        assert b"content-security-policy: default-src 'none'" in said
        assert b'role="alert"' in said
