"""Can a text be kept and shown?  It is made so: no halves of characters, no control bytes, single spaces."""

import numpy as np

_SPACES_BEYOND_ASCII = [chr(code) for code in range(128, 0x3001) if chr(code).isspace()]


def tidy(text: str) -> str:
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode()
    return text if _is_tidy(text) else " ".join(text.replace("\0", " ").split())


def _is_tidy(text: str) -> bool:
    """Whether it plainly is, found by searches that run over many bytes at once; most pages come this way."""
    if not text or text.startswith(" ") or text.endswith(" ") or "  " in text:
        return False
    if np.frombuffer(text.encode(), np.uint8).min() < ord(" "):
        return False
    return text.isascii() or not any(space in text for space in _SPACES_BEYOND_ASCII)
