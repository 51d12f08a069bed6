"""A new crawl directory: a sought.toml with what `sought init` asks for, checked before it is written."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path

from sought.fetch.agent import user_agent
from sought.record.admission import REASONS, Admission
from sought.record.config import FILE, check_config
from sought.web.errors import BadInput
from sought.web.url import canonical, origin

_TEMPLATE = """\
# What this crawl is about.  Every key is described in docs/reference/configuration.md.
seeds = {seeds}

[agent]
# Whom site owners can reach: an e-mail address or a page about the crawl.
contact = {contact}

[scope]
# Registered domains (with all their hosts) and single hosts; if both are empty, the domains of the seeds.
domains = {domains}
hosts = []

[crawl]
budget = "100000 per day"
policy = "Worth()"
revisit_after = "1d"

[politeness]
# Seconds between an answer and the next request to the same host.
delay = {delay}
"""

_NETWORKS = """
[fetch]
# Private networks that may be crawled; all others are refused.
allow_networks = {networks}
"""


def make_directory(
    path: Path, seeds: Sequence[str], contact: str, domains: Sequence[str], allow_networks: Sequence[str], delay: float
) -> None:
    """Make it; BadInput if a seed would not be admitted, or if there is a crawl already."""
    if (path / FILE).exists():
        raise BadInput(f"{path} is a crawl already; change its {FILE}, or choose another directory")
    if not seeds:
        raise BadInput("a crawl needs at least one seed URL")
    user_agent(contact)
    urls = [canonical(seed) for seed in seeds]
    text = _TEMPLATE.format(
        seeds=json.dumps(urls),
        contact=json.dumps(contact),
        domains=json.dumps([d.lower() for d in domains]),
        delay=float(delay),
    )
    if allow_networks:
        text += _NETWORKS.format(networks=json.dumps(list(allow_networks)))
    admission = Admission(check_config(tomllib.loads(text), FILE), None)
    for url in urls:
        if why := admission.look(url, origin(url), None, 0)[0]:
            raise BadInput(f"the seed {url} would not be admitted: {REASONS[why]}")
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / FILE).write_text(text, "utf-8")
    except OSError as error:
        raise BadInput(f"cannot make {path}: {error.strerror}") from None
