"""Which terms does a text consist of?  One reading for pages and queries alike.

1. Words are runs of letters and digits, lower-cased.  Text that is not ASCII is normalised (NFKC) and loses what would
   tear words apart: accents left over, vowel points, tone marks, viramas, soft hyphens.
2. Scripts written without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese; and Korean, whose
   particles stick to words) are read as single characters and overlapping pairs: `東京都` is `東 東京 京 京都 都`.
   Any part of a run is then a part of its reading, so that single characters and phrases are found exactly.
3. A term is a word stemmed by the page's language, if tantivy has a stemmer for it (Snowball), then folded to ASCII.
   Over-long words are dropped; stop words stay (people ask for "to be").

All languages share each field of the index; only the stemmer differs.  Fields per language would give BM25 a document
frequency and an average length per language, and a page would be favoured for being in a rare one.
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

MAX_TEXT = 1 << 20  # bytes of a text that are read; the rest of a longer one is not searchable
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
LANGUAGES = (NO_STEMMER, *_STEMMERS)  # all that `stemming` may say; their order is part of what crawls have stored
_RUN = re.compile(f"[{UNSEGMENTED}]+")
_ASCII_WORDS = bytes(c if c > 127 or chr(c).isalnum() else ord(" ") for c in range(256)).lower()


@lru_cache(maxsize=1024)
def stemming(language: str) -> str:
    """The language by whose rules a text is stemmed: `en` for `en-GB`, `xx` where there is no stemmer."""
    code = language.replace("_", "-").partition("-")[0].lower()
    code = _ALIASES.get(code, code)
    return code if code in _STEMMERS else NO_STEMMER


def terms(text: str, language: str) -> list[str]:
    """Every term of a text in order, exactly as the index holds them."""
    return reading(text, language).split()


def reading(text: str, language: str) -> str:
    """The same terms as one string with white space between them."""
    return _lexicon(stemming(language)).reading(clip(text, MAX_TEXT))


def find_terms(text: str, wanted: Wanted, language: str) -> tuple[bytes, list[list[int]]]:
    """Where in a text some terms stand (`Lexicon.find_terms`)."""
    return _lexicon(stemming(language)).spotted(clip(text, MAX_TEXT), wanted)


def words(text: str) -> list[str]:
    """The words of a text, lower-cased; runs of scripts without spaces as characters and pairs."""
    if not text.isascii():
        for mark in PUNCTUATION:
            text = text.replace(mark, " ")
    if not text.isascii():
        text = " ".join([piece if piece.isascii() else _plain(piece) for piece in text.split()])
    return text.encode().translate(_ASCII_WORDS).decode().split()


def stem_words(found: Sequence[str], language: str) -> list[str]:
    """The term of each word in a language; an over-long word has none (the empty string)."""
    kept = [word for word in found if len(word.encode()) < MAX_WORD]
    known = dict(zip(kept, _stemmer(stemming(language))(" ".join(kept)), strict=True))
    return [known.get(word, "") for word in found]


def required_terms(found: Iterable[str]) -> list[str]:
    """The terms of a query that must be looked for: none twice, no character that a pair already implies."""
    distinct = list(dict.fromkeys(found))
    paired = {character for term in distinct if len(term) == 2 and _RUN.fullmatch(term) for character in term}
    return [term for term in distinct if term not in paired]


def clip(text: str, limit: int) -> str:
    """The longest beginning of a text that fits into `limit` bytes."""
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
    """How a lexicon of a language learns what it does not know."""

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
    """Marks that sit on the letter before them: more than four in a row, and those dropped from words.

    Normalising sorts the marks on a letter in quadratic time, so a hostile page must not pile them up (Unicode Standard
    Annex 15, stream-safe text, allows 30).  Some characters become marks only by normalising.
    """
    characters = [chr(code) for code in range(0x300, 0x1F000)]
    sitting = "".join(c for c in characters if unicodedata.combining(unicodedata.normalize("NFKD", c)[0]))
    vowels = "\u0e38\u0e39"  # Thai u and uu: letters to a reader, marks to Unicode
    dropped = "".join(c for c in sitting if unicodedata.combining(c) and c not in vowels)
    ignored = "\u00ad\u200d\u2060\ufe00-\ufe0f\ufeff"  # soft hyphen, joiners, variation selectors, byte order mark
    return re.compile(f"([{sitting}]{{4}})[{sitting}]+"), re.compile(f"[{dropped}{ignored}]")


_LETTERS = _analyser()
