"""May the crawler connect to this address?  Only if it is public, or in a network that the owner listed.

A name on a hostile page may resolve to the router, the cloud's metadata service or a database on loopback.  The guard
checks every socket that is opened, after resolution, so no name, literal or redirect can bypass it.
"""

import errno
import socket
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

# Beyond what `is_global` of every supported Python refuses (IANA special-purpose registries, RFC 6890).
_REFUSED: tuple[Network, ...] = tuple(
    ip_network(text)
    for text in (
        "0.0.0.0/8",
        "100.64.0.0/10",  # shared address space behind carriers (RFC 6598), some clouds' metadata
        "192.0.0.0/24",
        "192.88.99.0/24",  # 6to4 relays (RFC 7526)
        "198.18.0.0/15",
        "168.63.129.16/32",  # a cloud's metadata on an otherwise public address
        "fec0::/10",
        "100::/64",
        "2001::/23",
        "5f00::/16",
        "64:ff9b:1::/48",
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
_V4_COMPATIBLE = IPv6Network("::/96")


class RefusedAddressError(OSError):
    """A refused address; an OSError, so that the HTTP library handles it as a failed connection."""

    def __init__(self, address: str) -> None:
        remedy = "to allow it, list its network in [fetch] allow_networks"
        super().__init__(errno.EACCES, f"address {address} is not public ({remedy})")


@dataclass(frozen=True, slots=True)
class AddressGuard:
    """Permits public addresses and the listed networks; caches its decisions."""

    allowed: tuple[Network, ...] = ()
    _known: dict[str, bool] = field(default_factory=dict, repr=False, compare=False)

    def permits(self, address: str) -> bool:
        known = self._known.get(address)
        if known is None:
            if len(self._known) >= 65536:
                self._known.clear()
            known = self._known[address] = self._judge(address)
        return known

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket for this address (an entry of getaddrinfo), or RefusedAddressError."""
        family, kind, protocol, _, where = info
        if not self.permits(where[0]):
            raise RefusedAddressError(where[0])
        return socket.socket(family, kind, protocol)

    def _judge(self, text: str) -> bool:
        try:
            address = ip_address(text.partition("%")[0])
        except ValueError:
            return False
        plain = (isinstance(address, IPv6Address) and address.ipv4_mapped) or address
        if any(plain in network for network in self.allowed):
            return True
        return all(_is_public(candidate) for candidate in (address, *_embedded(address)))


def _embedded(address: Address) -> tuple[IPv4Address, ...]:
    """IPv4 addresses inside an IPv6 address, which a gateway might use."""
    if isinstance(address, IPv4Address):
        return ()
    inner_addresses = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _NAT64 or address in _V4_COMPATIBLE:
        inner_addresses.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return tuple(inner for inner in inner_addresses if inner is not None)


def _is_public(address: Address) -> bool:
    if isinstance(address, IPv6Address) and (address.ipv4_mapped or address in _NAT64):
        return True  # only a wrapper: the inner address is checked
    if address.is_multicast or address.is_reserved or address.is_unspecified or not address.is_global:
        return False
    return not any(address in network for network in _REFUSED)
