"""Is this URL one of endlessly many that a site generates?  By its form, and by how many of its shape there are.

The counts are kept by shape, not by URL: the shape of `/shop?colour=red&size=9` is the path and the names of its
parameters, the shape of `/calendar/2031/05` is the path with its digits blanked.
"""

import hashlib
import re
from dataclasses import dataclass

# A date that ends the path, with separators or as exactly YYYYMM or YYYYMMDD; or a parameter that is called one.
_DATE_AT_END = re.compile(
    r"[/=_-](?:19|20|21)\d\d(?:[-/_](?:0?[1-9]|1[0-2])(?:[-/_](?:[12]\d|3[01]|0?[1-9]))?|"
    r"(?:0[1-9]|1[0-2])(?:[0-2]\d|3[01])?)?/?$|[?&](?:date|month|day|year)="
)
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class UrlShape:
    """A shape of URLs, how many of it are admitted, and the name of the trap (`why`)."""

    key: int
    limit: int
    why: str


def looks_endless(path: str, query: str, path_depth: int, parameters: int) -> str:
    """Why a URL is refused by its form alone; empty if it is not."""
    segments = [s for s in path.split("/") if s]
    if len(segments) > path_depth:
        return "path-depth"
    if repeats(segments):
        return "repeating-path"
    if query.count("&") + 1 > parameters and query:
        return "parameters"
    return ""


def repeats(segments: list[str]) -> bool:
    """Whether one to four segments come three times in a row, or one segment four times in all."""
    for period in range(1, 5):
        same = 0
        for i in range(period, len(segments)):
            same = same + 1 if segments[i] == segments[i - period] else 0
            if same >= 2 * period:
                return True
    return any(segments.count(s) >= 4 for s in set(segments)) if len(segments) >= 4 else False


def shape(origin: str, path: str, query: str, queries_per_path: int, dates_per_path: int) -> UrlShape | None:
    """The shape of a URL that may be one of endlessly many; None for plain paths."""
    if _DATE_AT_END.search(f"{path}?{query}" if query else path):
        blank = _DIGITS.sub("0", f"{origin}{path}?{query}")
        return UrlShape(_hash(f"date {blank}"), dates_per_path, "calendar")
    if query:
        names = sorted({p.partition("=")[0] for p in query.split("&")})
        # Combinations multiply: each further parameter divides the limit by five.
        limit = max(1, queries_per_path // 5 ** (len(names) - 1))
        return UrlShape(_hash(f"query {origin}{path}?{'&'.join(names)}"), limit, "query-explosion")
    return None


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


_NOT_FOUND = re.compile(
    r"\b(404|page not found|not found|no longer (exists|available)|does(n't| not) exist|cannot be found|"
    r"seite (wurde )?nicht gefunden|page (non trouvée|introuvable)|página no encontrada|страница не найдена)\b",
    re.IGNORECASE,
)


def is_soft_404(title: str, headings: tuple[str, ...], words: int) -> bool:
    """A short page with status 200 whose title or first heading says that there is no page."""
    return words <= 200 and bool(_NOT_FOUND.search(title[:200]) or (headings and _NOT_FOUND.search(headings[0][:200])))
