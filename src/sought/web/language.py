"""Which language is this page in?  The declared one if that is plausible, else the detected one."""

import re

from resiliparse.parse.lang import detect_fast

_SAMPLE = 500
_TAG = re.compile(r"\s*([A-Za-z]{2,3})(?![A-Za-z0-9])")
_NO_LANGUAGE = frozenset(("und", "mul", "zxx", "mis", "xx"))
# Scripts that one language uses.  Han comes last: Japanese uses it too.
_SCRIPTS = (
    (re.compile("[\u3040-\u30ff]"), "ja"),
    (re.compile("[\uac00-\ud7af]"), "ko"),
    (re.compile("[\u0e00-\u0e7f]"), "th"),
    (re.compile("[\u0370-\u03ff]"), "el"),
    (re.compile("[\u0590-\u05ff]"), "he"),
    (re.compile("[\u10a0-\u10ff]"), "ka"),
    (re.compile("[\u0530-\u058f]"), "hy"),
    (re.compile("[\u4e00-\u9fff]"), "zh"),
)
_LATIN = re.compile(
    "a[fz]|br|c[asy]|d[ae]|e[nostu]|f[iry]|g[al]|h[ru]|i[dst]|l[abtv]|m[st]|n[blno]|p[lt]|ro|s[klqvw]|t[lr]|vi"
)


def language(declared: str, header: str, text: str) -> str:
    """The primary subtag (BCP 47) of the page's language, or nothing; `declared` is its <html lang>."""
    sample = text[:_SAMPLE]
    for label in (declared, header):
        tag = primary(label)
        if tag and not (_LATIN.fullmatch(tag) and _is_not_latin(sample)):
            return tag
    return detected(sample)


def primary(tag: str) -> str:
    """`pt` of `pt-BR`; the first tag of a list."""
    match = _TAG.match(tag)
    name = match[1].lower() if match else ""
    return "" if name in _NO_LANGUAGE else name


def detected(sample: str) -> str:
    letters = sample.strip()
    if len(letters) < 8:
        return ""
    if not letters.isascii():
        for script, name in _SCRIPTS:
            if len(script.findall(letters)) * 10 > len(letters):
                return name
    name, _ = detect_fast(letters)
    return "" if name == "unknown" else str(name)


def _is_not_latin(sample: str) -> bool:
    """Whether `lang="en"` comes from a template: letters of other scripts take two or three bytes in UTF-8."""
    return not sample.isascii() and len(sample.encode("utf-8", "replace")) > 1.5 * len(sample)
