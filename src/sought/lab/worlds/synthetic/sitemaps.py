"""What do the hosts of a made-up web tell?  robots.txt, and sitemaps: incomplete, late, wrong or lies."""

import time as clock
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sought.lab.worlds.synthetic.lives import PageKind, PageLife
from sought.lab.worlds.synthetic.shape import MONDAY, WebShape
from sought.lab.worlds.synthetic.words import Dice, dice
from sought.lab.worlds.world import WEEK
from sought.web.message import RequestPurpose, Response

_XML = (("Content-Type", "application/xml"),)
_TEXT = (("Content-Type", "text/plain; charset=utf-8"),)
_ALIKE = 20.0  # how close the hosts' shares are to the mean: pseudo-counts of a Beta distribution


@dataclass(frozen=True)
class _Manners:
    recall: float
    noise: float
    lag: float
    is_liar: bool


def host_files(shape: WebShape, pages: list[PageLife], urls: list[str], sites: list[str]) -> Iterator[Response]:
    """robots.txt of every host; sitemaps each Monday, if they say something else than before."""
    manners = _manners(shape)
    for host, site in enumerate(sites):
        named = f"Sitemap: {site}/sitemap.xml\n" if host in manners else ""
        yield _file(f"{site}/robots.txt", f"User-agent: *\nAllow: /\n{named}", MONDAY, RequestPurpose.ROBOTS)
    listed = [_listed(shape, pages, host, manner) for host, manner in manners.items()]
    rng = dice(shape, "sitemap noise")
    for (host, manner), on_it in zip(manners.items(), listed, strict=True):
        before = ""
        for week in range(shape.weeks + 1):
            now = MONDAY + week * WEEK
            text = _sitemap(rng, on_it, urls, manner, now)
            if text != before:
                yield _file(f"{sites[host]}/sitemap.xml", text, now, RequestPurpose.SITEMAP)
            before = text


def _manners(shape: WebShape) -> dict[int, _Manners]:
    rng = dice(shape, "sitemaps")
    hosts = rng.permutation(shape.hosts)[: round(shape.sitemaps * shape.hosts)].tolist()
    liars = round(shape.liars * len(hosts))
    return {
        host: _Manners(
            _around(rng, shape.sitemap_recall),
            _around(rng, shape.sitemap_noise),
            float(rng.exponential(shape.sitemap_lag) * WEEK),
            number < liars,
        )
        for number, host in enumerate(hosts)
    }


def _around(rng: Dice, share: float) -> float:
    return float(rng.beta(_ALIKE * share, _ALIKE * (1 - share))) if 0 < share < 1 else share


def _listed(shape: WebShape, pages: list[PageLife], host: int, manner: _Manners) -> list[PageLife]:
    rng = np.random.default_rng([shape.seed, host, 7])
    own = [page for page in pages if page.host == host and page.kind is not PageKind.TRAP]
    return [page for page, draw in zip(own, rng.random(len(own)), strict=True) if draw < manner.recall]


def _sitemap(rng: Dice, pages: list[PageLife], urls: list[str], manner: _Manners, now: float) -> str:
    """As the host knew it some time ago; of the start it knows everything."""
    then = max(now - manner.lag, MONDAY)
    lines = []
    for page in pages:
        if not page.is_live(then):
            continue
        past = bisect_right(page.changes, then)
        changed = page.changes[past - 1] if past else page.born
        if rng.random() < manner.noise:
            changed = MONDAY + float(rng.random()) * (now - MONDAY)
        if manner.is_liar:
            changed = now
        lines.append(f"<url><loc>{urls[page.number]}</loc><lastmod>{_written(changed)}</lastmod></url>")
    inside = "\n".join(lines)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{inside}\n</urlset>\n'
    )


def _written(time: float) -> str:
    return clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime(time))


def _file(url: str, text: str, time: float, purpose: RequestPurpose) -> Response:
    body = text.encode()
    headers = _XML if purpose is RequestPurpose.SITEMAP else _TEXT
    return Response(url, 200, headers=headers, raw=body, body=body, time=time, purpose=purpose)
