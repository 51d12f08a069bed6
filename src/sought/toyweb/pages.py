"""What is the HTML of a healthy page at a time?"""

from collections.abc import Iterable, Iterator
from functools import lru_cache

from sought.toyweb.atlas import PORTAL, Atlas
from sought.toyweb.dice import dice, fraction, index, pick, rolls
from sought.toyweb.feeds import announcement
from sought.toyweb.laws import Law
from sought.toyweb.sites import ADVERT, SECTIONS, ToyPage, ToySite
from sought.toyweb.vocabulary import SEE_ALSO
from sought.toyweb.words import heading, paragraph, voice

ITEMS = 15  # how many entries a scrolling list shows
LATEST = 10  # how many pages a home page shows


def link(href: str, text: str) -> str:
    return f'<a href="{href}">{text}</a>'


def bullets(items: Iterable[str]) -> str:
    return "<ul>\n" + "\n".join(f"<li>{item}</li>" for item in items) + "\n</ul>"


def html(title: str, body: str, language: str = "en", head: str = "") -> str:
    """A whole document around `body`."""
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>{head}<title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"></head>\n<body>\n{body}\n</body>\n</html>\n'
    )


def framed(atlas: Atlas, site: ToySite, crumbs: str, main: str) -> str:
    """The page furniture of a site around its main part."""
    nav = bullets([link("/", site.name), *(link(f"/{s}/", s.replace("-", " ").title()) for s in site.sections)])
    footer = " · ".join(
        [
            link("/about", f"About {site.name}"),
            link("/private/members", "Members only"),
            link(atlas.url(PORTAL), "All sites of the toy web"),
        ]
    )
    return (
        f"<nav>{nav}</nav>\n<p class=breadcrumb>{link('/', 'Home')} › {crumbs}</p>\n<main>\n{main}\n</main>\n"
        f"<footer>{footer}</footer>"
    )


def article(atlas: Atlas, page: ToyPage, t: float) -> str:
    parts = [f"<h1>{page.title}</h1>", *_advert(page, t), _text(atlas, page, (page.born, *page.changed(t)))]
    crumbs = f"{link(f'/{page.section}/', page.section)} › {page.title}"
    # Every second page declares its encoding in the document instead of the header (see healthy.py).
    head = f'<meta charset="{page.encoding}">' if charset_in_meta(page) else ""
    return html(page.title, framed(atlas, page.site, crumbs, "\n".join(parts)), page.language, head)


def charset_in_meta(page: ToyPage) -> bool:
    return index(2, "charset", page.key) == 0


def _advert(page: ToyPage, t: float) -> list[str]:
    if page.law is not Law.CHURN:
        return []
    offer = paragraph(voice(page.site.subject, "en", page.key, "advert"), page.key, "advert", int(t / ADVERT))
    return [f'<aside class="advert">Advertisement: {offer}</aside>']


@lru_cache(maxsize=4096)
def _text(atlas: Atlas, page: ToyPage, times: tuple[float, ...]) -> str:
    """The text of a page after its birth and changes at `times`."""
    parts = _scroll(atlas, page, times) if page.law is Law.SCROLL else _paragraphs(atlas, page, times)
    related = bullets(_link_to(atlas, page, f"related {k}", page.born) for k in range(8))
    return "\n".join([*parts, "<h2>Related pages</h2>", related])


def _paragraphs(atlas: Atlas, page: ToyPage, times: tuple[float, ...]) -> list[str]:
    """Six to thirty paragraphs under a few headings, each in the version that last changed it."""
    size = 6 + int(25 * dice("size", page.key).random() ** 2)
    parts = []
    for k, edition in enumerate(_editions(page, len(times) - 1, size)):
        if k % 5 == 2:
            parts.append(f"<h2>{heading(page.voice, page.key, k)}</h2>")
        more = _see_also(atlas, page, f"{k}.{edition}", times[edition])
        parts.append(f"<p>{paragraph(page.voice, page.key, k, edition)}{more}</p>")
    return parts


def _editions(page: ToyPage, version: int, size: int) -> list[int]:
    """The version that last changed each paragraph; daily and weekly pages change all, bursts half, others one."""
    if page.law in (Law.DAILY, Law.WEEKLY):
        return [version] * size
    editions = [0] * size
    touched = size // 2 if page.law is Law.BURSTS else 1
    for v in range(max(1, version - 8 * size), version + 1):
        first = index(size, "touched", page.key, v)
        for k in range(first, first + touched):
            editions[k % size] = v
    return editions


