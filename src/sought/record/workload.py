"""The workload a crawl measures by, as its store keeps it: what was asked when it was last drawn from the query log."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sought.index import normal
from sought.index.filing import single_words
from sought.index.measure import GainMeasure
from sought.record.config import Config, seconds
from sought.record.store import Store

if TYPE_CHECKING:  # reading query logs takes 30 MB of libraries, which a crawl without one does without
    from sought.demand import QueryLog, Selection, Workload

FOLDER = "queries"


@dataclass(frozen=True)
class WorkloadQueries:
    """Queries in order of their keys; item by item what is known of them."""

    texts: list[str] = field(default_factory=list)
    keys: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    held_out: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    rate: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    exponent: float = 1.5

    def text(self, key: int) -> str | None:
        """The query of a key, if it is still asked."""
        at = int(np.searchsorted(self.keys, np.uint64(key)))
        return self.texts[at] if at < len(self.keys) and self.keys[at] == key else None

    @property
    def held_out_weights(self) -> NDArray[np.float64]:
        """Of the queries that nothing is steered by; they sum to 1, if there are any."""
        part = np.where(self.held_out, self.rate, 0.0)
        return part / part.sum() if part.any() else part


def query_log(path: Path, config: Config) -> "QueryLog":
    """The query log of a crawl directory."""
    from sought.demand import QueryLog

    return QueryLog(path / FOLDER, seconds(config.demand.keep))


def selection(config: Config) -> "Selection":
    """How sought.toml says that the workload is drawn."""
    from sought.demand import Selection

    d = config.demand
    return Selection(
        window=seconds(d.window),
        half_life=seconds(d.half_life) if d.half_life else 0.0,
        held_out=d.held_out,
        head=d.cut_head,
        tail=d.cut_tail,
        max_queries=d.max_queries,
    )


def draw(log: "QueryLog", config: Config, now: float) -> WorkloadQueries:
    """The workload as the log has it now."""
    from sought.demand import visibility_exponent, workload

    found = workload(log, now, normal, selection(config))
    exponent, _ = visibility_exponent(log, now)
    if config.demand.single_words:
        return _split(found, exponent)
    return WorkloadQueries(list(found.texts), found.keys, found.weights, found.held_out, found.rate, exponent)


def with_topics(asked: WorkloadQueries, topics: Sequence[str]) -> WorkloadQueries:
    """Topics as queries, so that their words are counted; they weigh nothing, for nobody asks them."""
    from sought.demand import query_key

    wanted = dict(zip((query_key(text) for text in normal(topics)), topics, strict=True))
    fresh = {key: text for key, text in wanted.items() if asked.text(key) is None}
    if not fresh:
        return asked
    keys = np.concatenate([asked.keys, np.array(list(fresh), np.uint64)])
    order, none = np.argsort(keys), np.zeros(len(fresh))
    texts = [*asked.texts, *fresh.values()]
    return WorkloadQueries(
        [texts[i] for i in order],
        keys[order],
        np.concatenate([asked.weights, none])[order],
        np.concatenate([asked.held_out, none.astype(np.bool_)])[order],
        np.concatenate([asked.rate, none])[order],
        asked.exponent,
    )


def _split(found: "Workload", exponent: float) -> WorkloadQueries:
    """The single words of the queries that are not held out."""
    from sought.demand import query_key

    words, weights = single_words(found.texts, found.weights)
    keys = np.array([query_key(word) for word in words], np.uint64)
    order = np.argsort(keys)
    rate = weights[order] * found.rate[~found.held_out].sum()
    none = np.zeros(len(words), np.bool_)
    texts = [words[i] for i in order]
    return WorkloadQueries(texts, keys[order], weights[order], none, rate, exponent)


def save(asked: WorkloadQueries, store: Store) -> None:
    store.put_meta("workload", [_plain(getattr(asked, each.name)) for each in fields(asked)])


def load(store: Store) -> WorkloadQueries:
    """An empty one if none was ever drawn."""
    kept = store.meta("workload")
    if kept is None:
        return WorkloadQueries()
    texts, keys, weights, held_out, rate, exponent = kept
    return WorkloadQueries(
        texts,
        np.frombuffer(keys, np.uint64),
        np.frombuffer(weights, np.float64).copy(),  # compiled code takes none that cannot be written to
        np.frombuffer(held_out, np.bool_),
        np.frombuffer(rate, np.float64),
        exponent,
    )


def _plain(value: Any) -> Any:
    return value.tobytes() if isinstance(value, np.ndarray) else value


# ---- How much of what people ask for has an answer?


POOR = 10  # results: a query with fewer has a poor answer


def coverage(measure: GainMeasure, asked: WorkloadQueries) -> dict[str, Any]:
    """How much of what is asked has an answer; shares of demand, and of the held-out part where there is one."""
    counts = measure.lists.counts
    found: dict[str, Any] = {"queries": int(np.count_nonzero(asked.rate)), "searches_a_week": float(asked.rate.sum())}
    for name, weights in (("", asked.weights), ("held_out_", asked.held_out_weights)):
        if weights.any():
            found[f"{name}unanswered"] = float(weights[counts == 0].sum())
            found[f"{name}poor"] = float(weights[(counts > 0) & (counts < POOR)].sum())
    return found
