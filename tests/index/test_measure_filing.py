"""Queries under their rarest terms, for each language that pages come in."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sought.index.analysis import LANGUAGES, NO_STEMMER, terms
from sought.index.filing import Filing, normal, query_words, terms_of_queries
from sought.index.query import MAX_TERMS
from sought.index.vectors import Vocabulary
from tests.testing.plain_measure import WORDS, wanted

EN, FR, XX = (LANGUAGES.index(each) for each in ("en", "fr", NO_STEMMER))
WORD = st.sampled_from([word for words in WORDS.values() for word in words])
QUERY = st.lists(WORD | st.text(max_size=3), max_size=5).map(" ".join)


def filed(filing, language, frequency):
    """What is in the file of a language: of each query its terms, the one it is filed under first."""
    files, names = filing.file(frequency), list(filing._vocabulary.numbers)
    found: dict[int, list[str]] = {}
    row = files.start[files.file[language]].tolist()
    for at, (start, stop) in enumerate(pairwise(row)):
        term, length = divmod(at, 3)
        for i in range(start, stop):
            others = files.others[files.first[i] : files.first[i + 1]].tolist()
            assert files.query[i] not in found
            assert (len(others) > 0) == (length == 2)
            second = [files.second[i]] if length else []
            found[int(files.query[i])] = [names[each] for each in [term, *second, *others]]
    return found


@settings(deadline=None)
@given(st.lists(QUERY, max_size=8), st.permutations([EN, FR, XX]), st.lists(st.integers(0, 3), max_size=12))
def test_every_query_is_filed_once_under_a_rarest_term(queries, languages, frequency):
    """In each language, with all the terms it reads there; a query without terms is in no file."""
    filing = Filing(queries, Vocabulary())
    for language in languages[:2]:
        filing.read(language)
    counts = np.array(frequency, np.int64)
    rarity = dict(zip(filing._vocabulary.numbers, [*frequency, *[0] * 99], strict=False))
    for language in languages[:2]:
        read = {q: wanted(query, LANGUAGES[language]) for q, query in enumerate(queries)}
        found = filed(filing, language, counts)
        assert {q: sorted(each) for q, each in found.items()} == {q: sorted(each) for q, each in read.items() if each}
        for each in found.values():
            assert [rarity[term] for term in each] == sorted(rarity[term] for term in each)
    assert filing.languages == sorted(languages[:2])
    assert filing.file(counts).file[languages[2]] == -1


def test_among_equally_rare_terms_the_one_few_queries_ask_for():
    """So that before the first page "the" is not what half of all queries are filed under."""
    filing = Filing(["the boat", "the city", "the lake", "the"], Vocabulary())
    filing.read(XX)
    nobody = np.zeros(0, np.int64)
    assert [each[0] for _, each in sorted(filed(filing, XX, nobody).items())] == ["boat", "city", "lake", "the"]
    filing.files = None
    numbers = filing._vocabulary.numbers
    frequency = np.array([0 if term == "the" else 1 for term in numbers], np.int64)
    assert {each[0] for each in filed(filing, XX, frequency).values()} == {"the"}


@given(st.permutations(range(len(LANGUAGES))), st.lists(st.integers(0, 2), max_size=8))
def test_a_file_does_not_depend_on_other_languages(order, frequency):
    """Scores are sums of terms in this order: rounded otherwise, a page would not be found in its lists again."""
    queries = ["running cities lakes boats", "boats running", "lakes desire running été", "cities lakes boats désirée"]
    filing, counts = Filing(queries, Vocabulary()), np.array(frequency, np.int64)
    before: dict[int, dict[int, list[str]]] = {}
    for language in order[:4]:
        filing.read(language)
        for each, was in before.items():
            assert filed(filing, each, counts) == was
        before[language] = filed(filing, language, counts)


def test_the_vocabulary_grows_when_a_language_is_met():
    """Each adds the terms that only its pages hold; numbers given before stay, and a language is read once."""
    vocabulary = Vocabulary(["kept"])
    filing = Filing(["running cities"], vocabulary)
    filing.read(EN)
    assert list(vocabulary.numbers) == ["kept", "run", "citi"]
    filing.read(XX)
    filing.read(EN)
    assert list(vocabulary.numbers) == ["kept", "run", "citi", "running", "cities"]
    starts, found = filing.terms(EN)
    assert (starts.tolist(), found.tolist()) == ([0, 2], [1, 2])
    assert filing.terms(FR)[0].tolist() == [0, 2]
    assert filing.languages == [XX, EN, FR]


def test_files_are_made_anew_only_when_they_must_be():
    """A language that is met asks for it, terms that another workload brings do not."""
    vocabulary = Vocabulary()
    filing, none = Filing(["running"], vocabulary), np.zeros(0, np.int64)
    filing.read(EN)
    files = filing.file(none)
    vocabulary.add(["later"])
    assert filing.file(none) is files
    assert files.start.shape == (1, 4)
    filing.read(XX)
    assert filing.file(none).start.shape == (2, 10)


def test_queries_confined_to_a_site_are_left_out():
    """No workload can measure them; what only looks like it is words."""
    assert query_words("boat site:example.org") == ""
    assert query_words("site:") == "site:"
    assert query_words("boat website:x") == "boat website:x"
    assert terms_of_queries(["boat site:example.org", "?", "", "boat"], "en") == [[], [], [], ["boat"]]


def test_quotes_are_read_as_words():
    """Whichever quotes, closed or not."""
    for query in ('boat "running lakes"', "boat „running lakes“", 'boat "running" "lakes"', 'boat "running lakes'):
        assert sorted(terms(query_words(query), "en")) == ["boat", "lake", "run"]


@given(st.permutations(["boat", "Lake", "東京都", "état", "boat"]))
def test_the_normal_form_does_not_depend_on_order_or_case(words):
    """Nor on a word that comes twice, or characters that pairs imply."""
    assert normal([" ".join(words), f"{' '.join(words).upper()} 京"]) == ["boat etat lake 京都 東京"] * 2


def test_the_normal_form_of_nothing():
    """Neither words nor sites: empty, by which a workload leaves a query out."""
    assert normal(["", "?!", "boat site:example.org", '""']) == ["", "", "", ""]


@pytest.mark.parametrize("count", [MAX_TERMS - 1, MAX_TERMS, MAX_TERMS + 1])
def test_terms_beyond_the_limit_are_not_asked_for(count):
    """As the index does it."""
    query = " ".join(f"w{i}" for i in range(count))
    assert len(terms_of_queries([query], "en")[0]) == min(count, MAX_TERMS)


def test_no_queries_no_files():
    """A workload may be empty."""
    filing = Filing([], Vocabulary())
    filing.read(EN)
    filing.read(FR)
    assert filed(filing, EN, np.zeros(0, np.int64)) == {}
    assert Filing(["a"], Vocabulary()).file(np.zeros(0, np.int64)).start.shape == (0, 1)
