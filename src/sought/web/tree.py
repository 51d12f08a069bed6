"""How deep would the tree be?  The open elements of an HTML parser, without the tree.

Follows the WHATWG tree construction closely enough that a page cannot be much deeper, re-open many more formatting
elements or close less than is counted here: where the rules are simplified, fewer elements are closed than would be.
"""

import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, compiled
from sought.web.tags import (
    ALONE,
    ANNOTATION,
    BLOCK,
    BREAKOUT,
    BUTTON,
    CAPTION,
    CELL,
    DD,
    ENDS_SELECT,
    FONT,
    FOREIGN,
    FORM,
    FORMAT,
    HEADING,
    HIDDEN,
    LI,
    LIST,
    MARKER,
    MATH,
    MATH_TEXT,
    OPTGROUP,
    OPTION,
    RAW,
    ROOT,
    ROW,
    RUBY,
    RUBY_PART,
    SCOPE,
    SCRIPT,
    SECTION,
    SELECT,
    SPECIAL,
    SVG,
    SVG_TEXT,
    TABLE,
    TBODY,
    TEMPLATE,
    VOID,
    WALL,
    P,
)
from sought.web.tokens import HAS_FONT, HAS_HIDDEN, HAS_HTML, SELF_CLOSED

MAX_DEPTH = 512  # as Chrome and Firefox; parsing and extraction cost tags × depth

# A tree is one array.  The first four columns of a row are an open element, the others an entry of the list of
# formatting elements, which are re-opened when a block has cut them.  The last row counts.
NOW = MAX_DEPTH + 8
NAME, BITS, INSIDE, ITS_SERIAL, F_NAME, F_SOURCE, F_SERIAL, F_OPEN = range(8)  # F_NAME zero is a marker
OPEN, FORMATS, MISSING, SERIAL, REMADE, CROSSED = range(6)
IN_SVG, IN_MATH, UNSEEN, IN_SELECT = 1, 2, 4, 8  # what is true inside an open element

_TABLE_PART = CELL | ROW | SECTION
_IMPLIED_END = DD | LI | OPTGROUP | OPTION | P | RUBY_PART
_TBODY_NAME, _TR_NAME = (int.from_bytes(name, "little") for name in (b"tbody", b"tr"))

Tree = NDArray[np.int64]


def plant() -> Tree:
    tree = np.empty((NOW + 1, 8), np.int64)
    tree[NOW] = 0
    return tree


@compiled
def depth(tree: Tree) -> Int:
    """Elements open now or as soon as there is text; the formatting list is never longer than the bound either."""
    return max(tree[NOW, OPEN] + tree[NOW, MISSING], tree[NOW, FORMATS])


@compiled
def inside(tree: Tree) -> Int:
    top = tree[NOW, OPEN]
    return tree[top - 1, INSIDE] if top else 0


@compiled
def _push(tree: Tree, name: Int, bits: Int, within: Int) -> None:
    top = tree[NOW, OPEN]
    tree[NOW, SERIAL] += 1
    tree[top, NAME] = name
    tree[top, BITS] = bits
    tree[top, INSIDE] = within
    tree[top, ITS_SERIAL] = tree[NOW, SERIAL]
    tree[NOW, OPEN] = top + 1


@compiled
def _forget_format(tree: Tree, at: Int) -> None:
    if tree[at, F_NAME] and not tree[at, F_OPEN]:
        tree[NOW, MISSING] -= 1
    last = tree[NOW, FORMATS] - 1
    for i in range(at, last):
        tree[i, F_NAME] = tree[i + 1, F_NAME]
        tree[i, F_SOURCE] = tree[i + 1, F_SOURCE]
        tree[i, F_SERIAL] = tree[i + 1, F_SERIAL]
        tree[i, F_OPEN] = tree[i + 1, F_OPEN]
    tree[NOW, FORMATS] = last


