"""The log of a crawl: one event a line for programs, words for people."""

import json
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sought.operate.journal import read_journal
from sought.operate.log import EVENTS, JsonLog, TextLog, read_log
from sought.operate.orders import BlockHost, Pause, give
from sought.toyweb import Served
from tests.testing.commands import start

ROOT = Path(__file__).parents[2]


def test_every_line_is_an_event(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """From started to stopped, with plans, commits, trouble and orders; the crawl's directory keeps them.

    The result stays alone on standard output.
    """
    path = make_crawl(healthy, more="\n[traps]\npath_depth = 16\n")
    text = (path / "sought.toml").read_text()
    nowhere = f"http://nowhere.toy.test:{healthy.port}/"
    text = text.replace("seeds = [", f'seeds = ["{nowhere}", ', 1)
    text = text.replace("[fetch.resolve]", '[fetch.resolve]\n"nowhere.toy.test" = "127.255.255.254"', 1)
    (path / "sought.toml").write_text(text)
    give(path, BlockHost("example.org"), "tester")
    (path / "orders" / "0.json").write_text("{")
    process = start("crawl", path, "--fetches", "40", "--log", "json", "--json")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    result, lines = json.loads(out), [json.loads(line) for line in err.splitlines()]
    for line in lines:
        assert line.keys() >= {"time", "level", "event"}
        assert line["level"] == EVENTS[line["event"]][0]
        assert {name for name in line if name not in ("time", "level", "event")} <= _fields(line["event"])
    kept = [_untimed(line) for line in list(read_log(path))[::-1]]
    assert kept == [_untimed(line) for line in _of_a_minute(lines)]
    names = [line["event"] for line in lines]
    assert (names[0], names[-1]) == ("started", "stopped")
    assert {"plan", "commit", "order-applied", "order-refused", "trouble"} <= set(names)
    assert lines[-1]["fetched"] == result["fetched"] == 40
    [row] = read_journal(path, 0.0, time.time())
    pages = sum(line["fetches"] for line in lines if line["event"] == "commit")
    assert pages == sum(row["purposes"].values()) - row["purposes"]["file"] > 0
    assert {line["host"] for line in lines if line["event"] == "trouble"} == {nowhere.rstrip("/")}
    assert next(line for line in lines if line["event"] == "order-applied")["who"] == "tester"


def _of_a_minute(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is kept of less than a minute: the first plan, the first commit, and all other events."""
    firsts = [next(line for line in lines if line["event"] == name) for name in ("plan", "commit")]
    return [line for line in lines if line["event"] not in ("plan", "commit") or any(line is each for each in firsts)]


def _untimed(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != "time"}


def _fields(event: str) -> set[str]:
    """What an event bears, as it is documented."""
    return set(re.findall(r"[a-z_]+", EVENTS[event][1].rpartition(":")[2]))


def test_text_is_as_it_was_and_tells_of_orders(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """No JSON unless it is asked for; one who pauses a crawl reads that he has, and how to go on; SIGTERM is told."""
    path = make_crawl(healthy)
    give(path, Pause(), "tester")
    process = start("crawl", path)
    _until(lambda: (path / "pulse.json").exists())
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    words = [line for line in err.splitlines() if line]
    assert "order by tester: pause: applied" in words[0]
    assert "".join(words[1:3]).startswith("paused; to resume: sought order")
    assert any(line.startswith("stopping") for line in words)
    assert "ended: stopped" in out
    process = start("crawl", path, "--log", "json")
    _until(lambda: f'"process":{process.pid}' in (path / "pulse.json").read_text())
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=300)
    names = [json.loads(line)["event"] for line in err.splitlines()]
    assert names == ["started", "paused", "stopping", "stopped"]


def _until(says: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 300.0
    while not says():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_an_unknown_format_is_one_line(healthy: Served, make_crawl: Callable[..., Path]) -> None:
    """Exit code 2, as for every mistake."""
    process = start("crawl", make_crawl(healthy), "--log", "xml")
    _, err = process.communicate(timeout=300)
    assert process.returncode == 2
    assert err.count("\n") == 1
    assert "xml" in err


def test_a_stream_that_is_closed_ends_nothing() -> None:
    """Whoever read the log has gone."""

    class Gone:
        def write(self, _: str) -> int:
            raise BrokenPipeError

        def flush(self) -> None:
            pass

    JsonLog(Gone())("started")  # type: ignore[arg-type]  # as little of a stream as it uses


def test_words_are_made_of_fields_that_an_event_has() -> None:
    """No event fails for people that passes for programs."""
    said: list[str] = []
    for event in EVENTS:
        TextLog(said.append)(event, **dict.fromkeys([*_fields(event), "directory"], "x"))
    assert len(said) == sum(bool(words) for _, _, words in EVENTS.values())


def test_every_event_is_documented() -> None:
    """docs/reference/operating.md has a line for each, with its level and what it means, and for no other."""
    table = re.findall(
        r"^\| `([a-z-]+)` \| (\w+) \| (.*) \|$", (ROOT / "docs" / "reference" / "operating.md").read_text(), re.M
    )
    assert {name: (level, means) for name, level, means in table} == {
        name: (level, means) for name, (level, means, _) in EVENTS.items()
    }
