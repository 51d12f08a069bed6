"""Values as text: the `repr` is short, says all that matters, and what was written before is read as the same."""

import time
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, cast

import pytest

from sought.index.measure import ESTIMATORS
from sought.index.scorers import SCORERS
from sought.lab.measures import MEASURES
from sought.lab.replay.oracles import ORACLES
from sought.policy import POLICIES, BreadthFirst, DemandFirst, Split, Worth, parse_policy
from sought.record.recovery import open_directory
from sought.record.seeds import plant_seeds
from sought.web.message import Why
from sought.web.policy import beliefs_of
from sought.web.registry import BELIEFS, same_spelling
from tests.testing.demand_site import write_config

OLD = "Worth(horizon=31557600.0, explore='share', without='')"
NESTED = "Split(new=Worth(horizon=60.0, explore='share', without=''), known=RoundRobin(new=False), share=0.5)"


def _needs_nothing(cls):
    return is_dataclass(cls) and all(f.default is not MISSING or f.default_factory is not MISSING for f in fields(cls))


@pytest.mark.parametrize(
    "cls",
    [each for found in (POLICIES, BELIEFS, ORACLES, SCORERS, ESTIMATORS) for each in found.values()],
    ids=lambda cls: cls.__name__,
)
def test_a_default_is_not_printed(cls):
    """Of everything that can be written into sought.toml or compared in the lab, and of the beliefs it reads."""
    if _needs_nothing(cls):
        assert repr(cls()) == f"{cls.__name__}()"
    for belief in beliefs_of(cls()) if _needs_nothing(cls) else ():
        for each in fields(cast("Any", belief)):
            value = getattr(belief, each.name)
            assert (f"{each.name}=" in repr(belief)) == (each.default is MISSING or value != each.default), belief


def test_what_differs_is_printed_and_read_back():
    for value, text in [
        (Worth(), "Worth()"),
        (Worth(explore="none"), "Worth(explore='none')"),
        (Worth(horizon=31557600), "Worth()"),  # equal policies print the same
        (Split(share=0.25), "Split(share=0.25)"),
        (Split(new=BreadthFirst()), "Split()"),
        (Split(new=DemandFirst(prior=0.25)), "Split(new=DemandFirst(prior=0.25))"),
    ]:
        assert (repr(value), parse_policy(text)) == (text, value)
    assert all(
        f"{each.name}=" in repr(m)
        for m in MEASURES.values()
        for each in fields(cast("Any", m))
        if each.default is MISSING
    )


def test_what_was_written_before_is_the_same_policy():
    assert parse_policy(OLD) == Worth()
    assert same_spelling(OLD) == "Worth()"
    assert same_spelling(NESTED) == "Split(new=Worth(horizon=60.0))"
    assert same_spelling("Mine(x=2)") == "Mine(x=2)"


def test_a_crawl_of_before_goes_on_with_one_policy(tmp_path):
    """Its store names policies as they were spelled then; fetches of both spellings are by the same policy."""
    path = write_config(tmp_path / "crawl")
    directory = open_directory(path)
    directory.store.put_meta("policies", ["BreadthFirst()", OLD])
    plant_seeds(directory)
    directory.close()
    directory = open_directory(path)
    repository = directory.repository
    assert repository.choices.policies == ["BreadthFirst()", "Worth()"]
    for spelled in (OLD, "Worth()"):
        outcome = repository._outcome("new", cast("Any", _Answer()))
        repository.choices.note(outcome, Why(1, 0.5, policy=spelled))
        assert (outcome.policy, len(repository.choices.policies)) == (1, 2)
    directory.close()


class _Answer:
    time, status, elapsed, raw = time.time(), 200, 0.1, b""
