"""How does a server end while somebody watches?  It lets them go first: a stream of events would keep it waiting."""

import socket

import uvicorn


class Server(uvicorn.Server):
    """Calls `app.state.at_end`, if the application has one, as soon as it is told to end."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        at_end = getattr(getattr(self.config.app, "state", None), "at_end", None)
        if at_end:
            at_end()
        await super().shutdown(sockets)
