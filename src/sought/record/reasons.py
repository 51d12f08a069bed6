"""Why pages were chosen, as their history keeps it."""

from sought.record.outcome import Outcome
from sought.record.store import Store
from sought.web.message import Why
from sought.web.registry import same_spelling


class Reasons:
    """The policies that have chosen pages; an outcome names the number of its policy."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.policies = [same_spelling(each) for each in store.meta("policies", [])]

    def note(self, outcome: Outcome, why: Why) -> None:
        """Which policy chose the page, by which value, at which rank of its plan, what for, and what it expected."""
        outcome.rank, outcome.value, outcome.expected, outcome.chance, outcome.purpose, policy = why
        policy = same_spelling(policy)
        if policy not in self.policies:
            self.policies.append(policy)
            self.store.put_meta("policies", self.policies)
        outcome.policy = self.policies.index(policy)
