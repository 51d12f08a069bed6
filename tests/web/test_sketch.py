"""Promises of sought.web.sketch: what two texts have in common."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.duplicates import run
from sought.web.sketch import BANDS, SKETCH_SIZE, bands, difference, shingles, similarity, sketch, words

TEXT = (
    "The quick brown fox jumps over the lazy dog; naïve ÉTUDES, Привет МИР, 東京タワー and 12 more words follow here."
)
TEXTS = st.lists(
    st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]), max_size=60
).map(" ".join)


def test_nothing_that_is_stored_ever_changes() -> None:
    """Hashes, sketches and bands are the same in every version and process."""
    assert words("Hello").tolist() == [16844978562278765124]
    assert shingles(TEXT)[:2].tolist() == [2500430449721279681, 3044659803782793277]
    assert sketch(shingles(TEXT))[:3].tolist() == [4133393268, 3915303170, 609696115]
    assert bands(sketch(shingles(TEXT)))[:2] == (770926919111570779, 7458944492486776392)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Hello, World", "hello   world!"),
        ("naïve ÉTUDES", "NAÏVE études"),
        ("Привет МИР Ёж", "привет мир ёж"),
        ("ΑΒΓ Łódź Ňu", "αβγ łódź ňu"),
        ("“quoted” — dash", "quoted dash"),
        ("東京", "東 京"),
        ("東京。タワー", "東京 タワー"),
        ("a\u00a0b", "a b"),
    ],
)
def test_words_ignore_case_and_punctuation(text: str, same: str) -> None:
    """Case and what stands between words do not matter; scripts without spaces are words sign by sign."""
    assert words(text).tolist() == words(same).tolist()


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), (" .,-", 0), ("it's", 2), ("x1 2y", 2), ("東京タワー", 5), ("한국어", 1)]
)
def test_words_are_counted(text: str, count: int) -> None:
    """A word is a run of letters and digits."""
    assert len(words(text)) == count


@given(st.text())
def test_any_text_can_be_sketched(text: str) -> None:
    """Nothing fails, sets are sorted, and an empty text has an empty sketch."""
    found = shingles(text)
    assert np.all(found[:-1] < found[1:])
    assert len(sketch(found)) == (SKETCH_SIZE if len(words(text)) else 0)
    assert len(bands(sketch(found))) == (BANDS if len(words(text)) else 0)


@pytest.mark.parametrize("text", ["x y " * 5000, " ".join(f"w{i * i % 9973}" for i in range(20_000)), "a " * 40])
def test_shingles_are_a_set(text: str) -> None:
    """However often a text repeats itself, each run of words is there once, in order."""
    split = text.split()
    found = shingles(text)
    assert len(found) == len({tuple(split[i : i + 10]) for i in range(len(split) - 9)})
    assert np.array_equal(found, np.unique(found))


@given(TEXTS, TEXTS)
def test_difference_is_that_of_the_sets(a: str, b: str) -> None:
    """1 - |A∩B| / |A∪B|, checked against Python's sets of word runs."""

    def runs(text: str) -> set[tuple[str, ...]]:
        split = text.split()
        k = min(10, len(split))
        return {tuple(split[i : i + k]) for i in range(len(split) - k + 1)} if k else set()

    one, other = runs(a), runs(b)
    expected = 1 - len(one & other) / len(one | other) if one | other else 0.0
    assert difference(shingles(a), shingles(b)) == pytest.approx(expected)


@given(TEXTS)
def test_a_text_is_like_itself(text: str) -> None:
    """Equal texts have equal sketches and share all bands."""
    one = sketch(shingles(text))
    assert similarity(one, sketch(shingles(text))) == 1.0
    assert bands(one) == bands(sketch(shingles(text)))


def test_empty_and_not_empty_are_unlike() -> None:
    """A text and nothing have nothing in common."""
    assert difference(shingles(""), shingles("a b")) == 1.0
    assert similarity(sketch(shingles("")), sketch(shingles("a b"))) == 0.0


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_similarity_estimates_resemblance(share: float) -> None:
    """Over many pairs of sets the mean estimate is the true resemblance, within three standard errors."""
    make = np.random.default_rng(1)
    pairs, size = 200, 400
    common = round(2 * size * share / (1 + share))
    estimates = []
    for _ in range(pairs):
        pool = np.unique(make.integers(0, 2**64, 2 * size, np.uint64))[: 2 * size - common]
        make.shuffle(pool)
        one, other = np.sort(pool[:size]), np.sort(pool[size - common : 2 * size - common])
        estimates.append(similarity(sketch(one), sketch(other)))
    error = 3 * np.sqrt(share * (1 - share) / SKETCH_SIZE / pairs)
    assert np.mean(estimates) == pytest.approx(share, abs=error + 1 / size)


def test_near_duplicates_are_found_and_different_pages_left_alone() -> None:
    """On labelled pairs at least 94 % of near-duplicates are found, and 99 % of what is found is one."""
    found = run(seed=3, pairs=600)
    assert found["pairs"] == 600
    assert found["recall"] >= 0.94
    assert found["precision"] >= 0.99
    assert found["docs_per_s"] > 0
