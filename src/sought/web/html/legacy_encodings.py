"""How are the encodings from before UTF-8 decoded, and queries encoded in them?

By the Encoding standard, with Python's codecs where they agree with it.  The query of an address is encoded in the
encoding of its page (URL standard).
"""

import codecs
import re
from collections.abc import Callable
from functools import cache, lru_cache

# Encodings that are useful for attacks are decoded to a single U+FFFD.
REPLACED = ("replacement", "hz-gb-2312", "iso-2022-kr", "csiso2022kr", "iso-2022-cn", "iso-2022-cn-ext")
_UNKNOWN = "\ufffd"
# Bytes from 0x80 on for which the standard's table differs from Python's codec.
_PYTHON_NAMES = {"x-mac-cyrillic": "mac_cyrillic"}
_OTHER_CHARACTERS = {
    "x-mac-cyrillic": {0xA2: "\u0490", 0xB6: "\u0491", 0xFF: "\u20ac"},
    "koi8-u": {0xAE: "\u045e", 0xBE: "\u040e"},
    "cp1255": {0xCA: "\u05ba"},
}
_C1 = ("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp874")
_MULTIBYTE = (
    "utf-8",
    "utf-16-le",
    "utf-16-be",
    "gbk",
    "gb18030",
    "big5hkscs",
    "cp949",
    "cp932",
    "euc_jp",
    "iso2022_jp",
)


def decode(body: bytes, name: str) -> str:
    """Decode; invalid bytes become U+FFFD."""
    if name == "replacement":
        return _UNKNOWN if body else ""
    if name == "x-user-defined":
        return codecs.charmap_decode(body, "replace", _user_defined())[0]
    if name == "euc_jp":
        return _in_pairs(body, _EUC_PAIR, _euc_character)
    if name == "big5hkscs":
        return _in_pairs(body, _BIG5_PAIR, _big5_character)
    if name in ("gbk", "gb18030"):
        return body.decode("gb18030", "sought.euro").translate(CHINESE)
    if name == "cp932":
        return body.decode(name, "replace").translate(_NO_CHARACTERS)
    if name in _MULTIBYTE:
        return body.decode(name, "replace")
    return codecs.charmap_decode(body, "replace", _table(name))[0]


_NO_CHARACTERS = dict.fromkeys(range(0xF8F0, 0xF8F4), _UNKNOWN)  # which only Python's cp932 has


def _euro_error(error: UnicodeError) -> tuple[str, int]:
    """An error handler: 0x80 is the euro sign in Chinese encodings; other errors are U+FFFD, one byte at a time."""
    assert isinstance(error, UnicodeDecodeError)
    if error.object[error.start] == 0x80:
        return "\u20ac", error.start + 1
    return _UNKNOWN, error.end


codecs.register_error("sought.euro", _euro_error)


def _in_pairs(body: bytes, pair: re.Pattern[bytes], character: Callable[[bytes], str]) -> str:
    return "".join([piece.decode() if piece[0] < 0x80 else character(piece) for piece in pair.findall(body)])


@cache
def _user_defined() -> str:
    return "".join(chr(c if c < 128 else 0xF700 + c) for c in range(256))


@cache
def _table(name: str) -> str:
    """The characters of the 256 bytes; unassigned bytes of Windows code pages are control characters."""
    codec = _PYTHON_NAMES.get(name, name)
    table = [bytes([c]).decode(codec, "replace") for c in range(256)]
    if name in _C1:
        table = [chr(c) if table[c] == _UNKNOWN and 128 <= c < 160 else table[c] for c in range(256)]
    for c, character in _OTHER_CHARACTERS.get(name, {}).items():
        table[c] = character
    return "".join(table)


_EUC_PAIR = re.compile(rb"\x8f[\xa1-\xfe]{2}|[\xa1-\xfe]{2}|\x8e[\xa1-\xdf]|[\x80-\xff]|[\x00-\x7f]+")


@lru_cache(65_536)
def _euc_character(piece: bytes) -> str:
    """Decode a pair through Shift_JIS, whose codec has the characters that NEC added."""
    if len(piece) == 2 and piece[0] != 0x8E:
        return _jis_character(piece[0] - 0xA1, piece[1] - 0xA1)
    if piece == b"\x8f\xa2\xb7":
        return "\uff5e"
    text = piece.decode("euc_jp", "replace")
    return text if len(text) == 1 else _UNKNOWN


_BIG5_PAIR = re.compile(rb"[\x81-\xfe][\x40-\x7e\xa1-\xfe]|[\x80-\xff]|[\x00-\x7f]+")


@lru_cache(65_536)
def _big5_character(piece: bytes) -> str:
    return BIG5.get(piece) or piece.decode("big5hkscs", "replace")


def _jis_character(row: int, cell: int) -> str:
    lead, place = row // 2, row % 2 * 94 + cell
    pair = bytes((lead + (0x81 if lead < 0x1F else 0xC1), place + (0x40 if place < 0x3F else 0x41)))
    return pair.decode("cp932", "replace")


