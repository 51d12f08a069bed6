"""Hide the crawl's path in error messages."""

import re
from functools import lru_cache
from pathlib import Path

_NAME = "DIR"  # as the documentation calls it


def without_folder(path: Path, text: str) -> str:
    """A text in which the crawl's directory has no path.  What only looks like it, say in an address, stays.

    >>> without_folder(Path("/data/crawl"), "cannot write /data/crawl/store of http://a.example/data/crawl/")
    'cannot write DIR/store of http://a.example/data/crawl/'
    """
    return _pattern(path).sub(_NAME, text)


@lru_cache
def _pattern(path: Path) -> re.Pattern[str]:
    names = "|".join(re.escape(str(each)) for each in (path.absolute(), path.resolve()))
    return re.compile(rf"(?<![\w.\]-])(?:{names})(?![\w-])")
