"""What a parser that builds the whole tree finds on a page: lexbor, as the judge of our reader.

The rules of what is seen are those of `sought.web.zones`, put once more in words of the tree.
"""

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser, LexborNode

from sought.web.errors import BadURL
from sought.web.tags import BITS, INLINE
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
_HTML_POINTS = {"svg": ("foreignobject", "desc", "title"), "math": ("mi", "mo", "mn", "ms", "mtext")}


@dataclass
class Tree:
    """`text` has a space wherever an element that is not inline begins or ends."""

    title: str | None = None
    text: list[str] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    base: str | None = None
    robots: list[str] = field(default_factory=list)
    canonical: str | None = None
    noscript_in_head: bool = False


def read_tree(html: str, url: str) -> Tree:
    tree = Tree()
    hrefs: list[str] = []
    _walk(LexborHTMLParser(html).root, tree, hrefs)
    base = resolved(tree.base, url) or url
    tree.links = {target for target in (resolved(href, base) for href in hrefs) if target}
    tree.canonical = resolved(tree.canonical, base)
    return tree


def resolved(href: str | None, base: str) -> str:
    """As our reader resolves: an address that cannot be fetched is none."""
    if href is None or len(href) > 4096:
        return ""
    try:
        return canonical(href, base)
    except BadURL:
        return ""


def _walk(root: LexborNode | None, tree: Tree, hrefs: list[str]) -> None:
    """Depth first, without recursion: pages may nest deeply."""
    stack: list[tuple[LexborNode | None, str, bool, str, bool]] = [(root, "html", True, "", False)]
    while stack:
        node, space, seen, parent, closing = stack.pop()
        if node is None:
            continue
        if closing:
            tree.text.append(" ")
            continue
        tag = (node.tag or "").lower()
        if tag == "-text":
            if seen:
                tree.text.append((node.text_content or "").translate(_CONTROLS))
            continue
        if not node.is_element_node:
            continue
        inner = _space(space, parent, tag)
        _note(node, tag, inner, tree, hrefs)
        tree.noscript_in_head |= tag == "noscript" and parent == "head"
        if tag == "template" and inner == "html":
            continue
        attributes = node.attributes
        below = seen and tag not in _UNSEEN and "hidden" not in attributes
        if not BITS.get(tag, 0) & INLINE:
            tree.text.append(" ")
            stack.append((node, space, seen, parent, True))
        children, child = [], node.first_child
        while child is not None:
            children.append((child, _inside(inner, tag, attributes), below, tag, False))
            child = child.next
        stack += reversed(children)


def _space(space: str, parent: str, tag: str) -> str:
    """The namespace of an element, from that which its parent has for its children."""
    if tag in ("svg", "math"):
        return tag
    if space == "html" and parent in _HTML_POINTS["math"] and tag in ("mglyph", "malignmark"):
        return "math"
    return space


def _inside(space: str, tag: str, attributes: dict[str, str | None]) -> str:
    if tag in _HTML_POINTS.get(space, ()):
        return "html"
    if space == "math" and tag == "annotation-xml":
        encoding = (attributes.get("encoding") or "").lower()
        return "html" if encoding in ("text/html", "application/xhtml+xml") else space
    return space


def _note(node: LexborNode, tag: str, space: str, tree: Tree, hrefs: list[str]) -> None:
    attributes = node.attributes
    if tag == "a" or (space == "html" and tag == "area"):
        hrefs.append(_target(attributes, "href"))
    if space != "html":
        return
    if tag in ("frame", "iframe"):
        hrefs.append(_target(attributes, "src"))
    elif tag == "title" and tree.title is None:
        tree.title = " ".join((node.text(deep=True) or "").split())
    elif tag == "base" and "href" in attributes and tree.base is None:
        tree.base = attributes["href"] or ""
    elif tag == "meta" and (attributes.get("name") or "").strip().lower() == "robots":
        tree.robots += (attributes.get("content") or "").lower().replace(",", " ").split()
    elif tag == "link":
        relations = (attributes.get("rel") or "").lower().split()
        if "canonical" in relations and not tree.canonical:
            tree.canonical = attributes.get("href") or None
            if (tree.canonical or "").strip().startswith("#"):
                tree.canonical = "mailto:"  # within the page: our reader takes it for none, and looks no further


def _target(attributes: dict[str, str | None], name: str) -> str:
    """Nothing for what our reader does not look at: no address, or one within the page."""
    href = (attributes.get(name) or "").strip("".join(map(chr, range(33))))
    return "mailto:" if not href or href[:1] == "#" else href
