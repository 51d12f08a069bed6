"""Every page and every link of the server, in every state of a crawl directory: none fails, none contradicts another.

Read-only directories are mounted so in a namespace of their own, for permissions do not bind root.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from html import unescape
from pathlib import Path
from urllib.parse import urlencode, urljoin

import pytest

import sought
from sought.console.control import Control, new_token
from sought.demand import Search
from sought.operate.orders import Pause, give
from sought.operate.pulse import read_pulse
from sought.operate.rebuild import rebuild
from sought.record.recovery import open_directory
from sought.record.settings import Settings, save_settings
from tests.testing.changing_site import HTML, Site, serving
from tests.testing.commands import start
from tests.testing.console_site import Served, _html, served
from tests.testing.demand_site import write_config

STARTS = ("/", "/?q=lamp", "/?q=zzyzx", "/console", "/console/history.json", "/metrics", "/api/search?q=lamp")
MOST = 150  # pages of a walk
QUERIES = ("lamp", "keepers house", "volcano")

# What must not both be said, on whatever pages, of one crawl at one time.
CONTRADICTIONS = {
    "nothing was crawled, and something was fetched": (
        r"Nothing has been crawled yet",
        r"(Fetched|Searchable) [1-9]|[1-9]\d* searchable page|\bFetches [1-9]|of [1-9]\d* answer",
    ),
    "quality is 100 %, and there are pages never fetched": (r"Quality 100 %", r"Never fetched [1-9]"),
    "the price is nothing, and there are pages never fetched": (r"Price of a fetch 0 ", r"Never fetched [1-9]"),
    "new pages bring nothing, and there are pages never fetched": (r"To gain, new pages 0 ", r"Never fetched [1-9]"),
    "there are no queries, and there are queries": (r"No queries yet", r"\bQueries [1-9]"),
    "there are no queries, and searches are unanswered": (r"No queries yet", r"Unanswered [\d.]+ %"),
    "every query has a result, and searches are unanswered": (
        r"Every query has a result",
        r"Unanswered (?!0 %)[\d.]+ % of",
    ),
    "no crawl is running, and it fetches": (
        r"No crawl is running",
        r"a second over the last minute|Crawling by",
    ),
    "the crawl is paused, and it crawls": (r"Paused The crawl", r"Crawling by"),
    "no page is known, and some are": (r"No (pages|hosts) yet", r"URLs known [1-9]"),
    "no answer was received, and some were": (
        r"[Nn]o answers (yet|in the last run)",
        r"(?<!last crawl )Fetched [1-9]|of [1-9]\d* answer",
    ),
    "every page can be found, and some cannot": (
        r"Every fetched page is searchable",
        r"Not searchable [a-z]+ ",
    ),
    "a bare zero or a dash for a quality that is not known": (r"Quality – (?!.*(?:known|yet|expects|needed))", r""),
}


def contradictions(said: dict[str, str]) -> list[str]:
    """Names of the rules that are broken by what pages say, by their address."""
    whole = "\n".join(said.values())
    return [name for name, (one, other) in CONTRADICTIONS.items() if re.search(one, whole) and re.search(other, whole)]


def site_of(site: Site) -> None:
    """A start page, a few others, one that has gone."""
    topics = ("lamp", "keepers", "house", "harbour", "boats", "birds")
    for topic in topics:
        site.answers[f"/{topic}"] = (200, HTML, _html(topic, f"<p>About the {topic} of the keepers, at length.</p>"))
    links = "".join(f'<a href="/{topic}">{topic}</a> ' for topic in (*topics, "gone"))
    site.answers["/"] = (200, HTML, _html("Start", f"<p>All about lighthouses.</p>{links}"))


def ask(path: Path) -> None:
    crawl = sought.open(path)
    for number, query in enumerate(QUERIES * 3):
        crawl.queries.record(Search(query, time.time() - 600.0 * number, ()))


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serving() as site:
        site_of(site)
        yield site


@pytest.fixture(scope="module")
def crawled(site: Site, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pages of eight, nothing asked; each state begins with a copy."""
    path = write_config(tmp_path_factory.mktemp("states") / "crawl", site.url("/"), "127.0.0.1")
    config = path / "sought.toml"
    config.write_text(config.read_text().replace('"Split()"', '"Worth()"'))
    sought.open(path).crawl(fetches=4)
    return path


