"""How is an address spelled?  WHATWG parsing, then a few rules that make equal pages equal strings.

Canonical form: scheme http or https; host lower-case, IDNA, no trailing dot, addresses folded (`0x7f.1` is
`127.0.0.1`); default port, user name, password and fragment dropped; `..` resolved; tracking parameters and session
identifiers dropped.  Nothing is re-ordered: servers may care about the order of parameters.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache

import ada_url
from publicsuffixlist import PublicSuffixList

from sought.web.errors import BadURL

MAX_LENGTH = 2048

_TRACKING = re.compile(
    r"^(utm_\w+|gclid|gclsrc|dclid|fbclid|msclkid|yclid|twclid|ttclid|wbraid|gbraid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|"
    r"_hsmi|mkt_tok|vero_id|oly_anon_id|oly_enc_id|s_cid|wickedid)(=|$)",
    re.IGNORECASE,
)
_SESSION = re.compile(
    r"^(jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|sessid|cfid|cftoken|zenid|oscsid|"
    r"(?:sid|s)(?==[0-9a-f]{16,}$))(=|$)",
    re.IGNORECASE,
)
_SESSION_IN_PATH = re.compile(r";(jsessionid|phpsessid|sid)=[^/?;]*", re.IGNORECASE)
_PSL = PublicSuffixList()


def canonical(text: str, base: str = "") -> str:
    """The canonical spelling of an address, resolved against `base`; raises BadURL with the reason."""
    if len(text) > MAX_LENGTH * 2:
        raise BadURL(f"URL longer than {MAX_LENGTH} characters: {text[:60]}…")
    try:
        href = ada_url.join_url(base, text) if base else ada_url.normalize_url(text)
    except (ValueError, UnicodeError):
        raise BadURL(f"not a URL: {text[:200]!r}") from None
    href = href.partition("#")[0]
    if not href.startswith(("http://", "https://")):
        raise BadURL(f"not an http or https URL: {text[:200]!r}")
    start = href.index("//") + 2
    end = href.find("/", start)
    authority = href[start:end]
    if "@" in authority or authority.endswith(".") or ".:" in authority:
        plain = _plain_authority(authority)
        if plain[:1] in ("", ":"):  # parsing it again would take the path for the host
            raise BadURL(f"URL without a host: {text[:200]!r}")
        return canonical(f"{href[:start]}{plain}{href[end:]}")
    if ";" in href:
        path, question, query = href.partition("?")
        without = _SESSION_IN_PATH.sub("", path)
        if without != path:  # the rest may contain `..`
            return canonical(without + question + query)
    if "?" in href:
        href = _without_tracking(href)
    if len(href) > MAX_LENGTH:
        raise BadURL(f"URL longer than {MAX_LENGTH} characters: {href[:60]}…")
    return href


def _plain_authority(authority: str) -> str:
    host, colon, port = authority.rpartition("@")[2].partition(":")
    return host.rstrip(".") + colon + port


def _without_tracking(href: str) -> str:
    path, _, query = href.partition("?")
    kept = [p for p in query.split("&") if p and not _TRACKING.match(p) and not _SESSION.match(p)]
    return f"{path}?{'&'.join(kept)}" if kept else path


def fingerprint(url: str) -> int:
    """The 64-bit key of a canonical URL in every table.

    blake2b rather than a faster hash: nobody should be able to construct an address that collides with another.
    """
    return int.from_bytes(hashlib.blake2b(url.encode(), digest_size=8).digest(), "little")


def origin(url: str) -> str:
    """`https://host:port` of a canonical URL: the scope of a robots.txt."""
    return url[: url.index("/", 8)]


def hostname(url: str) -> str:
    """Host of a canonical URL, without the port; an IPv6 host keeps its brackets."""
    authority = url[url.index("//") + 2 : url.index("/", 8)]
    if authority.startswith("["):
        return authority[: authority.index("]") + 1]
    return authority.partition(":")[0]


@lru_cache(maxsize=65536)
def registered_domain(host: str) -> str:
    """`example.co.uk` for `www.example.co.uk`; the host itself for addresses and bare names."""
    if host.startswith("[") or host.replace(".", "").isdigit():
        return host
    return _PSL.privatesuffix(host) or host


@dataclass(frozen=True, slots=True)
class URL:
    """An address in canonical form.  `URL.parse` makes one; equal pages have equal `text`."""

    text: str

    @classmethod
    def parse(cls, text: str, base: str = "") -> "URL":
        return cls(canonical(text, base))

    @property
    def key(self) -> int:
        return fingerprint(self.text)

    @property
    def origin(self) -> str:
        return origin(self.text)

    @property
    def host(self) -> str:
        return hostname(self.text)

    @property
    def domain(self) -> str:
        return registered_domain(self.host)

    @property
    def path(self) -> str:
        return self.text[self.text.index("/", 8) :].partition("?")[0]

    @property
    def query(self) -> str:
        return self.text.partition("?")[2]

    def __str__(self) -> str:
        return self.text
