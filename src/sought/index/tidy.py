"""Can a text be kept and shown?  It is made so: no halves of characters, no control bytes, single spaces."""

import numpy as np
from numpy.typing import NDArray

from sought.web.compiled import Bool, Int, cached, compiled

_LAST_SPACE = 0x3000
_SPACES = np.array([chr(code).isspace() for code in range(_LAST_SPACE + 1)])


def tidy(text: str) -> str:
    encoded = text.encode("utf-8", "replace")
    if not _is_tidy(np.frombuffer(encoded, np.uint8)):
        return " ".join(encoded.decode().replace("\0", " ").split())
    return text if text.isascii() else encoded.decode()


@cached
def _is_tidy(text: NDArray[np.uint8]) -> Bool:
    """Most pages plainly are; anything suspicious is left to Python."""
    space = True
    for i in range(len(text)):
        byte = text[i]
        if byte <= 32:
            if space or byte < 32:
                return False
            space = True
        else:
            space = False
            if byte >= 0xC2 and byte <= 0xE3 and _is_space(text, i):
                return False
    return not space


@compiled
def _is_space(text: NDArray[np.uint8], at: Int) -> Bool:
    """Whether a character of two or three bytes is white space."""
    first, second = np.int64(text[at]), np.int64(text[at + 1]) & 63
    if first < 0xE0:
        return _SPACES[(first & 31) << 6 | second]
    code = (first & 15) << 12 | second << 6 | (np.int64(text[at + 2]) & 63)
    return code <= _LAST_SPACE and _SPACES[code]
