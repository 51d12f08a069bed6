"""What does an HTML tag mean to a reader?  One table of bits for tags, one of places for attributes.

After https://html.spec.whatwg.org, as far as it decides which text is seen, which of it is the page's own, and where
links are.  The low bits of a tag are the kind of row it makes (`markup`); TYPED is a
second row of a <link> that has a type.
"""

import numpy as np
from numpy.typing import NDArray

NOTHING, A, AREA, FRAME, LINK, META, BASE, HTML, TITLE, H1, H2, H3, IMAGE, TYPED = range(14)
KIND = 15
VOID = 1 << 4  # has no content
RAW = 1 << 5  # its content is text until its own end tag
PLAIN = 1 << 6  # all the rest of the page is its text
SCRIPT = 1 << 7
INLINE = 1 << 8  # does not separate words
BLOCK = 1 << 9  # its start closes an open <p>
NESTED = 1 << 10  # a block that only its own end tag, or one further out, closes: these make up the depth of a page
HIDDEN = 1 << 11  # its text is not seen
INERT = 1 << 12  # nor are its links
MAIN = 1 << 13  # holds what the page is about
ARTICLE = 1 << 14  # likewise, unless in an <aside>
BOILERPLATE = 1 << 15  # holds what all pages of a site say
HEADER = 1 << 16  # likewise, unless in an article
FOREIGN = 1 << 17  # svg, math
BREAKOUT = 1 << 18  # ends svg and math content
TABLE = 1 << 19
HEADING = 1 << 20
BODY = 1 << 21

_VOID_NAMES = """
    area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr
"""
_INLINE_NAMES = """
    a abbr acronym b base bdi bdo big cite code data del dfn em font i ins kbd label link mark meta nobr noscript output
    q rb ruby s samp script small span strike strong style sub sup template time title tt u var wbr
"""
_NESTED_NAMES = """
    address article aside blockquote center details dialog dir div dl fieldset figure footer form header hgroup main
    menu nav ol pre section table ul
"""
_BREAKOUT_NAMES = """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
    meta nobr ol p pre ruby s small span strong strike sub table tt u ul var
"""
_BITS = [
    (A, "a"),
    (AREA, "area"),
    (FRAME, "frame iframe"),
    (LINK, "link"),
    (META, "meta"),
    (BASE, "base"),
    (HTML, "html"),
    (TITLE, "title"),
    (H1, "h1"),
    (H2, "h2"),
    (H3, "h3"),
    (IMAGE, "img image"),
    (VOID, _VOID_NAMES),
    (RAW, "script style textarea title xmp iframe noembed noframes plaintext"),
    (PLAIN, "plaintext"),
    (SCRIPT, "script"),
    (INLINE, _INLINE_NAMES),
    (NESTED | BLOCK, _NESTED_NAMES),
    (BLOCK, "dd dt figcaption h1 h2 h3 h4 h5 h6 hr li listing p plaintext summary xmp"),
    (HIDDEN, "script style noscript template title textarea iframe noembed noframes select datalist"),
    (INERT, "template"),
    (MAIN, "main"),
    (ARTICLE, "article"),
    (BOILERPLATE, "nav aside footer menu button"),
    (HEADER, "header"),
    (FOREIGN, "svg math"),
    (BREAKOUT, _BREAKOUT_NAMES),
    (TABLE, "table"),
    (HEADING, "h1 h2 h3 h4 h5 h6"),
    (BODY, "body"),
]
# Attributes that are looked at, in the order of their places.
HREF, SRC, REL, ALT, NAME, EQUIV, CONTENT, LANG, XML_LANG, IS_HIDDEN, ROLE, TYPE = range(1, 13)
_ATTRIBUTES = (
    *("href", "src", "rel", "alt", "name", "http-equiv"),
    *("content", "lang", "xml:lang", "hidden", "role", "type"),
)
PLACES = len(_ATTRIBUTES) + 1

SLOTS = 1024
_WORD = (1 << 64) - 1
MIX = 0x9E3779B97F4A7C15

Table = NDArray[np.uint64]


def word(name: str) -> int:
    """The first eight bytes of a name."""
    return int.from_bytes(name.encode()[:8], "little")


def _table(meanings: dict[str, int]) -> Table:
    """Rows of first eight bytes, second eight bytes, meaning; a hash table with open addressing."""
    table = np.zeros((SLOTS, 3), np.uint64)
    for name, meaning in meanings.items():
        low, high = word(name), word(name[8:])
        at = ((low ^ (high * 31 & _WORD)) * MIX & _WORD) >> 54
        while table[at, 0]:
            at = (at + 1) % SLOTS
        table[at] = low, high, meaning
    return table


def _tag_bits() -> dict[str, int]:
    bits: dict[str, int] = {}
    for kind, names in _BITS:
        for name in names.split():
            bits[name] = bits.get(name, 0) | kind
    return bits


TAGS = _table(_tag_bits())
ATTRIBUTES = _table({name: place for place, name in enumerate(_ATTRIBUTES, 1)})
