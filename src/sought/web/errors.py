"""Which errors can Sought raise?

SoughtError            an error with a one-line message for people; exit code 2
├── BadInput           a file, option or value that cannot be used as given
│   ├── BadConfig      sought.toml
│   └── BadURL         an address no crawler could fetch
├── CrawlBusy          another process works on this crawl directory
├── CrawlDamaged       files on disk are inconsistent; the message names the command that repairs them
│   └── LogDamaged     the query log; a crawl goes on without it
└── StorageFull        the disk (or a quota) refused a write; nothing finished is lost
"""


class SoughtError(Exception):
    """An error that a person can act on; the message says how."""


class BadInput(SoughtError):
    """A file, option or value that cannot be used as given."""


class BadConfig(BadInput):
    """A sought.toml that cannot be used."""


class BadURL(BadInput):
    """An address that is not a fetchable http(s) URL."""


class CrawlBusy(SoughtError):
    """Another process holds the crawl directory."""


class CrawlDamaged(SoughtError):
    """Files on disk are missing or inconsistent."""


class LogDamaged(CrawlDamaged):
    """Part of a query log cannot be used; `what` says which part and why."""

    def __init__(self, what: str, message: str) -> None:
        super().__init__(message)
        self.what = what


class StorageFull(SoughtError):
    """A write failed because the disk, or a quota, is full."""
