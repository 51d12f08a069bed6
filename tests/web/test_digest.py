"""Promises of sought.web.digest: what a response says, whatever it holds."""

from html import escape
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

from sought.web.digest import digest
from sought.web.document import Document, Link, PageCounts
from sought.web.html.markup import MAX_TAGS, REASONS
from sought.web.html.open_elements import MAX_OPEN
from sought.web.message import Response
from sought.web.sketch import shingles, sketch
from sought.web.url import canonical

URL = "http://site.example/dir/page?x=1"
CONTENT = 15491910894838219541
HTML = ("Content-Type", "text/html; charset=utf-8")


def read(html: str | bytes, *headers: tuple[str, str], url: str = URL) -> Document:
    body = html if isinstance(html, bytes) else html.encode()
    return digest(Response(url, 200, headers=headers or (HTML,), body=body))


PAGE = """<!doctype html><html lang="en-GB"><head><title> A
 title </title><meta name=robots content="NoIndex, nofollow"><link rel=canonical href="/canon?utm_source=x">
<style>p { color: red }</style><script>var hidden = "<p>no</p>"</script></head>
<body><nav><a href="/">Home</a></nav><h1>First <em>heading</em></h1><p>Some &eacute;t&eacute;&nbsp;text,
mail us: info@example.com or <a href="MAILTO:Info@Example.com?subject=x">write</a>.</p><!-- not this -->
<noscript>nor this</noscript><template>or that</template><p hidden>nor these</p><h2>Second</h2>
<table><tr><td>a<td>b</table>
<img src=x alt=y><h4>No heading</h4></body></html>"""


def test_every_field_is_filled() -> None:
    """One page, all fields."""
    page = read(PAGE)
    assert page.title == "A title"
    assert page.text == ("Home First heading Some été text, mail us: info@example.com or write. Second a b No heading")
    assert page.language == "en"
    assert page.headings == ("First heading", "Second")
    assert page.links == (Link("http://site.example/", "Home"),)
    assert page.canonical == "http://site.example/canon"
    assert page.base == URL
    assert (page.noindex, page.nofollow) == (True, True)
    assert page.counts == PageCounts(images=1, tables=1, words=18, text_bytes=183, emails=1)
    assert np.array_equal(page.shingles, shingles(page.text))
    assert np.array_equal(page.sketch, sketch(page.shingles))
    assert page.refused == ""


def test_content_is_title_and_text() -> None:
    """The hash is golden, and does not see markup, white space or scripts; it does see the title."""
    assert read("<title>T</title><p>a  b").content == CONTENT
    assert read("<TITLE>\nT</TITLE><div><b>a</b>\n b</div><script>1</script>").content == CONTENT
    assert read("<title>U</title><p>a  b").content != CONTENT


def test_main_text_leaves_navigation_out() -> None:
    """`main` is the text without boilerplate; `text` is all of it."""
    body = "The long story of a page that says something. " * 20
    page = read(
        f"<body><nav><ul><li><a href=/a>Menu entry</a></ul></nav><main><article><p>{body}</article></main></body>"
    )
    assert "Menu entry" in page.text
    assert "Menu entry" not in page.main
    assert "The long story" in page.main


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("windows-1252", "“Größe” – naïve café, the price is 5 € or more"),
        (
            "iso-8859-2",
            "Zażółć gęślą jaźń: to jest polski tekst, który ma kilka słów. Proszę bardzo, książka leży na stole.",
        ),
        ("shift_jis", "東京は日本の首都である。人口が多い都市として知られている。"),
        ("gb18030", "北京是中华人民共和国的首都，也是全国的政治和文化中心。"),
        ("euc-kr", "서울은 대한민국의 수도이며 가장 큰 도시이다. 한강이 흐른다."),
        ("windows-1251", "Москва является столицей и крупнейшим городом России, здесь живут люди."),
        ("utf-16", "“Größe” 東京 Москва"),
        ("utf-8", "“Größe” 東京 Москва"),
    ],
)
@pytest.mark.parametrize("declared", ["header", "meta", "lie", "no"])
def test_encodings_come_out_right(name: str, text: str, declared: str) -> None:
    """Declared in the header, in <meta>, by a mark, wrongly as UTF-8, or not at all: the text is the same."""
    head = f"<meta charset={name}>" if declared == "meta" else ""
    kind = {"header": f"text/html; charset={name}", "lie": "text/html; charset=utf-8"}.get(declared, "text/html")
    page = read(f"{head}<title>{text}</title><p>{text}".encode(name), ("content-type", kind))
    assert page.title == page.text == text


