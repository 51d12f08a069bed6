"""By what would pages be kept, if only so many can be?"""

from sought.policy.expression import POLICIES
from sought.policy.ordering import Important, importance_in
from sought.policy.policy import Policy
from sought.web.errors import BadInput


def importance_for(policy: Policy) -> Important:
    """What a policy says of the importance of pages; BadInput, if it says nothing, names those that do."""
    found = importance_in(policy)
    if found is None:
        able = ", ".join(sorted(name for name, each in POLICIES.items() if hasattr(each, "importance")))
        raise BadInput(
            f"to keep only so many pages the policy must say which are important, and {policy!r} does not; "
            f"these do, alone or as 'new' of a Split: {able}"
        )
    return found
