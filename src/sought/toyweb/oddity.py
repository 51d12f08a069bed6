"""What is an oddity?  A row in the table of odd hosts."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sought.toyweb.answer import Headers, ToyAnswer, page
from sought.toyweb.atlas import Atlas
from sought.toyweb.dice import index
from sought.toyweb.pages import bullets, html, link
from sought.toyweb.sites import DOMAIN
from sought.toyweb.vocabulary import SUBJECTS
from sought.toyweb.words import paragraph, title, voice


@dataclass(frozen=True, slots=True)
class OddRequest:
    """One request to an odd host; `target` is the path with its query, header names are in lower case."""

    atlas: Atlas
    host: str
    target: str
    headers: Mapping[str, str]
    t: float

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def url(self, path: str) -> str:
        return self.atlas.url(self.host, path)


Respond = Callable[[OddRequest], ToyAnswer]


@dataclass(frozen=True, slots=True)
class Oddity:
    """How `name`.toy.test responds to a path.

    A `path` ending in * covers all paths with this prefix.  The host's home page links to `start` if the row is
    `linked`.
    """

    name: str
    path: str
    note: str
    respond: Respond
    start: str = ""
    linked: bool = True

    @property
    def host(self) -> str:
        return f"{self.name}.{DOMAIN}"

    @property
    def entry(self) -> str:
        return self.start or self.path

    def covers(self, path: str) -> bool:
        return path.startswith(self.path[:-1]) if self.path.endswith("*") else path == self.path


def essay_text(request: OddRequest, about: str, links: Iterable[str] = (), head: str = "") -> str:
    """An ordinary document generated from `about`, with links."""
    key = (request.atlas.seed, request.host, about)
    who = voice(SUBJECTS[index(len(SUBJECTS), *key)], "en", *key)
    text = "".join(f"<p>{paragraph(who, *key, k)}</p>\n" for k in range(8))
    name = title(who, *key)
    return html(
        name, f"<main>\n<h1>{name}</h1>\n{text}{bullets([link('/', request.host), *links])}\n</main>", head=head
    )


def essay(
    request: OddRequest, about: str, links: Iterable[str] = (), head: str = "", headers: Headers = ()
) -> ToyAnswer:
    return page(essay_text(request, about, links, head), headers=headers)


def article(request: OddRequest) -> ToyAnswer:
    """An ordinary page, for an address that is not odd itself."""
    return essay(request, request.path)
