"""What does a page say as of when it was read?  Trees of the page as far as it goes, one for each tag and each text.

A tree may move, hide or throw away later what had been seen.  Here everything counts as it was when it came.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from sought.web.html.tags import BITS, INLINE
from tests.testing.browser_tree import Tree, read_tree

_STEP = re.compile(
    r"""</?[A-Za-z](?:=\s*"[^"]*"|=\s*'[^']*'|[^<>])*>|<[!?][^>]*>?|</(?![A-Za-z])[^>]*>?|<[^<>]*>?|[^<]+"""
)
_COMMENT = re.compile(r"<!--(?:-?>|.*?--!?>)", re.DOTALL)  # or so it looks: in a script it may be none
_TARGET = re.compile("href|src", re.IGNORECASE)
_TAG = re.compile(r"</?([A-Za-z][^\s/>]*)")


@dataclass
class AsRead:
    """Text without white space; after how many characters a word must end, and after how many it may."""

    text: str = ""
    ends: set[int] = field(default_factory=set)
    may_end: set[int] = field(default_factory=set)
    blanks: set[int] = field(default_factory=set)  # ... or there is white space around a step
    tags: set[int] = field(default_factory=set)  # ... or there is a tag of any kind, or white space around text
    tree: Tree = field(default_factory=Tree)
    revived: set[str] = field(default_factory=set)  # links of a template that the tree has behind it, too


def as_read(html: str, url: str) -> AsRead:
    found, before, is_behind = AsRead(), read_tree("", url), False
    for step, tree in trees(html, url):
        _take_text(found, step, " ".join("".join(before.text).split()), " ".join("".join(tree.text).split()))
        _take_head(found, before, tree, is_behind and not _TARGET.search(step))
        is_behind |= step.lower().startswith("</template")
        before = tree
    found.tree.resolve(url)
    return found


def trees(html: str, url: str) -> Iterator[tuple[str, Tree]]:
    """Each step, and the tree of the page up to its end."""
    at, before = 0, read_tree("", url)
    while found := _STEP.match(html, at):
        step = found[0]
        if step == "</" and found.end() < len(html):  # text only where the page ends in it
            at = found.end()
            continue
        tree = read_tree(html[: found.end()], url)
        if (comment := _COMMENT.match(html, at)) and (whole := read_tree(html[: comment.end()], url)) == before:
            step, tree = comment[0], whole
        at += len(step)
        yield step, tree
        before = tree


def _take_text(found: AsRead, step: str, before: str, now: str) -> None:
    tag = _TAG.match(step)
    added = _added(step, before, now)
    if tag and "".join(added.split()) != "".join(step.replace("\0", "\ufffd").split()):
        found.tags.add(len(found.text))
        if not BITS.get(tag[1].lower(), 0) & INLINE:
            found.may_end.add(len(found.text))
        return
    if step[:1].isspace():
        found.blanks.add(len(found.text))
    if step[:1].isspace() or step[0] == "<":
        found.tags.add(len(found.text))
    for character in added.strip():
        if character.isspace():
            found.ends.add(len(found.text))
        else:
            found.text += character
    if step[-1:].isspace():
        found.tags.add(len(found.text))


def _added(step: str, before: str, now: str) -> str:
    """What has come in at one place: one of several where letters beside it are its own too."""
    size = len(now) - len(before)
    if size <= 0:
        return ""
    begin, end = _same(before, now), _same(before[::-1], now[::-1])
    if begin + end < len(before):  # more than that has changed
        return now[begin : len(now) - end]
    several = [now[at : at + size] for at in range(begin, len(before) - end - 1, -1)]
    own = unescape(step.removeprefix("<![CDATA[").replace("\0", "")).strip()[:1]
    return next((added for added in several if added.strip()[:1] == own), several[0])


def _same(one: str, other: str) -> int:
    """How many characters are the same at the start."""
    return next((k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _take_head(so_far: AsRead, before: Tree, now: Tree, brings_no_link: bool) -> None:
    """What comes first counts, wherever the tree puts what comes later: also a link that it takes out of a template."""
    found, known = so_far.tree, Counter(anchor.href for anchor in before.anchors)
    for anchor in now.anchors:
        if known[anchor.href]:
            known[anchor.href] -= 1
        elif brings_no_link or anchor.href in so_far.revived:
            so_far.revived.add(anchor.href)
        else:
            found.anchors.append(anchor)
    found.base = now.base if found.base is None else found.base
    found.canonical = found.canonical or now.canonical
    found.robots += [word for word in now.robots if word not in before.robots]
