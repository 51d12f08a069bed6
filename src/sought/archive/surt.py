"""Under which key does a URL stand in a CDXJ file?

SURT, the "sort-friendly URI reordering transform" of web archives: `http://www.example.com/A/?b=1&a=2` stands under
`com,example)/a?a=2&b=1`, so that a host's pages are neighbours.  The rules are those of the `surt` package that
pywb asks with (lower case, no `www.`, sorted parameters, no trailing slash, one level of escaping); session identifiers
are gone from canonical URLs already.  Different URLs may share a key: the line names the URL itself.
"""

import re
from functools import lru_cache
from urllib.parse import quote, unquote_to_bytes

_WWW = re.compile(r"^www\d*\.")
_PLAIN = "!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~"


def key(url: str) -> str:
    scheme, _, rest = url.partition("://")
    if not rest:
        return url.lower()
    authority, _, path = rest.partition("/")
    path, _, query = path.partition("?")
    if "%" in path or "//" in path or path.startswith("/"):
        path = _one_spelling(path)
    text = f"{_reversed(scheme, authority)})/{path.removesuffix('/').lower()}"
    return f"{text}?{_sorted(query)}" if query else text


@lru_cache(maxsize=4096)
def _reversed(scheme: str, authority: str) -> str:
    host, _, port = authority.lower().partition("]:" if authority.startswith("[") else ":")
    host = _WWW.sub("", host.strip("[]"), count=1)
    name = ",".join(reversed(host.split(".")))
    return name if port in ("", {"http": "80", "https": "443"}.get(scheme)) else f"{name}:{port}"


def _sorted(query: str) -> str:
    if "%" in query:
        query = _unescaped(query)
    parameters = query.lower().split("&")
    if len(parameters) > 1:
        parameters.sort(key=lambda parameter: parameter.split("=", 1))
    return "&".join(parameters)


def _one_spelling(path: str) -> str:
    kept: list[str] = []
    parts = _unescaped(path).split("/")
    for part in parts[:-1]:
        if part == "..":
            del kept[-1:]
        elif part not in ("", "."):
            kept.append(part)
    return "/".join([*kept, parts[-1]])


def _unescaped(text: str) -> str:
    """Escapes undone until none is left, then the few characters escaped that must be."""
    data = text.encode()
    while (plain := unquote_to_bytes(data)) != data:
        data = plain
    return quote(data, safe=_PLAIN)
