"""Requests to URLs that users gave, against a real name server and real TLS servers."""

import asyncio
import gzip
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

import pytest

from api.outbound.answers import Failure, OutboundAnswer
from api.outbound.client import Outbound
from api.outbound.connections import AddressRefused
from api.outbound.destinations import UrlRefused
from api.outbound.dns import NameServers
from api.outbound.own_addresses import OwnAddresses
from api.settings import ApiSettings
from tests.fixtures.tls_servers import (
    FAR,
    HOST,
    Answer,
    Authority,
    NameServer,
    TlsServer,
    is_public_here,
    no_content,
    serving,
)

Far = tuple[Outbound, TlsServer]
Meet = Callable[..., Any]


@pytest.fixture
def meet(name_server: NameServer, authority: Authority) -> Meet:
    """A client and a server that it may call."""

    @asynccontextmanager
    async def both(answer: Answer = no_content, context: ssl.SSLContext | None = None) -> AsyncIterator[Far]:
        names = NameServers(["127.0.0.1"], port=name_server.port)
        client = Outbound(trust=authority.trusted(), names=names, public=is_public_here, user_agent="Tester")
        try:
            async with serving(context or authority.serving(HOST), answer) as far:
                yield client, far
        finally:
            await client.close()

    return both


UNLIMITED_SECONDS = 40.0
"""How long an answer takes that a time limit cuts off."""


async def post(client: Outbound, url: str, seconds: float = 20.0) -> OutboundAnswer:
    return await client.post(url, b'{"a":1}', {"Content-Type": "application/json", "X-Event": "e"}, seconds)


def writing(text: bytes, *, stays: bool = False) -> Answer:
    async def answer(writer: asyncio.StreamWriter, number: int) -> bool:
        writer.write(text)
        return stays

    return answer


async def test_a_request_reaches_its_host_unchanged(meet: Meet) -> None:
    reply = b"HTTP/1.1 201 Created\r\nX-Two: a\r\nX-Two: b\r\nContent-Length: 5\r\n\r\nhello"
    async with meet(writing(reply)) as (client, far):
        answer = await post(client, far.url("/hook?team=ops"))
    assert (answer.status, answer.body_text, answer.body_complete) == (201, "hello", True)
    assert answer.headers["x-two"] == "a, b"
    assert answer.succeeded
    assert answer.problem is None
    timing = answer.timing
    assert timing.dns_seconds is not None
    assert timing.connect_seconds is not None
    assert timing.answer_seconds is not None
    assert 0 < timing.dns_seconds + timing.connect_seconds <= timing.answer_seconds <= timing.total_seconds < 5
    head, _, body = far.requests[0].partition(b"\r\n\r\n")
    assert body == b'{"a":1}'
    assert sorted(head.decode().split("\r\n")) == sorted(
        [
            "POST /hook?team=ops HTTP/1.1",
            f"Host: {HOST}:{far.port}",
            "User-Agent: Tester",
            "Accept: */*",
            "Accept-Encoding: identity",
            "Content-Type: application/json",
            "X-Event: e",
            "Content-Length: 7",
        ]
    )


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.5"],
        ["169.254.169.254"],
        ["::1"],
        ["::ffff:127.0.0.2"],
        ["64:ff9b::7f00:2"],
        ["fd00::1", "192.168.0.1"],
    ],
)
async def test_a_name_with_a_private_address_is_refused(
    meet: Meet, name_server: NameServer, addresses: list[str]
) -> None:
    name_server.records[HOST] = [addresses]
    async with meet() as (client, far):
        answer = await post(client, far.url())
    assert (answer.status, answer.failure) == (None, Failure.REFUSED)
    assert answer.problem == "the host has no public address"
    assert far.connections == 0


