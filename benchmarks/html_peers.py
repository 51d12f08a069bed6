"""One reader of HTML in a process of its own: links, title, text and headings of every page in a file."""

import importlib.util
import json
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

READERS = {"sought": "sought", "lexbor": "selectolax", "resiliparse": "resiliparse"}
_URL = "http://site.example/dir/page"
_HEADINGS = "h1, h2, h3"
Read = Callable[[str], int]  # how much was found, so that nothing is left out


def is_installed(reader: str) -> bool:
    return importlib.util.find_spec(READERS[reader]) is not None


def _sought() -> Read:
    from sought.web.html.links import FoundLinks
    from sought.web.html.markup import read
    from sought.web.html.tags import H1, H2, H3, TITLE

    def one(html: str) -> int:
        page = read(html.encode())
        found = FoundLinks(_URL)
        found.add_all(page)
        headings = sum(len(page.values(level)) for level in (H1, H2, H3))
        return len(found.links) + len(page.text) + headings + len(page.values(TITLE))

    return one


def _lexbor() -> Read:
    from selectolax.lexbor import LexborHTMLParser

    from sought.web.html.links import target_of

    def one(html: str) -> int:
        tree = LexborHTMLParser(html)
        links = {target_of(a.attributes["href"] or "", _URL) for a in tree.css("a[href]")}
        headings = [node.text() for node in tree.css(_HEADINGS)]
        title = tree.css_first("title")
        tree.strip_tags(["script", "style", "noscript", "template", "select", "iframe", "textarea"])
        text = tree.body.text(separator=" ") if tree.body else ""
        return len(links) + len(" ".join(text.split())) + len(headings) + (title is not None)

    return one


def _resiliparse() -> Read:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.html import HTMLTree

    from sought.web.html.links import target_of

    def one(html: str) -> int:
        tree: Any = HTMLTree.parse(html)
        links = {target_of(a.getattr("href") or "", _URL) for a in tree.document.query_selector_all("a[href]")}
        headings = [node.text for node in tree.document.query_selector_all(_HEADINGS)]
        text = extract_plain_text(tree, preserve_formatting=False, links=False, alt_texts=False)
        return len(links) + len(text) + len(headings) + bool(tree.title)

    return one


_MAKE: dict[str, Callable[[], Read]] = {"sought": _sought, "lexbor": _lexbor, "resiliparse": _resiliparse}


def main(reader: str, path: str, seconds: float) -> None:
    pages = json.loads(Path(path).read_bytes())
    one = _MAKE[reader]()
    one("<p>x")  # a first call may have to be compiled
    signal.setitimer(signal.ITIMER_REAL, seconds)  # stops the process, even inside a library
    started = time.perf_counter()
    found = sum(one(page) for page in pages)
    taken = time.perf_counter() - started
    size = sum(len(page.encode()) for page in pages)
    print(json.dumps({"seconds": taken, "megabytes_per_second": size / taken / 1e6, "extracted": found}))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
