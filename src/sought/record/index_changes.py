"""What has to change in the search index, and what does it get of a page?"""

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from sought.index import Entry
from sought.record.discovery import Discovery
from sought.record.store import Store, row_key
from sought.web.document import Document
from sought.web.message import Response

_ANCHORS = 64


class Changes(NamedTuple):
    """Pages to enter, rows to remove, and rows to read again from the archive."""

    entries: dict[int, Entry]
    removed: set[int]
    renewed: set[int]


class IndexChanges:
    """Collects what answers change, until the writer takes it."""

    def __init__(self, store: Store, discovery: Discovery) -> None:
        self.store = store
        self.discovery = discovery
        self.entries: dict[int, Entry] = {}
        self.removed: set[int] = set()
        self.renewed: set[int] = set()

    def put(self, row: int, response: Response, document: Document) -> None:
        """Enter a page, in place of what the index has of the row."""
        self.removed.discard(row)
        self.entries[row] = self.entry(row, response, document)

    def remove(self, row: int) -> None:
        self.entries.pop(row, None)
        self.removed.add(row)

    def renew(self, rows: Iterable[int]) -> None:
        """Enter these rows again, from their copies in the archive."""
        self.renewed.update(rows)

    def take(self) -> Changes:
        """All that has been collected; afterwards there is nothing."""
        changes = Changes(self.entries, self.removed, self.renewed)
        self.entries, self.removed, self.renewed = {}, set(), set()
        return changes

    def entry(self, row: int, response: Response, document: Document) -> Entry:
        """What the search index gets of a page."""
        body = document.main or document.text
        title = document.title or (document.headings[0] if document.headings else "")
        return Entry(row, response.url, title, body, self.anchors(row), document.language, response.time)

    def anchors(self, row: int) -> str:
        """Distinct anchor texts of links to a row, those of lowest hash, so that their order does not matter."""
        key = row_key(b"a", row)
        texts = {k[len(key) :]: text for k, text in islice(self.store.scan(key), _ANCHORS)}
        texts.update((mark.to_bytes(4, "big"), text) for mark, text in self.discovery.fresh_anchors.get(row, ()))
        self.discovery.reanchored.discard(row)
        return "\n".join(text.decode() for _, text in sorted(texts.items())[:_ANCHORS])
