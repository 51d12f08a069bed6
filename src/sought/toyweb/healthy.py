"""What does a healthy site answer?"""

from collections.abc import Mapping

from sought.toyweb import pages
from sought.toyweb.answer import ToyAnswer, not_found, page, plain, redirect, with_coding, with_validators
from sought.toyweb.atlas import Atlas
from sought.toyweb.dice import index
from sought.toyweb.feeds import FEED, feed_of, newest
from sought.toyweb.sitemaps import robots_of, sitemap_of
from sought.toyweb.sites import ToyPage, ToySite


def healthy_answer(atlas: Atlas, site: ToySite, path: str, request_headers: Mapping[str, str], t: float) -> ToyAnswer:
    """The answer of a healthy site: it ignores queries and uses its own validators and compression."""
    path = path.partition("?")[0]
    answer, modified = _answer(atlas, site, path, t)
    if answer.status == 200 and modified is not None:
        answer = with_validators(answer, request_headers, site.validators, modified)
    return with_coding(answer, request_headers, site.coding) if not path.endswith(".gz") else answer


def _answer(atlas: Atlas, site: ToySite, path: str, t: float) -> tuple[ToyAnswer, float | None]:
    """The answer and the time of its last change; None if it has no validators."""
    if path == "/":
        return page(pages.home(atlas, site, t)), max(site.listing_changed(t, with_moves=False), default=0.0)
    if path == "/about":
        return page(pages.about(atlas, site)), 0.0
    if path == "/robots.txt":
        return plain(robots_of(atlas, site)), 0.0
    if path == "/private/members":
        return plain("Robots were asked not to come here.\n"), None
    section = path.strip("/")
    if section in site.sections:
        if not path.endswith("/"):
            return redirect(301, f"{path}/"), None
        return page(pages.hub(atlas, site, section, t)), max(site.listing_changed(t, section), default=0.0)
    article = site.find(path, t)
    if article is not None:
        return _article(atlas, article, path, t), article.modified(t)
    if path == FEED and site.has_feed:
        return feed_of(atlas, site, t), max((p.born for p in newest(site, t)), default=0.0)
    return sitemap_of(atlas, site, path, t) or not_found(), None


def _article(atlas: Atlas, article: ToyPage, path: str, t: float) -> ToyAnswer:
    if not article.lives(t):
        return not_found(410 if index(2, "gone", article.key) else 404)
    if path != article.path(t):
        return redirect(301, article.path(t))
    body = pages.article(atlas, article, t).encode(article.encoding, "xmlcharrefreplace")
    charset = "" if pages.charset_in_meta(article) else f"; charset={article.encoding}"
    return ToyAnswer(200, (("Content-Type", f"text/html{charset}"),), body)