def _see_also(atlas: Atlas, page: ToyPage, key: str, t: float) -> str:
    """Two paragraphs in five end with a link."""
    random_bytes = rolls("see", page.key, key)
    if next(random_bytes) % 5 > 1:
        return ""
    template = SEE_ALSO[next(random_bytes) % len(SEE_ALSO)]
    return " " + template.format(link=_link_to(atlas, page, key, t))


def _scroll(atlas: Atlas, page: ToyPage, times: tuple[float, ...]) -> list[str]:
    newest = len(times) - 1
    items = []
    for k in range(newest, newest - ITEMS, -1):
        text = paragraph(page.voice, page.key, "item", k)
        more = _link_to(atlas, page, f"item {k}", times[max(k, 0)])
        items.append(f"<b>{page.voice.place} no. {k + ITEMS}</b> {text} {more}")
    return [bullets(items)]


def _link_to(atlas: Atlas, page: ToyPage, key: str, t: float) -> str:
    """A link as of `t`: mostly within the site, often to popular slots; it may be dead by now."""
    random_bytes = rolls("link", page.key, key)
    site = page.site if fraction(random_bytes) < 0.7 else _other_site(atlas, page.site, random_bytes)
    slot = int(site.slots * fraction(random_bytes) ** 2)
    target = site.holder(slot, max(t, 0.0))
    origin = "" if site == page.site else atlas.url(site.host, "")
    if target is None:
        section = site.sections[slot % SECTIONS]
        return link(f"{origin}/{section}/", f"{section} at {site.name}")
    return link(origin + target.path(t), target.title)


def _other_site(atlas: Atlas, site: ToySite, random_bytes: Iterator[int]) -> ToySite:
    choices = atlas.same_subject[site.subject.name] if fraction(random_bytes) < 0.6 else atlas.sites
    return choices[int(fraction(random_bytes) * len(choices))]


def hub(atlas: Atlas, site: ToySite, section: str, t: float) -> str:
    """The list of a section's live pages, most recent first."""
    name = section.replace("-", " ").title()
    intro = paragraph(voice(site.subject, "en", site.key, section), site.key, section)
    items = [link(p.path(t), p.title) for p in site.live(t, section)]
    times = len(site.listing_changed(t, section))
    main = f"<h1>{name}</h1>\n<p>{intro}</p>\n{bullets(items)}\n<p>This list has changed {times} times.</p>"
    return html(f"{name} – {site.name}", framed(atlas, site, name, main))


def home(atlas: Atlas, site: ToySite, t: float) -> str:
    """Sections with their sizes and the latest pages, at their first addresses."""
    live = site.live(t)
    who = voice(site.subject, "en", site.key)
    sizes = [f"{link(f'/{s}/', s)}: {sum(p.section == s for p in live)} pages" for s in site.sections]
    latest = [link(p.first_path, p.title) for p in live[:LATEST]]
    friends = [link(atlas.url(s.host), s.name) for s in dict.fromkeys(_friends(atlas, site))]
    intro = "".join(f"<p>{paragraph(who, site.key, 'home', k)}</p>\n" for k in range(4))
    main = (
        f"<h1>{site.name}</h1>\n{intro}<h2>Sections</h2>{bullets(sizes)}\n<h2>Latest of {len(live)} pages</h2>"
        f"{bullets(latest)}\n<p>These lists have changed {len(site.listing_changed(t, with_moves=False))} times.</p>\n"
        f"<h2>Friends</h2>{bullets(friends)}"
    )
    return html(site.name, framed(atlas, site, site.name, main), head=announcement(site))


def _friends(atlas: Atlas, site: ToySite) -> Iterable[ToySite]:
    rng = dice("friends", site.key)
    return (pick(rng, atlas.sites) for _ in range(6))


def about(atlas: Atlas, site: ToySite) -> str:
    who = voice(site.subject, "en", site.key, "about")
    text = "".join(f"<p>{paragraph(who, site.key, 'about', k)}</p>\n" for k in range(8))
    main = f"<h1>About {site.name}</h1>\n<p>{site.name} is a site about {site.subject.name}.</p>\n{text}"
    return html(f"About {site.name}", framed(atlas, site, "About", main))


def portal(atlas: Atlas, oddities: Iterable[tuple[str, str]]) -> str:
    """The page that links to every host; `oddities` are hosts and notes."""
    sites = bullets(link(atlas.url(s.host), f"{s.name}: a site about {s.subject.name}") for s in atlas.sites)
    odd = bullets(f"{link(atlas.url(host), host)}: {note}" for host, note in oddities)
    return html(
        "The toy web", f"<main>\n<h1>The toy web</h1>\n<h2>Sites</h2>\n{sites}\n<h2>Oddities</h2>\n{odd}\n</main>"
    )
