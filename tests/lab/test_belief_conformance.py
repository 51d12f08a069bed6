"""Every belief keeps its promises, and the suite finds those that do not."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest

from sought.beliefs.belief import Supplied
from sought.lab.replay.belief_conformance import BELIEF_PROMISES, check_belief
from sought.lab.replay.replay import replay
from sought.lab.worlds.world import World
from sought.web.expression import brief
from sought.web.registry import BELIEFS

SLOW = {"SearchImpactScore", "LearnedScore", "BayesRate", "AdaptiveInterval"}


def made(name):
    """A belief of a class, with the parameters that have no default."""
    return BELIEFS[name]("boats") if name in ("Hops", "Likeness", "Named") else BELIEFS[name]()


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(each, marks=[pytest.mark.slow] * (each in SLOW)) for each in BELIEFS])
def test_our_beliefs_keep_their_promises(name):
    """Every registered belief, learned or supplied."""
    check_belief(made(name))


class Counting:
    """A good learner: how often each row was fetched."""

    def __init__(self):
        self.counts = {}

    def learn(self, fetches):
        for row in fetches.row.tolist():
            self.counts[row] = self.counts.get(row, 0) + 1

    def column(self, pages):
        return np.array([float(self.counts.get(row, 0)) for row in range(len(pages))])


class Nothing:
    pass


class Integers(Counting):
    def column(self, pages):
        return super().column(pages).astype(np.int64)


class Short(Counting):
    def column(self, pages):
        return super().column(pages)[:-1]


class Unknown(Counting):
    def column(self, pages):
        return np.array([self.counts.get(row, np.nan) for row in range(len(pages))], np.float64)


class ByBatch(Counting):
    """Counts batches."""

    def learn(self, fetches):
        for row in np.unique(fetches.row).tolist():
            self.counts[row] = self.counts.get(row, 0) + 1


class Shared(Counting):
    """State that all learners share."""

    shared: ClassVar[dict[int, int]] = {}

    def __init__(self):
        self.counts = Shared.shared


class Impatient(Counting):
    """Asking for the column changes it."""

    def column(self, pages):
        self.learn_nothing = getattr(self, "learn_nothing", 0) + 1
        return super().column(pages) + self.learn_nothing


class Writing(Counting):
    def learn(self, fetches):
        fetches.gain[:] = 0.0


class Greedy(Counting):
    """Fails if nothing was fetched."""

    def column(self, pages):
        return super().column(pages) / max(self.counts.values())


class Wordy(Counting):
    def terms(self, row):
        return f"fetched {self.counts.get(row, 0)} times"


@dataclass(frozen=True)
class Learned:
    """A belief with somebody else's learner."""

    kind: type = field(default=Counting, repr=False, compare=False)

    def learner(self):
        return self.kind()


BROKEN = [
    (Nothing, "it is learned or supplied", "write learn(fetches) and column(pages)"),
    (Integers, "one number a row", "return float64"),
    (Short, "one number a row", "return one value per row"),
    (Unknown, "one number a row", "are NaN: say what is believed of a page that nothing is known of"),
    (Greedy, "one number a row", "ValueError: max"),
    (ByBatch, "the log alone decides", "add up fetch by fetch"),
    (Shared, "the log alone decides", "keep all state in the learner"),
    (Impatient, "the log alone decides", "must change nothing"),
    (Writing, "one number a row", "ValueError: assignment destination is read-only"),
    (Wordy, "it explains itself", "return a dictionary"),
]


@pytest.mark.parametrize(("kind", "promise", "says"), BROKEN)
def test_a_broken_promise_is_named(kind, promise, says):
    """With a sentence that says what is wrong and what to do."""
    with pytest.raises(AssertionError, match=f"^Learned breaks a promise, '{promise}': ") as caught:
        check_belief(Learned(kind))
    assert says in str(caught.value)


def test_a_good_belief_passes():
    check_belief(Learned())


def test_what_is_neither_learned_nor_supplied():
    @dataclass(frozen=True)
    class Neither:
        pass

    neither: Any = Neither()
    with pytest.raises(AssertionError, match="it has neither learner nor supplier: write learner"):
        check_belief(neither)


@dataclass
class Changeable:
    """Not frozen: no hash."""

    power: float = 1.0

    def learner(self):
        return Counting()


def test_a_belief_that_cannot_be_a_key():
    with pytest.raises(AssertionError, match="'its repr is the belief': TypeError: unhashable"):
        dict(BELIEF_PROMISES)["its repr is the belief"](Changeable())


@brief
@dataclass(frozen=True)
class Broken(Supplied):
    """Says NaN of every page."""

    def supplier(self, holdings):
        return self

    def take(self, commit):
        pass

    def column(self, pages):
        return np.full(len(pages), np.nan)

    def terms(self, row):
        return {}


def test_a_supplied_belief_is_tried_in_a_crawl():
    with pytest.raises(AssertionError, match=r"'a crawl can read it': .* values are NaN"):
        check_belief(Broken())


def test_a_belief_that_sees_the_future_is_caught(monkeypatch):
    """A back door to the recorded web shows, because noise in place of the future changes what is fetched."""
    worlds: list[World] = []

    def watched(world, *rest, **options):
        worlds[:] = [world]
        return replay(world, *rest, **options)

    monkeypatch.setattr("sought.lab.replay.wall.replay", watched)

    class Peeping(Counting):
        def column(self, pages):
            if not worlds:
                return np.zeros(len(pages))
            world = worlds[0]
            last = dict(zip(world.versions.page.tolist(), world.versions.content.tolist(), strict=True))
            known = dict(zip(world.keys.tolist(), range(len(world.urls)), strict=True))
            return np.array([float(last.get(known.get(key, -1), 0)) for key in pages.key.tolist()])

    with pytest.raises(AssertionError, match="'a crawl can read it': it sees what a crawler cannot"):
        dict(BELIEF_PROMISES)["a crawl can read it"](Learned(Peeping))
