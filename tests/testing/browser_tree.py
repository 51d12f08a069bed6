"""What a parser that builds the whole tree finds on a page: lexbor, as the judge of our reader.

The rules of what is seen are those of `sought.web.html.zones`, put once more in words of the tree.
"""

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from sought.web.errors import BadURL
from sought.web.html.tags import BITS, INLINE
from sought.web.url import canonical

_UNSEEN = frozenset(
    [
        "script",
        "style",
        "noscript",
        "template",
        "title",
        "textarea",
        "iframe",
        "noembed",
        "noframes",
        "select",
        "datalist",
    ]
)
_CONTROLS = dict.fromkeys(range(32), " ")  # control characters are white space to our reader
_TEXT_POINTS = tuple(f"math:{name}" for name in ("mi", "mo", "mn", "ms", "mtext"))
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_HTML_POINTS = {"svg": ("foreignobject", "desc", "title"), "math": ("mi", "mo", "mn", "ms", "mtext")}


@dataclass
class Anchor:
    """A link as the tree has it: its words are text from `begin` to `end`."""

    href: str
    rel: str
    begin: int
    end: int = -1
    alt: str = ""


@dataclass
class Tree:
    """`text` has a space wherever an element that is not inline begins or ends."""

    title: str | None = None
    text: list[str] = field(default_factory=list)
    anchors: list[Anchor] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    base: str | None = None
    robots: list[str] = field(default_factory=list)
    canonical: str | None = None
    languages: tuple[str, ...] = ("",)  # of <html>: which tag said which, the tree does not tell
    headings: list[tuple[int, str]] = field(default_factory=list)
    noscript_in_head: bool = False
    heading_in_heading: bool = False

    def resolve(self, url: str) -> None:
        base = resolved(self.base, url) or url
        self.links = {target for target in (resolved(anchor.href, base) for anchor in self.anchors) if target}
        self.canonical = resolved(self.canonical, base)


def read_tree(html: str, url: str) -> Tree:
    tree = Tree()
    _walk(LexborHTMLParser(html.removeprefix("\ufeff")).root, tree)
    tree.resolve(url)
    return tree


def resolved(href: str | None, base: str) -> str:
    """As our reader resolves: an address that cannot be fetched is none."""
    if href is None or len(href) > 4096:
        return ""
    try:
        return canonical(href, base)
    except BadURL:
        return ""


@dataclass
class _Visit:
    """A node, the namespace it is in if it is an HTML, svg or math tag, and what is known from its ancestors."""

    node: LexborNode
    space: str
    seen: bool
    parent: str
    link: Anchor | None = None  # around it
    anchor: Anchor | None = None
    heading: int = 0
    closing: bool = False


def _walk(root: LexborNode | None, tree: Tree) -> None:
    """Depth first, without recursion: pages may nest deeply."""
    stack = [_Visit(root, "html", True, "")] if root else []
    open_heading: list[int] = []  # the text of headings: up to the next one, or to their end
    while stack:
        at = stack.pop()
        if at.closing:
            _close(at, tree, open_heading)
            continue
        node, tag = at.node, (at.node.tag or "").lower()
        if tag == "-text":
            if at.seen:
                tree.text.append((node.text_content or "").translate(_CONTROLS))
            continue
        if not node.is_element_node:
            continue
        inner = _space(at.space, at.parent, tag)
        is_block = not BITS.get(tag, 0) & INLINE
        if is_block:
            tree.text.append(" ")
        count = len(tree.anchors)
        _note(node, tag, inner, tree)
        tree.noscript_in_head |= tag == "noscript" and at.parent == "html:head"
        if tag == "template" and inner == "html":
            continue
        anchor = tree.anchors[-1] if len(tree.anchors) > count and tag == "a" else None
        if anchor and at.link and at.link.end < 0:
            at.link.end = len(tree.text)  # one link at a time
        if tag in _HEADINGS and inner == "html":
            tree.heading_in_heading |= bool(open_heading)
            _end_heading(tree, open_heading)
            open_heading[:] = [_HEADINGS.index(tag) + 1, len(tree.text)]
        if at.link and tag in ("img", "image") and inner == "html":
            at.link.alt = at.link.alt or node.attributes.get("alt") or ""
        heading = _HEADINGS.index(tag) + 1 if tag in _HEADINGS and inner == "html" else 0
        if is_block or anchor or heading:
            stack.append(_Visit(node, at.space, is_block, "", None, anchor, heading, closing=True))
        stack += reversed(_children(at, tag, inner, anchor))


