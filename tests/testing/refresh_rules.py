"""Which policies order known pages and leave new ones to others?"""

import numpy as np

from sought.policy import POLICIES
from sought.web.pages import NEVER, Pages
from sought.web.policy import Policy, beliefs_of


def refresh_rules() -> list[Policy]:
    """All of them, with default parameters, in order of their names."""
    rules = []
    for _, policy in sorted(POLICIES.items()):
        try:
            rule: Policy = policy()
        except TypeError:  # it needs a topic
            continue
        new, known = rule(_new_and_known(rule), 1e9)
        if np.isneginf(new) and not np.isneginf(known):
            rules.append(rule)
    return rules


def _new_and_known(policy: Policy) -> Pages:
    """A page that was never fetched, and one that was fetched twice."""
    fetched, never = np.array([NEVER, 9e8]), np.full(2, NEVER)
    return Pages(
        key=np.arange(2, dtype=np.uint64),
        host=np.zeros(2, np.uint32),
        depth=np.zeros(2, np.uint16),
        found=np.full(2, 8e8),
        last_fetch=fetched,
        last_change=never,
        fetches=np.array([0, 2], np.uint16),
        changes=np.zeros(2, np.uint16),
        inlinks=np.zeros(2, np.uint32),
        signal=never,
        live=np.array([False, True]),
        linked=never,
        unlinked=never,
        beliefs={belief: np.zeros(2) for belief in beliefs_of(policy)},
    )
