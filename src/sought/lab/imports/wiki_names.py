"""What is a title's address in a wiki, and which of its titles are no articles?"""

from urllib.parse import quote

from sought.lab.imports import wikitext
from sought.web.errors import BadURL
from sought.web.url import canonical


class Wiki:
    """What is known of a wiki when its pages come: addresses of titles, names of namespaces, language."""

    def __init__(self, base_url: str) -> None:
        self.base = canonical(base_url).rstrip("/") + "/wiki/"
        self.language = ""
        self.spaces = set(wikitext.NAMESPACES)
        self.any_case = False  # whether titles may begin with a small letter

    def address(self, title: str) -> str:
        """The URL of a title; empty if it can have none."""
        name = "_".join(title.partition("#")[0].replace("_", " ").split())
        if not name:
            return ""
        if not self.any_case:
            name = name[0].upper() + name[1:]
        try:
            return canonical(self.base + quote(name, safe="/:@!$&'()*+,;=~"))
        except (BadURL, UnicodeError):
            return ""