def _children(at: _Visit, tag: str, space: str, anchor: Anchor | None) -> list[_Visit]:
    attributes = at.node.attributes
    below = at.seen and tag not in _UNSEEN and "hidden" not in attributes
    inside, parent = _inside(space, tag, attributes), f"{space}:{tag}"
    children, child = [], at.node.first_child
    while child is not None:
        children.append(_Visit(child, inside, below, parent, anchor or at.link))
        child = child.next
    return children


def _close(at: _Visit, tree: Tree, open_heading: list[int]) -> None:
    if at.heading:
        _end_heading(tree, open_heading)
    if at.anchor and at.anchor.end < 0:
        at.anchor.end = len(tree.text)
    if at.seen:
        tree.text.append(" ")


def _end_heading(tree: Tree, open_heading: list[int]) -> None:
    if open_heading:
        level, begin = open_heading
        words = " ".join("".join(tree.text[begin:]).split())
        if level <= 3 and words:
            tree.headings.append((level, words))
        open_heading.clear()


def _space(space: str, parent: str, tag: str) -> str:
    """The namespace of an element, from that which its parent has for its children."""
    if space == "html" and parent in _TEXT_POINTS and tag in ("mglyph", "malignmark"):
        return "math"
    if tag in ("svg", "math") and (space == "html" or (parent == "math:annotation-xml" and tag == "svg")):
        return tag
    return space


def _inside(space: str, tag: str, attributes: dict[str, str | None]) -> str:
    if tag in _HTML_POINTS.get(space, ()):
        return "html"
    if space == "math" and tag == "annotation-xml":
        encoding = (attributes.get("encoding") or "").lower()
        return "html" if encoding in ("text/html", "application/xhtml+xml") else space
    return space


def _note(node: LexborNode, tag: str, space: str, tree: Tree) -> None:
    attributes = node.attributes
    rel = attributes.get("rel") or ""
    if tag == "a" or (space == "html" and tag == "area"):
        tree.anchors.append(Anchor(_target(attributes, "href"), rel, len(tree.text), alt=attributes.get("alt") or ""))
    if space != "html":
        return
    if tag in ("frame", "iframe"):
        tree.anchors.append(Anchor(_target(attributes, "src"), rel, len(tree.text)))
    elif tag == "html":
        said = (attributes.get("lang"), attributes.get("xml:lang"))
        tree.languages = tuple(language.strip() for language in said if language) or ("",)
    elif tag == "title" and tree.title is None:
        tree.title = " ".join((node.text(deep=True) or "").split())
    elif tag == "base" and "href" in attributes and tree.base is None:
        tree.base = attributes["href"] or ""
    elif tag == "meta" and (attributes.get("name") or "").strip().lower() == "robots":
        tree.robots += (attributes.get("content") or "").lower().replace(",", " ").split()
    elif tag == "link" and "canonical" in rel.lower().split() and not tree.canonical:
        tree.canonical = attributes.get("href") or None
        if (tree.canonical or "").strip().startswith("#"):
            tree.canonical = "mailto:"  # within the page: our reader takes it for none, and looks no further


def _target(attributes: dict[str, str | None], name: str) -> str:
    """Nothing for what our reader does not look at: no address, or one within the page."""
    href = (attributes.get(name) or "").strip("".join(map(chr, range(33))))
    return "mailto:" if not href or href[:1] == "#" else href
