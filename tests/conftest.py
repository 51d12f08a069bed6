"""What several tests need: a toy web on loopback and a crawl directory for it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from sought.toyweb import Served, ToyWeb, serve_in_thread

# The same examples everywhere and every time, however slow the machine (a first call may have to be compiled);
# `--hypothesis-profile=default` looks for others.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.load_profile("steady")

MakeCrawl = Callable[..., Path]

_CONFIG = """
[agent]
contact = "test@example.org"
[scope]
domains = ["toy.test"]
[crawl]
policy = "{policy}"
revisit_after = "{revisit_after}"
budget = "{budget}"
[politeness]
delay = {delay}
max_delay = 2.0
latency_factor = 0.0
"""


@pytest.fixture(scope="session")
def healthy() -> Iterator[Served]:
    """A small, well-behaved toy web that stands still; for tests that only read it."""
    with serve_in_thread(ToyWeb(sites=4, pages=12, hostile=False)) as served:
        yield served


@pytest.fixture
def make_crawl(tmp_path: Path) -> MakeCrawl:
    """Write a crawl directory for a served toy web."""

    def make(
        served: Served,
        name: str = "crawl",
        *,
        delay: float = 0.0,
        policy: str = "Split(new=BreadthFirst(), known=RoundRobin(), share=0.5)",
        revisit_after: str = "1d",
        budget: str = "100000 per day",
        timeout: float = 300.0,  # never strikes, however slow the machine: these webs answer
        more: str = "",
    ) -> Path:
        path = tmp_path / name
        path.mkdir()
        toy = served.toml().replace("[fetch]", f"[fetch]\ntimeout = {timeout}", 1)
        options = {"policy": policy, "revisit_after": revisit_after, "budget": budget, "delay": delay}
        (path / "sought.toml").write_text(toy + _CONFIG.format(**options) + more)
        return path

    return make
