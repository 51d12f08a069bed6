"""Which terms does a text have?  Pages and queries are analysed alike.

1. Words are runs of letters and digits, lower-cased.  Text that is not ASCII is normalised (NFKC), and marks that
   would split words are removed: remaining accents, vowel points, tone marks, viramas, soft hyphens.
2. Scripts written without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese; and Korean, whose
   particles stick to words) become single characters and overlapping pairs: `東京都` is `東 東京 京 京都 都`.
   Every part of a run is then part of its terms, so that single characters and phrases are found exactly.
3. A term is a word stemmed by the page's language, if tantivy has a stemmer for it (Snowball), then folded to ASCII.
   Over-long words are dropped; stop words stay (people ask for "to be").

All languages share each field of the index; only the stemmer differs.  With fields per language BM25 would have
document frequencies and average lengths per language, and would favour pages in rare languages.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise

from tantivy import Filter, TextAnalyzerBuilder, Tokenizer

from sought.index.lexicon import Lexicon
from sought.index.pieces import MAX_WORD, PUNCTUATION
from sought.index.spots import Wanted

MAX_TEXT = 1 << 20  # bytes of a text that are analysed; the rest is not searchable
NO_STEMMER = "xx"

UNSEGMENTED = (
    "\u0e00-\u0e3e\u0e40-\u0eff"  # Thai, Lao
    "\u1000-\u109f\u1780-\u17ff"  # Burmese, Khmer
    "\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Japanese
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
    "\uac00-\ud7a3"  # Hangul
)  # the inside of a regular expression's character class

_STEMMERS = {
    "ar": "arabic",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
}
_ALIASES = {"nb": "no", "nn": "no"}
LANGUAGES = (NO_STEMMER, *_STEMMERS)  # all values of `stemming`; crawls have stored their order
_RUN = re.compile(f"[{UNSEGMENTED}]+")
_ASCII_WORDS = bytes(c if c > 127 or chr(c).isalnum() else ord(" ") for c in range(256)).lower()


@lru_cache(maxsize=1024)
def stemming(language: str) -> str:
    """The stemmer's language: `en` for `en-GB`, `xx` if there is no stemmer."""
    code = language.replace("_", "-").partition("-")[0].lower()
    code = _ALIASES.get(code, code)
    return code if code in _STEMMERS else NO_STEMMER


def terms(text: str, language: str) -> list[str]:
    """The terms of a text in order, exactly as in the index."""
    return reading(text, language).split()


def reading(text: str, language: str) -> str:
    """The same terms as one string with white space between them."""
    return _lexicon(stemming(language)).reading(clip(text, MAX_TEXT))


def find_terms(text: str, wanted: Wanted, language: str) -> tuple[bytes, list[list[int]]]:
    """The positions of some terms in a text (`Lexicon.spotted`)."""
    return _lexicon(stemming(language)).spotted(clip(text, MAX_TEXT), wanted)


def words(text: str) -> list[str]:
    """The words of a text, lower-cased; runs of scripts without spaces as characters and pairs."""
    if not text.isascii():
        for mark in PUNCTUATION:
            text = text.replace(mark, " ")
    if not text.isascii():
        text = " ".join([piece if piece.isascii() else _plain(piece) for piece in text.split()])
    return text.encode().translate(_ASCII_WORDS).decode().split()


def stem_words(words_in_order: Sequence[str], language: str) -> list[str]:
    """The term of each word in a language; empty for over-long words."""
    short_words = [word for word in words_in_order if len(word.encode()) < MAX_WORD]
    known = dict(zip(short_words, _stemmer(stemming(language))(" ".join(short_words)), strict=True))
    return [known.get(word, "") for word in words_in_order]


def required_terms(found: Iterable[str]) -> list[str]:
    """The terms that a query requires: each once, without characters that a pair implies."""
    distinct = list(dict.fromkeys(found))
    paired = {character for term in distinct if len(term) == 2 and _RUN.fullmatch(term) for character in term}
    return [term for term in distinct if term not in paired]


def clip(text: str, limit: int) -> str:
    """The longest prefix of a text that fits into `limit` bytes."""
    if len(text) * 4 <= limit:
        return text
    if text.isascii():
        return text[:limit]
    return text[:limit].encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def _analyser(*filters: Filter) -> Callable[[str], list[str]]:
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    for each in filters:
        builder = builder.filter(each)
    return builder.build().analyze


@cache
def _stemmer(language: str) -> Callable[[str], list[str]]:
    stem = [Filter.stemmer(_STEMMERS[language])] if language in _STEMMERS else []
    return _analyser(*stem, Filter.ascii_fold())


def piece_reader(language: str) -> Callable[[Sequence[str]], list[str]]:
    """The function by which a lexicon analyses unknown pieces of text."""

    def learn(pieces: Sequence[str]) -> list[str]:
        known = iter(stem_words([piece for piece in pieces if piece.isascii()], language))
        return [next(known) if piece.isascii() else " ".join(stem_words(words(piece), language)) for piece in pieces]

    return learn


@cache
def _lexicon(language: str) -> Lexicon:
    return Lexicon(piece_reader(language))


def _plain(piece: str) -> str:
    crowded, dropped = _marks()
    piece = piece.encode("utf-8", "replace").decode()
    piece = unicodedata.normalize("NFKC", crowded.sub(r"\1", piece)).lower()
    return " ".join(_LETTERS(_RUN.sub(_pairs, dropped.sub("", piece))))


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    return f" {' '.join(f'{a} {a}{b}' for a, b in pairwise(text))} {text[-1]} "


@cache
def _marks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of combining marks: more than four in a row, and those removed from words.

    Normalisation sorts the marks on a letter in quadratic time, so their number must be bounded (Unicode Standard Annex
    15, stream-safe text, allows 30).  Some characters become marks only by normalisation.
    """
    characters = [chr(code) for code in range(0x300, 0x1F000)]
    sitting = "".join(c for c in characters if unicodedata.combining(unicodedata.normalize("NFKD", c)[0]))
    vowels = "\u0e38\u0e39"  # Thai u and uu are letters to readers, but marks in Unicode
    dropped = "".join(c for c in sitting if unicodedata.combining(c) and c not in vowels)
    ignored = "\u00ad\u200d\u2060\ufe00-\ufe0f\ufeff"  # soft hyphen, joiners, variation selectors, byte order mark
    return re.compile(f"([{sitting}]{{4}})[{sitting}]+"), re.compile(f"[{dropped}{ignored}]")


_LETTERS = _analyser()
