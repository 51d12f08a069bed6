"""What may be in sought.toml?  Typed sections; an unknown key is an error that names the nearest known one."""

import difflib
import ipaddress
import re
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from sought.index.lists import ListsOf
from sought.index.measure import ESTIMATORS
from sought.index.scorers import SCORERS, Scorer
from sought.web.errors import BadConfig, BadInput
from sought.web.expression import evaluated
from sought.web.policy import Policy
from sought.web.registry import importance_for, parse_policy
from sought.web.url import canonical, hostname

FILE = "sought.toml"
_PER = {"hour": 3600.0, "day": 86400.0, "week": 7 * 86400.0}
_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 7 * 86400.0}

Positive = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(ge=0, le=86400)]


class _Section(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    pass


class AgentSection(_Section, frozen=True):
    """Who the crawler says it is."""

    contact: str = ""
    name: Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")] = "sought"


class ScopeSection(_Section, frozen=True):
    """Which URLs belong to the crawl; with neither domains nor hosts: the registered domains of the seeds."""

    domains: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    everywhere: bool = False
    exclude: tuple[str, ...] = ()
    max_depth: Annotated[int, Meta(ge=0, le=65535)] = 64


class CrawlSection(_Section, frozen=True):
    """What is fetched, how much of it, and in which order."""

    budget: str = "100000 per day"
    policy: str = "Worth()"
    revisit_after: str = "1d"
    keep: Annotated[int, Meta(ge=0)] = 0
    sitemaps: bool = True


class DemandSection(_Section, frozen=True):
    """Which searches count, and how a fetch is measured by them."""

    window: str = "28d"
    half_life: str = ""
    keep: str = "90d"
    held_out: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    cut_head: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    cut_tail: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    max_queries: Annotated[int, Meta(ge=1, le=10_000_000)] = 20_000
    single_words: bool = False
    refresh: str = "1h"
    scorer: str = "BM25()"
    estimator: str = "Curves()"

    @property
    def scorer_value(self) -> Scorer:
        return evaluated(self.scorer, SCORERS, "scorer")  # type: ignore[no-any-return]  # one of SCORERS

    @property
    def estimator_value(self) -> ListsOf:
        return evaluated(self.estimator, ESTIMATORS, "estimator")  # type: ignore[no-any-return]  # one of ESTIMATORS


class PolitenessSection(_Section, frozen=True):
    """How hosts are treated."""

    delay: Seconds = 1.0
    max_delay: Seconds = 30.0
    latency_factor: Seconds = 2.0
    per_host: Positive = 1
    per_address: Positive = 1


class FetchSection(_Section, frozen=True):
    """Bounds of one fetch, allowed networks, and fixed addresses of hosts."""

    connections: Annotated[int, Meta(ge=1, le=4096)] = 128
    timeout: Annotated[float, Meta(gt=0, le=3600)] = 30.0
    max_body: Annotated[int, Meta(ge=1024, le=64 << 20)] = 5 << 20
    allow_networks: tuple[str, ...] = ()
    resolve: dict[str, str] = {}


class TrapsSection(_Section, frozen=True):
    """Bounds on the URLs that one host can generate."""

    pages_per_host: Positive = 1_000_000
    queries_per_path: Positive = 5000
    dates_per_path: Positive = 400
    path_depth: Positive = 16
    parameters: Positive = 8


class Config(_Section, frozen=True):
    """The whole file."""

    seeds: tuple[str, ...] = ()
    agent: AgentSection = AgentSection()
    scope: ScopeSection = ScopeSection()
    crawl: CrawlSection = CrawlSection()
    demand: DemandSection = DemandSection()
    politeness: PolitenessSection = PolitenessSection()
    fetch: FetchSection = FetchSection()
    traps: TrapsSection = TrapsSection()
    folder: str = ""  # not a key: the folder of the file, where policies of one's own are looked for

    @property
    def policy(self) -> Policy:
        return parse_policy(self.crawl.policy, Path(self.folder) if self.folder else None)

    @property
    def revisit_after(self) -> float:
        return seconds(self.crawl.revisit_after)


def seconds(text: str) -> float:
    """`90s`, `15m`, `12h`, `1d`, `2w` in seconds."""
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([smhdw])\s*", text)
    if not match:
        raise BadInput(f"not a duration: {text!r} (write 90s, 15m, 12h, 1d or 2w)")
    return float(match[1]) * _UNITS[match[2]]


def rate(text: str) -> tuple[int, float]:
    """`100000 per day` as (fetches, seconds)."""
    match = re.fullmatch(r"\s*(\d{1,15}|\d{1,3}(?:_\d{3}){1,4})\s+per\s+(hour|day|week)\s*", text)
    if not match or int(match[1]) < 1:
        raise BadInput(f"not a budget: {text!r} (write for example '10000 per day'; per hour, per day or per week)")
    return int(match[1]), _PER[match[2]]


def pace(config: Config) -> float:
    """Fetches a second that the budget allows in the long run."""
    fetches, seconds = rate(config.crawl.budget)
    return fetches / seconds


def load_config(path: Path) -> Config:
    """Read and check a sought.toml; raises BadConfig with one line that says what to change."""
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        here = path.parent
        raise BadConfig(f"no {path.name} in {here}: make a crawl with 'sought init {here} URL…'") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, RecursionError) as error:
        raise BadConfig(f"{path}: {error}") from None
    return check_config(data, str(path), path.parent)


