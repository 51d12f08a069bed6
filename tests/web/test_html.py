"""Promises of the HTML reader: a page says what a browser would make of it."""

from pathlib import Path

import pytest

from sought.web.digest import digest
from sought.web.document import Document
from sought.web.message import Response
from tests.testing.html_differential import DEVIATIONS, differences
from tests.testing.html_documents import page

CORPUS = Path(__file__).parents[1] / "testing" / "corpus" / "html"
DOCUMENTS = 400  # `python -m tests.testing.html_differential --documents 100000` reads more


def read(html: str | bytes, kind: str = "text/html; charset=utf-8") -> Document:
    body = html if isinstance(html, bytes) else html.encode()
    return digest(Response("http://site.example/dir/page", 200, headers=(("Content-Type", kind),), body=body))


@pytest.mark.parametrize("first", range(0, DOCUMENTS, 100))
def test_generated_pages_are_read_as_a_tree_is(first: int) -> None:
    """Text, title, links, base, robots and canonical are those of a parser that builds the tree, but for DEVIATIONS."""
    for seed in range(first, first + 100):
        odd = [kind for kind in differences(page(seed)) if kind not in DEVIATIONS]
        assert not odd, f"seed {seed}: {odd}: {page(seed)!r}"


@pytest.mark.parametrize("file", sorted(CORPUS.glob("tree-*.html")), ids=lambda file: file.name)
def test_pages_of_the_corpus_are_read_as_a_tree_is(file: Path) -> None:
    """The same for pages written by hand, a case on each."""
    assert not [kind for kind in differences(file.read_text()) if kind not in DEVIATIONS]


