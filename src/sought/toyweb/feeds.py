"""What is in the feed of a site?  Its latest pages at their current addresses, as RSS 2.0 or Atom (RFC 4287)."""

from collections.abc import Iterable

from sought.toyweb.answer import ToyAnswer, http_date, iso_date
from sought.toyweb.atlas import Atlas
from sought.toyweb.sites import ToyPage, ToySite

FEED = "/feed.xml"
ENTRIES = 15
_ATOM, _RSS = "application/atom+xml", "application/rss+xml"

Entry = tuple[str, str, float]  # address, title, time


def announcement(site: ToySite) -> str:
    """The <link> in the head of a page; empty if there is no feed."""
    kind = _ATOM if site.is_atom else _RSS
    return f'<link rel="alternate" type="{kind}" title="{site.name}" href="{FEED}">' if site.has_feed else ""


def newest(site: ToySite, t: float) -> list[ToyPage]:
    return site.live(t)[:ENTRIES]


def feed_of(atlas: Atlas, site: ToySite, t: float) -> ToyAnswer:
    entries = [(atlas.url(site.host, p.path(t)), p.title, p.born) for p in newest(site, t)]
    text = atom(site.name, atlas.url(site.host), entries) if site.is_atom else rss(site.name, entries)
    return ToyAnswer(200, (("Content-Type", f"{_ATOM if site.is_atom else _RSS}; charset=utf-8"),), text.encode())


def rss(title: str, entries: Iterable[Entry]) -> str:
    items = [
        f"<item><title>{name}</title><link>{url}</link><guid>{url}</guid><pubDate>{http_date(at)}</pubDate></item>"
        for url, name, at in entries
    ]
    head = f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel><title>{title}</title>\n'
    return head + "\n".join(items) + "\n</channel></rss>\n"


def atom(title: str, home: str, entries: Iterable[Entry]) -> str:
    listed = list(entries)
    updated = iso_date(max((at for _, _, at in listed), default=0.0))
    items = [
        f'<entry><title>{name}</title><id>{url}</id><link rel="alternate" href="{url}"/>'
        f"<updated>{iso_date(at)}</updated></entry>"
        for url, name, at in listed
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">'
    about = f"<title>{title}</title><id>{home}</id><updated>{updated}</updated>\n"
    return head + about + "\n".join(items) + "\n</feed>\n"
