"""Answers given to a repository, as a crawl would."""

from sought.archive import Place, Stored
from sought.record.table import Reason, State
from sought.web.message import Response

HOME = "http://a.example/"
TEXT = "the quick brown fox jumps over the lazy dog " * 12


class Answers:
    """Feeds answers to a repository as a crawl would."""

    def __init__(self, repository):
        self.repository = repository
        self.clock = 1000.0
        self.watch = lambda finished: None  # told of every fetch that was applied

    def get(self, url, body="", status=200, *, revisit=False, failure=None, **headers):
        self.clock += 100.0
        row = self.repository.discovery.row(url)
        assert row >= 0, f"{url} is not known"
        pairs = (("Content-Type", "text/html"), *((k.replace("_", "-"), v) for k, v in headers.items()))
        data = body.encode()
        response = Response(url, status, headers=pairs, raw=data, body=data, time=self.clock, failure=failure)
        digest = "" if revisit or not body else f"sha1:{hash(body)}"
        stored = Stored(Place(1, int(self.clock), 10), digest, revisit)
        self.repository.apply([self.repository.prepared(row, response, stored)])
        committed = self.repository.commit(list(self.repository.finished))
        self.watch(committed.finished)
        return row

    def state(self, row):
        columns = self.repository.table.columns
        return State(columns["state"][row]), Reason(columns["reason"][row])


def page(words=TEXT, links=(), head=""):
    anchors = "".join(f"<a href={u}>to {u}</a>" for u in links)
    return f"<html lang=en><head>{head}</head><body>{words}{anchors}</body></html>"
