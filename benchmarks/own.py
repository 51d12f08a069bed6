"""Sought itself in a process of its own: robots, links, archive and index on.  Prints its figures as JSON."""

import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.memory import peak_mb
from sought.api import open as open_crawl
from sought.operate.live import warm_up
from sought.operate.view import View

_CONFIG = """
seeds = {seeds}
[agent]
contact = "bench@example.org"
[scope]
hosts = {hosts}
[crawl]
policy = "BreadthFirst()"
[politeness]
delay = 0.0
latency_factor = 0.0
[fetch]
allow_networks = ["127.0.0.0/8"]
"""


def run(seeds: list[str], pages: int) -> dict[str, float]:
    """Crawl until nothing is left; the time is from opening the directory to everything committed."""
    warm_up()  # the peers' start is not measured either
    hosts = sorted({url.split("/")[2].partition(":")[0] for url in seeds})
    with tempfile.TemporaryDirectory(prefix="sought-bench-") as folder:
        (Path(folder) / "sought.toml").write_text(_CONFIG.format(seeds=json.dumps(seeds), hosts=json.dumps(hosts)))
        start, cpu = time.perf_counter(), time.process_time()
        fetched = open_crawl(folder).crawl(fetches=pages + 1).fetched
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        with View(Path(folder)) as view:
            searchable = view.status().searchable
    return {"pages": fetched, "seconds": seconds, "cpu": cpu, "rss_mb": peak_mb(), "searchable": searchable}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(run(sys.argv[2:], int(sys.argv[1]))) + "\n")
