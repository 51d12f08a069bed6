"""Read generated pages by our reader and by a parser that builds the tree, and count where they disagree.

python -m tests.html_differential --documents 100000 --first 0
"""

import argparse
import re
import sys
from collections import Counter

from sought.web.digest import digest
from sought.web.message import Response
from tests.browser_tree import Tree, read_tree, resolved
from tests.html_documents import page

URL = "http://site.example/dir/page"
# Where our reader departs from the tree, and why.  Everything else must agree.
DEVIATIONS = {
    "order": "What a table throws out stands before it in the tree; we write text in the order of the source.",
    "moved": "What comes later moves or hides in the tree what has been read; we judge it as of when it was read.",
    "noscript": "A <noscript> of the head ends in the tree where a head would; we take it for one in the body.",
    "separated": "Any tag of a block separates words, even one that the tree has no element for.",
}
_WORD = re.compile(r"[wlf]\d+")


def ours(html: str) -> Tree:
    found = digest(Response(URL, 200, headers=(("Content-Type", "text/html; charset=utf-8"),), body=html.encode()))
    robots = [name for name in ("noindex", "nofollow") if getattr(found, name)]
    links = {link.url for link in found.links}
    return Tree(found.title, [found.text], links, found.base, robots, found.canonical)


def differences(html: str) -> list[str]:
    """The kinds of disagreement on a page: of DEVIATIONS, or others, which must not be."""
    mine, tree = ours(html), read_tree(html, URL)
    found = _text_differences(html, " ".join(mine.text), "".join(tree.text))
    if found and tree.noscript_in_head:
        found = ["noscript"]
    robots = sorted({word for word in tree.robots if word in ("noindex", "nofollow")})
    if mine.title != (tree.title or "")[:500].strip():
        found.append("title")
    if sorted(mine.robots) != robots:
        found.append("robots")
    if tree.base is not None and mine.base != _base_of(tree.base):
        found.append("base")
    if mine.links != tree.links:
        found += _link_differences(html, mine.links ^ tree.links)
    if (mine.canonical or "") != (tree.canonical or ""):
        found.append("canonical")
    return found


def _base_of(href: str) -> str:

    return resolved(href.strip("".join(map(chr, range(33)))), URL) or URL


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _text_differences(html: str, mine: str, tree: str) -> list[str]:
    if mine == " ".join(tree.split()):
        return []
    if _squeezed(mine) == _squeezed(tree):
        return ["separated"] if _splits(mine) >= _splits(tree) else ["words"]
    seen, expected = _WORD.findall(mine), _WORD.findall(tree)
    if sorted(seen) == sorted(expected):
        same = sorted(_squeezed(mine)) == sorted(_squeezed(tree))
        return ["order"] if same and "<table" in html.lower() else ["text"]
    odd = set(seen) ^ set(expected)
    return ["moved"] if all(_was_moved(html, word, word in seen) for word in odd) else ["text"]


def _splits(text: str) -> set[int]:
    """After how many characters a word ends."""
    found, size = set(), 0
    for word in text.split():
        size += len(word)
        found.add(size)
    return found


def _was_moved(html: str, word: str, seen: bool) -> bool:
    """Whether the tree of the page as far as it goes to this word agrees with us about it."""
    at = html.find(word + ".")
    if at < 0:
        return False
    return (word in _WORD.findall("".join(read_tree(html[: at + len(word) + 1], URL).text))) == seen


def _link_differences(html: str, odd: set[str]) -> list[str]:
    for target in odd:
        path = target.rpartition("/")[2]
        at = html.find(path + '"') if path[:1] == "l" else html.find(path + ">")
        end = html.find(">", at) + 1
        if at < 0 or not end:
            return ["links"]
        before = read_tree(html[:end], URL).links
        if (target in before) != (target in ours(html).links):
            return ["links"]
    return ["moved"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, default=5, help="Unexplained pages to print.")
    options = parser.parse_args()
    kinds: Counter[str] = Counter()
    shown = 0
    for seed in range(options.first, options.first + options.documents):
        html = page(seed)
        found = differences(html)
        kinds.update(set(found))
        odd = [kind for kind in found if kind not in DEVIATIONS]
        if odd and shown < options.show:
            shown += 1
            print(f"seed {seed} {odd}: {html!r}")
    unexplained = sum(count for kind, count in kinds.items() if kind not in DEVIATIONS)
    print(f"documents {options.documents}")
    for kind in sorted(kinds):
        print(f"{kind} {kinds[kind]} {'explained' if kind in DEVIATIONS else 'UNEXPLAINED'}")
    print(f"unexplained {unexplained}")
    sys.exit(1 if unexplained else 0)


if __name__ == "__main__":
    main()
