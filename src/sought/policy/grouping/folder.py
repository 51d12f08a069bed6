"""Which pages are in the same directory?"""

from dataclasses import dataclass
from typing import ClassVar

from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Folder(Supplied):
    """A number of the directory that a page's address is in: equal numbers, same directory of the same host."""

    goes_by_demand: ClassVar[bool] = False
