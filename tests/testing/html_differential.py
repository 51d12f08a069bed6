"""Read generated pages by our reader and by a parser that builds the tree, and count where they disagree.

python -m tests.testing.html_differential --documents 100000 --first 0
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sought.web.digest import MAX_HEADINGS, digest
from sought.web.document import Document
from sought.web.html.links import MAX_ANCHOR
from sought.web.html.markup import read
from sought.web.html.tags import HTML
from sought.web.html.visible import attribute
from sought.web.message import Response
from tests.testing.as_read import AsRead, as_read, trees
from tests.testing.browser_tree import Tree, read_tree, resolved
from tests.testing.html_documents import page

URL = "http://site.example/dir/page"
# Where our reader departs from the tree, and why.  Everything else must agree.
DEVIATIONS = {
    "order": "What a table throws out stands before it in the tree; we write text in the order of the source.",
    "moved": "What comes later moves or hides in the tree what has been read; we judge it as of when it was read.",
    "noscript": "A <noscript> of the head ends in the tree where a head would; we take it for one in the body.",
    "interrupted": "A link or heading that a table, or another in it, interrupts ends there; in the tree it goes on.",
    "separated": "Any tag of a block separates words, even one that the tree has no element for.",
}
_WORD = re.compile(r"[wlf]\d+")


@dataclass
class Page:
    """A page, read by both; as it was read is told only where it is asked for."""

    html: str
    mine: Document
    tree: Tree

    @cached_property
    def as_read(self) -> AsRead:
        return as_read(self.html, URL)


def read_both(html: str) -> Page:
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return Page(html, digest(Response(URL, 200, headers=headers, body=html.encode())), read_tree(html, URL))


def differences(html: str) -> list[str]:
    """The kinds of disagreement on a page: of DEVIATIONS, or others, which must not be."""
    page = read_both(html)
    mine, tree = page.mine, page.tree
    found = _text_differences(page)
    if any(kind not in DEVIATIONS for kind in found) and tree.noscript_in_head:
        found = _noscript(page)
    if mine.title != _title(tree):
        found.append("title")
    for name in ("noindex", "nofollow"):
        if getattr(mine, name) != (name in tree.robots):
            found.append("moved" if getattr(mine, name) == (name in page.as_read.tree.robots) else "robots")
    if mine.base != _base_of(tree):
        found.append("order" if mine.base == _base_of(page.as_read.tree) else "base")
    if mine.canonical != (tree.canonical or ""):
        found.append("order" if mine.canonical == (page.as_read.tree.canonical or "") else "canonical")
    links = {link.url for link in mine.links}
    if links != tree.links:
        found.append("moved" if links == page.as_read.tree.links else "links")
    if declared(html) not in tree.languages:
        found.append("language")
    if not found:  # whose words are whose follows from what moved, if anything did
        found += _anchor_differences(page) + _heading_differences(page)
    return found


def declared(html: str) -> str:
    """What the page says of its language."""
    return next((attribute(value) for value in read(html.encode()).values(HTML)), "")


def _title(tree: Tree) -> str:
    return (tree.title or "")[:500].strip()


def _base_of(tree: Tree) -> str:
    return resolved((tree.base or "").strip("".join(map(chr, range(33)))), URL) or URL


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _text_differences(page: Page) -> list[str]:
    mine, tree = page.mine.text, " ".join("".join(page.tree.text).split())
    if mine == tree:
        return []
    expected, ends = page.as_read, _ends(mine)
    if _squeezed(mine) == _squeezed(tree):
        if not ends >= _ends(tree):
            return ["words"]
        if expected.text == _squeezed(mine):
            return _more_words(page, ends - _ends(tree))
    if expected.text != _squeezed(mine):
        return ["text"]
    if not expected.ends - {0, len(expected.text)} <= ends <= expected.ends | expected.tags | {len(expected.text)}:
        return ["words"]
    return ["order" if sorted(_WORD.findall(mine)) == sorted(_WORD.findall(tree)) else "moved"]


def _more_words(page: Page, ends: set[int]) -> list[str]:
    """Words end where the tree has none: at a tag, or at white space that stays in a table whose text is thrown out."""
    expected = page.as_read
    if ends <= expected.may_end:
        return ["separated"]
    return ["order" if "<table" in page.html.lower() and ends <= expected.may_end | expected.blanks else "words"]


def _ends(text: str) -> set[int]:
    """After how many characters a word ends."""
    found, size = set(), 0
    for word in text.split():
        size += len(word)
        found.add(size)
    return found


def _noscript(page: Page) -> list[str]:
    """Whether the tree agrees if the body begins before the <noscript>."""
    for found in re.finditer(r"<noscript", page.html, re.IGNORECASE):
        html = f"{page.html[: found.start()]}<body>{page.html[found.start() :]}"
        if all(kind in DEVIATIONS for kind in _text_differences(Page(html, page.mine, read_tree(html, URL)))):
            return ["noscript"]
    return ["text"]


def _anchor_differences(page: Page) -> list[str]:
    """Links with their words, and whether they are vouched for.  A link that a block splits is several in the tree."""
    tree, vouched = _links_of(page.tree)
    found = set()
    for url in {link.url for link in page.mine.links}:
        anchors = [link.anchor for link in page.mine.links if link.url == url]
        kind = _link_differs(page, anchors, tree[url])
        if kind == "anchors" and any(_was_so(anchors, each.get(url, [])) for each in _trees_of_links(page)):
            kind = "moved"
        found.add(kind)
    if {(link.url, not link.nofollow) for link in page.mine.links} - vouched:
        found.add("rel")
    return sorted(found - {""})


def _links_of(tree: Tree) -> tuple[dict[str, list[tuple[str, str]]], set[tuple[str, bool]]]:
    """The words and the alternative text of each link, by its address; and which are vouched for."""
    base = resolved(tree.base, URL) or URL
    found: dict[str, list[tuple[str, str]]] = {}
    vouched = set()
    for anchor in tree.anchors:
        text = _squeezed("".join(tree.text[anchor.begin : anchor.end])) if anchor.end >= 0 else ""
        target = resolved(anchor.href, base)
        found.setdefault(target, []).append((text, _squeezed(anchor.alt)))
        vouched.add((target, not {"nofollow", "ugc", "sponsored"} & set(anchor.rel.lower().split())))
    return found, vouched


def _trees_of_links(page: Page) -> Iterator[dict[str, list[tuple[str, str]]]]:
    """Of the page as far as it goes, for each of its steps."""
    return (_links_of(tree)[0] for _, tree in trees(page.html, URL))


def _ways(tree: list[tuple[str, str]]) -> list[list[str]]:
    """The words of links to one address, if the tree has one link in several parts, and if they are several links."""
    texts, alternatives = [text for text, _ in tree], [alternative for _, alternative in tree]
    ways = [texts if any(texts) else alternatives, [text or alternative for text, alternative in tree]]
    return [words for way in ways for words in (list(dict.fromkeys(way)), way)]


def _was_so(mine: list[str], tree: list[tuple[str, str]]) -> bool:
    return "".join(map(_squeezed, mine)) in ("".join(words) for words in _ways(tree))


def _link_differs(page: Page, mine: list[str], tree: list[tuple[str, str]]) -> str:
    kinds = [_words_differ(page, mine, words) for words in _ways(tree)]
    return "" if "" in kinds else kinds[0]


def _words_differ(page: Page, mine: list[str], tree: list[str]) -> str:
    """How the words of all links to one address differ, if they do."""
    words, expected = "".join(dict.fromkeys(map(_squeezed, mine))), "".join(tree)
    if not expected.startswith(words):
        return "anchors"
    if words == expected or any(len(anchor) >= MAX_ANCHOR - 1 for anchor in mine):
        return ""
    goes_on = words in ("".join(tree[:count]) for count in range(len(tree)))
    return "interrupted" if goes_on or "<table" in page.html.lower() else "anchors"


def _heading_differences(page: Page) -> list[str]:
    mine = [_squeezed(words) for words in page.mine.headings]
    tree = [_squeezed(words) for level in (1, 2, 3) for its, words in page.tree.headings if its == level]
    if mine == tree[:MAX_HEADINGS]:
        return []
    return ["interrupted" if page.tree.heading_in_heading and "<table" in page.html.lower() else "headings"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, default=5, help="Unexplained pages to print.")
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    shown = 0
    for seed in range(options.first, options.first + options.documents):
        html = page(seed)
        found = differences(html)
        kinds.update(set(found))
        odd = [kind for kind in found if kind not in DEVIATIONS]
        if odd and shown < options.show:
            shown += 1
            print(f"seed {seed} {odd}: {html!r}")
    unexplained = sum(count for kind, count in kinds.items() if kind not in DEVIATIONS)
    print(f"documents {options.documents}")
    for kind in sorted(kinds):
        print(f"{kind} {kinds[kind]} {'explained' if kind in DEVIATIONS else 'UNEXPLAINED'}")
    print(f"unexplained {unexplained}")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
