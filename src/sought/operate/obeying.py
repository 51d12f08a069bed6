"""Applying orders: to a running cycle, and to the settings that outlive it."""

from functools import singledispatch

from msgspec.structs import replace

from sought.crawl.cycle import Cycle
from sought.operate.audit import APPLIED
from sought.operate.orders import AddSeed, AnyOrder, BlockHost, FetchNow, Pause, Resume, SetBudget, UnblockHost, checked
from sought.record.admission import REASONS
from sought.record.config import FILE, load_config, rate
from sought.record.outcome import ASKED_FOR
from sought.record.seeds import LOADED, SEEDS
from sought.record.settings import Settings
from sought.record.table import Source
from sought.web.errors import BadInput
from sought.web.message import Why
from sought.web.policy import Purpose
from sought.web.url import hostname, origin

_MOST = 10_000  # blocked hosts, and pages asked for


def take_up(cycle: Cycle, settings: Settings) -> None:
    """Apply the settings of earlier orders to a new cycle; the directory has applied the budget already."""
    cycle.paused = settings.paused
    cycle.planner.blocked = frozenset(settings.blocked)
    for url in settings.wanted:
        try:
            _want(cycle, url)
        except BadInput:
            continue  # today's rules do not let it in


def obey(order: AnyOrder, cycle: Cycle, settings: Settings) -> tuple[str, Settings]:
    """Apply an order; returns "applied" or the reason why not, and the new settings."""
    try:
        return APPLIED, _do(checked(order), cycle, settings)
    except BadInput as error:
        return str(error), settings


@singledispatch
def _do(order: AnyOrder, cycle: Cycle, settings: Settings) -> Settings:
    raise TypeError(order)


@_do.register
def _(order: Pause, cycle: Cycle, settings: Settings) -> Settings:
    cycle.paused = True
    return replace(settings, paused=True)


@_do.register
def _(order: Resume, cycle: Cycle, settings: Settings) -> Settings:
    if settings.paused:
        cycle.choose_again()  # what was chosen before may not be what is best now
    cycle.paused = False
    cycle.budget.forget_missed()
    return replace(settings, paused=False)


@_do.register
def _(order: SetBudget, cycle: Cycle, settings: Settings) -> Settings:
    now = cycle.clock.now()
    per, seconds = rate(order.budget or load_config(cycle.path / FILE).crawl.budget)
    if cycle.budget.per is not None:
        cycle.commit()
        in_flight = sum(visit.is_charged for visit in cycle.in_flight.values())
        spent = cycle.writer.repository.spent_since(now - now % seconds) + in_flight
        cycle.budget.change_rate(per, seconds, spent, now)
    cycle.planner.beliefs.pace = per / seconds
    cycle.choose_again()
    return replace(settings, budget=order.budget)


@_do.register
def _(order: AddSeed, cycle: Cycle, settings: Settings) -> Settings:
    _row(cycle, order.url, SEEDS, Source.SEED)
    cycle.planner.is_stale = True
    return settings


@_do.register
def _(order: BlockHost, cycle: Cycle, settings: Settings) -> Settings:
    names = tuple(sorted({*settings.blocked, order.host}))
    if len(names) > _MOST:
        raise BadInput(f"{_MOST:,} hosts are blocked already: leave them out by [scope] in sought.toml")
    cycle.planner.block(frozenset(names))
    cycle.wake.set()
    return replace(settings, blocked=names)


@_do.register
def _(order: UnblockHost, cycle: Cycle, settings: Settings) -> Settings:
    if order.host not in settings.blocked:
        raise BadInput(f"{order.host} is not blocked")
    names = tuple(name for name in settings.blocked if name != order.host)
    cycle.planner.block(frozenset(names))
    cycle.wake.set()
    return replace(settings, blocked=names)


@_do.register
def _(order: FetchNow, cycle: Cycle, settings: Settings) -> Settings:
    if len(cycle.planner.wanted) >= _MOST:
        raise BadInput(f"{_MOST:,} pages wait already that somebody asked for")
    _want(cycle, order.url)
    return settings  # the operator notes what is wanted, until it has been fetched


def _want(cycle: Cycle, url: str) -> None:
    hosts = cycle.writer.repository.hosts
    if hostname(url) in cycle.planner.blocked:
        raise BadInput(f"{hostname(url)} is blocked")
    row = _row(cycle, url, LOADED, Source.LOAD)
    host = hosts[int(cycle.writer.repository.table["host"][row])]
    if host.robots and host.robots_until > cycle.clock.now() and not host.robots.allows(url):
        raise BadInput("robots.txt forbids it")
    if row not in cycle.rows_in_flight:
        is_new = cycle.writer.repository.table["fetches"][row] == 0
        cycle.planner.want(
            row, Why(0, 0.0, purpose=(Purpose.NEW if is_new else Purpose.KNOWN).spelled, policy=ASKED_FOR)
        )
        cycle.wake.set()


def _row(cycle: Cycle, url: str, uri: str, source: Source) -> int:
    """The row of a URL that a person named, if it is admitted."""
    repository = cycle.writer.repository
    row = repository.discovery.row(url)
    if row < 0:
        where = origin(url)
        if why := repository.admission.look(url, where, repository.hosts.by_origin.get(where), 0)[0]:
            raise BadInput(f"not admitted: {REASONS[why]}")
        [row] = cycle.add_urls([url], uri, source)
        if row < 0:
            raise BadInput("not admitted")
    elif row >= len(repository.table):
        cycle.commit()
    return row
