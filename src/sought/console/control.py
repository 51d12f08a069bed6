"""Who may give orders?  Nobody, unless the server was started with --control.

    token     printed once when the server starts; who has it enters it in a form
    session   what the browser gets for it: a secret in a cookie that scripts and other sites never see
    form key  made of the session; every form that changes something bears it, and no other site can know it

Other sites' requests are refused before they get here (guard.py).  Everything ends with the server: it keeps no secret
on disk.

A token is compared as soon as it arrives, so wrong ones never delay the right one.  What bounds guessing is the token:
160 random bits, of which ten thousand guesses a second would find the right ones in a year with probability 2^-121.
Answers to wrong tokens come late, each later than the one before; only a few of them may wait, the others are sent
away.
"""

import asyncio
import hashlib
import hmac
import secrets
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

COOKIE = "sought-control"
MOST_SESSIONS = 100
# Seconds before a wrong token is answered, the last for all that follow; shorter than a server waits when it ends.
PAUSES = (0.5, 1.0, 2.0, 4.0)
_MOST_WAITING = 10


def new_token() -> str:
    """160 bits in letters that can be typed."""
    return secrets.token_hex(20)


class Control:
    """The rights of one server over one crawl directory."""

    def __init__(self, path: Path, token: str, pauses: tuple[float, ...] = PAUSES) -> None:
        self.path = path
        self._token = token
        self._pauses = pauses
        self._key = secrets.token_bytes(32)
        self._sessions: list[str] = []
        self._wrong = 0
        self._waiting = 0
        self.placing = asyncio.Lock()  # held while an order is given

    async def enter(self, token: str) -> str | None:
        """A session for the token, at once; None if it is wrong, after a while."""
        if not _same(token.strip(), self._token):
            await self._punish()
            return None
        self._wrong = 0
        self._sessions = [*self._sessions[1 - MOST_SESSIONS :], session := secrets.token_hex(20)]
        return session

    async def _punish(self) -> None:
        """Let who gave a wrong token wait."""
        if self._waiting >= _MOST_WAITING:
            raise HTTPException(429, "Too many wrong tokens: try again in a minute.", {"Retry-After": "60"})
        self._waiting += 1
        self._wrong += 1
        try:
            await asyncio.sleep(self._pauses[min(self._wrong, len(self._pauses)) - 1])
        finally:
            self._waiting -= 1

    def leave(self, request: Request) -> None:
        """Forget the session of a browser."""
        mine = request.cookies.get(COOKIE, "")
        self._sessions = [each for each in self._sessions if not _same(each, mine)]

    def rights(self, request: Request) -> dict[str, Any]:
        """What a page needs to know: whether this browser may give orders, and the key of its forms."""
        session = request.cookies.get(COOKIE, "")
        may = any(_same(session, each) for each in self._sessions)
        return {"may": may, "key": self._form_key(session) if may else ""}

    def check(self, request: Request, key: str) -> None:
        """Raise what is wrong with a request that would change something."""
        rights = self.rights(request)
        if not rights["may"]:
            raise HTTPException(403, "Enter the token printed by 'sought serve --control' first.")
        if not _same(key, rights["key"]):
            raise HTTPException(403, "The form has expired: open the console again and repeat it.")

    def _form_key(self, session: str) -> str:
        return hmac.new(self._key, session.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def keep_session(answer: Response, request: Request, session: str) -> None:
    """In a cookie until the browser is closed."""
    is_secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, session, path="/console", httponly=True, samesite="strict", secure=is_secure)


def _same(one: str, other: str) -> bool:
    """In a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode("utf-8", "replace"), other.encode("utf-8", "replace"))
