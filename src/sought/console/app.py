"""All parts of the server in one application."""

import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response

from sought.console import assets, search_api, search_page
from sought.console.control import Control
from sought.console.folders import without_folder
from sought.console.guard import HostGuard
from sought.console.operators import Operators
from sought.console.refusals import UnexpectedErrors, ended, is_api, refusal, sentence_of
from sought.console.search_service import SearchService
from sought.console.worker import TooBusy
from sought.web.errors import BadConfig, CrawlDamaged, SoughtError

_LOG = logging.getLogger("sought.console")


def make_app(path: Path, hosts: Iterable[str] = (), control: Control | None = None) -> Starlette:
    """The server of a crawl directory.  It answers to the names of loopback and to `hosts`."""
    service = SearchService(path)
    operators = Operators(path, control, service.tally)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            await operators.close()
            await service.close()

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return _complaint(service, request, error.status_code, sentence_of(error), dict(error.headers or {}))

    async def failed(request: Request, error: Exception) -> Response:
        if isinstance(error, TooBusy):
            return _complaint(service, request, 503, str(error), {"Retry-After": "1"})
        _LOG.error("%r: %s", request.url.path, error)  # with folders, which the answer leaves out
        if isinstance(error, CrawlDamaged | BadConfig):  # it says what to do
            return _complaint(service, request, 503, without_folder(path, str(error)), {})
        return in_trouble(request)

    def in_trouble(request: Request) -> Response:
        return _complaint(service, request, 500, "Internal error. The server's log has the details.", {})

    app = Starlette(
        routes=[*search_page.routes(service), *search_api.routes(service), *operators.routes(), *assets.routes()],
        middleware=[Middleware(HostGuard, hosts=tuple(hosts)), Middleware(UnexpectedErrors, answer=in_trouble)],
        exception_handlers={HTTPException: refused, SoughtError: failed},
        lifespan=lifespan,
    )
    app.state.at_end = operators.end_streams
    return app


def _complaint(service: SearchService, request: Request, status: int, text: str, headers: dict[str, str]) -> Response:
    """One clear sentence, as a page or as JSON."""
    path, sentence = request.url.path, ended(text)
    if is_api(path):
        return refusal(path, status, sentence, headers)
    answer = search_page.failure(service, request, status, sentence)
    answer.headers.update(headers)
    return answer