def walked(server: Served, cookie: str = "") -> dict[str, str]:
    """What every page says that can be reached by links; none fails, and those that wait are waited for."""
    said: dict[str, str] = {}
    waiting, deadline = list(STARTS), time.monotonic() + 120
    while waiting and len(said) < MOST:
        where = waiting.pop(0)
        if where in said:
            continue
        while (answer := server.ask(where, Cookie=cookie)).status == 503 or (
            "reloads by itself" in answer.text and not said_why(answer)
        ):
            assert answer.headers.get("refresh"), f"{where}: {answer.status}"
            assert time.monotonic() < deadline, where
            time.sleep(0.2)
        assert answer.status < 500, f"{where}: {answer.status} {words(answer.text)[:500]}"
        said[where] = words(answer.text) if "html" in answer.headers["content-type"] else ""
        links = [unescape(each) for each in re.findall(r'href="([^"]*)"', answer.text)]
        found = [urljoin(where, each) for each in links if each.startswith(("/", "?"))]
        waiting += [each for each in found if not each.startswith("/static/")]
    return said


def said_why(answer) -> bool:
    """The tables cannot be read, and never will be by waiting."""
    return "of another version" in answer.text


def words(text: str) -> str:
    text = re.sub(r"<details.*?</details>", " ", text, flags=re.S)  # what a number means is no statement of the crawl
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def until(says) -> None:
    deadline = time.monotonic() + 60
    while not says():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def running(path: Path) -> Iterator[None]:
    """`sought crawl` in a process of its own."""
    process = start("crawl", path, "--json")
    try:
        until(lambda: (pulse := read_pulse(path)) and pulse["ended"] is None and pulse["progress"]["fetched"])
        yield
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()


@contextmanager
def read_only(path: Path) -> Iterator[Served]:
    """A server that sees the directory read-only."""
    mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && '
    probe = subprocess.run(["unshare", "-m", "sh", "-c", mount + "! touch $1/x 2>/dev/null", "sh", path], check=False)
    if probe.returncode:
        pytest.skip("no mount namespace can be made here (unshare -m)")
    serve = mount + 'exec "$2" -m sought serve "$1" --port 0 --json'
    command = ["unshare", "-m", "sh", "-c", serve, "sh", str(path), sys.executable]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield Served(path, int(json.loads(line)["address"].rsplit(":", 1)[1].strip("/")))
    finally:
        process.terminate()
        process.communicate(timeout=60)


def consistent(server: Served, cookie: str = "") -> dict[str, str]:
    said = walked(server, cookie)
    assert {"/console", "/console/crawl", "/console/queries", "/console/pages", "/console/hosts"} <= set(said)
    assert {"/console/errors", "/console/budget", "/console/log", "/console/control"} <= set(said)
    assert contradictions(said) == []
    return said


def test_fresh(tmp_path):
    """After `sought init` and nothing else."""
    path = tmp_path / "crawl"
    sought.init(path, ["https://a.example/"], "test@example.org")
    with served(path) as server:
        said = consistent(server)
    assert "Nothing has been crawled yet" in said["/console"]
    assert "No queries yet" in said["/console"]


def test_asked_but_never_crawled(tmp_path):
    """Queries were imported before the first crawl."""
    path = write_config(tmp_path / "crawl")
    ask(path)
    sought.open(path).take_in_queries()
    with served(path) as server:
        said = consistent(server)
    assert "Nothing has been crawled yet" in said["/console"]
    assert "Unanswered 100 %" in said["/console"]


def test_crawled_without_queries(crawled):
    """As whoever follows the README first sees it: init, crawl, serve."""
    with served(crawled) as server:
        said = consistent(server)
    assert "No queries yet" in said["/console"]
    assert re.search(r"Never fetched [1-9]", said["/console"])
    assert "Nothing to compare yet" in said["/console/crawl"]
    assert len(said) > 20  # each page that is known has its own


def test_asked_after_the_last_crawl(crawled, tmp_path):
    """The last pulse knows nothing of the queries that were imported since."""
    path = shutil.copytree(crawled, tmp_path / "crawl")
    ask(path)
    sought.open(path).take_in_queries()
    with served(path) as server:
        said = consistent(server)
    assert "Nobody has asked" not in said["/console"]
    assert "known after the next crawl has planned with these queries" in said["/console"]
    assert "no page answers it" in said["/console/queries?show=unanswered"]