@pytest.mark.parametrize("label", ["utf-16", "bogus", "", '"', "utf-8;" * 100, "iso-2022-jp", "utf-7", "big5"])
@pytest.mark.parametrize("body", [b"<p>abc", b"<p>abc \xff\xfe\x00", b"\xff\xfe<\x00p\x00>\x00a", b"\x1b$B$"])
def test_a_lying_charset_does_not_raise(label: str, body: bytes) -> None:
    """Whatever the label, there is a document."""
    assert "a" in read(body, ("Content-Type", f"text/html; charset={label}")).text or b"abc" not in body


def test_links_are_resolved_in_order_and_once() -> None:
    """All kinds of links, in document order, canonical, each target and wording once."""
    page = read(
        """<a href="a b#f">  one
        link </a><iframe src=//other.example/frame></iframe><a href=/x rel="UGC noopener">two</a><a href=/x>two</a>
        <map><area href=map alt=Region></map><a href=/x>three</a><a href=pic><span><img alt=" A  picture "></span></a>
        <a href="javascript:void(0)">no</a><a href="">self</a><a>no</a><a href="http://[bad/">no</a><a href=#f>no</a>
        <a href=ftp://a/>no</a><a href=" https://u:p@Upper.Example:443/?utm_medium=1 ">four</a><link rel=next href=n>"""
    )
    assert page.links == (
        Link("http://site.example/dir/a%20b", "one link"),
        Link("http://other.example/frame", ""),
        Link("http://site.example/x", "two", nofollow=True),
        Link("http://site.example/dir/map", "Region"),
        Link("http://site.example/x", "three"),
        Link("http://site.example/dir/pic", "A picture"),
        Link("https://upper.example/", "four"),
        Link("http://site.example/dir/n", ""),
    )


def test_links_kept_for_a_site_do_not_leak_to_another() -> None:
    """The same href means another page on another site, and under another base."""
    html = "<a href=/same>x</a><a href=rel>y</a>"
    assert read(html).links[0].url == "http://site.example/same"
    assert read(html, url="https://else.example/d/").links == (
        Link("https://else.example/same", "x"),
        Link("https://else.example/d/rel", "y"),
    )
    page = read("<base href=//cdn.example/b/><base href=/ignored>" + html)
    assert page.base == "http://cdn.example/b/"
    assert [link.url for link in page.links] == ["http://cdn.example/same", "http://cdn.example/b/rel"]
    assert read("<base href=javascript:1>" + html).base == URL


def test_bounds_of_what_is_kept() -> None:
    """Titles, headings, anchors and links are bounded."""
    page = read(
        f"<title>{'t ' * 5000}</title>"
        + f"<h1>{'h' * 5000}</h1>" * 200
        + "".join(f"<a href=/{i}>{'word ' * 1000}</a>" for i in range(3000))
    )
    assert len(page.title) <= 500
    assert len(page.headings) == 64
    assert len(page.links) == 2000
    assert max(len(link.anchor) for link in page.links) <= 200


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/next", "http://site.example/next"),
        ("5;URL='next'", "http://site.example/dir/next"),
        ("10, next", "http://site.example/dir/next"),
        ("11; url=/next", None),
        ("5", None),
        ("url=/next", None),
    ],
)
def test_refresh_is_a_link_when_it_is_soon(content: str, target: str | None) -> None:
    """<meta http-equiv=refresh> with a URL and at most ten seconds."""
    links = read(f'<meta http-equiv=Refresh content="{content}">').links
    assert [link.url for link in links] == ([target] if target else [])