async def test_this_machines_public_addresses_are_refused(name_server: NameServer) -> None:
    """From inside, these addresses bypass any firewall."""
    name_server.records[HOST] = [["203.1.113.5", "2a00:1450:4001::5"]]
    own = OwnAddresses(lambda: ["02:42:ac:11:00:02", "203.1.113.5", "2a00:1450:4001::5%eth0"])
    client = Outbound(names=NameServers(["127.0.0.1"], port=name_server.port), own=own)
    try:
        for url in (f"https://{HOST}/", "https://203.1.113.5/", "https://[2a00:1450:4001::5]/"):
            answer = await post(client, url)
            assert (answer.failure, answer.problem) == (Failure.REFUSED, "the host has no public address")
    finally:
        await client.close()


def test_this_machines_interfaces_are_listed() -> None:
    assert ip_address("127.0.0.1") in OwnAddresses()
    assert ip_address("192.0.2.1") not in OwnAddresses()


async def test_only_public_addresses_of_a_name_are_tried(meet: Meet, name_server: NameServer) -> None:
    name_server.records[HOST] = [["10.255.255.1", "::1", FAR, "127.0.0.1"]]
    async with meet() as (client, far):
        answer = await post(client, far.url(), 1.0)
    assert answer.status == 204


async def test_dns_rebinding_is_refused(meet: Meet, name_server: NameServer) -> None:
    name_server.records[HOST] = [[FAR], ["127.0.0.1"]]
    async with meet(writing(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")) as (client, far):
        assert (await post(client, far.url())).status == 200
        assert (await post(client, far.url())).failure is Failure.REFUSED
    assert far.connections == 1
    assert name_server.asked == [HOST, HOST]


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "::1", "::ffff:127.0.0.1"])
async def test_a_sockets_address_is_checked_before_it_connects(meet: Meet, address: str) -> None:
    """Even if the address changed between lookup and socket."""
    async with meet() as (client, far):
        session = client._session(client.validate(far.url()), fresh=False)
        open_socket: Any = session.connector._socket_factory
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with pytest.raises(AddressRefused):
            open_socket((family, socket.SOCK_STREAM, 0, "", (address, far.port)))
        with open_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", (FAR, far.port))) as made:
            assert made.family is socket.AF_INET


async def test_the_hosts_file_and_search_list_are_not_used(name_server: NameServer) -> None:
    names = NameServers(["127.0.0.1"], port=name_server.port)
    for host in ("localhost", "nowhere"):
        with pytest.raises(OSError, match=host):
            await names.addresses(host)
    assert set(name_server.asked) <= {"localhost", "nowhere"}


async def test_a_name_that_does_not_exist_is_a_dns_failure(meet: Meet) -> None:
    async with meet() as (client, far):
        answer = await post(client, far.url(host="gone.receiver.net"))
    assert (answer.failure, answer.problem) == (Failure.DNS, "the host's name cannot be resolved")


async def test_the_time_limit_includes_a_silent_name_server(meet: Meet, name_server: NameServer) -> None:
    name_server.records[HOST] = [None]
    async with meet() as (client, far):
        answer = await post(client, far.url(), 0.3)
    assert answer.failure is Failure.TIMEOUT
    assert answer.problem == "no answer within 0.3 seconds"
    assert 0.3 <= answer.timing.total_seconds < UNLIMITED_SECONDS
    assert answer.timing.dns_seconds is None


