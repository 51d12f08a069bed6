"""What tests of the server need: a crawl of a small site over real HTTP, the server on a port, and a plain client."""

import http.client
import json
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import sought
import sought.record.config
from sought.console.app import make_app
from sought.console.control import Control
from sought.console.serving import address, listen, make_server, run
from sought.demand import QueryLog
from sought.record.workload import query_log
from tests.testing.changing_site import HTML, Site, serving
from tests.testing.demand_site import write_config

PLACES = ["North Cape", "Old Harbour", "Bell Rock", "Grey Point", "Holm Island", "Sandy Bay", "Cape Wrath", "Long Reef"]
TOPICS = ["history", "keepers", "lamp", "visit"]
SENTENCES = [
    "Every storm of two centuries is in the books that the keepers left.",
    "The lamp burned oil, then gas; today the light is electric and turns by itself.",
    "Visitors climb the tower from May to September, by 214 steps.",
    "From the gallery one sees the whole coast, and on clear days the mountains behind it.",
    "Ferries leave the harbour every hour, but not in strong wind.",
    "The cottage of the last keeper has three rooms for the night.",
    "Its lens was ground in Paris and came by sea, packed in straw.",
    "Fog signals were sounded by hand until an engine took over.",
    "Seals rest on the rocks below at low tide.",
    "Builders carried the granite across the sand between two tides.",
    "A white tower with one red band is its mark by day.",
    "Two flashes every fifteen seconds are its mark by night.",
    "The wreck of a grain ship lies a mile to the west.",
    "Birds on their way south circle the beam in autumn.",
    "Letters and bread arrived once a week, weather permitting.",
    "A school in the village teaches how to read charts.",
]
HOSTILE = "\"><script>alert(1)</script><img src=x onerror=alert(2)> ' hostile"


def pages() -> dict[str, str]:
    """Path to HTML: 32 pages about lighthouses, and one that means harm."""
    made = {}
    for number, (place, topic) in enumerate((place, topic) for place in PLACES for topic in TOPICS):
        said = " ".join(random.Random(number).sample(SENTENCES, 5))
        text = (
            f"The lighthouse at {place} was first lit in {1790 + 3 * number}. {said} About its {topic} there is more."
        )
        made[f"/{place.lower().replace(' ', '-')}/{topic}"] = _html(f"{place} lighthouse: {topic}", f"<p>{text}</p>")
    harm = HOSTILE.replace("&", "&amp;").replace("<", "&lt;")
    link = '<a href="javascript:alert(3)">go</a>'
    made["/harm/%22%3E%3Cscript%3Ealert(4)%3C/script%3E"] = _html(harm, f"<p>evil words {harm}</p>{link}")
    return made


def _html(title: str, body: str) -> str:
    return f"<html lang=en><head><title>{title}</title></head><body>{body}</body></html>"


@contextmanager
def lighthouses() -> Iterator[Site]:
    """The site, served."""
    with serving() as site:
        found = pages()
        links = "".join(f'<a href="{where}">go</a> ' for where in found)
        site.answers = {where: (200, HTML, text) for where, text in found.items()}
        site.answers["/"] = (200, HTML, _html("Start", links))
        yield site


def crawled(site: Site, path: Path) -> Path:
    """A crawl directory in which all of a site has been fetched and can be found."""
    write_config(path, site.url("/"), "127.0.0.1")
    done = sought.open(path).crawl(fetches=100, policy="BreadthFirst()")
    assert done.outcomes == {"200": len(site.answers)}
    return path


def crawl_lighthouses(path: Path) -> Path:
    """The same of a site that has gone since."""
    with lighthouses() as site:
        return crawled(site, path)


@dataclass(frozen=True)
class Answer:
    """What the server said."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def data(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Served:
    """A server over a crawl directory."""

    path: Path
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, where: str, method: str = "GET", body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, where, body, {name.replace("_", "-"): text for name, text in headers.items()})
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def get(self, where: str, headers: dict[str, str] | None = None, **parameters: Any) -> Answer:
        return self.ask(f"{where}?{urlencode(parameters)}" if parameters else where, "GET", None, **(headers or {}))

    def post(self, where: str, data: Any, **headers: str) -> Answer:
        body = data if isinstance(data, bytes) else json.dumps(data).encode()
        return self.ask(where, "POST", body, **{"Content_Type": "application/json", **headers})

    @property
    def log(self) -> QueryLog:
        return query_log(self.path, sought.record.config.load_config(self.path / "sought.toml"))

    def settled(self, rows: int = 0) -> QueryLog:
        """The query log when at least so many rows have arrived."""
        deadline = time.monotonic() + 300
        while len(self.log.searches()) + len(self.log.events()) < rows:
            assert time.monotonic() < deadline, "the log has not got what was expected"
            time.sleep(0.02)
        return self.log


def event(search: str, action: str = "click", url: str = "http://a.example/", rank: int = 1) -> dict[str, Any]:
    """In the form of User Behavior Insights, with a time that is not for the sender to say."""
    about = {"object": {"object_id": url, "object_id_field": "url"}, "position": {"ordinal": rank}}
    return {"action_name": action, "query_id": search, "event_attributes": about, "timestamp": "2001-01-01T00:00:00Z"}


@contextmanager
def served(path: Path, *hosts: str, control: Control | None = None) -> Iterator[Served]:
    """The server as `sought serve` runs it, in a thread; when the block ends, all that was recorded is in the log."""
    listening = listen("127.0.0.1", 0)
    server = make_server(make_app(path, hosts, control))
    thread = threading.Thread(target=run, args=(server, listening))
    thread.start()
    try:
        yield Served(path, int(address(listening).rsplit(":", 1)[1].strip("/")))
    finally:
        server.should_exit = True
        thread.join(300)
        assert not thread.is_alive()
