"""What does a page say?  Readable sentences about its subject, put together from a key."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sought.toyweb.dice import rolls
from sought.toyweb.vocabulary import (
    ENGLISH,
    FIRST_NAMES,
    HEADINGS,
    KINDS,
    LANGUAGES,
    LAST_NAMES,
    PLACES,
    TITLES,
    Subject,
)

FOREIGN = {language.code: language for language in LANGUAGES}
_SLOT = re.compile(r"(\ba )?\{(\w+)\}")
_NUMBERS = {
    "number": tuple(str(n) for n in range(12, 97)),
    "small": tuple(str(n) for n in range(2, 10)),
    "year": tuple(str(n) for n in range(1820, 2021)),
}


@dataclass(frozen=True, slots=True)
class Voice:
    """How one page speaks: sentences with slots, and the words that may fill each slot.

    A page has one kind of things that it is about, one place and one person, so that a search for them can find it
    among all the others.
    """

    language: str
    kind: str
    place: str
    words: Mapping[str, Sequence[str]]
    sentences: tuple[str, ...]
    titles: tuple[str, ...]
    headings: tuple[str, ...]

    def say(self, templates: Sequence[str], rolled: Iterator[int]) -> str:
        """One of `templates`, filled."""
        pattern, slots = _compiled(templates[next(rolled) % len(templates)])
        words = self.words
        return pattern % tuple([(choices := words[slot])[next(rolled) % len(choices)] for slot in slots])


def voice(subject: Subject, language: str, *key: object) -> Voice:
    """The voice that belongs to `key`: English about `subject`, small talk in any other language."""
    rolled = rolls("voice", *key)
    kind, first, last = (_choice(names, rolled) for names in (KINDS, FIRST_NAMES, LAST_NAMES))
    place = f"{kind.capitalize()} {_choice(PLACES, rolled)}"
    if language in FOREIGN:
        tongue = FOREIGN[language]
        words = {"a": tongue.phrases, "b": tongue.phrases, "name": (place,), **_NUMBERS}
        return Voice(language, kind, place, words, tongue.sentences, tongue.titles, tongue.titles)
    # Three nouns are what the page is about: they are said as often as all the others together.
    nouns = subject.nouns + tuple(subject.nouns[next(rolled) % len(subject.nouns)] for _ in range(3)) * (
        len(subject.nouns) // 3
    )
    words = {"noun": nouns, "noun2": subject.nouns, "adj": subject.adjectives, "verb": subject.verbs}
    words |= {"person": subject.people, "place": (place,), "name": (f"{first} {last}",), **_NUMBERS}
    words |= {"kind": (kind,)}
    words |= {
        f"a {slot}": tuple(map(_with_article, words[slot])) for slot in ("noun", "noun2", "adj", "person", "kind")
    }
    return Voice("en", kind, place, words, ENGLISH, TITLES, HEADINGS)


def _choice(names: Sequence[str], rolled: Iterator[int]) -> str:
    return names[(next(rolled) << 8 | next(rolled)) % len(names)]


@lru_cache(maxsize=1024)
def _compiled(template: str) -> tuple[str, tuple[str, ...]]:
    return _SLOT.sub("%s", template), tuple(article + slot for article, slot in _SLOT.findall(template))


def _with_article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiouAEIOU" else f"a {word}"


def title(who: Voice, *key: object) -> str:
    said = who.say(who.titles, rolls("title", *key))
    return said[:1].upper() + said[1:]


def heading(who: Voice, *key: object) -> str:
    return who.say(who.headings, rolls("heading", *key))


def paragraph(who: Voice, *key: object) -> str:
    """Four to eight sentences that belong to `key`."""
    rolled = rolls("paragraph", *key)
    return " ".join([who.say(who.sentences, rolled) for _ in range(4 + next(rolled) % 5)])


def slug(text: str) -> str:
    """The part of a title that can stand in an address."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "page"
