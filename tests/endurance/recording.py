"""Record searches in the query log of a crawl, and print the number of each when it is recorded: DIR FIRST COUNT."""

import sys
import time
from pathlib import Path

from sought.demand import QueryLog, Search

path, first, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
log = QueryLog(path / "queries")
for number in range(first, first + count):
    log.record(Search(f"search number {number}", time.time(), ("http://a.example/",)))
    print(number, flush=True)
