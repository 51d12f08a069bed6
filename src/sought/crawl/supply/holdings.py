"""What do suppliers share?  Each part is made when the first of them asks for it, and kept up from then on."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol, TypeVar

from sought.crawl.measuring import Measuring
from sought.crawl.store import Store
from sought.crawl.supply.linked import Linked
from sought.crawl.supply.supplier import Committed
from sought.crawl.table import Table


class Part(Protocol):
    """Something that several suppliers need."""

    def take(self, committed: Committed) -> None:
        """Note what has changed."""


AnyPart = TypeVar("AnyPart", bound=Part)


class Holdings:
    """The tables of a crawl, and what several beliefs need of them."""

    def __init__(self, store: Store, table: Table, measuring: Callable[[], Measuring]) -> None:
        self.store = store
        self.table = table
        self._measuring = measuring
        self._parts: dict[Any, Part] = {}

    @cached_property
    def measuring(self) -> Measuring:
        return self._measuring()

    @cached_property
    def linked(self) -> Linked:
        """The link graph."""
        return Linked(self.store, self.table)

    def part(self, kind: Callable[..., AnyPart], *parameters: Any) -> AnyPart:
        """The part of a kind with these parameters."""
        if (kind, parameters) not in self._parts:
            self._parts[kind, parameters] = kind(self, *parameters)
        return self._parts[kind, parameters]  # type: ignore[return-value]  # of that kind

    def take(self, committed: Committed) -> None:
        """Keep up what has been asked for."""
        if "linked" in self.__dict__:
            self.linked.take(committed)
        for part in self._parts.values():
            part.take(committed)
