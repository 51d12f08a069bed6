"""Which properties does an HTML tag have?  One table of bits for tags, one of slots for attributes.

After https://html.spec.whatwg.org, as far as it decides which text is visible, which of it is main content, and where
links are.  The low bits of a tag are the kind of its record (`records`), the high bits its number.  TYPED is a second
record of a <link> that has a type.
"""

import numpy as np
from numpy.typing import NDArray

NOTHING, A, AREA, FRAME, LINK, META, BASE, HTML, TITLE, H1, H2, H3, IMAGE, TYPED = range(14)
KIND = 15
VOID = 1 << 4  # has no content
RAW = 1 << 5  # its content is text until its own end tag
PLAIN = 1 << 6  # the rest of the page is its text
SCRIPT = 1 << 7
INLINE = 1 << 8  # does not separate words
BLOCK = 1 << 9  # its start closes an open <p>
SPECIAL = 1 << 10  # an end tag of another name does not reach out of it
HIDDEN = 1 << 11  # its text is not visible
INERT = 1 << 12  # nor are its links
MAIN = 1 << 13  # contains the main content
ARTICLE = 1 << 14  # likewise, unless in an <aside>
BOILERPLATE = 1 << 15  # contains what all pages of a site share
HEADER = 1 << 16  # likewise, unless in an article
FOREIGN = 1 << 17  # svg, math
BREAKOUT = 1 << 18  # ends svg and math content
TABLE = 1 << 19
HEADING = 1 << 20
# The categories of the HTML standard, "tree construction".
SCOPE = 1 << 21  # an end tag looks for its element up to here
LIST = 1 << 22  # ... </li> up to here
BUTTON = 1 << 23  # ... </p> up to here
IMPLIED = 1 << 24  # its end tag may be left out
PART_IMPLIED = 1 << 25  # likewise, when a template ends
FORMATTING = 1 << 26  # continues after the block in which it was left open
MARKER = 1 << 27  # formatting stays inside
CONTAINER = 1 << 28  # its end tag closes everything in it
PART = 1 << 29  # part of a table; ignored elsewhere
ROWS = 1 << 30  # tbody, tfoot, thead
CELL = 1 << 31
HEAD_CONTENT = 1 << 32
NO_FRAMESET = 1 << 33  # a page that has it has a <body>
NO_REBUILD = 1 << 34  # formatting is not reopened for it
# Bits of elements in svg and math (`open_elements`), and of attributes (`attributes`).
SVG = 1 << 35
MATH = 1 << 36
TEXT_POINT = 1 << 37  # text and most tags in it are HTML
HTML_POINT = 1 << 38  # everything in it is HTML
TYPE_HIDDEN = 1 << 39
SELF_CLOSING = 1 << 40
SHADOW = 1 << 41  # a template that is shown
SHADOW_HOST = 1 << 42  # an element that can show one
SHADOWED = 1 << 43  # and that has one
NUMBER = 48  # bits above are the tag's number

_VOID_NAMES = """
    area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr
"""
_INLINE_NAMES = """
    a abbr acronym b base bdi bdo big cite code data del dfn em font i ins kbd label link mark meta nobr noscript output
    q rb ruby s samp script small span strike strong style sub sup template time title tt u var wbr
"""
_BLOCK_NAMES = """
    address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form
    header h1 h2 h3 h4 h5 h6 hgroup hr li listing main menu nav ol p plaintext pre search section summary ul xmp
"""
_SPECIAL_NAMES = """
    address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd
    details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header
    hgroup hr html iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript object
    ol p param plaintext pre script search section select source style summary table tbody td template textarea tfoot
    th thead title tr track ul wbr xmp
"""
_CONTAINER_NAMES = """
    address article aside blockquote button center details dialog dir div dl fieldset figcaption figure footer header
    hgroup listing main menu nav ol pre search section select summary ul
"""
_BREAKOUT_NAMES = """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
    meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var
"""
_NO_FRAMESET_NAMES = """
    applet area body br button dd dt embed hr iframe image img input keygen li listing marquee object pre select table
    textarea wbr xmp
"""
_NO_REBUILD_NAMES = """
    base basefont bgsound iframe link meta noembed noframes param rb rp rt rtc script source style table template
    textarea title track
"""
_SHADOW_HOST_NAMES = "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span"
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
    (BLOCK, _BLOCK_NAMES),
    (SPECIAL, _SPECIAL_NAMES),
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
    (SCOPE, "applet caption html marquee object select table td template th"),
    (LIST, "ol ul"),
    (BUTTON, "button"),
    (IMPLIED, "dd dt li optgroup option p rb rp rt rtc"),
    (PART_IMPLIED, "caption colgroup tbody td tfoot th thead tr"),
    (FORMATTING, "a b big code em font i nobr s small strike strong tt u"),
    (MARKER, "applet caption marquee object td template th"),
    (CONTAINER, _CONTAINER_NAMES),
    (PART, "caption col colgroup tbody td tfoot th thead tr"),
    (ROWS, "tbody tfoot thead"),
    (CELL, "td th"),
    (HEAD_CONTENT, "base basefont bgsound link meta noframes script style template title"),
    (NO_FRAMESET, _NO_FRAMESET_NAMES),
    (NO_REBUILD, _BLOCK_NAMES.replace("xmp", "") + _NO_REBUILD_NAMES),
    (SHADOW_HOST, _SHADOW_HOST_NAMES),
    # In no category above; they need a number because they have their own rules.
    (NOTHING, "foreignobject desc mi mo mn ms mtext mglyph malignmark annotation-xml"),
]
# Attributes that are read, in the order of their slots.
HREF, SRC, REL, ALT, NAME, EQUIV, CONTENT, LANG, XML_LANG, IS_HIDDEN, ROLE, TYPE, ENCODING, SHADOW_MODE = range(1, 15)
COLOR, FACE, SIZE = range(15, 18)
_ATTRIBUTES = (
    *("href", "src", "rel", "alt", "name", "http-equiv", "content", "lang", "xml:lang", "hidden", "role"),
    *("type", "encoding", "shadowrootmode", "color", "face", "size"),
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
    return {name: kind | number << NUMBER for number, (name, kind) in enumerate(bits.items(), 1)}


BITS = _tag_bits()
TAGS = _table(BITS)
ATTRIBUTES = _table({name: place for place, name in enumerate(_ATTRIBUTES, 1)})


def number(name: str) -> int:
    """The number of a tag of the table; unknown tags have negative ones."""
    return BITS[name] >> NUMBER
