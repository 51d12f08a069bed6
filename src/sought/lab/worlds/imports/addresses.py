"""The URL of each file of a site.

| file                        | URL            |
|-----------------------------|----------------|
| index.html                  | base/          |
| a/b/index.html, index.md    | base/a/b       |
| a/b/README.md               | base/a/b       |
| a/b.html                    | base/a/b.html  |
| a/b.md                      | base/a/b       |
"""

import posixpath
import re
from urllib.parse import quote, unquote_to_bytes

from sought.web.errors import BadInput, BadURL
from sought.web.url import canonical

_SUFFIXES = (b".html", b".htm", b".md", b".markdown")  # of files that stand at one URL the first wins
_MARKDOWN = _SUFFIXES[2:]
# Characters that mean the same in a file name and in a URL; all others are escaped.
_SAFE = "".join(character for character in map(chr, range(0x21, 0x7F)) if character not in "%?#\\")
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}:|//|#|$")


def base_of(base_url: str) -> str:
    """A site's URL without the slash at its end."""
    try:
        base = canonical(base_url)
    except BadURL as error:
        raise BadInput(f"base URL: {error}") from None
    if "?" in base:
        raise BadInput(f"base URL: {base_url} has a query")
    return base.rstrip("/")


def is_page(path: bytes) -> bool:
    stem, suffix = _split(path)
    return bool(stem) and suffix in _SUFFIXES


def is_markdown(path: bytes) -> bool:
    return _split(path)[1] in _MARKDOWN


def is_folder(path: bytes) -> bool:
    """Whether the file is the page of its folder."""
    stem, suffix = _split(path)
    return suffix in _SUFFIXES and (stem.lower() == b"index" or (stem.lower() == b"readme" and suffix in _MARKDOWN))


def precedence(path: bytes) -> tuple[int, bool, bytes]:
    """Of the files of one URL the smallest of these wins."""
    stem, suffix = _split(path)
    return _SUFFIXES.index(suffix), stem.lower() == b"readme", path


def address(base: str, path: bytes) -> str:
    """The URL of a plain path, without a slash before it; raises BadURL if nobody could fetch it."""
    return canonical(f"{base}/{quote(path, safe=_SAFE)}")


def page_address(base: str, path: bytes) -> str:
    """The URL of a file that is a page."""
    if is_folder(path):
        path = path.rpartition(b"/")[0]
    elif is_markdown(path):
        path = path[: -len(_split(path)[1])]
    return address(base, path)


def linked(base: str, path: bytes, href: str) -> str:
    """The URL of a link in the file at `path`; relative links lead from file to file."""
    if _ELSEWHERE.match(href):
        return href
    plain, mark, rest = re.fullmatch(r"([^?#]*)([?#]?)(.*)", href, re.DOTALL).groups()  # type: ignore[union-attr]  # anything matches
    folder = b"" if plain.startswith("/") else path.rpartition(b"/")[0]
    target = posixpath.normpath(b"/" + folder + b"/" + unquote_to_bytes(plain)).lstrip(b"/")
    try:
        return (page_address if is_page(target) else address)(base, target) + mark + rest
    except BadURL:
        return href


def _split(path: bytes) -> tuple[bytes, bytes]:
    """The name of a file without its folder, and its suffix in small letters."""
    stem, dot, suffix = path.rpartition(b"/")[2].rpartition(b".")
    return stem, (dot + suffix).lower()
