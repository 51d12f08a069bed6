"""Words that do not exist, queries of them, and the vectors of pages that hold them."""

import numpy as np
from numpy.typing import NDArray

from sought.index.analysis import LANGUAGES
from sought.index.vectors import EACH, FIELDS, HEAD, Vector, Vocabulary

LANGUAGE = "en"
LONG, TITLE = 100, 4  # words of a page, of which so many are its title
_WORDS, _FIRST = (
    50_000,
    50,
)  # of the language; its n-th word is used as often as 1/(n + 50): there are no function words
_LENGTHS = (0.15, 0.5, 0.35)  # of queries: shares of those of one, two and three words
_BODY = _ADDRESS = 1 << 16  # where a vector counts them
_SEED = 1949

Rows = NDArray[np.int64]


class Words:
    """Words by number, the most frequent first, and different queries of one to three."""

    def __init__(self, queries: int) -> None:
        self.long = LONG
        self.spelled = np.array([f"w{number}ord" for number in range(_WORDS)])
        chances = np.cumsum(1.0 / np.arange(_FIRST, _FIRST + _WORDS))
        self._ends = chances / chances[-1]
        self.terms = np.full(_WORDS, -1)
        dice, found = np.random.default_rng(_SEED), dict[str, None]()
        while len(found) < queries:
            lengths = 1 + dice.choice(len(_LENGTHS), queries, p=_LENGTHS)
            some = self.spelled[self.drawn(dice, (queries, len(_LENGTHS)))].tolist()
            found.update((" ".join(dict.fromkeys(words[:n])), None) for n, words in zip(lengths, some, strict=True))
        self.queries = list(found)[:queries]

    def drawn(self, dice: np.random.Generator, shape: tuple[int, int]) -> Rows:
        """Numbers of words."""
        return np.minimum(np.searchsorted(self._ends, dice.random(shape)), _WORDS - 1)

    def texts(self, drawn: Rows) -> list[str]:
        """Those of each row with spaces between them."""
        return [" ".join(words) for words in self.spelled[drawn].tolist()]

    def number(self, vocabulary: Vocabulary) -> None:
        """Learn which number each word has there, if any."""
        self.terms = np.array([vocabulary.numbers.get(word, -1) for word in self.spelled.tolist()])


def vectors(words: Words, page: Rows, address: Rows) -> tuple[Vector, Rows]:
    """Those that a Counter would count, end to end, and where each begins: of pages that begin with their title.

    Beside words an address has four parts that nobody asks for: www, its site, example and a number.
    """
    pages, size = len(page), int(words.terms.max()) + 1
    tokens = words.terms[np.concatenate([page, address], axis=1)]
    in_first = np.repeat([1, _BODY, 0], [TITLE, page.shape[1] - TITLE, address.shape[1]])
    in_second = np.repeat([0, _ADDRESS], [page.shape[1], address.shape[1]])
    at, column = np.nonzero(tokens >= 0)
    found, place = np.unique(at * size + tokens[at, column], return_inverse=True)
    owner = found // size
    bounds = np.concatenate([[0], np.cumsum(HEAD + EACH * np.bincount(owner, minlength=pages))])
    data = np.zeros(bounds[-1], np.uint32)
    data[bounds[:-1, None] + np.arange(1 + FIELDS)] = (
        *(LANGUAGES.index(LANGUAGE), TITLE, page.shape[1] - TITLE),
        *(0, address.shape[1] + 4),
    )
    entry = np.arange(len(found)) * EACH + HEAD * (owner + 1)
    data[entry] = found % size
    data[entry + 1], data[entry + 2] = np.bincount(place, in_first[column]), np.bincount(place, in_second[column])
    return data, bounds
