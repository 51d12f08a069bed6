"""How a simulated sitemap is written down (the sitemaps.org protocol), and how a crawler learns where it is."""

import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from sought.fetch.sitemaps import MAX_ENTRIES
from sought.web.message import Purpose, Response
from sought.web.url import origin

_PATH = re.compile(r"/sitemap(?:-([1-9]\d{0,5}))?\.xml")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SCHEMA = "http://www.sitemaps.org/schemas/sitemap/0.9"


def part_of(url: str) -> int | None:
    """Which part of its origin's sitemap a URL is: 0 for the whole, None for any other file."""
    found = _PATH.fullmatch(url[len(origin(url)) :])
    return None if found is None else int(found[1] or 0)


def robots_txt(site: str, files: Sequence[Response], time: float) -> bytes:
    """What was recorded of it, and a line that names the sitemap; the line alone allows everything."""
    url = f"{site}/robots.txt"
    held = [file for file in files if file.url == url and file.time <= time and file.purpose is Purpose.ROBOTS]
    latest = max(held, key=lambda file: file.time, default=None)
    recorded = latest.body if latest and latest.status == 200 else b""
    return (recorded.rstrip() + b"\n" if recorded else b"") + f"Sitemap: {site}/sitemap.xml\n".encode()


def sitemap_xml(site: str, part: int, urls: Sequence[str], modified: NDArray[np.float64]) -> bytes:
    """The whole, if one file may hold it, else an index of parts; or a part, which is empty after the last."""
    if part == 0 and len(urls) > MAX_ENTRIES:
        parts = range(1, -(-len(urls) // MAX_ENTRIES) + 1)
        return _document("sitemapindex", [f"<sitemap><loc>{site}/sitemap-{n}.xml</loc></sitemap>" for n in parts])
    some = slice(max(0, part - 1) * MAX_ENTRIES, max(1, part) * MAX_ENTRIES)
    dates = np.datetime_as_string(np.floor(modified[some]).astype("datetime64[s]"), timezone="UTC").tolist()
    return _document(
        "urlset",
        [
            f"<url><loc>{escape(url)}</loc><lastmod>{date}</lastmod></url>"
            for url, date in zip(urls[some], dates, strict=True)
        ],
    )


def _document(kind: str, entries: Sequence[str]) -> bytes:
    return "\n".join([f'{_HEAD}<{kind} xmlns="{_SCHEMA}">', *entries, f"</{kind}>\n"]).encode()
