"""The frame of a page that needs nothing but itself: style, and text that can do no harm."""

import re
from html import escape

_UNSAFE = re.compile(r"<script|<foreignobject|javascript:|\son\w+\s*=|(?:href|src)\s*=\s*[\"'](?!#)", re.IGNORECASE)

STYLE = """
:root { color-scheme: light dark; --text: #1c1c1c; --back: #ffffff; --soft: #f2f2f2; --line: #d5d5d5; --dim: #555555;
  --good: #00684c; --bad: #a33d00; --open: #5c5c5c; --link: #0057a3; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --back: #161616; --soft: #232323; --line: #3d3d3d; --dim: #ababab;
    --good: #4fc3a0; --bad: #ff9a5c; --open: #b8b8b8; --link: #7fbfff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--text);
  background: var(--back); overflow-wrap: break-word; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.3rem; margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .3rem; }
a { color: var(--link); }
.dim { color: var(--dim); }
.verdict { font-weight: 700; padding: .1rem .5rem; border: 2px solid currentColor; border-radius: .4rem; }
.holds { color: var(--good); } .fails { color: var(--bad); } .unjudged { color: var(--open); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; font-size: .85rem; border-radius: .3rem; }
figure { margin: 1rem 0; } figcaption { color: var(--dim); font-size: .9rem; }
figure svg { max-width: 100%; height: auto; background: #ffffff; border-radius: .3rem; }
dt { font-weight: 600; } dd { margin: 0 0 .4rem; }
"""


def document(title: str, *parts: str) -> str:
    """A whole page; the title is text, the parts are HTML."""
    head = (
        '<meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>"
    )
    body = "\n".join(part for part in parts if part)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def element(tag: str, *parts: str, **attributes: str) -> str:
    """Parts are HTML; values of attributes are text, and `kind` is the class."""
    told = "".join(f' {"class" if name == "kind" else name}="{escape(value)}"' for name, value in attributes.items())
    return f"<{tag}{told}>{''.join(parts)}</{tag}>"


def text(tag: str, content: str, **attributes: str) -> str:
    """An element of nothing but text."""
    return element(tag, escape(content), **attributes)


def drawing(svg: str) -> str:
    """A drawing as it is; one that could do or load anything is shown as text."""
    return svg if svg.startswith("<svg") and not _UNSAFE.search(svg) else text("pre", svg)