@pytest.mark.slow
def test_crawling_paused_and_stopped(crawled, tmp_path):
    """One crawl with queries through all three, and rebuilt at the end."""
    path = shutil.copytree(crawled, tmp_path / "crawl")
    ask(path)
    sought.open(path).take_in_queries()
    with served(path) as server:
        with running(path):
            assert "Crawling by Worth()" in consistent(server)["/console"]
            give(path, Pause(), "tester")
            until(lambda: (read_pulse(path) or {}).get("paused"))
            assert "Paused" in consistent(server)["/console"]
        said = consistent(server)
        assert "No crawl is running. The last one ended" in said["/console"]
    rebuild(path, lambda _: None)
    with served(path) as server:
        assert consistent(server)


def test_an_older_format(crawled, tmp_path):
    """The tables are of another version: every page says so, and what to do."""
    path = shutil.copytree(crawled, tmp_path / "crawl")
    directory = open_directory(path)
    directory.store.put_meta("layout", "of before")
    directory.store.commit()
    directory.abandon()
    with served(path) as server:
        said = consistent(server)
        told = [server.ask(where) for where in ("/console/budget", "/console/url?u=http%3A%2F%2Fa.example%2F")]
    assert [(each.status, "sought rebuild DIR" in each.text) for each in told] == [(409, True)] * 2
    assert all("sought rebuild DIR" in said[f"/console{where}"] for where in ("", "/crawl", "/pages", "/hosts"))


@pytest.mark.slow
def test_read_only(crawled, tmp_path):
    """Nobody may write: all can be read."""
    path = shutil.copytree(crawled, tmp_path / "crawl")
    with read_only(path) as server:
        said = consistent(server)
    assert re.search(r"Searchable [1-9]", said["/console"])


# ---- with control: each form once with sense, once without

TOKEN = new_token()
FORM = "application/x-www-form-urlencoded"
SENSELESS = {
    "enter": ({"token": "x"}, 403, "Wrong token."),
    "budget": ({"what": "lots"}, 400, "Not a budget: 'lots'"),
    "seed": ({"what": "nonsense"}, 400, "Not a URL: 'nonsense'"),
    "fetch": (
        {"what": "http://elsewhere.example/"},
        400,
        "is not admitted: the host is outside [scope] in sought.toml.",
    ),
    "block": ({"what": "a b"}, 400, "Not a host: 'a b'"),
    "unblock": ({"what": "elsewhere.example"}, 400, "elsewhere.example is not blocked."),
    "pause": ({"key": "x"}, 403, "The form has expired"),
    "resume": ({"key": "x"}, 403, "The form has expired"),
    "leave": ({"key": "x"}, 403, "The form has expired"),
}


def pressed(server: Served, where: str, fields: dict[str, str], cookie: str):
    return server.ask(where, "POST", urlencode(fields).encode(), Content_Type=FORM, Cookie=cookie)


def forms(server: Served, cookie: str) -> dict[str, dict[str, str]]:
    """Where each form of the page of control leads, by its last word, and what its fields hold as the page has them."""
    text = server.ask("/console/control", Cookie=cookie).text
    found = re.findall(r'<form method="post" action="/console/control/(\w+)"[^>]*>(.*?)</form>', text, re.S)
    fields = {name: re.findall(r"<input[^>]*>", inside) for name, inside in found}
    return {name: dict(filter(None, map(field, each))) for name, each in fields.items()}


def field(tag: str) -> tuple[str, str] | None:
    name, value = re.search(r' name="([^"]*)"', tag), re.search(r' value="([^"]*)"', tag)
    return (name[1], unescape(value[1]) if value else "") if name else None


def refused_with_one_sentence(server: Served, name: str, fields: dict[str, str], cookie: str) -> None:
    wrong, status, sentence = SENSELESS[name]
    answer = pressed(server, f"/console/control/{name}", fields | wrong, cookie)
    [note] = re.findall(r'<div class="note" role="alert"><p>(.*?)</p></div>', answer.text)
    assert answer.status == status, (name, note)
    assert sentence in unescape(note)
    assert unescape(note).endswith(".")
    assert str(server.path) not in answer.text