@pytest.mark.parametrize("mute", [1, 28])
async def test_an_unanswered_address_family_is_not_waited_for(
    name_server: NameServer, mute: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for limit in ("TRY_SECONDS", "LOOKUP_SECONDS"):
        monkeypatch.setattr(f"api.outbound.dns.{limit}", 100.0)
    name_server.records[HOST] = [["192.0.2.1", "192.0.2.2", "2001:db8::1"]]
    name_server.mute = (mute,)
    names = NameServers(["127.0.0.1"], port=name_server.port)
    async with asyncio.timeout(30):
        found = await names.addresses(HOST)
    assert sorted(found) == (["2001:db8::1"] if mute == 1 else ["192.0.2.1", "192.0.2.2"])


async def test_address_families_alternate_up_to_a_limit(name_server: NameServer) -> None:
    name_server.records[HOST] = [
        [*(f"192.0.2.{number}" for number in range(1, 10)), *(f"2001:db8::{number}" for number in range(1, 4))]
    ]
    names = NameServers(["127.0.0.1"], port=name_server.port)
    found = await names.addresses(HOST)
    assert [":" in address for address in found] == [True, False, True, False, True, False, False, False]
    assert len(set(found)) == 8


async def test_cnames_are_followed(name_server: NameServer) -> None:
    name_server.aliases = {HOST: "edge.receiver.net", "bare.receiver.net": "edge.receiver.net"}
    name_server.records["bare.receiver.net"] = [[]]
    names = NameServers(["127.0.0.1"], port=name_server.port)
    assert await names.addresses(HOST) == [FAR]
    with pytest.raises(OSError, match="no address"):
        await names.addresses("bare.receiver.net")


async def test_a_certificate_of_an_unknown_authority_is_refused(meet: Meet, tmp_path: Any) -> None:
    async with meet(context=Authority.create(tmp_path).serving(HOST)) as (client, far):
        answer = await post(client, far.url())
    assert answer.failure is Failure.TLS
    assert str(answer.problem).startswith("the certificate is not accepted: ")
    assert far.requests == []


@pytest.mark.parametrize(("host", "days"), [("other.receiver.net", 1), (HOST, -1)])
async def test_a_certificate_of_another_host_or_day_is_refused(
    meet: Meet, authority: Authority, host: str, days: int
) -> None:
    async with meet(context=authority.serving(host, days=days)) as (client, far):
        answer = await post(client, far.url())
    assert answer.failure is Failure.TLS
    assert far.requests == []


async def test_a_server_that_does_not_speak_tls_is_refused(meet: Meet) -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    plain = await asyncio.start_server(greet, FAR, 0)
    async with meet() as (client, _), plain:
        answer = await post(client, f"https://{HOST}:{plain.sockets[0].getsockname()[1]}/")
    assert (answer.failure, answer.problem) == (Failure.TLS, "the TLS handshake failed")


async def test_a_closed_port_is_a_connection_failure(meet: Meet) -> None:
    async with meet() as (client, _):
        with socket.socket() as closed:
            closed.bind((FAR, 0))
            answer = await post(client, f"https://{HOST}:{closed.getsockname()[1]}/")
    assert (answer.failure, answer.problem) == (Failure.CONNECT, "the connection failed")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_not_followed(meet: Meet, status: int) -> None:
    async with serving(None) as elsewhere:
        reply = f"HTTP/1.1 {status} Moved\r\nLocation: http://{FAR}:{elsewhere.port}/\r\nContent-Length: 0\r\n\r\n"
        async with meet(writing(reply.encode())) as (client, far):
            answer = await post(client, far.url())
    assert (answer.status, answer.failure) == (status, Failure.REDIRECT)
    assert len(far.requests) == 1
    assert elsewhere.connections == 0


@pytest.mark.parametrize("status", [400, 404, 410, 500, 503])
async def test_other_statuses_are_failures_that_keep_the_answer(meet: Meet, status: int) -> None:
    async with meet(writing(b"HTTP/1.1 %d No\r\nContent-Length: 4\r\n\r\nnope" % status)) as (client, far):
        answer = await post(client, far.url())
    assert (answer.status, answer.failure, answer.body_text) == (status, Failure.STATUS, "nope")
    assert answer.problem == f"HTTP {status}"


async def test_a_body_is_read_up_to_the_kept_length(meet: Meet) -> None:
    sent = 0

    async def endless(writer: asyncio.StreamWriter, number: int) -> bool:
        nonlocal sent
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while not writer.is_closing():
            writer.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
            sent += 4096
            await writer.drain()
        return False

    async with meet(endless) as (client, far):
        answer = await client.request("POST", far.url(), body=b"{}", body_bytes=1000)
    assert (answer.succeeded, answer.body, answer.body_complete) == (True, b"x" * 1000, False)
    assert sent < 20_000_000


async def test_a_compressed_body_is_kept_compressed(meet: Meet) -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    async with meet(writing(head + bomb)) as (client, far):
        answer = await post(client, far.url())
    assert answer.body == bomb[:4096]
    assert not answer.body_complete


async def test_a_slow_body_is_cut_at_the_time_limit_and_the_answer_counts(meet: Meet) -> None:
    async def dripping(writer: asyncio.StreamWriter, number: int) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1000):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(UNLIMITED_SECONDS / 1000)
        return False

    async with meet(dripping) as (client, far):
        answer = await post(client, far.url(), 1.0)
    assert (answer.status, answer.succeeded, answer.body_complete) == (200, True, False)
    assert 0 < len(answer.body) < 100
    assert 1.0 <= answer.timing.total_seconds < UNLIMITED_SECONDS


