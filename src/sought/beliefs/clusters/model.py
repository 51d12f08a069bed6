"""By what are pages assigned to clusters?  The result of clustering, as the store keeps it.

The cluster of a page follows from it and from what is stored of the page, so every process that opens the crawl agrees.
A model that cannot be read, or was written for other features, is ignored: clusters are made anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from sought.beliefs.clusters.collection import PageCollection, Singles, Space
from sought.beliefs.clusters.keywords import BestKeywords
from sought.beliefs.clusters.scaling import Kind, Scaling
from sought.beliefs.clusters.words import ChosenWords
from sought.record.store import Store, meta_pair
from sought.web.errors import BadInput

PREFIX = "clusters "


@dataclass(frozen=True, eq=False)
class Model:
    """Words, scales and centres, and how many fetches there had been."""

    collection: PageCollection
    scaling: Scaling
    centroids: Singles
    fetches: int


def save(model: Model, name: str, store: Store) -> None:
    """At once; a megabyte, or less."""
    collection, scaling = model.collection, model.scaling
    kept = [
        [collection.dims, list(collection.terms), list(collection.domains), model.fetches],
        [list(collection.keywords), list(collection.spelled), collection.spelled_for.tolist()],
        [list(scaling.kinds), list(scaling.low), list(scaling.high)],
        [_packed(each) for each in (collection.term_weights, *_arrays(collection), model.centroids)],
    ]
    store.write([meta_pair(PREFIX + name, kept)])


def load(name: str, store: Store, kinds: Sequence[Kind]) -> Model | None:
    """None if there is none of features of these kinds."""
    try:
        model = _read(store.meta(PREFIX + name))
    except (BadInput, TypeError, ValueError, msgspec.DecodeError):  # nothing, damaged, or of another version
        return None
    fits = model.scaling.kinds == tuple(kinds) and model.centroids.shape[1:] == (len(kinds),) and len(model.centroids)
    return model if fits else None


def _read(kept: Any) -> Model:
    (dims, terms, domains, fetches), (keywords, spelled, spelled_for), (kinds, low, high), arrays = kept
    term_weights, pages, of_pages, words, weights, urls, of_urls, scores, keys, centroids = map(_unpacked, arrays)
    collection = PageCollection(
        dims=dims,
        terms=terms,
        term_weights=term_weights,
        pages=Space(pages, of_pages),
        words=ChosenWords(words, weights),
        addresses=Space(urls, of_urls),
        domains=domains,
        keywords=keywords,
        spelled=spelled,
        spelled_for=np.array(spelled_for, np.int64),
        best=BestKeywords(scores, keys),
    )
    return Model(collection, Scaling(tuple(kinds), tuple(low), tuple(high)), centroids, fetches)


def stored_names(store: Store) -> list[str]:
    """Of the models there are."""
    start = b"m" + PREFIX.encode()
    return [key[len(start) :].decode() for key, _ in store.scan(start)]


def _arrays(collection: PageCollection) -> tuple[NDArray[Any], ...]:
    spaces = collection.pages, collection.addresses
    (pages, of_pages), (urls, of_urls) = ((each.centroids, each.distances) for each in spaces)
    return (
        pages,
        of_pages,
        collection.words.words,
        collection.words.weights,
        urls,
        of_urls,
        collection.best.scores,
        collection.best.keys,
    )


def _packed(array: NDArray[Any]) -> list[Any]:
    return [array.dtype.str, list(array.shape), array.tobytes()]


def _unpacked(packed: list[Any]) -> NDArray[Any]:
    kind, shape, data = packed
    return np.frombuffer(data, kind).reshape(shape)
