"""Which bits do the attributes of a tag add to it?"""

import numpy as np

from sought.web.compiled import Int, compiled, noinline
from sought.web.html.open_elements import BITS, OUTSIDE_HTML, TAG, top
from sought.web.html.records import value
from sought.web.html.tags import (
    BREAKOUT,
    COLOR,
    ENCODING,
    FACE,
    HIDDEN,
    HTML_POINT,
    IS_HIDDEN,
    MAIN,
    ROLE,
    SHADOW_HOST,
    SHADOW_MODE,
    SHADOWED,
    SIZE,
    TYPE,
    TYPE_HIDDEN,
    number,
)
from sought.web.html.tokens import Bytes, Ints

_FONT, _INPUT, _ANNOTATION = (number(name) for name in ("font", "input", "annotation-xml"))
_ROLE_MAIN, _HIDDEN_TYPE, _OPEN_MODE, _CLOSED_MODE = (
    np.frombuffer(text, np.uint8) for text in (b"main", b"hidden", b"open", b"closed")
)
_ENCODING, _X_ENCODING = (np.frombuffer(text, np.uint8) for text in (b"text/html", b"application/xhtml+xml"))


@compiled
def _has_value(data: Bytes, values: Ints, place: Int, serial: Int, wanted: Bytes) -> bool:
    """Whether an attribute of the tag has this value, in any case."""
    begin, end = value(values, place, serial)
    if end - begin != len(wanted):
        return False
    for k in range(len(wanted)):
        c = data[begin + k]
        if (c + 32 if 65 <= c <= 90 else c) != wanted[k]:
            return False
    return True


@compiled
def attribute_bits(data: Bytes, tag: Int, bits: Int, values: Ints, i: Int, stack: Ints, counters: Ints) -> Int:
    """The bits of a tag, with those of its attributes."""
    noinline()
    if values[IS_HIDDEN, 0] == i:
        bits |= HIDDEN
    if values[ROLE, 0] == i and _has_value(data, values, np.int64(ROLE), i, _ROLE_MAIN):
        bits |= MAIN
    if tag == _FONT and (values[COLOR, 0] == i or values[FACE, 0] == i or values[SIZE, 0] == i):
        bits |= BREAKOUT
    elif tag == _INPUT and _has_value(data, values, np.int64(TYPE), i, _HIDDEN_TYPE):
        bits |= TYPE_HIDDEN
    elif tag == _ANNOTATION and (
        _has_value(data, values, np.int64(ENCODING), i, _ENCODING)
        or _has_value(data, values, np.int64(ENCODING), i, _X_ENCODING)
    ):
        bits |= HTML_POINT
    return bits


@compiled
def is_shown(data: Bytes, values: Ints, i: Int, stack: Ints, counters: Ints) -> bool:
    """Whether this <template> is the shadow root of the element around it, and therefore visible."""
    noinline()
    host, mode_of = top(counters), np.int64(SHADOW_MODE)
    bits, tag = stack[host, BITS], stack[host, TAG]
    able = bits & SHADOW_HOST or (tag < 0 and not bits & OUTSIDE_HTML)
    if not able or bits & SHADOWED:
        return False
    if not (_has_value(data, values, mode_of, i, _OPEN_MODE) or _has_value(data, values, mode_of, i, _CLOSED_MODE)):
        return False
    stack[host, BITS] |= SHADOWED
    return True
