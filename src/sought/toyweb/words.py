"""What is the text of a page?  Readable sentences about its subject, generated from a key."""

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
    """The style of one page: sentences with slots, and the words that may fill each slot.

    A page has one kind of things, one place and one person, so that a search for them can find it.
    """

    language: str
    kind: str
    place: str
    words: Mapping[str, Sequence[str]]
    sentences: tuple[str, ...]
    titles: tuple[str, ...]
    headings: tuple[str, ...]

    def say(self, templates: Sequence[str], random_bytes: Iterator[int]) -> str:
        """One of `templates`, filled."""
        pattern, slots = _compiled(templates[next(random_bytes) % len(templates)])
        words = self.words
        return pattern % tuple([(choices := words[slot])[next(random_bytes) % len(choices)] for slot in slots])


def voice(subject: Subject, language: str, *key: object) -> Voice:
    """The voice of `key`: English about `subject`, small talk in other languages."""
    random_bytes = rolls("voice", *key)
    kind, first, last = (_choice(names, random_bytes) for names in (KINDS, FIRST_NAMES, LAST_NAMES))
    place = f"{kind.capitalize()} {_choice(PLACES, random_bytes)}"
    if language in FOREIGN:
        tongue = FOREIGN[language]
        words = {"a": tongue.phrases, "b": tongue.phrases, "name": (place,), **_NUMBERS}
        return Voice(language, kind, place, words, tongue.sentences, tongue.titles, tongue.titles)
    # Three nouns are the topic of the page: they occur as often as all others together.
    nouns = subject.nouns + tuple(subject.nouns[next(random_bytes) % len(subject.nouns)] for _ in range(3)) * (
        len(subject.nouns) // 3
    )
    words = {"noun": nouns, "noun2": subject.nouns, "adj": subject.adjectives, "verb": subject.verbs}
    words |= {"person": subject.people, "place": (place,), "name": (f"{first} {last}",), **_NUMBERS}
    words |= {"kind": (kind,)}
    words |= {
        f"a {slot}": tuple(map(_with_article, words[slot])) for slot in ("noun", "noun2", "adj", "person", "kind")
    }
    return Voice("en", kind, place, words, ENGLISH, TITLES, HEADINGS)


def _choice(names: Sequence[str], random_bytes: Iterator[int]) -> str:
    return names[(next(random_bytes) << 8 | next(random_bytes)) % len(names)]


@lru_cache(maxsize=1024)
def _compiled(template: str) -> tuple[str, tuple[str, ...]]:
    return _SLOT.sub("%s", template), tuple(article + slot for article, slot in _SLOT.findall(template))


def _with_article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiouAEIOU" else f"a {word}"


def title(who: Voice, *key: object) -> str:
    text = who.say(who.titles, rolls("title", *key))
    return text[:1].upper() + text[1:]


def heading(who: Voice, *key: object) -> str:
    return who.say(who.headings, rolls("heading", *key))


def paragraph(who: Voice, *key: object) -> str:
    """Four to eight sentences from `key`."""
    random_bytes = rolls("paragraph", *key)
    return " ".join([who.say(who.sentences, random_bytes) for _ in range(4 + next(random_bytes) % 5)])


def slug(text: str) -> str:
    """A title as part of an address."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "page"
