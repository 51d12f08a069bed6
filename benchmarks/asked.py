"""A workload of any size for given pages: queries as somebody asks who has seen a page and looks for it again.

A page is drawn, and words from it, each in proportion to how often the page holds it and how rare it is elsewhere (L.
Azzopardi, M. de Rijke, K. Balog, Building simulated queries for known-item topics, SIGIR 2007).  Lengths are those of
real queries.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from sought.index.analysis import words

_ROUNDS = 20


def simulated(texts: Sequence[str], real: Sequence[str], count: int, seed: int = 1) -> list[str]:
    """Distinct queries: the real ones first, then as many made-up ones as it takes (or as can be made)."""
    rng = np.random.default_rng(seed)
    asked = dict.fromkeys(real[:count])
    lengths = np.array([len(words(text)) for text in real])
    held = [Counter(words(text)) for text in texts]
    spread = Counter(word for page in held for word in page)
    for _ in range(_ROUNDS):
        missing = count - len(asked)
        if missing <= 0:
            break
        for page in held:
            asked.update(dict.fromkeys(_queries(page, spread, len(held), lengths, -(-missing // len(held)), rng)))
    return list(asked)[:count]


def _queries(
    page: "Counter[str]", spread: "Counter[str]", pages: int, lengths: np.ndarray, count: int, rng: np.random.Generator
) -> list[str]:
    known = np.array(list(page))
    if not len(known):
        return []
    weight = np.array([page[word] * np.log((pages + 1) / spread[word]) for word in page])
    # The largest of weighted exponential clocks: draws without replacement, many queries at once.
    order = np.argsort(rng.exponential(size=(count, len(known))) / weight, axis=1)
    size = np.minimum(rng.choice(lengths, count).clip(1), len(known))
    return [" ".join(known[order[i, : size[i]]]) for i in range(count)]
