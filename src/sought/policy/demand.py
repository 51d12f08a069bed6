"""Does a policy need to know what people ask for?"""

from sought.web.policy import Policy, beliefs_of, needs_demand


def goes_by_demand(policy: Policy) -> bool:
    """Whether some belief that it reads means nothing without queries."""
    return any(map(needs_demand, beliefs_of(policy)))
