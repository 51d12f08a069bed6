"""The error tree.

SoughtError            anything Sought says to a person in one line; exit code 2
├── BadInput           a file, option or value that cannot be used as given
│   ├── BadConfig      sought.toml
│   └── BadURL         an address no crawler could fetch
├── CrawlBusy          another process works on this crawl directory
├── CrawlDamaged       what is on disk contradicts itself; the message names the command that mends it
│   └── LogDamaged     the query log; a crawl goes on without what it says
└── StorageFull        the disk (or a quota) refused a write; nothing finished is lost
"""


class SoughtError(Exception):
    """Something a person can act on; the message says how."""


class BadInput(SoughtError):
    """A file, option or value that cannot be used as given."""


class BadConfig(BadInput):
    """A sought.toml that cannot be used."""


class BadURL(BadInput):
    """An address that is not a fetchable http(s) URL."""


class CrawlBusy(SoughtError):
    """Another process holds the crawl directory."""


class CrawlDamaged(SoughtError):
    """What is on disk contradicts itself."""


class LogDamaged(CrawlDamaged):
    """Part of a query log cannot be used; `what` says which part and why."""

    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what = what


class StorageFull(SoughtError):
    """A write was refused for want of space."""
