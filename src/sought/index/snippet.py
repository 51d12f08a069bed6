"""Which part of a page shows why it was found?"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from sought.index.analysis import UNSEGMENTED, find_terms, stem_words, words
from sought.index.spots import INSIDE, encode_terms

WIDTH = 240  # characters
_LEAD = 60  # of these before the first query word
_STRETCH = 4_000
_MAX_FOUND = 100
_MAX_WORDS = 100
_LETTER = re.compile(rf"[^\W_{UNSEGMENTED}]")
_UNSEGMENTED = re.compile(f"[{UNSEGMENTED}]")


class WordMatch(NamedTuple):
    """A query word and its position in the body."""

    start: int
    end: int
    term: str


class SnippetTerms:
    """The terms of a query in the language of a page."""

    def __init__(self, terms: Iterable[str]) -> None:
        self.terms = tuple(terms)
        self.encoded = encode_terms(self.terms)


def snippet(body: str, wanted: SnippetTerms, language: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of a body with most of the wanted terms, and their positions in it."""
    found: list[WordMatch] = []
    shown: list[WordMatch] = []
    for start, end in _stretches(body):
        more = list(islice(_occurrences(body[start:end], start, wanted, language), _MAX_FOUND - len(found)))
        found += more
        shown = _densest(found) if more else shown
        if len(found) == _MAX_FOUND or len({each.term for each in shown}) == len(wanted.terms):
            break
    start, end = _window(body, shown)
    before, after = "… " if start else "", " …" if end < len(body) else ""
    shift = len(before) - start
    inside = [(each.start + shift, each.end + shift) for each in found if each.start >= start and each.end <= end]
    return f"{before}{body[start:end]}{after}", tuple(_merged(inside))


def _stretches(body: str) -> Iterator[tuple[int, int]]:
    """Stretches of growing length: most pages have the terms early, and the rest is read only if needed."""
    start, length = 0, _STRETCH
    while start < len(body):
        end = start + length
        if end < len(body):
            end = body.rfind(" ", start + WIDTH, end) + 1 or end
        yield start, end
        start, length = end, 2 * length


def _occurrences(stretch: str, offset: int, wanted: SnippetTerms, language: str) -> Iterator[WordMatch]:
    """Find the pieces that have wanted terms, then the positions in these pieces."""
    text, spots = find_terms(stretch, wanted.encoded, language)
    at, passed = 0, offset  # bytes of the stretch, characters of the body
    for start, stop, term in spots:
        passed += start - at if stretch.isascii() else len(text[at:start].decode())
        at = start
        if term != INSIDE:
            yield WordMatch(passed, passed + stop - start, wanted.terms[term])
        else:
            piece = text[start:stop].decode()
            yield from (
                WordMatch(passed + a, passed + b, each) for a, b, each in _within(piece, wanted.terms, language)
            )


def _within(piece: str, wanted: Sequence[str], language: str) -> Iterator[WordMatch]:
    distinct = list(set(words(piece)))
    term_of = {
        word: term for word, term in zip(distinct, stem_words(distinct, language), strict=True) if term in wanted
    }
    lowered = piece.lower()
    if len(lowered) != len(piece):
        lowered = piece  # rather miss a capital than mark the wrong position
    longest_first = sorted(term_of, key=len, reverse=True)[:_MAX_WORDS]
    for place in re.finditer(f"(?=({'|'.join(map(re.escape, longest_first))}))", lowered):
        start, end = place.span(1)
        if _stands_alone(lowered, start, end):
            yield WordMatch(start, end, term_of[place[1]])


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether it is not a part of a longer word; scripts without spaces have none."""
    if _UNSEGMENTED.match(text, start):
        return True
    return not (_LETTER.match(text, start - 1) if start else None) and not _LETTER.match(text, end)


def _densest(found: list[WordMatch]) -> list[WordMatch]:
    """The first group within a snippet's width that has most distinct terms, then most words."""
    best: list[WordMatch] = []
    most = (0, 0)
    end = 0
    for i, first in enumerate(found):
        while end < len(found) and found[end].end - first.start <= WIDTH - _LEAD:
            end += 1
        near = found[i:end]
        value = (len({each.term for each in near}), len(near))
        if value > most:
            best, most = near, value
    return best


def _window(body: str, shown: list[WordMatch]) -> tuple[int, int]:
    """Where to cut: some words before the first match, at white space if possible."""
    first, last = (shown[0].start, shown[-1].end) if shown else (0, 0)
    start = max(0, first - _LEAD)
    if start:
        start = body.find(" ", start, first) + 1 or start
    end = start + WIDTH
    if end < len(body):
        cut = body.rfind(" ", max(last, start + WIDTH // 2), end + 1)
        end = cut if cut > 0 else end
    return start, min(end, len(body))


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that touch or overlap, such as pairs of characters of one word."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
