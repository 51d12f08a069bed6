"""Which tags in svg and math are HTML?  The HTML standard's rules for foreign content."""

import numpy as np

from sought.web.compiled import Bool, Int, compiled, noinline
from sought.web.html.open_elements import BITS, OUTSIDE_HTML, TAG, pop_to, top
from sought.web.html.tags import HIDDEN, HTML_POINT, INLINE, KIND, MATH, SCOPE, SPECIAL, SVG, TEXT_POINT, A, number
from sought.web.html.tokens import Ints

_SVG, _MGLYPH, _MALIGNMARK, _ANNOTATION = (number(name) for name in ("svg", "mglyph", "malignmark", "annotation-xml"))
_TEXT_POINTS = tuple(number(name) for name in ("mi", "mo", "mn", "ms", "mtext"))
_HTML_POINTS = tuple(number(name) for name in ("foreignobject", "desc", "title"))


@compiled
def is_html(stack: Ints, counters: Ints, tag: Int) -> Bool:
    """Whether a start tag in this element of svg or math is HTML."""
    around = stack[top(counters), BITS]
    if around & TEXT_POINT:
        return tag not in (_MGLYPH, _MALIGNMARK)
    return around & HTML_POINT != 0 or (tag == _SVG and stack[top(counters), TAG] == _ANNOTATION)


@compiled
def leave_foreign(stack: Ints, counters: Ints) -> None:
    """Close elements of svg and math, up to one that contains HTML."""
    noinline()
    at = top(counters)
    while at > 0 and stack[at, BITS] & OUTSIDE_HTML and not stack[at, BITS] & (TEXT_POINT | HTML_POINT):
        at -= 1
    pop_to(stack, counters, at + 1)


@compiled
def foreign_bits(stack: Ints, counters: Ints, tag: Int, bits: Int) -> Int:
    """The bits of an element in svg or math."""
    noinline()
    around = stack[top(counters), BITS]
    space = SVG if tag == _SVG else MATH
    if around & OUTSIDE_HTML and not is_html(stack, counters, tag):
        space = around & OUTSIDE_HTML
    kept = bits & (INLINE | HIDDEN | HTML_POINT)
    if bits & KIND == A:
        kept |= A
    if space == SVG:
        kept &= ~HTML_POINT
        if tag in _HTML_POINTS:
            kept |= HTML_POINT | SCOPE | SPECIAL
    elif tag in _TEXT_POINTS:
        kept |= TEXT_POINT | SCOPE | SPECIAL
    elif tag == _ANNOTATION:
        kept |= SCOPE | SPECIAL
    return np.int64(kept | space)
