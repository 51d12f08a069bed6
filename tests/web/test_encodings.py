"""Bytes mean what the Encoding standard says, and a query is in the encoding of its page, as the URL standard says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.web.digest import digest
from sought.web.document import Document
from sought.web.html.encoding import decoded
from sought.web.html.legacy_encodings import decode, with_query
from sought.web.message import Response


def read(body: bytes, charset: str = "") -> Document:
    kind = f"text/html; charset={charset}" if charset else "text/html"
    return digest(Response("http://site.example/dir/page", 200, headers=(("Content-Type", kind),), body=body))


@pytest.mark.parametrize("charset", ["", "windows-1252", "utf-8", "utf-16be", "shift_jis", "hz-gb-2312", "no-such"])
@pytest.mark.parametrize("text", ["東京は日本の首都である", "“Größe” and more", "\ue000\ue001\ue002"])
@pytest.mark.parametrize(
    ("mark", "name"), [(b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")]
)
def test_a_byte_order_mark_decides(mark: bytes, name: str, text: str, charset: str) -> None:
    """Whatever the header and the page say, and however little of the text is ASCII."""
    assert decoded(mark + text.encode(name), f"text/html; charset={charset}")[0] == text


def test_a_byte_order_mark_decides_for_damaged_text() -> None:
    """What cannot be decoded is U+FFFD: the mark is no guess that gives way to another."""
    body = b"\xef\xbb\xbf<meta charset=windows-1252><p>" + b"\xe4\xf6\xfc" * 5
    assert read(body, "windows-1252").text == "\ufffd" * 15


@pytest.mark.parametrize(
    ("label", "source", "text"),
    [
        ("windows-1252", b"\x80\x81\x8d\x9d\xe9", "€\x81\x8d\x9dé"),
        ("iso-8859-1", b"\x80\x93", "€“"),
        ("us-ascii", b"\xe9\x93", "é“"),
        ("iso-8859-9", b"\xfd\x80", "ı€"),
        ("tis-620", b"\xa1\x80", "ก€"),
        ("windows-1255", b"\xca\xe0", "\u05baא"),
        ("iso-8859-8-i", b"\xe0", "א"),
        ("koi8-u", b"\xa4\xae\xbe", "єўЎ"),
        ("x-mac-cyrillic", b"\x80\xa2\xb6\xff", "АҐґ€"),
        ("x-mac-ukrainian", b"\x80", "А"),
        ("x-user-defined", b"a\x80\xff", "a\uf780\uf7ff"),
        ("macintosh", b"\xdb\xf0", "€\uf8ff"),
        ("gb2312", b"\x80\xa6\xd9\xa8\xbc", "€︐ḿ"),
        ("gbk", b"\xa3\xa0\xfe\x59", "\u3000龴"),
        ("gb18030", b"\x81\x30\x81\x30", "\x80"),
        ("big5", b"\x87\x7a\xa1\x45\xa3\xe1\x88\x62", "㡵‧€Ê̄"),
        ("euc-jp", b"\xad\xa1\xad\xb5\xb0\xa1\x8e\xb1", "①Ⅰ亜ｱ"),
        ("euc-jp", b"\xa1\xc1\xa1\xdd\xf9\xa1\x8f\xb0\xa1", "～－纊丂"),
        ("shift_jis", b"\x87\x40\x81\x60\xfa\x5c\xb1", "①～纊ｱ"),
        ("shift_jis", b"\xa0\xfd" + b"\xb1" * 9, "\ufffd\ufffd" + "ｱ" * 9),
        ("iso-2022-jp", b"\x1b$B0!\x1b(B", "亜"),
        ("euc-kr", b"\xb0\xa1\x81\x41", "가갂"),
        ("ks_c_5601-1987", b"\xb0\xa1", "가"),
    ],
)
@pytest.mark.parametrize("where", ["header", "meta"])
def test_labels_mean_what_the_standard_says(label: str, source: bytes, text: str, where: str) -> None:
    """Labels of old encodings, and characters that Python's codecs have otherwise or not at all."""
    seen = " ".join(text.split())
    if where == "header":
        assert decoded(source, f"text/html; charset={label}")[0] == text
    elif label not in ("x-user-defined", "shift_jis") and b"\x80\x81" not in source:
        assert read(f"<meta charset={label}><p>".encode() + source).text == seen


@pytest.mark.parametrize("label", ["iso-2022-kr", "hz-gb-2312", "iso-2022-cn", "iso-2022-cn-ext", "replacement"])
def test_dangerous_encodings_are_replaced(label: str) -> None:
    """Nothing of such a page is read."""
    found = read(b"<a href=/x>y</a>", label)
    assert (found.text, found.links) == ("\ufffd", ())
    assert read(f"<meta charset={label}><p>text".encode()).text == "\ufffd"


@given(st.binary(max_size=200), st.sampled_from(["gbk", "gb18030", "big5hkscs", "euc_jp", "cp932", "cp949", "koi8-u"]))
def test_markup_is_never_swallowed(body: bytes, name: str) -> None:
    """Any bytes decode, and a tag behind them is a tag, whatever they are."""
    assert decode(body + b"\n<a>", name).endswith("\n<a>")


@pytest.mark.parametrize(
    ("encoding", "href", "expected"),
    [
        ("windows-1252", "?q=é", "?q=%E9"),
        ("windows-1252", "/é?q=é#é", "/é?q=%E9#é"),
        ("windows-1252", "?q=€&r=東", "?q=%80&r=%26%2326481%3B"),
        ("cp1251", "?q=Ж", "?q=%C6"),
        ("cp932", "?q=表", "?q=%95\\"),
        ("cp932", "?q=−", "?q=%81|"),
        ("euc_jp", "?q=①亜", "?q=%AD%A1%B0%A1"),
        ("big5hkscs", "?q=中", "?q=%A4%A4"),
        ("gbk", "?q=€中", "?q=%80%D6%D0"),
        ("gbk", "?q=\U0001f600", "?q=%26%23128512%3B"),
        ("gb18030", "?q=\U0001f600", "?q=%949%FC6"),
        ("cp949", "?q=가", "?q=%B0%A1"),
        ("utf-16-le", "?q=é", "?q=é"),
        ("replacement", "?q=é", "?q=é"),
        ("windows-1252", "#?q=é", "#?q=é"),
        ("windows-1252", "ws://x/?q=é", "ws://x/?q=é"),
        ("windows-1252", "/é", "/é"),
        ("windows-1252", "?a\n=é", "?a=%E9"),
    ],
)
def test_a_query_in_the_encoding_of_its_page(encoding: str, href: str, expected: str) -> None:
    """The query alone, of http addresses alone; what the encoding has not is a reference; UTF-16 is UTF-8."""
    name = {"windows-1252": "cp1252"}.get(encoding, encoding)
    assert with_query(href, name) == expected


def test_links_of_a_page_in_an_old_encoding() -> None:
    """Links, canonical and base alike; what was remembered of a page in one encoding is not used for another."""
    html = '<base href="/é?é"><link rel=canonical href="?c=é"><a href="/p?q=é">x</a>'
    for encoding, written in (("windows-1252", "%E9"), ("utf-8", "%C3%A9"), ("windows-1252", "%E9")):
        found = read(html.encode(encoding), encoding)
        assert found.links[0].url == f"http://site.example/p?q={written}"
        assert found.canonical == f"http://site.example/%C3%A9?c={written}"
        assert found.base == f"http://site.example/%C3%A9?{written}"
