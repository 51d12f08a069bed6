"""Markdown files as pages: CommonMark and tables, read by markdown-it-py, with titles of front matter and site links.

Images become their words, because a page of words is what a crawl looks at.
"""

import re
from collections.abc import Callable, Iterator
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

Resolve = Callable[[str], str]  # from the address of a link, as written, to that of a page

_TITLE = re.compile(r"title:[ \t]*(.{1,500})")
_READER = MarkdownIt("commonmark").enable("table")


def to_html(source: str, resolve: Resolve = lambda href: href) -> str:
    """A page whose title is that of the front matter, else the first heading."""
    title, text = _front_matter(source)
    tokens = _READER.parse(text)
    for inline in tokens:
        for token in inline.children or ():
            if token.type == "link_open":
                token.attrSet("href", resolve(str(token.attrGet("href") or "")))
            elif token.type == "image":
                token.type, token.content = "text", _words(token)
    title = title or next(_headings(tokens), "")
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{escape(title)}</title></head>\n<body>\n'
        f"{_READER.renderer.render(tokens, _READER.options, {})}</body></html>\n"
    )


def _front_matter(source: str) -> tuple[str, str]:
    """The title it names, and the text behind it."""
    lines = source.splitlines()
    if not lines or lines[0].rstrip() != "---":
        return "", source
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    title = next((m[1].strip().strip("\"'") for line in lines[1:end] if (m := _TITLE.match(line))), "")
    return title, "\n".join(lines[end + 1 :]) if end else source


def _headings(tokens: list[Token]) -> Iterator[str]:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and (words := _words(inline)):
            yield words


def _words(token: Token) -> str:
    """The text inside a token, without tags and marks of emphasis."""
    shown = (each for each in token.children or () if each.type != "html_inline")
    return "".join([" " if each.type.endswith("break") else each.content for each in shown]).strip()
