"""How do searchers reach a search page?  By its JSON API, over persistent connections."""

from dataclasses import dataclass
from typing import Any

import aiohttp

from sought.demo.example import ShownAnswer
from sought.demo.searchers import RANKS

_PATIENCE = aiohttp.ClientTimeout(total=10.0)


@dataclass(frozen=True)
class Window:
    """The search page at an address."""

    session: aiohttp.ClientSession
    address: str

    async def ask(self, query: str) -> ShownAnswer:
        parameters = {"q": query, "limit": str(RANKS)}
        async with self.session.get(f"{self.address}api/search", params=parameters, timeout=_PATIENCE) as answer:
            answer.raise_for_status()
            reply: dict[str, Any] = await answer.json()
        urls, titles = ([hit[name] for hit in reply["hits"]] for name in ("url", "title"))
        return ShownAnswer(reply["query_id"], tuple(urls), tuple(titles), reply["pages"])

    async def click(self, shown: ShownAnswer, rank: int) -> None:
        """Report a click on a result."""
        if shown.search is None:
            return
        about = {"object": {"object_id": shown.urls[rank - 1]}, "position": {"ordinal": rank}}
        event = {"action_name": "click", "query_id": shown.search, "event_attributes": about}
        async with self.session.post(f"{self.address}api/events", json=event, timeout=_PATIENCE) as answer:
            answer.raise_for_status()
