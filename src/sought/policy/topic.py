"""What has a page to do with a topic?  Beliefs for crawls that are after one."""

from dataclasses import dataclass
from typing import ClassVar

from sought.policy.estimator import beliefs_of
from sought.policy.policy import Policy
from sought.policy.supplied import Supplied
from sought.web.expression import brief


@brief
@dataclass(frozen=True)
class Likeness(Supplied):
    """IS(p, Q), how much a page is about a topic: cosine of tf·idf vectors.

    Of a fetched page by its words, of a new one by those of its address and of the anchors that point at it.
    """

    goes_by_demand: ClassVar[bool] = False

    topic: str


@brief
@dataclass(frozen=True)
class Named(Supplied):
    """1 if all words of a topic are in one anchor that points at the page, or in its address; else 0."""

    goes_by_demand: ClassVar[bool] = False

    topic: str


@brief
@dataclass(frozen=True)
class Hops(Supplied):
    """How many links a page is away from a fetched page that is hot: 0 if it is hot itself, `most` if that is far.

    Hot is a page that has all words of the topic in its title, or each at least `count` times in its body.
    """

    goes_by_demand: ClassVar[bool] = False

    topic: str
    count: int = 10
    most: int = 3


def topics_of(policy: Policy) -> tuple[str, ...]:
    """What a policy is after; the crawl has to count the words of these on every page."""
    found = (belief.topic for belief in beliefs_of(policy) if isinstance(belief, Likeness | Named | Hops))
    return tuple(dict.fromkeys(found))
