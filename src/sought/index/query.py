"""How is a query parsed?  Words that must all occur, phrases in quotes, perhaps `site:example.org`.

Everything else is literal text; there are no syntax errors.  A page of language L matches if its title, body, anchors
and address have every term of the query in L, so the query is analysed once for each language in the index; languages
with equal terms are combined.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from tantivy import Occur, Query, Schema

from sought.index.analysis import required_terms, terms
from sought.index.fields import PHRASED, WORDED
from sought.web.errors import BadURL
from sought.web.url import canonical, hostname

MAX_QUERY = 1_000  # characters
MAX_TERMS = 32

# Titles and anchors count a little more than words in the text.
BOOST = {"title": 2.0, "anchors": 1.5}
_QUOTES = str.maketrans("“”„«»", '"""""')
_PART = re.compile(r'"([^"]*)"|(?<!\S)site:([^\s"]+)|([^\s"]+)')


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """A parsed query, not yet analysed in a language."""

    words: str = ""
    phrases: tuple[str, ...] = ()
    site: str = ""


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """The terms and phrases that a page of a language must have; a phrase is consecutive terms."""

    terms: tuple[str, ...]
    phrases: tuple[tuple[str, ...], ...]

    @property
    def all_terms(self) -> list[str]:
        """All terms, also those in phrases."""
        return required_terms([*self.terms, *(term for phrase in self.phrases for term in phrase)])


def parse(text: str) -> ParsedQuery:
    words, phrases, site = [], [], ""
    for part in _PART.finditer(text[:MAX_QUERY].translate(_QUOTES)):
        phrase, named, word = part.groups()
        host = _host(named) if named else ""
        if phrase is not None:
            phrases.append(phrase)
        elif host:
            site = host
        else:
            words.append(word or part.group())
    return ParsedQuery(" ".join(words), tuple(phrases), site)


def read(query: ParsedQuery, language: str) -> QueryTerms:
    """The query in a language: at most MAX_TERMS terms; a phrase of one term is just a term."""
    phrases = [tuple(terms(phrase, language)) for phrase in query.phrases]
    words = [*terms(query.words, language), *(term for phrase in phrases if len(phrase) == 1 for term in phrase)]
    distinct = required_terms(words)[:MAX_TERMS]
    kept, room = [], MAX_TERMS - len(distinct)
    for phrase in phrases:
        if len(phrase) > 1 and room > 1:
            kept.append(phrase[:room])
            room -= len(kept[-1])
    return QueryTerms(tuple(distinct), tuple(kept))


def build(asked: ParsedQuery, languages: Iterable[str], schema: Schema, *, relaxed: bool = False) -> Query | None:
    """The tantivy query for pages of these languages; None if it is empty.

    `relaxed`: any term is enough, and phrases are just terms.
    """
    alike: dict[QueryTerms, list[str]] = {}
    for language in languages:
        alike.setdefault(read(asked, language), []).append(language)
    site = [_silent(Query.term_query(schema, "site", asked.site))] if asked.site else []
    groups = []
    for reading, among in alike.items():
        wanted = _some(reading, schema) if relaxed else _all(reading, schema)
        if wanted:
            only = [_silent(Query.term_set_query(schema, "language", among))] if len(alike) > 1 else []
            groups.append(_must([*wanted, *only, *site]))
    return _should(groups) if groups else (_must(site) if site else None)


def _all(reading: QueryTerms, schema: Schema) -> list[Query]:
    return [_anywhere(term, schema) for term in reading.terms] + [_phrase(words, schema) for words in reading.phrases]


def _some(reading: QueryTerms, schema: Schema) -> list[Query]:
    queries = [_anywhere(term, schema) for term in reading.all_terms]
    return [_should(queries)] if queries else []


def _anywhere(term: str, schema: Schema) -> Query:
    return _should([_boosted(Query.term_query(schema, field, term, "freq"), field) for field in WORDED])


def _phrase(words: tuple[str, ...], schema: Schema) -> Query:
    return _should([_boosted(Query.phrase_query(schema, field, list(words)), field) for field in PHRASED])


def _boosted(query: Query, field: str) -> Query:
    return Query.boost_query(query, BOOST[field]) if field in BOOST else query


def _silent(query: Query) -> Query:
    """A query that must match but does not score."""
    return Query.const_score_query(query, 0.0)


def _must(queries: list[Query]) -> Query:
    return Query.boolean_query([(Occur.Must, query) for query in queries])


def _should(queries: list[Query]) -> Query:
    return queries[0] if len(queries) == 1 else Query.boolean_query([(Occur.Should, query) for query in queries])


def _host(named: str) -> str:
    try:
        return hostname(canonical(f"http://{named}/"))
    except BadURL:
        return ""
