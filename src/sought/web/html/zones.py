"""Is this text seen, and is it the page's own?  The zone that an element begins."""

import numpy as np

from sought.web.compiled import Int, compiled
from sought.web.html.tags import ARTICLE, BOILERPLATE, HEADER, HIDDEN, INERT, MAIN, SHADOW

# In the order of how much their text is the page's own; those from UNSEEN on have no text, LIFELESS no links either.
SHARED, NEUTRAL, OWN, UNSEEN, LIFELESS = range(5)


@compiled
def zone_inside(outer: Int, bits: Int) -> Int:
    inner = outer
    if outer == LIFELESS or bits & SHADOW:
        inner = outer
    elif bits & INERT:
        inner = np.int64(LIFELESS)
    elif outer == UNSEEN or bits & HIDDEN:
        inner = np.int64(UNSEEN)
    elif bits & MAIN or (bits & ARTICLE and outer == NEUTRAL):
        inner = np.int64(OWN)
    elif bits & BOILERPLATE or (bits & HEADER and outer == NEUTRAL):
        inner = np.int64(SHARED)
    return inner