@pytest.mark.parametrize(
    ("head", "header", "expected"),
    [
        ("<meta name=robots content=none>", "", (True, True)),
        ("<meta name=ROBOTS content='noindex'>", "", (True, False)),
        ("<meta name=sought content='nofollow'>", "", (False, True)),
        ("<meta name=googlebot content='none'>", "", (False, False)),
        ("", "noindex", (False, False)),  # the header is the fetcher's to read
        ("<meta name=robots content='index, follow'>", "", (False, False)),
    ],
)
def test_robots_directives(head: str, header: str, expected: tuple[bool, bool]) -> None:
    """Directives for all robots and for ours are heard, those for others are not."""
    page = read(head + "<p>x", HTML, ("X-Robots-Tag", header))
    assert (page.noindex, page.nofollow) == expected


def test_robots_directives_for_an_agent_of_another_name() -> None:
    """`[agent] name` is the name that <meta> may use."""
    body = b"<meta name=MyBot content=noindex><meta name=sought content=nofollow><p>x"
    page = digest(Response("http://example.org/", 200, headers=(("Content-Type", "text/html"),), body=body), "mybot")
    assert (page.noindex, page.nofollow) == (True, False)


def test_canonical_link_of_the_header() -> None:
    """RFC 8288: the header counts when the page itself says nothing."""
    header = ("Link", '</other>; rel="alternate", </canon>; rel="canonical"; title=x')
    assert read("<p>x", HTML, header).canonical == "http://site.example/canon"
    assert read("<link rel=canonical href=mine>", HTML, header).canonical == "http://site.example/dir/mine"
    assert read("<link rel=canonical href=http://[bad>", HTML).canonical == ""


@pytest.mark.parametrize(
    ("html", "header", "expected"),
    [
        ('<html lang="pt-BR"><p>x', "", "pt"),
        ("<p>x", "fr-CA, en", "fr"),
        ('<html lang="en"><p>Москва является столицей и крупнейшим городом России', "", "ru"),
        ("<p>東京は日本の首都である。人口が多い。", "", "ja"),
        ("<p>Der schnelle braune Fuchs springt über den faulen Hund und läuft in den Wald", "", "de"),
        ("<html lang=und><p>The quick brown fox jumps over the lazy dog and runs into the forest", "x", "en"),
        ("<p>", "", ""),
    ],
)
def test_language(html: str, header: str, expected: str) -> None:
    """What the page says if plausible, then the header, then detection."""
    assert read(html, HTML, ("Content-Language", header)).language == expected


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("a<br>b<p>c</p>d<td>e", "a b c d e"),
        ("w<b>or</b>d <span>x</span>y", "word xy"),
        ("a&amp;lt; &lt;b&gt; &#38;lt; &copy; &#x41;&#66; AT&T &", "a&lt; <b> &lt; © AB AT&T &"),
        (f"&#{'9' * 10000}; &#x{'f' * 10000};", "\ufffd \ufffd"),
        ("<script><!-- <script></script> --></script>seen", "seen"),
        ("<style></sty</style >seen", "seen"),
        ("<!-- > -->a<!---->b<!-->c<!--->d<!-- --!>e<!x>f<?x>g</ x>h<! -- >i", "abcdefghi"),
        ("<svg><title>t</title><style>s</style><text>seen</text><![CDATA[ <b> ]]></svg>", "seen <b>"),
        ("<p title='>'>a<p title=\">\">b<p title=x/>c</p a='>'>d", "a b c d"),
        ("a < b <3 <", "a < b <3 <"),
        ("a<b", "a"),
        ("x\0y \u00a0 z\u2003\u3000w\u2028\u205f\u1680\u0085’é。", "xy z w ’é。"),
        ("<select><option>no</select>a<textarea>no</textarea>b", "a b"),
        ("<title>no</title><iframe>no</iframe>a<xmp>x<y></xmp><plaintext>b</plaintext>", "a x<y> b</plaintext>"),
    ],
)
def test_visible_text(html: str, text: str) -> None:
    """Text as a browser would show it: tokens, references and raw text elements follow the HTML standard."""
    assert read(html).text == text


