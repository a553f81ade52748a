"""The client's address, and which proxies may set it."""

import pytest
from starlette.requests import HTTPConnection

from api.limits.addresses import UNKNOWN, client_address
from api.outbound.destinations import parse_networks

PROXIES = "10.0.0.0/8, fd00::/8"


def address(peer: str | None, *forwarded: str, proxies: str = PROXIES) -> str:
    headers = [(b"x-forwarded-for", text.encode()) for text in forwarded]
    client = None if peer is None else (peer, 1)
    return client_address(
        HTTPConnection({"type": "http", "client": client, "headers": headers}), parse_networks(proxies)
    )


def test_without_trusted_proxies_the_peer_is_the_client() -> None:
    assert address("10.1.1.1", "198.51.100.7", proxies="") == "10.1.1.1"


def test_a_client_that_is_not_a_proxy_is_not_trusted() -> None:
    assert address("203.0.113.9", "198.51.100.7") == "203.0.113.9"


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        (["198.51.100.7"], "198.51.100.7"),
        (["1.2.3.4, 198.51.100.7"], "198.51.100.7"),  # the client wrote the first one
        (["1.2.3.4", "198.51.100.7, 10.2.2.2"], "198.51.100.7"),  # two headers, and a second proxy
        (["198.51.100.7:4711"], "198.51.100.7"),
        (["::ffff:198.51.100.7"], "198.51.100.7"),
        (["10.3.3.3"], "10.3.3.3"),  # a client inside the network of proxies
        (["1.2.3.4, nonsense"], "10.1.1.1"),  # entries before it are not trusted
        (["1.2.3.4, unknown, 10.2.2.2"], "10.2.2.2"),
        ([""], "10.1.1.1"),
        ([], "10.1.1.1"),
    ],
)
def test_the_client_is_the_last_address_that_is_not_a_proxy(forwarded: list[str], client: str) -> None:
    assert address("10.1.1.1", *forwarded) == client


@pytest.mark.parametrize("written", ["2001:db8:1:2:3:4:5:6", "[2001:db8:1:2:3:4:5:6]:4711", "[2001:db8:1:2::9]"])
def test_an_ipv6_network_is_one_client(written: str) -> None:
    assert address("fd00::1", written) == "2001:db8:1:2::/64"


def test_callers_over_a_unix_socket_share_a_limit() -> None:
    assert address(None) == UNKNOWN