@pytest.mark.parametrize("first", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b""])
async def test_slow_headers_time_out(meet: Meet, first: bytes) -> None:
    async def dripping(writer: asyncio.StreamWriter, number: int) -> bool:
        for _ in range(1000):
            writer.write(first or b"H")
            await writer.drain()
            await asyncio.sleep(UNLIMITED_SECONDS / 1000)
            if first.startswith(b"HTTP/1.1 200"):
                writer.write(b"X-%d: 1\r\n" % _)
        return False

    async with meet(dripping) as (client, far):
        answer = await post(client, far.url(), 0.4)
    assert answer.status is None
    assert answer.failure in (Failure.TIMEOUT, Failure.PROTOCOL)
    assert answer.timing.total_seconds < UNLIMITED_SECONDS


@pytest.mark.parametrize(
    ("reply", "failure"),
    [
        (b"SSH-2.0-server\r\n\r\n", Failure.PROTOCOL),
        (b"HTTP/1.1 abc\r\n\r\n", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 100_000 + b"\r\n\r\n", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\n" + b"X: 1\r\n" * 5000 + b"\r\n", Failure.PROTOCOL),
        (b"", Failure.DISCONNECTED),
        (b"HTTP/1.1 200 OK\r\nX-Cut", Failure.DISCONNECTED),
    ],
)
async def test_invalid_answers_are_distinguished(meet: Meet, reply: bytes, failure: Failure) -> None:
    async with meet(writing(reply)) as (client, far):
        answer = await post(client, far.url())
    assert (answer.status, answer.failure) == (None, failure)
    assert len(far.requests) == 1


async def test_kept_headers_are_valid_text_of_limited_length(meet: Meet) -> None:
    many = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 990) for number in range(30))
    reply = b"HTTP/1.1 200 OK\r\nX-Odd: \xff\xc3\xa9\r\n" + many + b"Content-Length: 2\r\n\r\n\xff\x00"
    async with meet(writing(reply)) as (client, far):
        answer = await post(client, far.url())
    assert answer.headers["x-odd"] == "\ufffd\u00e9"
    assert list(answer.headers) == ["x-odd", *(f"x-{number}" for number in range(8))]
    assert answer.body_text == "\ufffd\ufffd"