def test_plain_text() -> None:
    """The first line with something on it is the title; there are no links."""
    page = read(b"\n\n  First   line \nhttp://a.example/ x@y.example", ("Content-Type", "text/plain"))
    assert page.title == "First line"
    assert page.text == page.main == "First line http://a.example/ x@y.example"
    assert page.links == ()
    assert page.counts == PageCounts(words=8, text_bytes=47, emails=1)


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "text/html"])
def test_nothing_to_read_is_an_empty_document(kind: str) -> None:
    """Other types and empty bodies give one and the same empty content."""
    body = b"" if kind == "text/html" else b"<p>x"
    page = read(body, ("Content-Type", kind))
    assert (page.title, page.text, page.main, page.links, len(page.shingles)) == ("", "", "", (), 0)
    assert page.content == read(b"", ("Content-Type", "text/html")).content != 0


@pytest.mark.parametrize(("body", "text"), [(b" <p>x", "x"), (b"<3 x", "<3 x"), (b"x <p>", "x <p>"), (b"x\0\0", "")])
def test_responses_without_a_type_are_looked_at(body: bytes, text: str) -> None:
    """HTML starts with a tag; what has zeros in it is not text."""
    assert read(body, ("Server", "x")).text == text


def fonts(count: int) -> str:
    return "".join(f"<font size={i}>" for i in range(count))


def test_what_no_page_has_is_refused() -> None:
    """Beyond a bound the page says which, and everything else stays empty."""
    page = read("<p>" * (MAX_TAGS + 100_000))
    assert page.refused == "tags"
    assert (page.text, page.links, page.content) == ("", (), 0)


# Each takes a builder of trees beyond linear time, or makes a tree that others cannot walk.
SLOW_AS_TREES = [
    "<div>" * 60_000,
    "<a href=x><div>" * 20_000,
    "<h1><div>" * 20_000,
    "<table><tr><td>" * 20_000,
    "<b><i><u><s><tt><em>" + "<div></b><b>" * 20_000,
    "<table><td>" + "<div></caption>" * 20_000,
    "<form><div></section>" * 20_000,
    "<nav><aside><p hidden><span hidden>" * 20_000,
    "<select><xmp></select></xmp></select>" + "<div>" * 20_000,
    "<script><!--<script></script><textarea>--></script>" + "<div>" * 20_000,
    "<math><annotation-xml encoding=text/html><div><style></math></style>" * 5_000,
    "<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">",
    "<a href='" * 100_000 + "'>",
    "<div><li></li>" * 40_000,
    "<ul>" + "<li><div>" * 40_000,
    "<p><b hidden></p>" * 30_000 + "</b>" * 30_000,
    "<table><b>" * 20_000 + "</b></table>" * 20_000,
    "<template><td><div>" * 20_000 + "</template>" * 20_000,
    "<b>" + "<x>" * 500 + ("<div></b></div>" + "<b>") * 10_000,
    "<svg>" + "<g>" * 60_000,
    "<svg>" + "<input>" * 60_000,
    "<math><mi><p>" * 20_000,
    "<table>" + "<b>x" * 60_000,
    "<applet>" * 20_000,
    "<template>" + "<template></template>" * 20_000,
    "<x-custom>" * 20_000,
    ("<b>" * 20 + "<div>" + "</b>" * 20 + "</div>") * 2_000,
    "".join(f"<b class={i}>" for i in range(25_000)),
    "<select></select><div><select></div></select>" * 5_000,
    "<ruby><p></ruby><rt><mi>" * 5_000,
    "</rt><h3><wbr></frameset><frameset><label>" * 5_000,
    "<div>" * 500 + "</x>" * 250_000,
    "".join(f"<html a{i}=1>" for i in range(20_000)),
    "<p>" + "".join(f"<body a{i}=1>" for i in range(20_000)),
    "".join(f"<p a{i}>" for i in range(40_000)),
    "".join(f"<a{i}-x>y</a{i}-x>" for i in range(40_000)),
    "".join(f"</a{i}-x>" for i in range(40_000)),
    "<p>" + fonts(64) + "<p>x" * 40_000,
    "<p>" + fonts(8) + "<p>x" * 80_000,
    "<b><i><u><s><tt><em><div></b></i></u></s></tt></em></div>" * 4_000,
    "<div>" * 400 + "<b><div></b></div>" * 20_000,
    "<p hidden><span hidden><button>" * 20_000,
    "<!--" + "<!-- --" * 100_000,
    "<svg>" + "<![CDATA[" * 100_000,
    "<title>" * 100_000,
    "&#" * 300_000 + "&amp" * 300_000 + "&" * 300_000,
    "<a href=x>" * 100_000 + "<a href='",
]


