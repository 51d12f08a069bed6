"""What did a crawl say that it had finished, and is all of it still there, once?

A fetch is *acknowledged* when its whole record is in the archive as a kill leaves it, or when a pulse has told of it.
After a kill no acknowledged fetch may be missing, no address may be on record twice, no address that was on record may
be asked for again, and `sought check` must find nothing.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from sought.archive import Archive
from sought.operate.pulse import read_pulse
from sought.toyweb import Served
from sought.web.message import RequestPurpose
from tests.testing.commands import run

Fetch = tuple[str, float]  # address and time


@dataclass(frozen=True)
class Verdict:
    """What is wrong after a kill: how many fetches (or searches) were lost and made twice, and other problems."""

    lost: int = 0
    twice: int = 0
    problems: tuple[str, ...] = ()

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(self.lost + other.lost, self.twice + other.twice, self.problems + other.problems)

    @property
    def is_good(self) -> bool:
        return not (self.lost or self.twice or self.problems)


def on_record(path: Path) -> list[Fetch]:
    """The fetches of pages whose whole records are in the archive; nothing is mended on reading."""
    if not list((path / "archive").glob("*.warc.gz")):
        return []
    archive = Archive.open(path / "archive", software="chaos", writable=False)
    try:
        answers = [record.response for record in archive.records() if record.response]
    finally:
        archive.close()
    return [(each.url, each.time) for each in answers if each.purpose is RequestPurpose.PAGE]


def told(path: Path) -> list[Fetch]:
    """The latest fetches of which the last pulse says that they are finished."""
    finished = (read_pulse(path) or {}).get("finished", [])
    return [(each["url"], each["time"]) for each in finished if "/robots.txt" not in each["url"]]


def checked(path: Path) -> tuple[str, ...]:
    """What `sought check` complains of, which also brings tables and index up to the archive."""
    done = run("check", path, "--json")
    if done.returncode == 0:
        return ()
    try:
        return tuple(json.loads(done.stdout)["problems"])
    except (ValueError, KeyError):
        return (f"check ended with {done.returncode}: {done.stderr[-400:]}",)


@dataclass
class Ledger:
    """Of one crawl directory, from kill to kill.  `again`: pages may be fetched again, at other times."""

    path: Path
    served: Served
    again: bool = False
    acknowledged: set[Fetch] = field(default_factory=set)
    seen: int = 0  # requests that were judged

    def judge(self) -> Verdict:
        """To be called when no process works in the directory."""
        before = {url for url, _ in self.acknowledged}
        visits = list(self.served.requests)
        asked = Counter(f"http://{v.host}:{self.served.port}{v.path}" for v in visits[self.seen :])
        self.seen = len(visits)
        self.acknowledged |= {*on_record(self.path), *told(self.path)}
        problems = checked(self.path)
        now = on_record(self.path)
        lost = len(self.acknowledged - set(now))
        counts = Counter(now) if self.again else Counter(url for url, _ in now)
        twice = sum(number - 1 for number in counts.values())
        if not self.again:
            twice = max(twice, len(before & asked.keys()))
        return Verdict(lost, twice, problems)
