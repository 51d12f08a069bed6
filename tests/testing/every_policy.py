"""One of each policy that can be named in sought.toml; those after a topic are after herons."""

from inspect import Parameter, signature

from sought.policy import POLICIES

TOPIC = "heron"


def _made(policy):
    needs = [p.name for p in signature(policy).parameters.values() if p.default is Parameter.empty]
    return policy(**dict.fromkeys(needs, TOPIC))


EVERY_POLICY = [_made(POLICIES[name]) for name in sorted(POLICIES)]