@compiled
def _close_format(tree: Tree, serial: Int) -> None:
    for i in range(tree[NOW, FORMATS] - 1, -1, -1):
        if tree[i, F_SERIAL] == serial:
            tree[i, F_OPEN] = 0
            tree[NOW, MISSING] += 1
            return


@compiled
def _pop_to(tree: Tree, size: Int) -> None:
    while tree[NOW, OPEN] > size:
        tree[NOW, OPEN] -= 1
        top = tree[NOW, OPEN]
        if tree[top, BITS] & FORMAT:
            _close_format(tree, tree[top, ITS_SERIAL])
        elif tree[top, BITS] & MARKER:
            while tree[NOW, FORMATS]:
                marker = tree[tree[NOW, FORMATS] - 1, F_NAME] == 0
                _forget_format(tree, tree[NOW, FORMATS] - 1)
                if marker:
                    break


@compiled
def _close(tree: Tree, at: Int) -> None:
    if at >= 0:
        _pop_to(tree, at)


@compiled
def _find(tree: Tree, wanted: Int, barrier: Int) -> Int:
    for i in range(tree[NOW, OPEN] - 1, -1, -1):
        if tree[i, BITS] & wanted:
            return i
        if tree[i, BITS] & barrier:
            return -1
    return -1


@compiled
def _find_name(tree: Tree, name: Int, barrier: Int) -> Int:
    for i in range(tree[NOW, OPEN] - 1, -1, -1):
        if tree[i, NAME] == name and not tree[i, BITS] & FOREIGN:
            return i
        if tree[i, BITS] & barrier:
            return -1
    return -1


@compiled
def _take_out(tree: Tree, at: Int) -> None:
    """An element leaves the stack and what it holds stays: misnested formatting, and forms."""
    for i in range(at, tree[NOW, OPEN] - 1):
        tree[i, NAME] = tree[i + 1, NAME]
        tree[i, BITS] = tree[i + 1, BITS]
        tree[i, INSIDE] = tree[i + 1, INSIDE]
        tree[i, ITS_SERIAL] = tree[i + 1, ITS_SERIAL]
    tree[NOW, OPEN] -= 1


@compiled
def _listed(tree: Tree, name: Int) -> Int:
    for i in range(tree[NOW, FORMATS] - 1, -1, -1):
        if tree[i, F_NAME] == name:
            return i
        if tree[i, F_NAME] == 0:
            return -1
    return -1


@compiled
def _end_format(tree: Tree, name: Int) -> None:
    """The adoption agency algorithm, as far as the stack is concerned."""
    listed = _listed(tree, name)
    if listed < 0:
        _close(tree, _find_name(tree, name, SPECIAL))
        return
    serial, blocks = tree[listed, F_SERIAL], 0
    if tree[listed, F_OPEN]:
        for at in range(tree[NOW, OPEN] - 1, -1, -1):
            if tree[at, ITS_SERIAL] == serial:
                break
            if tree[at, BITS] & SCOPE:
                return
            blocks += tree[at, BITS] & SPECIAL
        if blocks:
            tree[NOW, CROSSED] += 1
            _take_out(tree, at)
        else:
            _pop_to(tree, at + 1)
            tree[NOW, OPEN] = at
    _forget_format(tree, listed)


@compiled
def reopen(tree: Tree) -> None:
    """Reconstruct the formatting elements a block has cut: text or an inline element is about to come."""
    start = tree[NOW, FORMATS]
    while start and tree[start - 1, F_NAME]:
        start -= 1
    for i in range(start, tree[NOW, FORMATS]):
        if not tree[i, F_OPEN] and tree[NOW, OPEN] < MAX_DEPTH:
            _push(tree, tree[i, F_NAME], FORMAT, inside(tree))
            tree[i, F_SERIAL] = tree[NOW, SERIAL]
            tree[i, F_OPEN] = 1
            tree[NOW, MISSING] -= 1
            tree[NOW, REMADE] += 1


