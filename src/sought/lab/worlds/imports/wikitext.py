"""MediaWiki's markup to plain HTML: headings, lists, links and words.

Templates, references and the like are dropped, because their content is not in the text.  Any text gives a page in
linear time: a missing closing mark is searched for once, and patterns stop at the next opening mark.
"""

import re
from collections.abc import Callable, Iterator
from html import escape, unescape

MAX_TEXT = 1 << 22  # characters read; MediaWiki itself takes half of that
# English names are understood by every wiki.
NAMESPACES = frozenset(
    ("media", "special", "talk", "user", "file", "image", "mediawiki", "template", "help", "category", "portal")
)

_COMMENT = re.compile(r"<!--")
_OPAQUE = re.compile(
    r"<(ref|nowiki|math|chem|gallery|timeline|score|imagemap|syntaxhighlight|source|templatestyles|graph|style|script)"
    r"(?=[\s/>])",
    re.IGNORECASE,
)
_BRACES = re.compile(r"\{\{|\}\}")
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_QUOTES = re.compile(r"'{2,}")
_SWITCH = re.compile(r"__[A-Z]{3,24}__")
_LINK = re.compile(r"\[\[([^\[\]|\n]{1,512})(?:\|([^\[\]\n]{0,1000}))?\]\]")
_FILE = re.compile(r"\[\[([^\[\]]{0,5000})\]\]")
_OUTWARD = re.compile(r"\[((?:https?:)?//[^\s\[\]<>\"|]{1,2000})(?:[ \t]+([^\[\]\n]{0,1000}))?\]")
_REDIRECT = re.compile(
    r"\s{0,100}#(?:REDIRECT|REDIRECTION|REDIRECCI[ÓO]N|WEITERLEITUNG|DOORVERWIJZING|RINVIA|REDIRECIONAMENTO|перенаправление)"
    r"\s{0,100}:?\s{0,100}\[\[([^\[\]|\n]{1,512})",
    re.IGNORECASE,
)
_ROW_MARKS = ("{|", "|}", "|-", "----")

Address = Callable[[str], str]


def html(text: str, title: str, address: Address, language: str = "", spaces: frozenset[str] = NAMESPACES) -> str:
    """A page.  `address` gives the URL of a title, empty if it has none; `spaces` are namespaces, in lower case."""
    text = text[:MAX_TEXT].replace("\0", "")
    for drop in (_without_comments, _without_opaque, _without_templates):
        text = drop(text)
    text = _SWITCH.sub("", _QUOTES.sub("", _TAG.sub(" ", text)))
    text = _linked(escape(unescape(text), quote=False), address, spaces)
    name, lang = escape(title), f' lang="{escape(language)}"' if language else ""
    head = f'<!doctype html><html{lang}><head><meta charset="utf-8"><title>{name}</title></head>'
    return f"{head}<body><main><h1>{name}</h1>\n{''.join(_blocks(text))}</main></body></html>"


def redirect(text: str) -> str:
    """The title a page sends its readers to; empty if it does not."""
    match = _REDIRECT.match(text)
    return unescape(match[1]).strip() if match else ""


def _without_comments(text: str) -> str:
    return "".join(_kept(text, _COMMENT, lambda match: text.find("-->", match.end()), 3))


def _kept(text: str, opening: re.Pattern[str], close: Callable[[re.Match[str]], int], length: int) -> Iterator[str]:
    """The text outside of pairs of marks; a pair that is not closed runs to the end."""
    at = 0
    while match := opening.search(text, at):
        yield text[at : match.start()]
        end = close(match)
        if end < 0:
            return
        at = end + length
    yield text[at:]


def _without_opaque(text: str) -> str:
    """Drop elements with all that is in them; one that is not closed loses only its tag."""
    kept, at, unclosed = [], 0, set[str]()
    while match := _OPAQUE.search(text, at):
        kept.append(text[at : match.start()])
        at = text.find(">", match.end()) + 1
        if not at:
            return "".join(kept)
        name = match[1].lower()
        if text[at - 2] == "/" or name in unclosed:
            continue
        closing = re.compile(f"</{name}[ \t\n]{{0,9}}>", re.IGNORECASE).search(text, at)
        if closing is None:
            unclosed.add(name)  # so are those that follow: do not search again
        else:
            at = closing.end()
    return "".join([*kept, text[at:]])


def _without_templates(text: str) -> str:
    """Drop {{…}}, nested ones too; of unpaired braces only the braces."""
    open_at: list[int] = []
    spans: list[tuple[int, int]] = []
    for mark in _BRACES.finditer(text):
        if mark[0] == "{{":
            open_at.append(mark.start())
        elif open_at:
            start = open_at.pop()
            while spans and spans[-1][0] > start:
                spans.pop()
            spans.append((start, mark.end()))
    kept, at = [], 0
    for start, end in spans:
        kept.append(text[at:start])
        at = end
    return _BRACES.sub("", "".join([*kept, text[at:]]))


def _linked(text: str, address: Address, spaces: frozenset[str]) -> str:
    """Links as HTML.  Those inside of others (captions of pictures) come first, for they hold no brackets then.

    What is in another namespace is no page of the world: of pictures the captions stay, of the rest the words.
    """

    def inner(match: re.Match[str]) -> str:
        target, anchor = unescape(match[1]).strip(), match[2]
        space = target.lstrip(":").partition(":")[0].strip().lower() if ":" in target else ""
        if space in spaces and not target.startswith(":"):
            return _caption(anchor or "") if space != "category" else ""
        shown = (anchor or "").strip() or match[1].strip().lstrip(":")
        url = "" if space in spaces else address(target.lstrip(":"))
        return f'<a href="{escape(url)}">{shown}</a>' if url else shown

    text = _LINK.sub(inner, text)
    text = _FILE.sub(lambda match: _caption(match[1]), text)
    return _OUTWARD.sub(lambda match: f'<a href="{match[1]}">{match[2] or match[1]}</a>', text)


def _caption(parts: str) -> str:
    """The words under a picture: what stands after its last bar, unless that is a size or a place."""
    last = parts.rpartition("|")[2].strip()
    return f" {last} " if " " in last else ""


def _blocks(text: str) -> Iterator[str]:
    paragraph: list[str] = []
    for line in text.split("\n"):
        line = line.strip()
        block = _block(line)
        if block is None:
            paragraph.append(line)
            continue
        if paragraph:
            yield f"<p>{' '.join(paragraph)}</p>\n"
            paragraph = []
        yield block
    if paragraph:
        yield f"<p>{' '.join(paragraph)}</p>\n"


def _block(line: str) -> str | None:
    """A line that stands for itself; None if it is part of a paragraph."""
    if not line or line.startswith(_ROW_MARKS):
        return ""
    if line[0] == "=" and line[-1] == "=" and len(line) > 2:
        level = min(len(line) - len(line.lstrip("=")), len(line) - len(line.rstrip("=")), 6)
        words = line[level:-level].strip()
        return f"<h{level}>{words}</h{level}>\n" if words else ""
    if line[0] in "*#:;":
        return f"<p>{line.lstrip('*#:; ')}</p>\n"
    if line[0] in "|!":
        return "".join(f"<p>{_cell(cell)}</p>\n" for cell in re.split(r"\|\||!!", line[1:]) if cell.strip())
    return None


def _cell(cell: str) -> str:
    """A cell of a table, without the attributes before its bar."""
    before, bar, after = cell.partition("|")
    return after.strip() if bar and "<" not in before else cell.lstrip("+").strip()
