"""How does an application get to a port, and how does it end?"""

import gc
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from ipaddress import ip_address
from threading import current_thread, main_thread

import uvicorn
from starlette.types import ASGIApp

from sought.console.capacity import Capacity, most_connections
from sought.console.connection import Connection
from sought.web.errors import BadInput


class Server(uvicorn.Server):
    """Calls `app.state.at_end`, if the application has one, when it starts to end: open streams would keep it alive."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        at_end = getattr(getattr(self.config.app, "state", None), "at_end", None)
        if at_end:
            at_end()
        await super().shutdown(sockets)


_KEEP_ALIVE = 5  # seconds between two requests of a connection
_GRACE = 5  # seconds for answers in the making
_TURN = 0.0005  # seconds that a thread has the interpreter while others wait for it


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address; raises BadInput with what is wrong with it."""
    try:
        if not host:
            raise OSError("no address is given")  # would be every address
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        reason = (error.strerror or str(error)).partition(" (while")[0]  # what Python adds says it once more
        raise BadInput(
            f"cannot serve at {host or 'nowhere'} port {port}: {reason}; try another --host or --port"
        ) from None


def address(listening: socket.socket) -> str:
    """Where a browser finds it."""
    host, port = listening.getsockname()[:2]
    if ip_address(host).is_unspecified:
        host = "127.0.0.1"
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def make_server(app: ASGIApp) -> uvicorn.Server:
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # bad requests are the clients' trouble, not ours
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http=partial(Connection, capacity=Capacity(most_connections())),  # type: ignore[arg-type]  # it is only called
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
    )
    return Server(config)


def run(server: uvicorn.Server, listening: socket.socket) -> None:
    """Serve until Ctrl-C, SIGTERM or the end of the terminal, then finish what is being answered."""
    if current_thread() is not main_thread():  # signals and garbage are the business of those who started it
        server.run([listening])
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # uvicorn raises what it has caught once more
    signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
    with suppress(KeyboardInterrupt), few_collections(), short_turns():
        server.run([listening])


@contextmanager
def few_collections() -> Iterator[None]:
    """What is there now stays, and need not be looked through again and again; answers come and go without cycles."""
    thresholds = gc.get_threshold()
    gc.collect()  # garbage would stay, too
    gc.freeze()
    gc.set_threshold(20_000, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


@contextmanager
def short_turns() -> Iterator[None]:
    """Who answers waits for other threads (records, tables) after every look at its connections: not for long."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_TURN)
    try:
        yield
    finally:
        sys.setswitchinterval(usual)
