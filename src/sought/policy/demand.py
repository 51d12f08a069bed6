"""Does a policy need to know what people ask for?"""

from sought.web.policy import Policy, beliefs_of


def goes_by_demand(policy: Policy) -> bool:
    """Whether it reads a belief that means nothing while nobody asks anything."""
    return any(getattr(belief, "goes_by_demand", True) for belief in beliefs_of(policy))
