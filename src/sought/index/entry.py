"""What goes into the index, and what does a search return?"""

from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Entry:
    """A page to index.  `row` is its identity: a later entry of the same row replaces it."""

    row: int
    url: str
    title: str = ""
    body: str = ""
    anchors: str = ""
    language: str = ""
    time: float = 0.0


@dataclass(frozen=True, slots=True)
class Hit:
    """A page found.  `snippet` is plain text; `highlights` are start and end of the query words in it."""

    row: int
    url: str
    title: str
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    score: float
    time: float


@dataclass(frozen=True, slots=True)
class Answer:
    """The hits of one page of results, best first, of `total`.

    `relaxed`: no page matches all of the query, so these match some of it.  `elapsed` is in seconds.
    """

    hits: tuple[Hit, ...] = ()
    total: int = 0
    relaxed: bool = False
    elapsed: float = 0.0

    def _repr_html_(self) -> str:
        """A list of results, as Jupyter shows it; nothing of a page's text is markup."""
        note = " (no page has all the words)" if self.relaxed else ""
        items = "".join(
            f'<li><a href="{escape(hit.url)}">{escape(hit.title or hit.url)}</a><br>{_marked(hit)}</li>'
            for hit in self.hits
        )
        return f"<p>{self.total:,} pages{note}</p><ol>{items}</ol>"


def _marked(hit: Hit) -> str:
    """The snippet with the words that were asked for in bold."""
    parts, at = [], 0
    for start, end in hit.highlights:
        parts += [escape(hit.snippet[at:start]), f"<b>{escape(hit.snippet[start:end])}</b>"]
        at = end
    return "".join([*parts, escape(hit.snippet[at:])])
