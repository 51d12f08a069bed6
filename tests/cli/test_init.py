"""`sought init`: seeds on private networks are noticed, sites of one's own are asked faster; how long a crawl takes."""

import random
import signal
import socket
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sought
from sought.fetch.private import network, private_addresses
from sought.operate.time_left import _seconds
from sought.web.errors import BadInput
from tests.testing.changing_site import HTML, serving
from tests.testing.commands import run, start
from tests.testing.demand_site import page
from tests.testing.terminal import at_terminal

ME = ("--contact", "me@example.org")
SEED = "http://127.0.0.1:8080/"


def config(path: Path) -> Any:
    return tomllib.loads((path / "sought.toml").read_text())


def test_a_private_seed_is_not_opened_silently(tmp_path: Path) -> None:
    """Without a terminal the crawl is made, and one line says that it is refused and what allows it."""
    done = run("init", tmp_path / "a", SEED, *ME)
    assert done.returncode == 0
    assert "fetch" not in config(tmp_path / "a")
    assert "127.0.0.1 (127.0.0.1) is on a private network" in done.stderr
    assert 'allow_networks = ["127.0.0.1/32"]' in done.stderr
    assert "--allow-private" in done.stderr
    assert done.stderr.count("\n") == 1


def test_an_option_allows_it_and_no_more(tmp_path: Path) -> None:
    """The addresses of the seeds alone, of both families; nothing if no seed is private; a crawl goes."""
    with serving() as site:
        site.answers["/"] = (200, HTML, "<title>Home</title><p>here we are</p>")
        done = run("init", tmp_path / "a", site.url("/"), "http://[::1]/", *ME, "--allow-private", "--own-site")
        assert (done.returncode, done.stderr) == (0, "")
        assert "0.1 s" in done.stdout
        assert "127.0.0.1/32, ::1/128" in done.stdout
        found = config(tmp_path / "a")
        assert found["fetch"] == {"allow_networks": ["127.0.0.1/32", "::1/128"]}
        assert found["politeness"] == {"delay": 0.1}
        assert sought.open(tmp_path / "a").crawl(1).outcomes == {"200": 1}
    public = run("init", tmp_path / "b", "http://93.184.215.14/", *ME, "--allow-private", "--json")
    assert '"private_networks": []' in public.stdout
    assert "fetch" not in config(tmp_path / "b")
    assert config(tmp_path / "b")["politeness"] == {"delay": 1.0}


def test_status_says_why_nothing_was_fetched(tmp_path: Path) -> None:
    """The crawl says that status does: a host in a private network that is not listed, and how many there are."""
    with serving() as site:
        run("init", tmp_path / "a", site.url("/"), *ME)
        done = run("crawl", tmp_path / "a", "--fetches", "2")
    assert "it says why no page is searchable" in done.stdout
    assert "[fetch] allow_networks does not list  1\n" in run("status", tmp_path / "a").stdout
    assert sought.open(tmp_path / "a").status().hosts_not_fetched


@pytest.mark.parametrize("answer", ["y", "n"])
def test_a_person_is_asked(tmp_path: Path, answer: str) -> None:
    """At a terminal; what is answered is done."""
    code, shown = at_terminal("init", tmp_path / "a", SEED, *ME, answer=f"{answer}\n")
    assert code == 0
    assert "Allow the crawl to fetch from there?" in shown
    assert ("fetch" in config(tmp_path / "a")) == (answer == "y")
    assert ("warning" in shown) == (answer == "n")


def test_a_name_that_does_not_resolve_does_not_stop_init(tmp_path: Path) -> None:
    """Nor one whose name server never answers."""
    done = run("init", tmp_path / "a", "http://no-such-host.invalid/", *ME)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a" / "sought.toml").exists()


@pytest.mark.slow
def test_private_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of names and of literals; a resolver that hangs is not waited for, and other names are answered all the same."""
    real = socket.getaddrinfo

    def slow(name: str, *arguments: Any, **options: Any) -> Any:
        if name == "stuck.test":
            time.sleep(30)
        return real("127.0.0.7" if name == "mixed.test" else name, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    hosts = ["stuck.test", "mixed.test", "[::1]", "10.1.2.3", "93.184.215.14", "169.254.169.254", "no.invalid"]
    began = time.monotonic()
    found = private_addresses(hosts, patience=2.0)
    assert time.monotonic() - began < 25.0
    assert found == {
        "mixed.test": ["127.0.0.7"],
        "[::1]": ["::1"],
        "10.1.2.3": ["10.1.2.3"],
        "169.254.169.254": ["169.254.169.254"],
    }
    assert [network(each) for each in ("127.0.0.7", "::1")] == ["127.0.0.7/32", "::1/128"]


@pytest.mark.parametrize(
    ("seed", "more", "why"),
    [
        ("http://a.example/", ("--domain", "b.example"), "would not be admitted: the host is outside [scope]"),
        ("http://a.example/x/x/x/x", (), "would not be admitted: its path repeats itself"),
    ],
)
def test_a_seed_that_the_crawl_would_refuse_is_refused(
    tmp_path: Path, seed: str, more: tuple[str, ...], why: str
) -> None:
    """At once, and nothing is made."""
    done = run("init", tmp_path / "a", seed, *ME, *more)
    assert done.returncode == 2
    assert why in done.stderr
    assert not (tmp_path / "a").exists()
    with pytest.raises(BadInput, match="would not be admitted"):
        sought.init(tmp_path / "b", [seed], "me@example.org", list(more[1:]))


@pytest.mark.slow
def test_a_long_crawl_says_how_long_it_takes(tmp_path: Path) -> None:
    """As soon as it knows that it is long, with the reason and what can be done; in the end it says what is next."""
    with serving() as site:
        links = "".join(f"<a href=/p{i}>{i}</a> " for i in range(600))
        site.answers["/"] = (200, HTML, page(random.Random(0), "home", links))
        path = tmp_path / "crawl"
        sought.init(path, [site.url("/")], "me@example.org", allow_networks=["127.0.0.1/32"])
        running = start("crawl", path, "--fetches", "400")
        end = time.monotonic() + 120
        while "take about" not in running._err.read_text() and time.monotonic() < end and running.poll() is None:
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate()
    [line] = [line for line in errors.splitlines() if "take about" in line]
    assert line.startswith("At one request to a host every 1 s, ")
    assert "known pages on 1 host take about " in line
    assert " minutes. If the sites are yours, set [politeness] delay" in line
    assert "--own-site" in line
    assert out.splitlines()[-1].startswith("Next: sought ")


def test_the_slowest_host_decides() -> None:
    """Addresses are asked side by side; of few pages those that come fastest count."""
    two = np.array([10.0, 100.0])
    assert _seconds(two, two, 110) == 100.0
    assert _seconds(two, two, 20) == 10.0
    assert _seconds(two, two, 50) == 40.0
    assert _seconds(np.zeros(2), two, 110) == 0.0
    assert _seconds(np.zeros(0), np.zeros(0), 0) == 0.0
