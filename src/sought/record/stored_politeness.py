"""How does politeness outlive a run?  Its state of every host is stored with the next commit."""

import math

from sought.fetch.politeness import Politeness
from sought.record.config import FetchSection
from sought.record.hosts import Host, Hosts
from sought.record.store import Store
from sought.web.message import Response
from sought.web.url import hostname, origin


class StoredPoliteness:
    """Politeness with the state that earlier runs stored; requests of this run are stored, too."""

    def __init__(self, politeness: Politeness, hosts: Hosts) -> None:
        self.politeness = politeness
        self.hosts = hosts
        for name, state in hosts.manners.items():
            politeness.restore(name, state)
        self.restore_delays()

    def restore_delays(self) -> None:
        """Apply the crawl delays of the stored robots.txt files."""
        for host in self.hosts.list:
            if host.robots and host.robots.delay:
                self.politeness.set_crawl_delay(host.name, host.robots.delay)

    def began(self, host: Host, time: float) -> None:
        """A request is about to be sent."""
        self.politeness.began(host.name, host.address, time)
        self.remember(host)

    def ended(self, host: Host, address: str, now: float, response: Response) -> None:
        """Its answer has come, from an address that may no longer be the host's."""
        self.politeness.ended(host.name, address, now, response)
        self.remember(host)

    def replay(self, response: Response) -> None:
        """Take a recorded request into account, as if it had just been made."""
        name = hostname(response.url)
        self.politeness.began(name, response.address, response.time)
        self.politeness.ended(name, response.address, response.time + response.elapsed, response)
        self.remember(self.hosts.at(origin(response.url)))

    def remember(self, host: Host) -> None:
        """Store the state of a host with the next commit."""
        self.hosts.manners[host.name] = self.politeness.state(host.name)
        self.hosts.changed.add(host.number)


def forgive_guarded(fetch: FetchSection, store: Store, hosts: Hosts) -> None:
    """If sought.toml allows other networks than before, hosts that were refused for theirs get another chance."""
    allowed = [list(fetch.allow_networks), [list(each) for each in sorted(fetch.resolve.items())]]
    if store.meta("allowed", allowed) != allowed:
        for host in hosts.list:
            if host.robots_kind == "guarded":
                host.robots, host.robots_until = None, -math.inf
                hosts.manners.pop(host.name, None)
                hosts.changed.add(host.number)
    store.put_meta("allowed", allowed)