def check_config(data: dict[str, Any], where: str, folder: Path | None = None) -> Config:
    """Check parsed TOML; raises BadConfig.  Modules in `folder` may be named in it."""
    _refuse_unknown(data, Config, where, "")
    try:
        config = msgspec.convert(data, Config)
        seeds = tuple(dict.fromkeys(canonical(s) for s in config.seeds))
        config = msgspec.structs.replace(config, seeds=seeds, folder=str(folder or ""))
        rate(config.crawl.budget)
        _ = config.policy, config.revisit_after
        if config.crawl.keep:
            importance_for(config.policy)
        _check_demand(config.demand)
        _each("[fetch] allow_networks", config.fetch.allow_networks, ipaddress.ip_network)
        _each("[fetch.resolve]", config.fetch.resolve.values(), ipaddress.ip_address)
        _each("[scope] exclude", config.scope.exclude, re.compile)
        for name in (*config.scope.domains, *config.scope.hosts):
            _check_host(name)
    except (msgspec.ValidationError, BadInput, ValueError, OverflowError, RecursionError, re.error) as error:
        raise BadConfig(f"{where}: {error}") from None
    return config


def _check_demand(demand: DemandSection) -> None:
    _ = demand.scorer_value, demand.estimator_value
    for name in ("window", "keep", "refresh", "half_life"):
        text = getattr(demand, name)
        try:
            is_time = seconds(text) > 0 if text or name != "half_life" else True
        except BadInput as error:
            raise BadInput(f"[demand] {name}: {error}") from None
        if not is_time:
            raise BadInput(f"[demand] {name}: {text!r} must be longer than 0")
    if demand.cut_head + demand.cut_tail >= 1:
        raise BadInput("[demand] cut_head and cut_tail together leave nothing: their sum must be below 1")


def _each(where: str, values: Iterable[str], reader: Callable[[str], object]) -> None:
    """Each value must be readable; the message names the key."""
    for value in values:
        try:
            reader(value)
        except (ValueError, OverflowError, RecursionError, re.error) as error:
            raise BadInput(f"{where}: {value!r} cannot be used: {error}") from None


def _check_host(name: str) -> None:
    try:
        is_host = hostname(canonical(f"http://{name}/")) == name
    except BadInput:
        is_host = False
    if not is_host:
        raise BadInput(f"[scope] has {name!r}: write a host or domain in lower case, for example 'example.org'")


def _refuse_unknown(data: dict[str, Any], section: type[msgspec.Struct], where: str, inside: str) -> None:
    known = {f.name: f.type for f in msgspec.structs.fields(section) if f.name != "folder"}
    for key, value in data.items():
        if key not in known:
            near = difflib.get_close_matches(key, known, 1, 0.4)
            hint = f"did you mean {near[0]!r}?" if near else f"known keys: {', '.join(known)}"
            raise BadConfig(f"{where}: unknown key {inside}{key!r}; {hint}")
        inner = known[key]
        if isinstance(value, dict) and isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            _refuse_unknown(value, inner, where, f"{inside}{key}.")
