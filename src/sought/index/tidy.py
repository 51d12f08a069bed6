"""How is a text made fit to be stored and shown?  Valid UTF-8, no control bytes, single spaces."""

import numpy as np

from sought.index.pieces import Eights, called, eights, inlined
from sought.web.compiled import Bool, Int

_LAST_SPACE = 0x3000
_SPACES = np.array([chr(code).isspace() for code in range(_LAST_SPACE + 1)])
_ONES = np.uint64(0x0101010101010101)
_HIGH, _BLANKS = np.uint64(0x80) * _ONES, np.uint64(ord(" ")) * _ONES


def tidy(text: str) -> str:
    encoded = text.encode("utf-8", "replace")
    if encoded[:1] == b" " or encoded[-1:] == b" " or not _is_tidy(eights(encoded + b"padding.")):
        return " ".join(encoded.decode().replace("\0", " ").split())
    return text if text.isascii() else encoded.decode()


@called
def _is_tidy(text: Eights) -> Bool:
    """Whether a text is tidy, except at its ends; in doubt False, and Python decides.

    Whether any of eight bytes is zero, or less than a space, is Mycroft's test (1987).
    """
    for i in range(0, len(text) - 1, 8):
        chunk = text[i]
        not_two_blanks = (chunk ^ _BLANKS) | (text[i + 1] ^ _BLANKS)
        if ((not_two_blanks - _ONES) & ~not_two_blanks | (chunk - _BLANKS) & ~chunk) & _HIGH:
            return False
        if chunk & _HIGH and _holds_space(text, i):
            return False
    return True


@inlined
def _holds_space(text: Eights, at: Int) -> Bool:
    """Whether one of eight bytes starts white space beyond ASCII, which has two or three bytes."""
    for i in range(8):
        first = np.int64(text[at] >> np.uint64(8 * i)) & 0xFF
        if first >= 0xC2 and first <= 0xE3:
            behind = np.int64(text[at + i] >> np.uint64(8))
            code = (first & 31) << 6 | (behind & 63)
            if first >= 0xE0:
                code = (first & 15) << 12 | (behind & 63) << 6 | (behind >> 8 & 63)
            if code <= _LAST_SPACE and _SPACES[code]:
                return True
    return False
