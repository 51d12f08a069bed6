"""What does an HTML tag do to the tree around it?  The WHATWG rules as one table of bits, for the scan.

Compiled code that knows these bits is cached: append new ones, never renumber.
https://html.spec.whatwg.org/multipage/parsing.html, as far as it decides how deep a tree gets and which text is seen;
old enough for the parser in use (a select swallows tags, <search> is like any element, <sup> stays in svg).
"""

import numpy as np
from numpy.typing import NDArray

VOID = 1 << 0  # has no content
RAW = 1 << 1  # its content is text until its own end tag
FORMAT = 1 << 2  # formatting element: re-opened in the next block when left open
BLOCK = 1 << 3  # its start closes an open <p>
SCOPE = 1 << 4  # end tags inside do not reach out of it
SPECIAL = 1 << 5  # end tags of ordinary elements do not reach out of it
INLINE = 1 << 6  # does not separate words
HIDDEN = 1 << 7  # its text is not seen
BREAKOUT = 1 << 8  # ends svg and math content
ROOT = 1 << 9  # html, head, body: one each, whatever the source says; framesets hold nothing but frames
MARKER = 1 << 10  # formatting elements do not reach into it
P = 1 << 11
LI = 1 << 12
DD = 1 << 13
OPTION = 1 << 14
CELL = 1 << 15
ROW = 1 << 16
SECTION = 1 << 17
TABLE = 1 << 18
HEADING = 1 << 19
SELECT = 1 << 20
BUTTON = 1 << 21
LIST = 1 << 22
SVG = 1 << 23
MATH = 1 << 24
SVG_TEXT = 1 << 25  # inside svg, its content is HTML again
MATH_TEXT = 1 << 26  # inside math, its content is HTML again
WALL = 1 << 27  # special, and <li> and <dd> do not look through it either
IMAGE = 1 << 28
ENDS_SELECT = 1 << 29  # cannot stand inside a select: ends it
SCRIPT = 1 << 30
FONT = 1 << 31  # leaves svg only with one of three attributes
ALONE = 1 << 32  # a second one ends the first
PLAIN = 1 << 33  # all the rest of the page is its text
ANNOTATION = 1 << 34
TEMPLATE = 1 << 35
FORM = 1 << 36
TBODY = 1 << 37  # sections that hold rows
RUBY_PART = 1 << 38  # closes its like when that is innermost
FOREIGN = 1 << 39  # set on open elements of svg and math
BASE = 1 << 40
LINK = 1 << 41
FRAME = 1 << 42  # points to other pages, and is no <a>
OPTGROUP = 1 << 43
RUBY = 1 << 44
CAPTION = 1 << 45

_VOID_NAMES = """
    area base basefont bgsound br col embed frame hr img image input keygen link meta param source track wbr
"""
_BLOCK_NAMES = """
    address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer
    form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre section summary table ul
    xmp
"""
_SPECIAL_NAMES = """
    address applet area article aside base basefont bgsound blockquote br button caption center col colgroup dd
    details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 header
    hgroup hr iframe img input keygen li link listing main marquee menu meta nav noembed noframes noscript
    object ol p param plaintext pre script section select source style summary table tbody td template textarea
    tfoot th thead title tr track ul wbr xmp
"""
_INLINE_NAMES = """
    abbr acronym bdi bdo cite data del dfn ins kbd label mark output q rb ruby samp span sub sup time var wbr
"""
_BREAKOUT_NAMES = """
    b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu
    meta nobr ol p pre ruby s small span strong strike sub table tt u ul var
"""
_KINDS = [
    (VOID, _VOID_NAMES),
    (RAW, "script style textarea title xmp iframe noembed noframes plaintext"),
    (FORMAT | INLINE, "a b big code em font i nobr s small strike strong tt u"),
    (BLOCK, _BLOCK_NAMES),
    (SCOPE, "applet caption marquee object table td template th"),
    (MARKER, "applet caption marquee object td template th"),
    (SPECIAL, _SPECIAL_NAMES),
    (INLINE, _INLINE_NAMES),
    (HIDDEN, "script style noscript template title textarea iframe noembed noframes select datalist"),
    (BREAKOUT, _BREAKOUT_NAMES),
    (ROOT, "html head body frameset"),
    (P, "p"),
    (LI, "li"),
    (DD, "dd dt"),
    (OPTION, "option"),
    (OPTGROUP, "optgroup"),
    (CAPTION, "caption"),
    (CELL, "td th"),
    (ROW, "tr"),
    (SECTION, "tbody thead tfoot caption colgroup"),
    (TABLE, "table"),
    (HEADING, "h1 h2 h3 h4 h5 h6"),
    (SELECT, "select"),
    (BUTTON, "button"),
    (LIST, "ol ul"),
    (SVG, "svg"),
    (MATH, "math"),
    (SVG_TEXT, "foreignobject desc title"),
    (MATH_TEXT, "mi mo mn ms mtext"),
    (IMAGE, "img image"),
    (ENDS_SELECT, "textarea input keygen"),
    (SCRIPT, "script"),
    (FONT, "font"),
    (ALONE, "a nobr"),
    (TEMPLATE, "template"),
    (FORM, "form"),
    (TBODY, "tbody thead tfoot"),
    (RUBY, "ruby"),
    (RUBY_PART, "rb rt rtc rp"),
    (PLAIN, "plaintext"),
    (ANNOTATION, "annotation-xml"),
    (BASE, "base"),
    (LINK, "link"),
    (FRAME, "area frame iframe"),
]

SLOTS = 1024
_WORD = (1 << 64) - 1
MIX = 0x9E3779B97F4A7C15


def _table() -> NDArray[np.uint64]:
    """Rows of first eight bytes, second eight bytes, bits; a hash table with open addressing."""
    bits: dict[str, int] = {}
    for kind, names in _KINDS:
        for name in names.split():
            bits[name] = bits.get(name, 0) | kind
    table = np.zeros((SLOTS, 3), np.uint64)
    for name, kind in bits.items():
        low, high = (int.from_bytes(name.encode()[i : i + 8], "little") for i in (0, 8))
        wall = WALL if kind & SPECIAL and name not in ("address", "div", "p") else 0
        at = ((low ^ (high * 31 & _WORD)) * MIX & _WORD) >> 54
        while table[at, 0]:
            at = (at + 1) % SLOTS
        table[at] = low, high, kind | wall
    return table


TAGS = _table()
