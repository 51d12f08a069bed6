"""Where are style sheets, scripts and pictures?  In the package, in memory, under names that change with their content.

So a browser may keep each of them for ever, and loads nothing from elsewhere.
"""

import hashlib
from functools import cache
from pathlib import Path, PurePosixPath

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

_FOLDER = Path(__file__).parent / "static"
_KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml", ".txt": "text/plain"}
_FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def asset(name: str) -> str:
    """The address of a file of the folder `static`."""
    return _addresses()[name]


def routes() -> list[BaseRoute]:
    return [Route("/static/{name:path}", _send, name="asset")]


@cache
def _addresses() -> dict[str, str]:
    files = sorted(file for file in _FOLDER.rglob("*") if file.is_file())
    return {file.relative_to(_FOLDER).as_posix(): _address(file) for file in files}


def _address(file: Path) -> str:
    content = hashlib.blake2b(file.read_bytes(), digest_size=6).hexdigest()
    name = PurePosixPath(file.relative_to(_FOLDER).as_posix())
    return f"/static/{name.with_name(f'{name.stem}-{content}{name.suffix}')}"


@cache
def _contents() -> dict[str, tuple[bytes, str]]:
    return {
        address: ((_FOLDER / name).read_bytes(), _KINDS[PurePosixPath(name).suffix])
        for name, address in _addresses().items()
    }


async def _send(request: Request) -> Response:
    found = _contents().get(request.url.path)
    if found is None:
        raise HTTPException(404, "No such file.")
    return Response(found[0], media_type=found[1], headers=_FOR_EVER)