def every_form(server: Served, site: Site, cookie: str, key: str) -> None:
    """What the page offers is pressed, once with each kind of input; Resume and Unblock are there once they can be."""
    sensible = {
        "budget": "5000 per day",
        "seed": site.url("/lamp"),
        "fetch": site.url("/harbour"),
        "block": "127.0.0.1",
        "unblock": "127.0.0.1",
    }
    for name, kept in forms(server, cookie).items():
        assert kept["key"] == key
        refused_with_one_sentence(server, name, kept, cookie)
        if name != "leave":
            what = {"what": sensible[name]} if name in sensible else {}
            answer = pressed(server, f"/console/control/{name}", kept | what, cookie)
            assert answer.status == 303, (name, words(answer.text))
            assert server.ask(answer.headers["location"], Cookie=cookie).status == 200


@pytest.mark.slow
@pytest.mark.parametrize("state", ["fresh", "crawled", "crawling"])
def test_with_control(crawled, site, tmp_path, state):
    """Before anybody has shown the token, with a session, and after every form: no page fails, no input does harm."""
    path = tmp_path / "crawl"
    if state == "fresh":
        write_config(path, site.url("/"), "127.0.0.1")
    else:
        shutil.copytree(crawled, path)
    with ExitStack() as stack, served(path, control=Control(path, TOKEN, (0.0,))) as server:
        if state == "crawling":
            stack.enter_context(running(path))
        assert "Token printed" in consistent(server)["/console/control"]
        refused_with_one_sentence(server, "enter", {}, "")
        cookie = pressed(server, "/console/control/enter", {"token": TOKEN}, "").headers["set-cookie"].partition(";")[0]
        key = forms(server, cookie)["leave"]["key"]
        assert set(forms(server, cookie)) == {"pause", "budget", "seed", "fetch", "block", "leave"}
        every_form(server, site, cookie, key)
        if state == "crawling":
            until(lambda: {"resume", "unblock"} <= set(forms(server, cookie)))
        else:
            save_settings(path, Settings(paused=True, blocked=("127.0.0.1",)))
            assert set(forms(server, cookie)) == {"resume", "budget", "seed", "fetch", "block", "unblock", "leave"}
        for name in ("resume", "unblock"):
            refused_with_one_sentence(server, name, {"key": key}, cookie)
            assert pressed(server, f"/console/control/{name}", forms(server, cookie)[name], cookie).status == 303
        if state == "crawling":  # it obeys in its own time, and the pages change with it
            until(lambda: not {"resume", "unblock"} & set(forms(server, cookie)))
            until(lambda: not (read_pulse(path) or {}).get("paused"))
        said = consistent(server, cookie)
        assert "Pause the crawl" in said["/console/control"] or "Resume the crawl" in said["/console/control"]
        assert pressed(server, "/console/control/leave", {"key": key}, cookie).status == 303
        assert "Token printed" in consistent(server, cookie)["/console/control"]


@pytest.mark.parametrize(
    ("rule", "pages"),
    [
        ("nothing was crawled, and something was fetched", ["Nothing has been crawled yet", "Fetched 12 answers"]),
        ("nothing was crawled, and something was fetched", ["Nothing has been crawled yet", "7 searchable pages"]),
        ("quality is 100 %, and there are pages never fetched", ["Quality 100 % of", "Searchable 3 Never fetched 11"]),
        ("the price is nothing, and there are pages never fetched", ["Price of a fetch 0 searches", "Never fetched 1"]),
        ("new pages bring nothing, and there are pages never fetched", ["To gain, new pages 0 x", "Never fetched 2"]),
        ("there are no queries, and there are queries", ["No queries yet", "Queries 12"]),
        ("there are no queries, and searches are unanswered", ["No queries yet", "Unanswered 3.1 %"]),
        ("every query has a result, and searches are unanswered", ["Every query has a result", "Unanswered 3 % of"]),
        ("no crawl is running, and it fetches", ["No crawl is running", "0.5 a second over the last minute"]),
        ("the crawl is paused, and it crawls", ["Paused The crawl", "Crawling by Worth()"]),
        ("no page is known, and some are", ["No pages yet", "URLs known 12"]),
        ("no answer was received, and some were", ["no answers in the last run", "Fetched 12 answers"]),
        ("every page can be found, and some cannot", ["Every fetched page is searchable", "Not searchable gone 1"]),
        ("a bare zero or a dash for a quality that is not known", ["Quality – Errors 3 %"]),
    ],
)  # fmt: skip
def test_each_rule_finds_its_contradiction(rule, pages):
    """A rule that finds nothing would prove nothing."""
    assert rule in contradictions({str(number): text for number, text in enumerate(pages)})
