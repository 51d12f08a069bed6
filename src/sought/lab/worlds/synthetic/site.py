"""URLs, HTML, robots.txt and sitemaps of a made-up web."""

import time as clock
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from sought.lab.worlds.synthetic.lives import NOBODY, PageKind, PageLife, hubs_of
from sought.lab.worlds.synthetic.shape import MONDAY, WebShape
from sought.lab.worlds.synthetic.texts import Draft, Texts
from sought.lab.worlds.synthetic.words import Dice, WordStock, dice
from sought.lab.worlds.world import WEEK
from sought.web.message import RequestPurpose, Response

_HTML = (("Content-Type", "text/html; charset=utf-8"),)
_FIRST_YEAR = 2024
_FRIENDS = 3  # other hosts that a front page links to


class SyntheticSite:
    """The URLs of all pages, and their answers."""

    def __init__(self, shape: WebShape, lexis: WordStock, pages: list[PageLife], texts: Texts) -> None:
        self.shape, self.lexis, self.pages, self.texts = shape, lexis, pages, texts
        self.sites = [f"https://site{host}.example" for host in range(shape.hosts)]
        self.calendars: dict[int, list[int]] = {}
        for page in pages:
            if page.kind is PageKind.TRAP:
                self.calendars.setdefault(page.host, []).append(page.number)
        self.urls = [self._url(page) for page in pages]
        self.names = [self._name(page) for page in pages]

    def _url(self, page: PageLife) -> str:
        site = self.sites[page.host]
        if page.kind is PageKind.HOME:
            return f"{site}/"
        if page.kind is PageKind.HUB:
            return f"{site}/section{page.number - hubs_of(self.shape, page.host)[0]}"
        if page.kind is PageKind.TRAP:
            return self._month(page.host, page.number - self.calendars[page.host][0])
        words = "-".join(self.lexis.words[i] for i in self.texts.drafts[page.number].title.tolist())
        return f"{site}/section{page.hub - hubs_of(self.shape, page.host)[0]}/{words}-{page.number}"

    def _month(self, host: int, number: int) -> str:
        return f"{self.sites[host]}/calendar/{_FIRST_YEAR + number // 12}/{number % 12 + 1:02}"

    def gone(self, page: PageLife, time: float) -> Response:
        url = self.urls[page.number]
        if page.to != NOBODY:
            return Response(url, 301, headers=(*_HTML, ("Location", self.urls[page.to])), time=time)
        return Response(url, 404, headers=_HTML, time=time)

    def answer(self, page: PageLife, links: list[int], time: float) -> Response:
        """`links` are those of the text, or the pages that a hub lists."""
        body = self._html(page, links).encode()
        return Response(self.urls[page.number], 200, headers=_HTML, raw=body, body=body, time=time)

    def _name(self, page: PageLife) -> str:
        if page.kind is PageKind.HOME:
            return f"Site{page.host}"
        if page.kind is PageKind.TRAP:
            number = page.number - self.calendars[page.host][0]
            return f"Calendar {_FIRST_YEAR + number // 12}-{number % 12 + 1:02}"
        return self.lexis.named(self.texts.drafts[page.number].title)

    def _html(self, page: PageLife, links: list[int]) -> str:
        draft, name, site = self.texts.drafts[page.number], self.names[page.number], f"Site{page.host}"
        title = name if page.kind is PageKind.HOME else f"{name} | {site}"
        hub = self._link(page.hub) if page.kind not in (PageKind.HOME, PageKind.HUB, PageKind.TRAP) else ""
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title></head>\n'
            f'<body><nav><a href="{self.sites[page.host]}/">{site}</a> {hub}</nav>\n'
            f"<main><h1>{escape(name)}</h1>\n{self._regions(draft)}"
            f"<ul>{''.join(f'<li>{self._link(number)}</li>' for number in links)}</ul>\n{self._more(page)}</main>\n"
            "</body></html>\n"
        )

    def _regions(self, draft: Draft) -> str:
        parts = [f"<p>{self.lexis.written(draft.static)}</p>\n"]
        parts += [f"<p>{self.lexis.written(item)}</p>\n" for item in draft.scroll]
        if len(draft.churn):
            parts.append(f"<p>{self.lexis.written(draft.churn)}</p>\n")
        if draft.advert:
            parts.append(f'<p class="advert">{draft.advert}</p>\n')
        return "".join(parts)

    def _link(self, number: int) -> str:
        return f'<a href="{self.urls[number]}">{self.names[number]}</a>'

    def _more(self, page: PageLife) -> str:
        """On a calendar the next month, even on its last page; on a front page the calendar and other hosts."""
        if page.kind is PageKind.TRAP:
            number = page.number - self.calendars[page.host][0]
            return f'<a href="{self._month(page.host, number + 1)}">next month</a>\n'
        if page.kind is not PageKind.HOME:
            return ""
        calendar = [self._link(self.calendars[page.host][0])] if page.host in self.calendars else []
        others = dict.fromkeys((page.host + 1 + i) % self.shape.hosts for i in range(_FRIENDS))
        friends = [f'<a href="{self.sites[host]}/">Site{host}</a>' for host in others if host != page.host]
        return f"<p>{' '.join(calendar + friends)}</p>\n"


# ---- robots.txt, and sitemaps: incomplete, late, wrong or lying.


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
    """robots.txt of every host; sitemaps each Monday, if they have changed."""
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
    """The pages as they were before the host's lag, at the earliest at the start."""
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
