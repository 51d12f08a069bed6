"""What must be ready before the clock runs?  All machine code: the first run on a machine makes it, which takes long.

A contest in which one side waits for a compiler while the other crawls would be none.
"""

import time
from pathlib import Path

import sought
from sought.demand import Search
from sought.demo.conditions import Conditions
from sought.demo.searchers import Public
from sought.toyweb import ToyWeb, serve_in_thread

_FETCHES = 30  # of each of the two policies
_SEARCHES = 30


def rehearse(folder: Path, conditions: Conditions) -> None:
    """Crawl a few pages by each policy, asked for by somebody; the crawl is of no use afterwards."""
    toy = ToyWeb(sites=12, pages=4, hostile=False)  # many hosts: politeness would make few of them wait
    with serve_in_thread(toy) as served:
        for policy in reversed(conditions.policies.values()):
            crawl = sought.open(conditions.write(folder, served, policy))
            for text, _ in Public(toy).questions(0.0).top(_SEARCHES):
                crawl.queries.record(Search(text, time.time()))
            crawl.crawl(fetches=_FETCHES)
