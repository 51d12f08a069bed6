"""Promises of the HTML reader about pages that no tree builder finds simple; each was read otherwise once."""

import pytest

from sought.web.digest import digest
from sought.web.document import Document
from sought.web.html.markup import read as read_markup
from sought.web.html.tags import HTML
from sought.web.message import Response
from tests.testing.html_differential import differences


def read(html: str) -> Document:
    headers = (("Content-Type", "text/html; charset=utf-8"),)
    return digest(Response("http://site.example/dir/page", 200, headers=headers, body=html.encode()))


def anchors(html: str) -> list[tuple[str, str]]:
    return [(link.url.removeprefix("http://site.example"), link.anchor) for link in read(html).links]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<svg><tr hidden>no", ""),
        ("<math><svg hidden><mo><i>no", ""),
        ("<form><nobr></form>a<nobr>b", "a b"),
        ("<a><x-y><h1>a<a>b", "ab"),
        ("<b><x-y><div>a</b>b", "ab"),
        ("<p><em hidden><plaintext>no", ""),
        ("a<!---!>no-->b", "ab"),
        ("<svg><desc><![CDATA[a\0b]]>", "ab"),
        ("<svg><title><title>no</title>no</title>", ""),
        ("<p><b hidden><pre>\n<table><td>a", "a"),
        ("<p><b hidden><pre>\r\n<table><td>a", "a"),
        ("<p><b hidden><pre>\n\n<table><td>no", ""),
        ("<svg><g><![CDATA[a\0b]]>", "a\ufffdb"),
    ],
)
def test_text(html: str, text: str) -> None:
    """A row of svg is no table's; <svg> in math is math; what is left of a form ends as a block."""
    assert read(html).text == text


def test_formatting_does_not_enter_a_group_of_columns() -> None:
    """White space in a <colgroup> opens nothing: what comes is read as in the table."""
    assert anchors("<table><b><colgroup>\n<a href=/3>x</table>") == [("/3", "x")]


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<a href=/1>a<area href=/2>b</a>", [("/2", ""), ("/1", "a b")]),
        ("<a href=/1>a<iframe src=/2></iframe>b</a>", [("/2", ""), ("/1", "a b")]),
        ("<table><a href=/1>a<td>b</table>", [("/1", "a")]),
        ("<table><a href=/1>a<marquee><tbody>b</table>", [("/1", "a")]),
        ("<table><a href=/1>a<tbody><xmp>b</xmp></table>", [("/1", "a b")]),
        ("<a href=/1>a<template><a>no<a></template>b</a>", [("/1", "ab")]),
        ("<p><a href=/1>a<p>b</a>c", [("/1", "a b")]),
        ("<table><a href=/1><td><img alt=b></table>", [("/1", "")]),
        ("<table><a href=/1><td><svg><![CDATA[b]]></svg></table>", [("/1", "")]),
    ],
)
def test_the_words_of_a_link_are_those_in_its_element(html: str, found: list[tuple[str, str]]) -> None:
    """A link goes on behind <area>, <iframe> and a template, and ends where a table or an end tag ends it."""
    assert anchors(html) == found


def test_a_heading_in_a_template_ends_none() -> None:
    """What is in a template is not on the page."""
    assert read("<h1>a<template><h1>no</h1></template>b</h1>").headings == ("a b",)


def test_a_tag_in_a_template_says_no_language() -> None:
    """<html lang> in a template is ignored."""
    assert not read_markup(b"<template><html lang=pt></template>").values(HTML)


def test_a_long_title_ends_in_a_word() -> None:
    """A title that is cut behind a space has none at its end."""
    assert read(f"<title>{'x' * 499} y</title>").title == "x" * 499


@pytest.mark.parametrize(
    ("html", "mine", "kind"),
    [
        ("<table>w1.<tr><td>w2.</table>", "<table><tr><td>w2.</table>w1.", "text"),
        ("w1.<b>w2.</b>", "w1. w2.", "words"),
        ("w1.<p>w2.", "w1.w2.", "words"),
        ("<a href=/1>w1.</a>w2.", "<a href=/1>w1.w2.</a>", "anchors"),
        ("<table><a href=/1>w1.</a> w2.", "<a href=/1>w1. w2.</a>", "anchors"),
        ("w1.<b>w2.</b> <table></table>", "w1. w2.<table></table>", "words"),
        ("<template></template><a href=/1>w1.</a>", "w1.", "links"),
    ],
)
def test_a_deviation_hides_no_defect(html: str, mine: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words in another order, a space too many or too few, text that is lost: none of these is a deviation."""
    real = digest
    monkeypatch.setattr(
        "tests.testing.html_differential.digest",
        lambda response: real(Response(response.url, 200, headers=response.headers, body=mine.encode())),
    )
    assert differences(html) == [kind]


@pytest.mark.parametrize(
    ("html", "kinds"),
    [
        ("<a href=/1><table><td>w1.</tr><a href=/2>", ["moved"]),  # the second link takes the table out of the first
        ("<template><a href=/1><table><td></template>w1.", ["moved"]),  # the link goes on behind the template
        ("<table>w1.</b> <ruby>w2.", ["order"]),  # white space stays in the table
        ("<table><td>w1.</td><!-- <p> -->\nw2.", ["order"]),  # a comment is one step
        ("<table><td><svg><![CDATA[ x]]></svg><svg><![CDATA[ x]]></svg></td>w2.", ["order"]),
        ("<a href=/1>w1.<a href=/1><img alt=x>", []),
        ("<a href=/1>w1.<p>w1.</a>", []),
    ],
)
def test_what_the_comparison_explains(html: str, kinds: list[str]) -> None:
    """Each was called unexplained once."""
    assert differences(html) == kinds


def test_the_comparison_reads_anchors_headings_and_language() -> None:
    """They are compared: `differences` is empty because both readers say the same."""
    html = "<html lang=pt><h2>w1.</h2><h1>w2.</h1><a href=/l3 rel=nofollow>w4.<img alt=x></a>"
    assert differences(html) == []
    page = read(html)
    assert page.headings == ("w2.", "w1.")
    assert [(link.anchor, link.nofollow) for link in page.links] == [("w4.", True)]
    assert read_markup(html.encode()).links
