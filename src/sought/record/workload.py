"""By which queries does a crawl measure its fetches?  The workload: drawn from the query log, kept in the store."""

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

if TYPE_CHECKING:  # reading query logs takes 30 MB of libraries, which a crawl without one does not load
    from sought.demand import QueryLog, Selection, Workload

FOLDER = "queries"


@dataclass(frozen=True)
class WorkloadQueries:
    """Queries in order of their keys, column by column."""

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
        """Weights of the held-out queries, which steer nothing; they sum to 1, if there are any."""
        rates = np.where(self.held_out, self.rate, 0.0)
        return rates / rates.sum() if rates.any() else rates


def query_log(path: Path, config: Config) -> "QueryLog":
    """The query log of a crawl directory."""
    from sought.demand import QueryLog

    return QueryLog(path / FOLDER, seconds(config.demand.keep))


def selection(config: Config) -> "Selection":
    """How the workload is drawn, by sought.toml."""
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
    """The present workload of the log."""
    from sought.demand import visibility_exponent, workload

    drawn = workload(log, now, normal, selection(config))
    exponent, _ = visibility_exponent(log, now)
    if config.demand.single_words:
        return _split(drawn, exponent)
    return WorkloadQueries(list(drawn.texts), drawn.keys, drawn.weights, drawn.held_out, drawn.rate, exponent)


def with_topics(asked: WorkloadQueries, topics: Sequence[str]) -> WorkloadQueries:
    """The workload with topics as further queries of weight 0, so that their words are counted."""
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


def _split(drawn: "Workload", exponent: float) -> WorkloadQueries:
    """The single words of the queries that are not held out."""
    from sought.demand import query_key

    words, weights = single_words(drawn.texts, drawn.weights)
    keys = np.array([query_key(word) for word in words], np.uint64)
    order = np.argsort(keys)
    rate = weights[order] * drawn.rate[~drawn.held_out].sum()
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
        np.frombuffer(weights, np.float64).copy(),  # compiled code needs a writable array
        np.frombuffer(held_out, np.bool_),
        np.frombuffer(rate, np.float64),
        exponent,
    )


def _plain(value: Any) -> Any:
    return value.tobytes() if isinstance(value, np.ndarray) else value


POOR = 10  # results: a query with fewer has a poor answer


def coverage(measure: GainMeasure, asked: WorkloadQueries) -> dict[str, Any]:
    """How much of the demand has an answer: shares of all queries, and of the held-out ones if there are any."""
    counts = measure.lists.counts
    report: dict[str, Any] = {"queries": int(np.count_nonzero(asked.rate)), "searches_a_week": float(asked.rate.sum())}
    for name, weights in (("", asked.weights), ("held_out_", asked.held_out_weights)):
        if weights.any():
            report[f"{name}unanswered"] = float(weights[counts == 0].sum())
            report[f"{name}poor"] = float(weights[(counts > 0) & (counts < POOR)].sum())
    return report