def test_the_comparison_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that loses a word, a link or a title is found out."""
    real = digest
    monkeypatch.setattr(
        "tests.testing.html_differential.digest",
        lambda response: real(Response(response.url, 200, headers=response.headers, body=b"<p>w1.")),
    )
    found = differences("<title>t</title><p>w1. w2.<a href=/l3>x</a>")
    assert {"text", "title", "links"} <= set(found)


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<ul><li hidden>no<li>b</ul>", "b"),
        ("<dl><dt hidden>no<dd>b</dl>", "b"),
        ("<table><tr hidden><td>no<tr><td>b</table>", "b"),
        ("<table><td hidden>no<td>b</table>", "b"),
        ("<table><tbody hidden><tr><td>no<tbody><tr><td>b</table>", "b"),
        ("<ul><li><div><div hidden>no</li><li>b</ul>", "b"),
        ("<p><b hidden>no<p>no</b>b", "b"),
        ("<table hidden>a<td>no</table>b", "a b"),
        ("<ruby hidden>no<rt>no</ruby>b", "b"),
        ("<p hidden>no<table><td>no</table>no", ""),
        ("<!doctype html><p hidden>no<table><td>b</table>c", "b c"),
        ("<select><select>a", "a"),
        ("<select><div>no</div><input>a", "a"),
        ("<select><option>no<hr>no</select>a", "a"),
        ("<svg><title>no</title>a", "a"),
        ("<svg><title>no<p>no</title>no", ""),
        ("<svg><title>no", ""),
        ("<svg><style>no<p>a", "a"),
        ("<svg><script>no</script>a", "a"),
        ("<math><mi><p>a</math>b", "a b"),
        ("<svg><desc><div hidden>no</div></desc>a", "a"),
        ("<div><template shadowrootmode=open>a</template></div>b", "a b"),
        ("<div><template shadowrootmode=open>a</template><template shadowrootmode=open>no</template></div>", "a"),
        ("<b><template shadowrootmode=open>no</template></b>a", "a"),
        ("<div><template shadowrootmode=bogus>no</template></div>a", "a"),
        ("<form hidden>no<div></form>no</div>a", "a"),
        ("a</br>b</p>c", "a b c"),
        ("a<body hidden>no", "a"),
        ("<frameset><frame src=/f>no</frameset>no", ""),
        ("a<plaintext>b</plaintext>&amp;", "a b</plaintext>&amp;"),
        ("<xmp>&lt;</xmp>", "&lt;"),
        ("<noscript>no</noscript>a", "a"),
        ("a\0b<svg>\0c", "ab \ufffdc"),
        ("<di\0v hidden>no</div>", ""),
        ("<script\0>a", "a"),
    ],
)
def test_what_a_browser_shows(html: str, text: str) -> None:
    """Optional end tags, tables, formatting left open, svg and math, templates, frames, NUL."""
    assert read(html).text == text


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("&#65", "A"),
        ("&#X41;", "A"),
        ("&#x41 ", "A"),
        ("&#00000000000065;", "A"),
        ("&#128;", "€"),
        ("&#x9F;", "Ÿ"),
        ("&#x81;", "\x81"),
        ("&#0;", "\ufffd"),
        ("&#xD800;", "\ufffd"),
        ("&#x110000;", "\ufffd"),
        ("&#x1F600;", "😀"),
        ("&#1114111;", "\U0010ffff"),
        ("&#99999999999999999999;", "\ufffd"),
        ("&#xFFFE;", "\ufffe"),
        ("&#x7f;", "\x7f"),
        ("&#;", "&#;"),
        ("&#x;", "&#x;"),
        ("&#38;lt;", "&lt;"),
        ("&copy", "©"),
        ("&notit;", "¬it;"),
        ("&NotEqualTilde;", "≂̸"),
    ],
)
def test_character_references(reference: str, text: str) -> None:
    """The same in text and in a title; in an attribute too, but for names without semicolon inside a word."""
    assert read(f"<p>{reference}").text == text
    assert read(f"<title>{reference}</title>").title == text


def test_references_and_nul_in_attributes() -> None:
    """Numbers are resolved wherever they stand; a name without semicolon only at the end of a word."""
    page = read('<a href="/&#65a?x&copy=1&notit;&#x2F;&#xD800;\0">x</a>')
    assert [link.url for link in page.links] == ["http://site.example/Aa?x&copy=1&notit;/%EF%BF%BD%EF%BF%BD"]


@pytest.mark.parametrize("second", ["", "<base href=/b/>"])
def test_an_empty_base_is_the_first(second: str) -> None:
    """`<base href="">` is the address of the page, and no later one counts."""
    found = read(f'<base target=x><base href="">{second}<a href=c>x</a>')
    assert found.base == "http://site.example/dir/page"
    assert [link.url for link in found.links] == ["http://site.example/dir/c"]


@pytest.mark.parametrize(
    ("html", "urls"),
    [
        ("<frame src=/f><a href=/a>x</a>", ["/a"]),
        ("<frameset><frame src=/f><a href=/a></frameset>", ["/f"]),
        ("<template><a href=/a></template><a href=/b>", ["/b"]),
        ("<div><template shadowrootmode=closed><a href=/a></template>", ["/a"]),
        ("<table><colgroup><a href=/a></table>", ["/a"]),
        ("<svg><a href=/a>x</a><link rel=next href=/n>", ["/a"]),
    ],
)
def test_links_are_those_of_elements_that_there_are(html: str, urls: list[str]) -> None:
    """A tag that a browser ignores is no link."""
    assert [link.url.removeprefix("http://site.example") for link in read(html).links] == urls


def test_a_link_ends_with_its_cell() -> None:
    """Formatting, and so links, does not leave a cell of a table."""
    links = read("<table><td><a href=/1>one<td>other</table>").links
    assert [link.anchor for link in links] == ["one"]


def test_unclosed_blocks_in_items_are_no_depth() -> None:
    """The end of an item closes what is open in it: the page is as deep as one item."""
    for item in ("<li><div></li>", "<tr><td><div></td></tr>", "<dt><div></dt>"):
        found = read(f"<nav>{item * 600}</nav>a<table>{item * 600}</table><p hidden>no<p>b")
        assert found.refused == ""
        assert found.text.endswith("b")
