"""What would this Markdown say as a page?  Just enough HTML for its words, headings, links and code.

A reader of CommonMark's common part (https://spec.commonmark.org/0.31.2/) and of front matter, not a renderer: lists
are items one after the other, quotes are paragraphs, emphasis is dropped, images are their words.  Every pattern is
bounded, so that time is linear in the text.
"""

import re
from collections.abc import Callable, Iterator
from html import escape, unescape

Resolve = Callable[[str], str]  # from the address of a link, as written, to that of a page

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_UNDERLINE = re.compile(r" {0,3}(?:(=)=*|(-)-*)[ \t]*$")
_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,200}|(?:\*[ \t]*){3,200}|(?:_[ \t]*){3,200})$")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
_QUOTE = re.compile(r"(?: {0,3}> ?){1,20}")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t:|-]*-[ \t:|-]*$")
_DEFINITION = re.compile(r" {0,3}\[([^\[\]]{1,200})\]:[ \t]{0,10}<?([^\s<>]{1,2000})")
_TITLE = re.compile(r"title:[ \t]*(.{1,500})")
_TAG = re.compile(r"<[^<>]{0,3000}>")
_WORD = r"[^\s<>()]"
_HREF = (
    rf"\([ \t]{{0,3}}<?({_WORD}{{0,2000}}(?:\({_WORD}{{0,200}}\){_WORD}{{0,500}})?)>?"
    r"""(?:[ \t]{1,3}["'][^"'\n]{0,300}["'])?\)"""
)
_IMAGE = re.compile(r"!\[([^\[\]]{0,300})\](?:" + _HREF + r"|\[[^\[\]]{0,200}\])")
_INLINE = re.compile(
    r"(?P<ticks>`{1,3})(?P<code>[^`]{1,500})(?P=ticks)"
    r"|\[(?P<words>[^\[\]]{1,300})\](?:" + _HREF.replace("<?(", "<?(?P<href>", 1) + r"|\[(?P<name>[^\[\]]{0,200})\])?"
    r"|<(?P<bare>https?://[^\s<>]{1,2000})>"
    r"|(?P<tag></?[A-Za-z][^<>]{0,500}>|<!--.{0,500}?-->)"
    r"|\\(?P<plain>[!-/:-@\[-`{-~])"
    r"|(?P<mark>\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\S)|(?<=\S)_{1,3}(?!\w)|~~)"
)


def to_html(source: str, resolve: Resolve = lambda href: href) -> str:
    """A page whose title is that of the front matter, else the first heading."""
    title, lines = _front_matter(source.splitlines())
    page = _Page(resolve, {m[1].casefold(): m[2] for line in lines if (m := _DEFINITION.match(line))})
    page.read(lines)
    title = title or page.first_heading
    return (
        f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{escape(title)}</title></head>\n<body>\n'
        + "\n".join(page.blocks)
        + "\n</body></html>\n"
    )


def _front_matter(lines: list[str]) -> tuple[str, list[str]]:
    """The title it names, and the lines behind it."""
    if not lines or lines[0].rstrip() != "---":
        return "", lines
    end = next((i for i, line in enumerate(lines[1:], 1) if line.rstrip() in ("---", "...")), 0)
    title = next((m[1].strip().strip("\"'") for line in lines[1:end] if (m := _TITLE.match(line))), "")
    return title, lines[end + 1 :] if end else lines


class _Page:
    """Blocks so far, and the one that is being read: its tag and lines."""

    def __init__(self, resolve: Resolve, names: dict[str, str]) -> None:
        self.resolve, self.names = resolve, names
        self.blocks: list[str] = []
        self.first_heading = ""
        self.tag, self.text = "p", list[str]()
        self.in_list = False

    def read(self, lines: list[str]) -> None:
        rest = iter(lines)
        for line in rest:
            if fence := _FENCE.match(line):
                self.end()
                self.code(_until(rest, fence[1]))
            elif line.startswith(("    ", "\t")) and not self.text and not self.in_list:
                self.code(iter((line.strip(),)))
            else:
                self.line(line)
        self.end()

    def line(self, line: str) -> None:
        """A line that is no code."""
        if not line.strip() or _DEFINITION.match(line):
            self.end()
        elif heading := _HEADING.match(line):
            self.end()
            self.heading(len(heading[1]), line[heading.end() :].strip().rstrip("#"))
        elif self.text and (under := _UNDERLINE.match(line)):
            words, self.text = " ".join(self.text), []
            self.heading(1 if under[1] else 2, words)
        elif _RULE.match(line) or ("|" in line and _TABLE_RULE.match(line)):
            self.end()
        elif item := _ITEM.match(line):
            self.end()
            self.tag, self.in_list = "li", True
            self.text = [line[item.end() :]]
        else:
            self.in_list = self.in_list and (bool(self.text) or line[0] in " \t")
            quote = _QUOTE.match(line)
            self.text.append(line[quote.end() :] if quote else line.strip().strip("|").replace(" | ", " "))

    def heading(self, level: int, words: str) -> None:
        inner = self.inline(words.strip())
        self.in_list = False
        self.first_heading = self.first_heading or unescape(_TAG.sub("", inner))
        self.blocks.append(f"<h{level}>{inner}</h{level}>")

    def code(self, lines: Iterator[str]) -> None:
        self.blocks.append("<pre><code>" + escape("\n".join(lines)) + "</code></pre>")

    def end(self) -> None:
        if self.text:
            self.blocks.append(f"<{self.tag}>{self.inline(' '.join(self.text))}</{self.tag}>")
        self.tag, self.text = "p", []

    def inline(self, text: str) -> str:
        text = _IMAGE.sub(lambda image: image[1], text)
        parts, at = [], 0
        for found in _INLINE.finditer(text):
            parts += [escape(text[at : found.start()], quote=False), self.span(found)]
            at = found.end()
        return "".join([*parts, escape(text[at:], quote=False)])

    def span(self, found: re.Match[str]) -> str:
        if found["code"]:
            return f"<code>{escape(found['code'].strip())}</code>"
        if found["words"]:
            return self.link(found)
        if found["bare"]:
            return f'<a href="{escape(found["bare"])}">{escape(found["bare"])}</a>'
        return found["tag"] or escape(found["plain"] or "")  # a mark of emphasis says nothing

    def link(self, found: re.Match[str]) -> str:
        words, href = found["words"], found["href"]
        if href is None:
            href = self.names.get((found["name"] or words).casefold())
        inner = self.inline(words)  # no brackets in it: this goes one step deep
        return f"[{inner}]" if href is None else f'<a href="{escape(self.resolve(href))}">{inner}</a>'


def _until(lines: Iterator[str], fence: str) -> Iterator[str]:
    """The lines of a fenced block; consumes the one that ends it."""
    for line in lines:
        if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            return
        yield line
