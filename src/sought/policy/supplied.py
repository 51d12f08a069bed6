"""Which beliefs does the crawl itself supply?"""

from dataclasses import dataclass
from typing import ClassVar

from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Supplied:
    """A belief that follows from what a crawl holds: its links, the words it has read, the answers it would give.

    No learner has it from the log of fetches.  The crawl keeps what is needed and fills in the column; subclasses are
    values that say what the column is.  Those that say something while nobody asks anything do not go by demand.
    """

    goes_by_demand: ClassVar[bool] = True