_REMOVED = {ord(c): None for c in "\t\n\r"}
_ESCAPED = frozenset(b"\"#<>'")
_OWN_SCHEME = re.compile(r"[\0-\x20]*(?!https?:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def with_query(href: str, encoding: str) -> str:
    """The address with its query percent-encoded in the page's encoding; missing characters as `&#1234;`."""
    start, question, rest = href.partition("?")
    if not question or "#" in start or _OWN_SCHEME.match(start) or encoding in _IN_UTF8:
        return href
    query, mark, fragment = rest.partition("#")
    encoded = _encode(query.translate(_REMOVED), encoding)
    escaped = "".join(chr(b) if 32 < b < 127 and b not in _ESCAPED else f"%{b:02X}" for b in encoded)
    return f"{start}?{escaped}{mark}{fragment}"


_IN_UTF8 = ("utf-8", "utf-16-le", "utf-16-be", "replacement")


def _encode(query: str, encoding: str) -> bytes:
    if encoding == "iso2022_jp":
        return query.encode(encoding, "sought.reference")
    return b"".join(_encoded_character(character, encoding) for character in query)


def _encoded_character(character: str, encoding: str) -> bytes:
    if encoding in _MULTIBYTE:
        return _encoded_pair(character, encoding) or _reference(character)
    at = _characters(encoding).find(character)
    return bytes([at]) if at >= 0 else _reference(character)


def _characters(encoding: str) -> str:
    return _user_defined() if encoding == "x-user-defined" else _table(encoding)


def _encoded_pair(character: str, encoding: str) -> bytes:
    """The bytes of a character; empty if the encoding has none."""
    if character == "\u20ac" and encoding == "gbk":
        return b"\x80"
    character = _FULL_WIDTH.get(character, character) if encoding in ("cp932", "euc_jp") else character
    try:
        raw = character.encode("cp932" if encoding == "euc_jp" else encoding)
    except UnicodeEncodeError:
        return b""
    if encoding == "euc_jp" and len(raw) == 2:
        return _jis_bytes(*raw)
    if encoding == "euc_jp" and raw[0] > 0x7F:
        return b"\x8e" + raw
    # The standard decodes the Hong Kong characters but does not encode them.
    return b"" if encoding == "big5hkscs" and 0x80 < raw[0] < 0xA1 else raw


def _jis_bytes(lead: int, trail: int) -> bytes:
    row = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 2
    place = trail - (0x40 if trail < 0x7F else 0x41)
    pair = row + place // 94, place % 94
    return bytes((pair[0] + 0xA1, pair[1] + 0xA1)) if pair[0] < 94 else b""


_FULL_WIDTH = {"\u2212": "\uff0d", "\u00a5": "\\", "\u203e": "~"}


def _reference(character: str) -> bytes:
    return b"%%26%%23%d%%3B" % ord(character)


def _reference_error(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    references = b"".join(_reference(character) for character in error.object[error.start : error.end])
    return references.decode(), error.end


codecs.register_error("sought.reference", _reference_error)


# ---- Characters of the Encoding standard that Python's codecs lack
#
# Each run of characters follows the bytes of its first.


_BIG5 = """
    877a㡵𡵓𣚞𦀡㻬
    87a1𥣞㫵竼龗𤅡𨤍𣇪𠪊𣉞䌊蒄龖鐯䤰蘓墖靊鈘秐稲晠権袝瑌篅枂稬剏遆㓦珄𥶹瓆鿇垳䤯呌䄱𣚎堘
    87c9穲𧭥讏䚮𦺈䆁𥶙箮𢒼鿈𢓁𢓉𢓌鿉蔄𣖻䂴鿊䓡𪷿拁灮鿋
    8e69箸
    8e6f簆
    8e7e糎 8eab緒 8eb4縝 8ecd者 8ed0耨 8f57菁 8f69蒨 8f6e萏 8fcb覦覩 8ffe起 906d都 907a銹 90dc靜 90f1響 91bf鼖
    9244蔃 92af兙兛兝兞 92c8鍮 92d1瑹 9447浧 94ca禛 95d9邗 9644靝 96ed瀞 96fc嬨 9b76爁 9b78矗 9b7b纇 9bc6駖
    9bde釔 9bec惞 9bf6澶 9c42輶 9c53侻 9c62營 9c68鄄 9c6b鷰 9c77菏 9cbc尐秣 9cd0婧 9d57輋 9d5a筑 9dc4拐 9ea9恢
    9eef痹 9efd汊 9f60鬮 9f66鼗 9fcb僭 9fd8弌 a063蠏 a077拎 a0d5瑨 a0df煢 a0e4牐 a145‧ a14e﹑ a1c2¯ a1e3～
    a1f2⊕⊙ a241∕﹨ a244￥ a246￠￡ a3c0␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡€ c6cf廴 c6d3无 c6d5癶 c6d7隶
    c6de〃仝 fa5f倩 fa66偽 fabd包 fac5卄 fad5卿 fb48嘅 fbb8婷 fbf3幵 fbf9廐 fc4f彘 fc6c悤 fcb9撐 fce2晴 fcf1杞
    fdb7沜渝 fdbb港 fdf1煮 fe52猪 fe6f瑜 feaa瓩 fedd砉
"""
# Characters that Python's gb18030 decodes as private use.
_PRIVATE = (
    "\ue5e5\ue78d\ue78e\ue78f\ue790\ue791\ue792\ue793\ue794\ue795"
    "\ue796\ue7c7\ue81e\ue826\ue82b\ue82c\ue832\ue843\ue854\ue864"
)
_PUBLIC = (
    "\u3000\ufe10\ufe12\ufe11\ufe13\ufe14\ufe15\ufe16\ufe17\ufe18"
    "\ufe19\u1e3f\u9fb4\u9fb5\u9fb6\u9fb7\u9fb8\u9fb9\u9fba\u9fbb"
)
CHINESE = str.maketrans(_PRIVATE, _PUBLIC)


def _big5() -> dict[bytes, str]:
    characters = {}
    for run in _BIG5.split():
        first = int(run[:4], 16)
        for place, character in enumerate(run[4:]):
            characters[(first + place).to_bytes(2, "big")] = character
    return characters


BIG5 = _big5()
