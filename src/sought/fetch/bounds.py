"""How much time and memory may one answer take?"""

from dataclasses import dataclass

from sought.web.message import RequestPurpose

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Bounds:
    """Seconds and bytes.  Body bounds hold for the compressed and for the decoded body alike."""

    total: float = 30.0  # from the request to the last byte: ends a slow drip
    connect: float = 10.0  # until the connection stands, TLS included
    silence: float = 15.0  # until the first byte, and between two
    page: int = 5 * MIB
    sitemap: int = 50 * MIB  # sitemaps protocol: at most 50 MB
    robots: int = 512_000  # RFC 9309 §2.5: at least 500 KiB must be read
    other: int = 64 * KIB  # answers that are not 2xx: archived, but not read
    header_line: int = 16 * KIB
    header_lines: int = 128
    types: frozenset[str] = frozenset({"text/html", "application/xhtml+xml", "text/plain"})


@dataclass(frozen=True, slots=True)
class BodyAllowance:
    """How much of one body is read.  With `cut` the rest is ignored; without it a longer body is a failure."""

    limit: int
    cut: bool


def body_allowance(bounds: Bounds, purpose: RequestPurpose, status: int) -> BodyAllowance:
    if not 200 <= status <= 299:
        return BodyAllowance(bounds.other, cut=True)
    if purpose is RequestPurpose.ROBOTS:
        return BodyAllowance(bounds.robots, cut=True)
    return BodyAllowance(bounds.sitemap if purpose is RequestPurpose.SITEMAP else bounds.page, cut=False)
