"""How does the crawler identify itself?  Without a contact it does not crawl."""

import re

from sought.web.errors import BadConfig

VERSION = "0.1"
_EMAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+")
_PAGE = re.compile(r"https?://[A-Za-z0-9.\[\]:-]+(/[!-'*-~]*)?")
_TOKEN = re.compile(r"[A-Za-z_-]+")  # RFC 9309 §2.2.1: what a robots.txt can name


def user_agent(contact: str, name: str = "sought") -> str:
    """`sought/0.1 (+contact)`; the contact is an e-mail address or a page about the crawler."""
    if not _TOKEN.fullmatch(name):
        raise BadConfig(f"agent name {name!r}: use letters, - and _ only, so that a robots.txt can name it")
    if not (_EMAIL.fullmatch(contact) or _PAGE.fullmatch(contact)):
        raise BadConfig(
            f"no usable contact ({contact!r}): write an e-mail address or a web page about your crawl, for example "
            'contact = "you@example.org" under [agent] in sought.toml'
        )
    return f"{name}/{VERSION} (+{contact})"


def product_token(agent: str) -> str:
    """The name a robots.txt would use for this user agent, in lower case."""
    token = _TOKEN.match(agent)
    return token[0].lower() if token else ""


def mail_address(agent: str) -> str:
    """The e-mail address in a user agent made by `user_agent` (for the From header), or nothing."""
    contact = agent.partition("(+")[2].rstrip(")")
    return contact if _EMAIL.fullmatch(contact) else ""