@pytest.mark.parametrize("html", SLOW_AS_TREES)
def test_what_is_slow_as_a_tree_is_read_in_one_pass(html: str) -> None:
    """What breaks no bound is read to its end: the text behind it is there."""
    page = read("the start" + html + "'>--></title>]]></svg></template></select></button></span></p><p>the end")
    assert page.refused == ""
    assert page.text.startswith("the start")
    assert page.text.endswith("the end")


def test_what_is_too_deep_costs_nothing_around_it() -> None:
    """Elements beyond the bound do not open; their text, and all behind them, is read."""
    deep = 2 * MAX_OPEN
    page = read("before" + "<div>" * deep + "in it" + "</div>" * deep + "<p>after <a href=/x>it</a>")
    assert page.text == "before in it after it"
    assert [link.url for link in page.links] == ["http://site.example/x"]


def test_attributes_have_no_bound() -> None:
    """The last of many attributes counts as the first."""
    many = " ".join(f"a{i}=1" for i in range(5_000))
    assert read(f"<a {many} href=/x>y</a><p {many} hidden>no").links == (Link("http://site.example/x", "y"),)


@pytest.mark.parametrize(
    "html",
    [
        "<p>text" * 20_000,
        "<ul>" + "<li><a href=x>y" * 10_000,
        "<dl>" + "<dt>a<dd>b" * 10_000,
        "<table>" + "<tr><td><b>x<td><font size=2>y" * 10_000,
        "<table>" + "<tr><td>x</td></tr>" * 10_000 + "</table>",
        "<p><b>Title<p>text<p><b>Title" * 10_000,
        "<p><font size=2>text</p>" * 10_000,
        "<select>" + "<option>x" * 10_000,
        "<div><ul><li><a href=/x><img src=y></a></li></ul></div>" * 10_000,
        "<ruby>a<rt>b</ruby>" * 10_000,
        "<svg viewBox='0 0 1 1'><path d='M0'/><g><circle/></g></svg><br>" * 5_000,
        "<td>stray</td><tr>" * 10_000,
        "<form><input><input><button>x</button></form>" * 5_000,
        "<h1>a<h2>b" * 10_000,
        "<img src='data:image/png;base64," + "A" * 3_000_000 + "'>",
        "<script>" + "if (a<b) { x('<div>') } " * 20_000 + "</script>",
    ],
)
def test_sloppy_pages_are_not_refused(html: str) -> None:
    """Old and long pages leave tags open and are read all the same."""
    assert read(html).refused == ""


