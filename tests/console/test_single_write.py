"""What is written within a turn of the event loop leaves in one piece, unless who asked has gone."""

import asyncio
import socket

import pytest
import uvloop

from sought.console.single_write import SingleWrite


async def connected() -> tuple[asyncio.Transport, socket.socket]:
    ours, theirs = socket.socketpair()
    transport, _ = await asyncio.get_running_loop().create_unix_connection(asyncio.Protocol, sock=ours)
    return transport, theirs


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_it_leaves_together_and_in_order(run) -> None:
    async def work() -> None:
        transport, theirs = await connected()
        with theirs:
            together = SingleWrite(transport, asyncio.get_running_loop(), 20.0)
            together.write(b"head ")
            together.write(bytearray(b"body"))
            theirs.setblocking(False)
            with pytest.raises(BlockingIOError):
                theirs.recv(100)
            await asyncio.sleep(0.01)
            assert theirs.recv(100) == b"head body"
            together.write(b"x" * 70_000)  # much goes at once
            assert theirs.recv(10) == b"x" * 10
            while theirs.recv(1 << 20) == b"x":
                pass
            together.write(b"the end")
            together.close()
            assert together.is_closing()
            theirs.setblocking(True)
            rest = b""
            while some := await asyncio.to_thread(theirs.recv, 1 << 20):
                rest += some
            assert rest.endswith(b"the end")

    run(work())


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_who_has_gone_is_sent_nothing(run) -> None:
    """And nothing goes wrong."""
    trouble = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: trouble.append(context))
        transport, theirs = await connected()
        together = SingleWrite(transport, loop, 20.0)
        together.write(b"too late")
        theirs.close()
        transport.abort()
        await asyncio.sleep(0.05)
        together.write(b"later still")
        await asyncio.sleep(0.05)
        together.close()

    run(work())
    assert not trouble
