"""A clock that moves only when there is nothing else to do."""

import asyncio


class VirtualClock:
    """Stands still while answers are on their way; else it is at once the time that is waited for."""

    def __init__(self, start: float) -> None:
        self.time = start

    def now(self) -> float:
        return self.time

    async def wait(self, woken: asyncio.Event, until: float, *, busy: bool) -> None:
        if busy:
            await woken.wait()
        elif not woken.is_set():
            self.advance(until if until < float("inf") else self.time + 1.0)
            await asyncio.sleep(0)

    def advance(self, until: float) -> None:
        """To a later time; time never runs back."""
        self.time = max(self.time, until)