async def test_an_answer_with_a_truncated_body_counts(meet: Meet) -> None:
    async with meet(writing(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")) as (client, far):
        answer = await post(client, far.url())
    assert (answer.succeeded, answer.body, answer.body_complete) == (True, b"half", False)


async def test_an_idle_connection_is_reused(meet: Meet, name_server: NameServer) -> None:
    async with meet() as (client, far):
        for _ in range(3):
            answer = await post(client, far.url())
            assert answer.succeeded
    assert (far.connections, len(far.requests), name_server.asked) == (1, 3, [HOST])
    assert (answer.timing.dns_seconds, answer.timing.connect_seconds) == (None, None)


async def test_a_request_on_a_closed_connection_is_sent_on_a_new_one(meet: Meet) -> None:
    async def closing(writer: asyncio.StreamWriter, number: int) -> bool:
        if number == 1:
            writer.transport.abort()
            return False
        return await no_content(writer, number)

    async with meet(closing) as (client, far):
        assert (await post(client, far.url())).succeeded
        assert (await post(client, far.url())).succeeded
    assert (far.connections, len(far.requests)) == (2, 3)


async def test_a_new_connection_that_is_closed_is_a_failure(meet: Meet) -> None:
    async with meet(writing(b"")) as (client, far):
        assert (await post(client, far.url())).failure is Failure.DISCONNECTED
    assert len(far.requests) == 1


async def test_cookies_proxies_and_netrc_are_ignored(
    meet: Meet, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine {HOST} login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    async with serving(None) as proxy:
        for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://{FAR}:{proxy.port}")
        async with meet(writing(b"HTTP/1.1 204 No\r\nSet-Cookie: a=1; Path=/\r\n\r\n", stays=True)) as (client, far):
            for _ in range(2):
                assert (await post(client, far.url())).status == 204
    assert proxy.connections == 0
    assert all(b"cookie" not in one.lower() and b"authorization" not in one.lower() for one in far.requests)


async def test_a_refused_url_is_not_called(meet: Meet) -> None:
    async with meet() as (client, far):
        for url in (f"https://127.0.0.1:{far.port}", f"http://{HOST}:{far.port}", f"https://0x7f000002:{far.port}"):
            answer = await post(client, url)
            assert (answer.status, answer.failure) == (None, Failure.REFUSED)
            assert str(answer.problem).startswith("the URL ")
    assert far.connections == 0


async def test_headers_cannot_be_injected(meet: Meet) -> None:
    async with meet() as (client, far):
        with pytest.raises(ValueError, match="header"):
            await client.post(far.url(), b"{}", {"X-Event": "a\r\nX-Evil: 1"})
    assert far.requests == []


async def test_the_setting_allows_calls_to_loopback(name_server: NameServer) -> None:
    open_client = Outbound.of(ApiSettings(outbound_loopback=True, service_name="Dev"))
    closed_client = Outbound.of(ApiSettings())
    try:
        async with serving(None) as far:
            url = far.url(host=FAR).replace("https", "http")
            assert (await post(open_client, url)).status == 204
            assert b"User-Agent: Dev\r\n" in far.requests[0]
            assert (await post(closed_client, url)).failure is Failure.REFUSED
            with pytest.raises(UrlRefused, match="https://"):
                closed_client.validate(url)
            # The name is this machine's; the port is bound, so that nothing can listen there.
            with socket.socket() as held:
                held.bind(("127.0.0.1", 0))
                port = held.getsockname()[1]
                assert (await post(open_client, f"http://localhost:{port}/")).failure is Failure.CONNECT
            assert len(far.requests) == 1
    finally:
        await open_client.close()
        await closed_client.close()


async def test_a_slow_name_does_not_delay_others(meet: Meet, name_server: NameServer) -> None:
    """Lookups use no threads: a hundred unanswered lookups delay no other request."""
    for number in range(100):
        name_server.records[f"slow{number}.receiver.net"] = [None]
    async with meet() as (client, far):
        slow = [
            asyncio.create_task(post(client, far.url(host=f"slow{number}.receiver.net"), 60.0)) for number in range(100)
        ]
        await asyncio.sleep(0.1)
        answer = await post(client, far.url(), 30.0)
        assert not any(task.done() for task in slow)
        for task in slow:
            task.cancel()
        await asyncio.gather(*slow, return_exceptions=True)
    assert answer.succeeded
