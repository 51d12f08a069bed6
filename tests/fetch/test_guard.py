"""The guard refuses every spelling of an inner address; the resolver says one thing and remembers it."""

import asyncio
import socket
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sought.fetch.agent import mail_address, product_token, user_agent
from sought.fetch.guard import AddressGuard, RefusedAddressError
from sought.fetch.resolve import NoAddressError, Resolver
from sought.web.errors import BadConfig

INNER = [
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "168.63.129.16",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1",
    "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1",
    "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a9fe:a9fe", "64:ff9b::10.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b:1::1", "100::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:db8::1", "2002:7f00:1::", "2002:a00:1::",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
]  # fmt: skip
OUTER = [
    "1.1.1.1",
    "93.184.216.34",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
]


@pytest.mark.parametrize("address", INNER)
def test_inner_addresses_are_refused(address: str) -> None:
    """Private, loopback, link-local, shared, reserved, metadata, and IPv6 that carries such an IPv4 address."""
    assert not AddressGuard().permits(address)


@pytest.mark.parametrize("address", OUTER)
def test_public_addresses_are_permitted(address: str) -> None:
    """The guard does not stand in the way of the Web."""
    assert AddressGuard().permits(address)


@pytest.mark.parametrize("text", ["", "example.org", "127.1", "0x7f.1", "1.2.3.4.5", "[::1]", "1.1.1.1 "])
def test_what_is_not_an_address_is_refused(text: str) -> None:
    """Only addresses that can be judged are permitted."""
    assert not AddressGuard().permits(text)


@given(st.sampled_from([a for a in INNER if ":" not in a]).map(IPv4Address))
def test_no_wrapping_makes_an_inner_address_public(inner: IPv4Address) -> None:
    """Mapped, compatible, NAT64 and 6to4 forms of an inner address are as inner as it is."""
    low = int(inner)
    forms = (0xFFFF << 32 | low, low, 0x64FF9B << 96 | low, 0x2002 << 112 | low << 80)
    assert not any(AddressGuard().permits(str(IPv6Address(form))) for form in forms)


def test_listed_networks_are_permitted_and_no_more() -> None:
    """An intranet crawler lists its networks; mapped spellings of them count too."""
    guard = AddressGuard((ip_network("127.0.0.0/8"), ip_network("fd00::/8")))
    assert guard.permits("127.0.0.1")
    assert guard.permits("::ffff:127.0.0.1")
    assert guard.permits("fd00::7")
    assert not guard.permits("10.0.0.1")
    assert not guard.permits("2002:7f00:1::")  # a tunnel is another network


def test_no_socket_is_opened_to_a_refused_address() -> None:
    """The factory raises before a socket exists."""
    with pytest.raises(RefusedAddressError, match=r"127\.0\.0\.1"):
        AddressGuard().open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("127.0.0.1", 80)))


def test_overrides_exact_then_longest_suffix() -> None:
    """`name` before `*.suffix`, the longer suffix before the shorter; a wildcard does not cover its own suffix."""
    names = {"news.toy.test": "127.0.0.5", "*.toy.test": "127.0.0.9", "*.deep.toy.test": "127.0.0.7"}

    async def run() -> list[str]:
        resolver = Resolver(names)
        hosts = ("news.toy.test", "x.toy.test", "a.b.toy.test", "a.deep.toy.test", "192.0.2.7", "[2001:db8::1]")
        return [await resolver.address(host) for host in hosts]

    assert asyncio.run(run()) == ["127.0.0.5", "127.0.0.9", "127.0.0.9", "127.0.0.7", "192.0.2.7", "2001:db8::1"]


def test_aiohttp_is_told_the_same_address() -> None:
    """What politeness was computed for is what is connected to."""

    async def run() -> None:
        resolver = Resolver({"a.test": "127.0.0.5", "b.test": "::1"})
        (found,) = await resolver.resolve("a.test", 81)
        assert (found["host"], found["port"], found["family"]) == ("127.0.0.5", 81, socket.AF_INET)
        (found,) = await resolver.resolve("b.test", 81)
        assert (found["host"], found["family"]) == ("::1", socket.AF_INET6)

    asyncio.run(run())


def test_lookups_are_remembered_shared_and_closed() -> None:
    """The system is asked once for many callers; a resolver that was closed can be used again."""

    async def run() -> None:
        resolver = Resolver()
        found = await asyncio.gather(*(resolver.address("localhost") for _ in range(20)))
        assert set(found) <= {"127.0.0.1", "::1"}
        assert len(set(found)) == 1
        await resolver.close()
        assert await resolver.address("localhost") == found[0]
        await resolver.close()

    asyncio.run(run())


def test_what_is_no_name_has_no_address() -> None:
    """A label that no resolver would take is NoAddressError, also the second time."""

    async def run() -> None:
        resolver = Resolver()
        for _ in range(2):
            with pytest.raises(NoAddressError):
                await resolver.address("a..b")
        await resolver.close()

    asyncio.run(run())


@pytest.mark.parametrize("contact", ["you@example.org", "https://example.org/bot", "http://example.org"])
def test_a_contact_is_in_the_user_agent(contact: str) -> None:
    """A webmaster can find out who is asking."""
    assert user_agent(contact) == f"sought/0.1 (+{contact})"
    assert product_token(user_agent(contact, "my-bot")) == "my-bot"
    assert mail_address(user_agent(contact)) == (contact if "@" in contact else "")


@pytest.mark.parametrize("contact", ["", "me", "a@b", "ftp://x.org/", "you@example.org\r\nEvil: 1", "https://x.org/ y"])
def test_without_a_contact_there_is_no_crawl(contact: str) -> None:
    """The message says what to write where."""
    with pytest.raises(BadConfig, match=r'contact = "you@example\.org" under \[agent\] in sought\.toml'):
        user_agent(contact)
