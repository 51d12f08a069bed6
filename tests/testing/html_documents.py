"""Pages that no one would write, made to be read by two readers.

Words are numbered in the order of the source, so that what has been lost, added or moved can be told.
"""

import random
import re

_NAMES = re.findall(
    r"\S+",
    """
    div p p span section article nav main ul ol li li dl dt dd dd table tr tr td td th tbody thead tfoot caption
    colgroup col b b i i a a a font nobr em code h1 h2 h3 button form select option optgroup hr input svg math g
    desc title foreignObject mi mo mtext annotation-xml mglyph malignmark style script textarea xmp template
    noscript iframe noembed noframes object applet marquee ruby rb rt rp rtc br img area wbr pre listing details
    summary dialog address search center header footer aside menu x-y body html head frameset frame meta link base
    param source track embed image datalist label fieldset sub u big video bdi keygen annotation-xml circle mrow
    textPath ms mn command center dir blockquote figure frameset output slot
    """,
)
_PLAIN = ["div", "p", "span", "b", "i", "a", "a", "li", "td", "tr", "table", "table", "ul", "h1", "em"]
_ATTRIBUTES = (
    *("", "", "", "", " hidden", " hidden", " class=x", " id='>'", " hidden=''", " HIDDEN", " /", "/", ' a="<p>"'),
    *(" color=red", " type=hidden", " TYPE=Hidden", " encoding=text/html", " encoding='Application/XHTML+xml'"),
    *(" a a=1 hidden", " =x", " a==b", " x='y'z", ' "', " '", " a\0b", " hid\0den", " definitionurl=1", " role=main"),
)
_BITS = (
    *("<!-- x -->", "<!-->", "<!--->", "<!-- a --!>", "<!x>", "<?x>", "</>", "</ x>", "<!-- <p hidden> -->"),
    *("<![CDATA[", "]]>", "<", "< ", "</", "\0", " ", "\n", "&", "&#", "&amp", "&lt;", "&#38;", "&#x41", "&#X42;"),
    *("&#0;", "&#128;", "&#x9f;", "&#150", "&#xD800;", "&#x110000;", "&#99999999999;", "&#00000065;", "&#1;"),
    *("&notit;", "&copy", "&copyx", "&amp;lt;", "&nbsp;", "&#xA0;", "&eacute;", "&NotEqualTilde;", "&unknown;", "é"),
    *("<!doctype html>", "<!DOCTYPE html SYSTEM 'about:legacy-compat'>", "<!doctype>", "<a", "<div hidden", "東"),
)
# Whole pieces of real pages: omitted end tags, escapes of scripts, foreign content, attributes that come twice.
_PIECES = (
    *("<br/>", "</br>", "</p>", "\r\n", "\r", "\ufeff", "<html lang=pt>", "<html lang=fr class=x>", "<body hidden=x>"),
    *("<html xml:lang=de>", "<meta charset=utf-8>", "<base href=/b/>", "<base target=x>", "<plaintext>", "<template>"),
    *("<script><!--<script></script>--></script>", "<script><!--</script>", "<script><!-- <script>", "</script>-->"),
    *("<textarea>\n", "<pre>\n", "</textarea>", "<svg><title>", "<svg><![CDATA[ x<p>]]></svg>", "<svg><desc>"),
    *("<svg><foreignObject><p>", "<math><annotation-xml encoding='text/html'>", "<math><mi>", "</svg>", "</math>"),
    *("<table><tr><td>", "<tr><td>", "<tr><th>", "<tbody><tr>", "<caption>", "<ul><li>", "<li>", "<dl><dt>", "<dd>"),
    *("<form><form>", "</form>", "<select><option>", "<option>", "</select>", "<ruby>x<rt>", "<rp>(<rt>", "</ruby>"),
    *("<head><noscript><link rel=x href=/x></noscript>", "<noscript><img alt=x></noscript>", "<noscript><p>"),
    *("<b><p>", "<i><div>", "</b>", "</i>", "<img alt=x>", "<img src=x alt='y z'>", "<h2>", "</h2>", "<frameset>"),
    *("<a href=/s rel=nofollow>", "<a href=/t hidden hidden=x href=/u>", "<a href=/v rel='x UGC'>", "</a>"),
    *("<p a=b'c\"d e=`f>", "<p =a>", "<!-->", "<!--->", "<!---!>", "<!--x--!>", "<!--<!-->", "<!-x>", "<?php x ?>"),
)
_HREFS = (
    *("?a=1&copy=2", "?a&amp;b", "b&#x2f;c", "#x", "", " /s p ", "&notit;", "\0x", "?x=&lt", "?x=&#65a", "é?é"),
    *("?y=&copy;", "\t/t\n", "&#X2f;h", "//other.example/&#0;"),
)


class Page:
    """One page from a random number generator."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.words = 0

    def text(self) -> str:
        self.words += 1
        space = self.rng.choice(("", "", " ", "\n"))
        return f"{space}w{self.words}.{self.rng.choice(('', ' ', ''))}"

    def attributes(self, name: str) -> str:
        found = self.rng.choice(_ATTRIBUTES)
        if name in ("a", "area", "base", "link"):
            self.words += 1
            href = self.rng.choice((f"/l{self.words}", f"l{self.words}", self.rng.choice(_HREFS)))
            found += f' href="{href}"'
        elif name in ("iframe", "frame") and self.rng.random() < 0.5:
            self.words += 1
            found += f" src=/f{self.words}"
        if name == "meta":
            found += self.rng.choice((" name=robots content=noindex", " name=Robots content='NoFollow, x'", " name=x"))
        if name == "link":
            found += self.rng.choice((" rel=canonical", " rel='x Canonical'", " rel=x"))
        return found

    def piece(self, names: tuple[str, ...]) -> str:
        kind = self.rng.random()
        name = self.rng.choice(names)
        if kind < 0.42:
            written = name if self.rng.random() < 0.95 else name.upper()
            return f"<{written}{self.attributes(name)}>"
        if kind < 0.62:
            return f"</{name}{self.rng.choice(('', '', '', ' ', ' x=1'))}>"
        if kind < 0.92:
            return self.text()
        return self.rng.choice(_BITS)


def page(seed: int) -> str:
    """The same page for the same seed; of few names, so that they meet often.  Every third has pieces of real pages."""
    rng = random.Random(seed)
    made = Page(rng)
    names = tuple(rng.choices(_NAMES, k=rng.randint(2, 12))) + tuple(rng.sample(_PLAIN, rng.randint(0, 5)))
    head = rng.choice(("", "", "<!doctype html>", "<head>", "<title>", "<!doctype html><body>", "<table>", "<body>"))
    pieces = [made.piece(names) for _ in range(rng.randint(1, 40))]
    if seed % 3 == 0:
        pieces = [piece if rng.random() < 0.6 else rng.choice(_PIECES) for piece in pieces]
    return head + "".join(pieces)
