"""Crawls to measure: of a small site over real HTTP, and of answers that a test makes up."""

import random
from pathlib import Path

from sought.operate.view import View
from sought.record.directory import Directory
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.web.message import Response
from tests.testing.changing_site import HTML, Site

WORDS = ["running", "boats", "cities", "lakes", "houses", "wanted", "flying", "keeping", "making", "rivers"]
QUERIES = ["running boats", "cities", "lakes houses wanted", "flying keeping making rivers", "boats", "nowhere"]
CONFIG = """
seeds = ["{home}"]
[agent]
contact = "test@example.org"
[scope]
hosts = ["{host}"]
[crawl]
policy = "Split()"
revisit_after = "0s"
sitemaps = false
[demand]
estimator = "Exact()"
refresh = "1s"
keep = "7d"
[politeness]
delay = 0.0
max_delay = 0.1
latency_factor = 0.0
per_host = 4
per_address = 4
[fetch]
allow_networks = ["127.0.0.0/8"]
timeout = 300.0
"""


def write_config(path: Path, home: str = "http://a.example/", host: str = "a.example") -> Path:
    path.mkdir(exist_ok=True)
    (path / "sought.toml").write_text(CONFIG.format(home=home, host=host))
    return path


def page(rng: random.Random, name: str, links: str = "", language: str = "en") -> str:
    text = " ".join([*rng.choices(WORDS, k=rng.randint(0, 20)), name])
    return (
        f"<html lang={language}><head><title>{rng.choice(WORDS)}</title></head><body><p>{text}</p>{links}</body></html>"
    )


def crawled(site: Site, path: Path, pages: int, seed: int = 0) -> Path:
    """The directory of a site of so many pages, all linked from its home; nothing is fetched yet."""
    rng = random.Random(seed)
    links = "".join(f"<a href=/p{i}>{WORDS[i % 10]} {i}</a> " for i in range(pages))
    site.answers = {f"/p{i}": (200, HTML, page(rng, f"only{i}")) for i in range(pages)}
    site.answers["/"] = (200, HTML, page(rng, "home", links))
    return write_config(path, site.url("/"), "127.0.0.1")


def answer(url: str, body: str = "", status: int = 200, *, time: float, **headers: str) -> Response:
    data = body.encode()
    head = (("Content-Type", "text/html"), *((name.replace("_", "-"), value) for name, value in headers.items()))
    return Response(url, status, "OK", head, data, data, time=time, elapsed=0.1, address="192.0.2.1")


class Fate:
    """A crawl to which anything may happen: answers of every kind, commits, ends of the process, at any moment."""

    def __init__(self, path: Path, seed: int) -> None:
        self.path = path
        self.rng = random.Random(seed)
        self.clock = 1e9
        self.directory = open_directory(path)
        plant_seeds(self.directory)
        self.body = {i: page(self.rng, f"first{i}") for i in range(12)}
        self.fetch(0, self.home())
        self.directory.writer.commit()

    def home(self) -> str:
        return page(self.rng, "home", "".join(f"<a href=/p{i}>{WORDS[i % 10]}</a> " for i in range(1, 12)))

    def url(self, i: int) -> str:
        return f"http://a.example/p{i}" if i else "http://a.example/"

    def fetch(self, i: int, body: str = "", status: int = 200, **headers: str) -> None:
        self.clock += 1.0
        response = answer(self.url(i), body, status, time=self.clock, **headers)
        row = self.directory.repository.known_row(response.url, response.time)
        if all(each.row != row for each in self.directory.writer.pending):  # as the cycle takes care of
            self.directory.writer.record(row, response)

    def strike(self) -> None:
        i, rng = self.rng.randrange(1, 12), self.rng
        what = rng.choices(range(12), [6, 2, 2, 2, 2, 2, 2, 2, 1, 8, 2, 2])[0]
        if what == 0:
            self.body[i] = page(rng, f"v{rng.random()}")
            self.fetch(i, self.body[i])
        elif what == 1:
            self.fetch(i, self.body[i])
        elif what == 2:
            self.fetch(i, self.body[rng.randrange(1, 12)])  # maybe a duplicate
        elif what == 3:
            self.fetch(i, "gone", 404)
        elif what == 4:
            self.fetch(i, self.body[i], X_Robots_Tag="noindex")
        elif what == 5:
            self.fetch(i, "", 301, Location=self.url(rng.randrange(12)))
        elif what == 6:
            self.fetch(i, "trouble", 500)
        elif what == 7:
            self.fetch(i, page(rng, f"v{rng.random()}", language=rng.choice(["de", "fr", "en", "ja"])))
        elif what == 8:
            self.directory.repository.deny(
                max(0, self.directory.repository.discovery.row(self.url(i))), 0.0, forbidden=True
            )
        elif what == 9:
            self.directory.writer.commit()
        elif what == 10:
            self.directory.writer.commit()
            self.directory.writer.commit_index()
        else:
            self.directory.archive.flush(sync=True)
            self.directory.abandon()
            self.directory = open_directory(self.path)


def gains_by_fetch(path: Path) -> dict[tuple[str, float], float | None]:
    with View(path) as view:
        return {(view.store.url(row), o.time): o.gain for row in range(len(view.table)) for o in view.history(row)}


def keys(directory: Directory, prefix: bytes) -> list[bytes]:
    return [key for key, _ in directory.store.scan(prefix)]