@compiled
def _start_format(tree: Tree, name: Int, bits: Int, within: Int, source: Int) -> None:
    """Noah's Ark clause: of equal formatting elements only three are kept to be re-opened."""
    equal, first = 0, 0
    for i in range(tree[NOW, FORMATS] - 1, -1, -1):
        if tree[i, F_NAME] == 0:
            break
        if tree[i, F_SOURCE] == source:
            equal, first = equal + 1, i
    if equal >= 3:
        _forget_format(tree, first)
    _push(tree, name, bits, within)
    _list_format(tree, name, source)


@compiled
def _list_format(tree: Tree, name: Int, source: Int) -> None:
    at = tree[NOW, FORMATS]
    tree[at, F_NAME] = name
    tree[at, F_SOURCE] = source
    tree[at, F_SERIAL] = tree[NOW, SERIAL]
    tree[at, F_OPEN] = 1
    tree[NOW, FORMATS] = at + 1


@compiled
def _leave_foreign(tree: Tree) -> None:
    while inside(tree) & (IN_SVG | IN_MATH):
        _pop_to(tree, tree[NOW, OPEN] - 1)


@compiled
def _may_change_language(tree: Tree, bits: Int) -> Bool:
    """Svg and math start in HTML, and svg in an annotation; elsewhere they are ordinary names of the other."""
    return not inside(tree) & (IN_SVG | IN_MATH) or (bits & SVG and tree[tree[NOW, OPEN] - 1, BITS] & ANNOTATION) != 0


@compiled
def _start_foreign(tree: Tree, name: Int, bits: Int, said: Int) -> None:
    within = inside(tree) | (UNSEEN if bits & HIDDEN or said & HAS_HIDDEN else 0)
    kept = FOREIGN | bits & ANNOTATION
    html = bits & SVG_TEXT if within & IN_SVG else bits & MATH_TEXT or (bits & ANNOTATION and said & HAS_HTML)
    if html:
        within, kept = within & ~(IN_SVG | IN_MATH), FOREIGN | SCOPE | SPECIAL | WALL
    elif bits & (SVG | MATH) and _may_change_language(tree, bits):
        within = within & ~(IN_SVG | IN_MATH) | (IN_SVG if bits & SVG else IN_MATH)
    if not said & SELF_CLOSED:
        _push(tree, name, kept, within)


@compiled
def _table_context(tree: Tree, bits: Int) -> Bool:
    """Close down to where a cell, row or section goes, with the ones a table implies; False outside tables."""
    table = _find(tree, TABLE | TEMPLATE, 0)
    if table < 0:
        return False
    barrier, within = TABLE | TEMPLATE, tree[table, INSIDE]
    row = _find(tree, ROW, barrier) if bits & CELL else -1
    if row >= 0:
        _pop_to(tree, row + 1)
        return True
    section = _find(tree, TBODY, barrier) if bits & (CELL | ROW) else table
    _pop_to(tree, (section if section >= 0 else table) + 1)
    if section < 0:
        _push(tree, _TBODY_NAME, TBODY | SECTION | SPECIAL | WALL, within)
    if bits & CELL:
        _push(tree, _TR_NAME, ROW | SPECIAL | WALL, within)
    return True


@compiled
def _start_in_select(tree: Tree, bits: Int) -> Bool:
    if bits & (SCRIPT | TEMPLATE):
        return False
    ends = bits & (SELECT | ENDS_SELECT) or (bits & (_TABLE_PART | TABLE) and _find(tree, TABLE, TEMPLATE) >= 0)
    if ends:
        _close(tree, _find(tree, SELECT, 0))
    return not ends or bits & SELECT != 0


