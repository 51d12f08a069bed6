"""What does this foreign error mean for the crawl?  One table between the HTTP library's errors and ours."""

import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from sought.fetch.guard import RefusedAddressError
from sought.web.coding import CodingError
from sought.web.message import Failure


class UnwantedError(Exception):
    """An answer whose body is not read, or not kept, because of what its head or its start says."""

    def __init__(self, failure: Failure, detail: str) -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


# First match wins, so the special stands before the general.
_MEANING: tuple[tuple[type[BaseException], Failure], ...] = (
    (RefusedAddressError, Failure.ADDRESS),
    (aiohttp.ClientConnectorDNSError, Failure.DNS),
    (aiohttp.InvalidURL, Failure.DNS),  # a host no resolver could be asked for
    (aiohttp.ClientSSLError, Failure.TLS),
    (ssl.SSLError, Failure.TLS),
    (ssl.CertificateError, Failure.TLS),
    (aiohttp.ConnectionTimeoutError, Failure.CONNECT),
    (TimeoutError, Failure.TIMEOUT),
    (aiohttp.ClientPayloadError, Failure.CONNECT),
    (aiohttp.ClientResponseError, Failure.HEADERS),
    (HttpProcessingError, Failure.HEADERS),
    (aiohttp.ClientError, Failure.CONNECT),
    (OSError, Failure.CONNECT),
)
EXPECTED: tuple[type[BaseException], ...] = (UnwantedError, CodingError, *(kind for kind, _ in _MEANING))


def meaning(error: BaseException) -> tuple[Failure, str]:
    """The failure an EXPECTED error stands for, and one line about it."""
    if isinstance(error, UnwantedError | CodingError):
        return error.failure, error.detail
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    for kind, failure in _MEANING:
        if isinstance(error, kind) or isinstance(cause, kind):
            return failure, " ".join(str(error).split())[:200] or type(error).__name__
    raise error  # not in EXPECTED: a surprise
