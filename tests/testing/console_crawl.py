"""What tests of the console need: a small crawl that is asked something; a pulse and a journal that are made up."""

import json
import math
import os
import time
from pathlib import Path
from typing import Any

import sought
from sought.demand import Search
from sought.operate.journal import Row, write_row
from tests.testing.changing_site import HTML, serving
from tests.testing.console_site import _html, pages
from tests.testing.demand_site import write_config

HOSTILE_QUERY = 'lamp "><script>alert(5)</script><img src=x onerror=alert(6)>'
HOSTILE_PATH = "/harm/%22%3E%3Cscript%3Ealert(4)%3C/script%3E"
QUERIES = ["keepers lamp", "lighthouse history", "bell rock visit", "evil words", "volcano", HOSTILE_QUERY]


def crawl_for_queries(path: Path) -> str:
    """A crawl by Worth of lighthouses, all but a few of them fetched, measured by queries; returns its origin."""
    with serving() as site:
        found = pages()
        links = "".join(f'<a href="{where}">{where.replace("/", " ")}</a> ' for where in found)
        site.answers = {where: (200, HTML, text) for where, text in found.items()}
        site.answers["/"] = (200, HTML, _html("Start", f"{links}<a href=/gone>gone</a>"))
        write_config(path, site.url("/"), "127.0.0.1")
        config = path / "sought.toml"
        config.write_text(config.read_text().replace('"Split()"', '"Worth()"'))
        crawl, now = sought.open(path), time.time()
        for number, query in enumerate(QUERIES * 2):
            crawl.queries.record(Search(query, now - 3600.0 * number, ()))
        crawl.take_in_queries()
        crawl.crawl(fetches=len(found) - 4)
        (gone, *_) = found
        site.answers[gone] = (404, {}, "gone")
        crawl.crawl(fetches=9)
        assert any(hit.url == site.url(HOSTILE_PATH) for hit in crawl.search("evil words", 50).hits)
        return site.url("")


def make_up_journal(path: Path, hours: float = 30.0, step: float = 600.0) -> None:
    """A row every ten minutes up to now: answers get better, the price falls, and the night is a gap."""
    now = time.time()
    for back in range(int(hours * 3600 / step), -1, -1):
        x = back * step / 86400.0
        if 0.4 < x < 0.5:
            continue
        fetched = int(90 + 40 * math.sin(9 * x))
        write_row(
            path,
            Row(
                time=now - back * step,
                seconds=step,
                fetched=fetched,
                bytes=fetched * 21_000,
                purposes={"new": int(fetched * (0.3 + 0.2 * x)), "stale": fetched // 3, "hub": fetched // 6, "file": 3},
                gain={"first": 2.1e-4 * fetched * (0.6 + x), "later": 3e-5 * fetched},
                expected=2.6e-4 * fetched * (0.6 + x),
                outcomes={"200": fetched - 4, "404": 3, "timeout": 1},
                hosts={"http://docs.example": fetched // 2, "http://blog.example": fetched // 3},
                price=31.0 + 24.0 * x + 2.0 * math.sin(30 * x),
                known=120_000,
                searchable=84_000,
                worth_of_answers=0.42 - 0.05 * x,
                unanswered=0.06 + 0.03 * x,
                poor=0.14 + 0.06 * x,
                queries=1234,
                searches_a_week=5678.0,
                to_gain={"new": 0.05, "known": 0.02},
                quality=0.86 - 0.09 * x + 0.01 * math.sin(20 * x),
                bytes_on_disk={"archive": 10**9, "store": 10**8, "index": 10**8},
            ),
        )


def pulse(origin: str, **other: Any) -> dict[str, Any]:
    """As a crawl would write it, of this process."""
    now = time.time()
    urls = [f"{origin}{where}" for where in (HOSTILE_PATH, *list(pages())[:14])]
    kinds = ("new", "stale", "hub", "new", "stale")
    return {
        "time": now,
        "process": os.getpid(),
        "policy": "Worth()",
        "paused": False,
        "started": now - 4000.0,
        "ended": None,
        "budget": {"per": 5000, "seconds": 86400.0, "left": 3211.0, "used": 1789},
        "price": 31.4,
        "speed": 0.512,
        "progress": {
            "fetched": 1789,
            "bytes": 38_123_456,
            "in_flight": 5,
            "known": 120_034,
            "hosts_waiting": 17,
            "outcomes": {"200": 1700, "404": 60, "timeout": 29},
        },
        "in_flight": [{"url": url, "since": now - 1.0, "purpose": p} for url, p in zip(urls, kinds, strict=False)],
        "finished": [
            {
                "url": url,
                "time": now - 3.0 * at,
                "kind": "ok",
                "gain": 2.13e-4 / (at + 1),
                "expected": 2.6e-4 / (at + 1),
                "purpose": kinds[at % 5],
                "rank": at + 1,
            }
            for at, url in enumerate(urls)
        ],
        "next": [{"url": url, "value": 45.1 - at, "purpose": kinds[at % 5]} for at, url in enumerate(urls[::-1])],
        "hosts": [
            {"origin": origin, "in_flight": 1, "chosen": 20, "next_at": None, "delay": 1.0},
            {"origin": "http://docs.example", "chosen": 12, "next_at": now + 150.0, "delay": 10.0, "crawl_delay": 10.0},
            {"origin": "http://blog.example", "next_at": now + 5 * 3600, "delay": 1.0, "troubles": 4},
        ],
        "demand": {
            "queries": 1234,
            "searches_a_week": 5678.0,
            "unanswered": 0.0612,
            "poor": 0.1423,
            "worth_of_answers": 0.42,
            "to_gain": {"new": 0.05, "known": 0.018},
            "quality": 0.8607,
        },
        **other,
    }


def write_pulse(path: Path, told: dict[str, Any]) -> None:
    fresh = path / ".pulse.new"
    fresh.write_text(json.dumps(told))
    fresh.replace(path / "pulse.json")