@compiled
def _make_way(tree: Tree, name: Int, bits: Int) -> Bool:
    """Close what the start of this element implies closed; False when the element is not allowed here."""
    top = tree[tree[NOW, OPEN] - 1, BITS] if tree[NOW, OPEN] else 0
    like = top & bits & HEADING or (top & OPTION and bits & (OPTION | OPTGROUP))
    if like:
        _pop_to(tree, tree[NOW, OPEN] - 1)
    if bits & (LI | DD):
        _close(tree, _find(tree, bits & (LI | DD), WALL))
    if bits & BLOCK:
        _close(tree, _find(tree, P, SCOPE | BUTTON))
    if bits & BUTTON:
        _close(tree, _find(tree, BUTTON, SCOPE))
    if bits & TABLE:  # a table directly in a table ends it
        _close(tree, _find(tree, TABLE, CELL | CAPTION | TEMPLATE))
    if bits & RUBY_PART and _find(tree, RUBY, SCOPE) >= 0:
        while tree[tree[NOW, OPEN] - 1, BITS] & _IMPLIED_END:
            _pop_to(tree, tree[NOW, OPEN] - 1)
    if bits & ALONE and _listed(tree, name) >= 0:
        _end_format(tree, name)
    if bits & FORM:
        return _find(tree, FORM, TEMPLATE) < 0
    return not bits & _TABLE_PART or _table_context(tree, bits)


@compiled
def start(tree: Tree, name: Int, bits: Int, said: Int, source: Int) -> Bool:
    """A start tag; whether its content is raw text."""
    if inside(tree) & (IN_SVG | IN_MATH):
        if not bits & BREAKOUT and not (bits & FONT and said & HAS_FONT):
            _start_foreign(tree, name, bits, said)
            return False
        _leave_foreign(tree)
    if inside(tree) & IN_SELECT and _start_in_select(tree, bits):
        return False
    if bits & ROOT or not _make_way(tree, name, bits):
        return False
    if tree[NOW, MISSING] and not bits & BLOCK:
        reopen(tree)
    if bits & (VOID | RAW):
        return bits & RAW != 0
    if bits & (SVG | MATH):
        _start_foreign(tree, name, bits, said)
        return False
    within = inside(tree) | (UNSEEN if bits & HIDDEN or said & HAS_HIDDEN else 0)
    if bits & FORMAT:
        _start_format(tree, name, bits, within, source)
        return False
    within = within & ~IN_SELECT if bits & TEMPLATE else within | (IN_SELECT if bits & SELECT else 0)
    _push(tree, name, bits, within)
    if bits & MARKER:
        _list_format(tree, 0, 0)
    return False


@compiled
def _end_foreign(tree: Tree, name: Int) -> Bool:
    """Whether the end tag was for an element of svg or math, innermost and beyond."""
    for i in range(tree[NOW, OPEN] - 1, -1, -1):
        if not tree[i, BITS] & FOREIGN:
            break
        if tree[i, NAME] == name:
            _pop_to(tree, i)
            return True
    return False


@compiled
def _end_in_select(tree: Tree, bits: Int) -> Bool:
    if bits & (SELECT | TEMPLATE):
        return False
    if bits & (_TABLE_PART | TABLE) and _find(tree, TABLE, TEMPLATE) >= 0:
        _close(tree, _find(tree, SELECT, 0))
        return False
    return True


@compiled
def end(tree: Tree, name: Int, bits: Int) -> None:
    """An end tag."""
    if _end_foreign(tree, name):
        return
    if inside(tree) & IN_SELECT and _end_in_select(tree, bits):
        return
    if bits & FORMAT:
        _end_format(tree, name)
    elif bits & FORM:
        at = _find(tree, FORM, SCOPE)
        if at >= 0:
            _take_out(tree, at)
    elif bits & HEADING:
        _close(tree, _find(tree, HEADING, SCOPE))
    elif bits & (TABLE | TEMPLATE | _TABLE_PART):
        _close(tree, _find_name(tree, name, 0 if bits & TEMPLATE else TABLE | TEMPLATE))
    elif bits & (BLOCK | BUTTON | SCOPE | SELECT):
        _close(tree, _find_name(tree, name, SCOPE | (BUTTON if bits & P else 0) | (LIST if bits & LI else 0)))
    elif not bits & (VOID | ROOT):
        _close(tree, _find_name(tree, name, SPECIAL))