def test_text_in_many_nested_links_is_not_read_for_each() -> None:
    """The anchors of nested links are bounded together."""
    page = read("<svg>" + "<a href=1>" * 500 + "x" * 1_000_000)
    assert page.refused == ""
    assert len(page.links) <= 2


TAGS = st.sampled_from(
    ["div", "p", "b", "a", "font", "span", "table", "tr", "td", "tbody", "caption", "select", "option", "optgroup",
     "form", "svg", "math", "g", "desc", "title", "foreignobject", "mi", "annotation-xml", "style", "script",
     "xmp", "textarea", "template", "button", "li", "ul", "dd", "h1", "object", "em", "ruby", "rt", "noscript",
     "sup", "img", "input"]
)  # fmt: skip
PIECES = st.one_of(
    st.builds("<{}{}>".format, TAGS, st.sampled_from(["", "", " a=1", " size=1", "/", " encoding=text/html"])),
    TAGS.map("</{}>".format),
    st.sampled_from(["x", "<!--", "-->", "<![CDATA[", "]]>", "<!x>", "</>"]),
)


WORDS = st.text("abcdeé&<東 \n", min_size=1, max_size=12)
INLINE = st.sampled_from(["b", "i", "em", "span", "strong", "code", "u", "label"])
BLOCKS = st.sampled_from(["div", "section", "blockquote", "article", "main", "nav", "header", "footer", "aside"])
LEAVES = st.one_of(
    WORDS.map(escape),
    st.builds("<!-- {} -->".format, st.sampled_from(["x", "<p>", "> <a href=/no>"])),
    st.sampled_from(
        ["<br>", "<hr/>", "<script>if (a<b) '<p>no'</script>", "<style>p {}</style>", " <img alt=no src=x> "]
    ),
)
PHRASES = st.recursive(
    LEAVES,
    lambda inner: st.builds("<{0} class='x'>{1}</{0}>".format, INLINE, st.lists(inner, max_size=3).map("".join)),
    max_leaves=6,
)
ANCHORS = st.builds(
    "<a {}='{}' title=\"a>b\">{}</a>".format,
    st.sampled_from(["href", "HREF", "class=c href"]),
    st.sampled_from(
        ["/a", "b?x=1&amp;y=2", "c?x=1&copy=2&lang=3", "//other.example/", "#top", "mailto:a@b.example", "d é"]
    ),
    PHRASES,
)
FLOW = st.recursive(
    st.one_of(
        st.builds("<{0}>{1}</{0}>".format, st.sampled_from(["p", "h1", "h2", "pre"]), st.one_of(PHRASES, ANCHORS)),
        PHRASES,
        ANCHORS,
    ),
    lambda inner: st.one_of(
        st.builds("<{0} id=y>{1}</{0}>".format, BLOCKS, st.lists(inner, max_size=3).map("".join)),
        st.lists(inner, max_size=3).map(lambda cells: f"<ul>{''.join(f'<li>{cell}</li>' for cell in cells)}</ul>"),
        st.lists(inner, max_size=3).map(
            lambda cells: f"<table><tr>{''.join(f'<td>{c} </td>' for c in cells)}</tr></table>"
        ),
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=300, derandomize=True)
@given(WORDS, st.lists(FLOW, max_size=5).map("".join))
def test_well_formed_pages_are_read_as_a_tree_is(title: str, body: str) -> None:
    """Title, words and targets are those that a parser which builds the tree finds."""
    html = f"<!doctype html><html><head><title>{escape(title)}</title></head><body>{body}</body></html>"
    page, tree = read(html), cast("Any", HTMLTree.parse(html))
    anchors = tree.document.query_selector_all("a[href]")
    targets = [anchor.getattr("href") for anchor in anchors if anchor.getattr("href")[:1] not in "#m"]
    seen = extract_plain_text(
        tree, preserve_formatting=False, links=False, list_bullets=False, alt_texts=False, form_fields=True
    )
    assert page.title == " ".join(title.split())
    assert page.text.split() == seen.split()
    assert {link.url for link in page.links} == {canonical(target, URL) for target in targets}


@pytest.mark.parametrize(
    ("html", "main"),
    [
        ("<p>all of it", "all of it"),
        ("<nav>menu</nav>own text<footer>foot</footer>", "own text"),
        ("<header>head</header><main>own <nav>in page</nav><header>title</header> text</main>more", "own title text"),
        ("<div role=Main>own <div>text</div> here</div><div>more</div>", "own text here"),
        ("<article>own text</article><aside><article>related</article></aside>", "own text"),
        ("<nav>menu <main>own</main>", "own"),
        ("<nav>menu <div>unclosed</nav>own text<nav><b>menu</div></b>", "own text"),
        ("<div><nav>menu</div>own text", "own text"),
        ("<nav>menu</div></section> menu</nav>own text", "own text"),
        ("<div><nav><table><td></div>menu</table></nav>own text", "own text"),
        ("<article>teaser</article>" + "long text " * 20, ("teaser " + "long text " * 20).strip()),
        (
            "<header>everything is in here, from the first word to the last one</header>x",
            "everything is in here, from the first word to the last one x",
        ),
        ("<nav>a</nav>b " * 6_000, ("a b " * 6_000).strip()),
        ("</nav></main>own<nav>x</nav></nav></nav> text", "own text"),
        ("<p>a <button>press</button> b <span hidden>no</span>c", "a b c"),
    ],
)
def test_main_text(html: str, main: str) -> None:
    """<main>, <article> and role=main if they hold enough; else what is outside menus; else all."""
    assert read(html).main == main


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p hidden>no<p>a", "a"),
        ("<p hidden>no <b>no</b></p>a", "a"),
        ("<div hidden><div>no</div>no</div>a", "a"),
        ("<ul><li hidden>no<li>b</ul>a", "b a"),
        ("<div><span hidden>no</div>a", "a"),
        ("a<input hidden>b", "a b"),
        ("<noscript>no <p>no</p></noscript>a<template><p>no</template>b", "a b"),
    ],
)
def test_hidden_text(html: str, text: str) -> None:
    """What is hidden stays so until its element ends, or one around it."""
    assert read(html).text == text


