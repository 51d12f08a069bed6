"""A crawl that reads sitemaps which a test makes up."""

from sought.web.message import RequestPurpose, Response
from tests.testing.linked_answers import HOST, Web

WHOLE, ONE, TWO, THREE = "sitemap.xml", "one.xml", "two.xml", "three.xml"
DAY = 86400.0


def xml(kind, entry, names, host=HOST):
    """Names of pages or parts; a pair is a name and a date."""
    pairs = [(name, "") if isinstance(name, str) else name for name in names]
    entries = "".join(
        f"<{entry}><loc>{host}{name}</loc><lastmod>{date}</lastmod></{entry}>".replace("<lastmod></lastmod>", "")
        for name, date in pairs
    )
    return f'<?xml version="1.0"?><{kind}>{entries}</{kind}>'


class Site(Web):
    """A crawl to which sitemaps are told, each a second after the last."""

    def tell(self, file, pages=None, status=200, *, body="", parts=(), commit=True, host=HOST, failure=None, to=""):
        """Read a sitemap; its time."""
        if pages is not None:
            body = xml("urlset", "url", pages, host)
        elif parts:
            body = xml("sitemapindex", "sitemap", parts, host)
        self._answer(host + file, RequestPurpose.SITEMAP, body, status, commit, failure, to)
        return self.clock

    def robots(self, text):
        self._answer(HOST + "robots.txt", RequestPurpose.ROBOTS, text)

    def _answer(self, url, purpose, body, status=200, commit=True, failure=None, to=""):
        self.clock += 1.0
        head = (("Location", to),) if to else ()
        data = body.encode()
        self.directory.writer.record(
            -1, Response(url, status, "", head, data, data, time=self.clock, failure=failure, purpose=purpose)
        )
        if commit:
            self.directory.writer.commit()

    def tomorrow(self):
        self.clock += DAY

    def doubted(self, names):
        return {name for name in names if self.is_doubted(name)}