@pytest.mark.parametrize(
    ("html", "anchors"),
    [
        ("<a href=/1>one <a href=/2>two</a> three", ["one", "two"]),
        ("<a href=/1> <b>o</b>ne<br>word </a>", ["one word"]),
        ("<a href=/1 HREF=/2 rel=x>a &amp; b &eacute;</a>", ["a & b é"]),
        ("<a href=/1><img alt=''><img alt='A &lt; B'></a>", ["A < B"]),
        ("<a href=/1>x<img alt=y></a>", ["x"]),
        (f"<a href=/{'&amp;' * 10_000}>x</a><a href=/1>y</a>", ["y"]),
        ("<a href=/1>left open", ["left open"]),
        ("<noscript><a href=/1>x</a></noscript><template><a href=/2>x</a></template>", [""]),
    ],
)
def test_words_of_links(html: str, anchors: list[str]) -> None:
    """A link has the words up to its end tag or the next link, or else its image's text."""
    assert [link.anchor for link in read(html).links] == anchors


@settings(deadline=None)
@given(st.one_of(st.binary(), st.lists(PIECES).map(lambda parts: "".join(parts).encode()), st.text().map(str.encode)))
def test_any_bytes_make_a_document(body: bytes) -> None:
    """Never an exception; text is collapsed and can be stored."""
    for kind in ("text/html", "text/plain", "text/html; charset=utf-16", ""):
        page = read(body, ("Content-Type", kind))
        assert page.refused in REASONS
        assert page.text == " ".join(page.text.split())
        for text in (page.title, page.text, page.main, *page.headings, *(link.anchor for link in page.links)):
            text.encode()
