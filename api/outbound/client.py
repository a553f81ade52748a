"""The one client for URLs that users gave: webhooks, and whatever else calls an address a stranger chose.

A request leaves only to a public address, and the address that is checked is the very one that is connected to: the
client resolves names itself, drops what is not public, and looks once more at each socket's address before it
connects. So a name that resolves differently a second time gains nothing. Redirects are not followed, the proxies and
passwords of the environment are not used, no cookie is kept, certificates are verified, and one limit covers
everything from the name's lookup to the answer's body. What comes back is a value, never an exception: a receiver that
misbehaves is an outcome.

A connection is used again while it is idle for a few seconds. If the receiver closed it in the moment a request went
out, the request is sent once more on a new one: receivers see the same request twice at worst, as they do after any
answer that got lost.
"""

import asyncio
import logging
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from ipaddress import ip_address
from typing import Any

import aiohttp
import certifi
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from api.outbound.destinations import Address, Destination, Network, UrlRefused, is_loopback, is_public, validate_url
from api.outbound.dns import NameServers
from api.outbound.own_addresses import OwnAddresses
from api.settings import ApiSettings

LOG = logging.getLogger(__name__)

LIMIT_SECONDS = 5.0
BODY_BYTES = 4096
HEADER_BYTES = 8192
# Common servers close a connection after five idle seconds: ours is gone before.
_IDLE_SECONDS = 4.0
_NOT_PUBLIC = "the host has no public address"


class Failure(StrEnum):
    """Why a request did not succeed."""

    REFUSED = "refused"
    """The URL, or every address of its host, is one that is not called. Nothing was sent."""
    DNS = "dns"
    """The host's name could not be resolved."""
    CONNECT = "connect"
    """No connection came about."""
    TLS = "tls"
    """The certificate or the handshake does not hold. Nothing was sent."""
    TIMEOUT = "timeout"
    """No answer within the limit."""
    DISCONNECTED = "disconnected"
    """The connection ended before an answer."""
    PROTOCOL = "protocol"
    """What came is not HTTP."""
    REDIRECT = "redirect"
    """The answer was 3xx; redirects are not followed."""
    STATUS = "status"
    """The answer was neither 2xx nor 3xx."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds; null for what did not happen, as on a connection that was used again."""

    dns_seconds: float | None
    connect_seconds: float | None
    """TCP and TLS."""
    answer_seconds: float | None
    """From the start until the answer's headers had come."""
    total_seconds: float


@dataclass(frozen=True, slots=True)
class OutboundAnswer:
    """What became of a request.

    Args:
        status: of the answer; null if none came.
        headers: of the answer, names in lower case, values of one name joined with commas; the first 8 KB of them.
        body: the first bytes of the answer's body, as they came: not decompressed, of any encoding.
        body_complete: whether that is all of the body.
        failure: null for a 2xx.
        problem: the failure in words for the user who gave the URL; null for a 2xx.
    """

    status: int | None
    headers: Mapping[str, str]
    body: bytes
    body_complete: bool
    timing: Timing
    failure: Failure | None
    problem: str | None

    @property
    def succeeded(self) -> bool:
        """Whether the answer was 2xx, in time."""
        return self.failure is None

    @property
    def body_text(self) -> str:
        """The body as text; bytes that are not UTF-8 and NUL, which the store cannot keep, become U+FFFD."""
        return _text(self.body)


class AddressRefused(OSError):
    """An address that is not connected to."""


class Outbound:
    """Sends requests to URLs that users gave. Made in a running event loop; ``close`` ends its connections.

    Args:
        allow_loopback: for development, URLs of this machine's loopback addresses are allowed, also with http.
        refused: networks that are not called beside those that are not public.
        trust: whose certificates are accepted; the system's authorities by default.
        names: who resolves names; the system's name servers by default.
        public: which addresses a name may have; by default those of the public Internet that are not this machine's.
        own: the addresses of this machine.
    """

    def __init__(
        self,
        *,
        allow_loopback: bool = False,
        refused: Sequence[Network] = (),
        user_agent: str = "Regalia",
        trust: ssl.SSLContext | None = None,
        names: NameServers | None = None,
        public: Callable[[Address], bool] | None = None,
        own: OwnAddresses | None = None,
    ) -> None:
        self.allow_loopback = allow_loopback
        self.refused = tuple(refused)
        self._own = own or OwnAddresses()
        self._public = public or self._is_public
        self._user_agent = user_agent
        self._trust = trust or system_trust()
        self._names = names or NameServers()
        self._sessions: dict[tuple[bool, bool], aiohttp.ClientSession] = {}

    @classmethod
    def of(cls, settings: ApiSettings) -> "Outbound":
        """The client as the settings want it."""
        return cls(
            allow_loopback=settings.outbound_loopback,
            refused=settings.outbound_refused,
            user_agent=settings.service_name,
        )

    def validate(self, url: str) -> Destination:
        """The destination of a URL, as this client would judge it: for the moment a URL is registered.

        Raises:
            UrlRefused: with the reason, in words for the one who gave it.
        """
        return validate_url(url, allow_loopback=self.allow_loopback, refused=self.refused)

    async def post(
        self, url: str, body: bytes, headers: Mapping[str, str], timeout_seconds: float = LIMIT_SECONDS
    ) -> OutboundAnswer:
        """POST ``body``; see :meth:`request`."""
        return await self.request("POST", url, body=body, headers=headers, timeout_seconds=timeout_seconds)

    async def request(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_seconds: float = LIMIT_SECONDS,
        body_bytes: int = BODY_BYTES,
    ) -> OutboundAnswer:
        """Send one request.

        Args:
            timeout_seconds: for everything: lookup, connection, request and answer. An answer whose headers came in
                time counts even if its body did not: the body is cut where the time ended.
            body_bytes: how much of the answer's body is read; the connection is closed on what is longer.

        Raises:
            ValueError: a header of ours holds a line break.
        """
        attempt = _Attempt(method, body, dict(headers or {}), body_bytes)
        try:
            destination = self.validate(url)
        except UrlRefused as error:
            return attempt.failed(Failure.REFUSED, f"the URL {error}")
        try:
            async with asyncio.timeout(timeout_seconds):
                await attempt.send(self._session(destination, fresh=False), destination.url)
                if attempt.was_closed_while_idle:
                    await attempt.send(self._session(destination, fresh=True), destination.url)
        except TimeoutError:
            if attempt.status is None:
                attempt.fail(Failure.TIMEOUT, f"no answer within {timeout_seconds:g} seconds")
        return attempt.answer()

    async def close(self) -> None:
        """End all connections."""
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    def _is_public(self, address: Address) -> bool:
        return is_public(address, self.refused) and address not in self._own

    def _session(self, destination: Destination, *, fresh: bool) -> aiohttp.ClientSession:
        """The session for a kind of destination: each has its own rule for addresses, and its own connections."""
        key = (destination.loopback, fresh)
        session = self._sessions.get(key)
        if session is None:
            rule = _AddressRule(is_loopback if destination.loopback else self._public)
            connector = aiohttp.TCPConnector(
                ssl=self._trust,
                resolver=_CheckedNames(self._names, rule),
                socket_factory=rule.open_socket,
                # The name servers' answers are kept as long as they say, by what asks them.
                use_dns_cache=False,
                force_close=fresh,
                keepalive_timeout=None if fresh else _IDLE_SECONDS,
                # How many at a time is the caller's matter; waiting in here would count against the receiver.
                limit=0,
            )
            session = self._sessions[key] = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                headers={"User-Agent": self._user_agent, "Accept-Encoding": "identity"},
                skip_auto_headers=("Content-Type",),
                timeout=aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
                trace_configs=[_tracing()],
                raise_for_status=False,
            )
        return session


def system_trust() -> ssl.SSLContext:
    """The authorities the system trusts, or Mozilla's where the system has none (a bare container)."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if paths.cafile is None and paths.capath is None:
        context.load_verify_locations(certifi.where())
    return context


@dataclass(frozen=True, slots=True)
class _AddressRule:
    """Which addresses a connection may have."""

    allows: Callable[[Address], bool]

    def open_socket(self, info: tuple[Any, ...]) -> socket.socket:
        """A socket that is about to be connected to the address in ``info``."""
        family, kind, protocol, _, sockaddr = info
        if family not in (socket.AF_INET, socket.AF_INET6) or not self.allows(ip_address(sockaddr[0])):
            raise AddressRefused(_NOT_PUBLIC)
        return socket.socket(family, kind, protocol)


class _CheckedNames(AbstractResolver):
    """Resolves names to those of their addresses that may be connected to."""

    def __init__(self, names: NameServers, rule: _AddressRule) -> None:
        self._names = names
        self._rule = rule

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of ``host``.

        Raises:
            AddressRefused: it has addresses, but none that may be connected to.
            OSError: it has none.
        """
        # "localhost" is allowed in development alone, and is no business of a name server's.
        found = ["127.0.0.1", "::1"] if host == "localhost" else await self._names.addresses(host)
        allowed = [one for one in found if self._rule.allows(ip_address(one))]
        if not allowed:
            raise AddressRefused(_NOT_PUBLIC)
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in allowed
        ]

    async def close(self) -> None:
        """Nothing to do: the name servers are shared."""


@dataclass(slots=True)
class _Attempt:
    """One request on its way, and what has come of it so far."""

    method: str
    request_body: bytes | None
    request_headers: dict[str, str]
    body_bytes: int
    began: float = field(default_factory=time.perf_counter)
    lookup_began: float | None = None
    lookup_ended: float | None = None
    connection_began: float | None = None
    connection_ended: float | None = None
    answered: float | None = None
    reused: bool = False
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytearray = field(default_factory=bytearray)
    body_complete: bool = False
    failure: Failure | None = None
    problem: str | None = None

    async def send(self, session: aiohttp.ClientSession, url: URL) -> None:
        """Send the request and take in what comes; every failure but the time limit's is noted, not raised."""
        self.reused = False
        self.failure = self.problem = None
        try:
            async with session.request(
                self.method,
                url,
                data=self.request_body,
                headers=self.request_headers,
                allow_redirects=False,
                trace_request_ctx=self,
            ) as response:
                self.answered = time.perf_counter()
                self.status = response.status
                self._keep_headers(response.raw_headers)
                await self._read(response)
        except aiohttp.ClientError as error:
            if self.status is None:
                self.fail(*_explain(error))

    def _keep_headers(self, headers: Sequence[tuple[bytes, bytes]]) -> None:
        room = HEADER_BYTES
        for raw_name, raw_value in headers:
            room -= len(raw_name) + len(raw_value)
            if room < 0:
                return
            name, value = _text(raw_name).lower(), _text(raw_value)
            known = self.headers.get(name)
            self.headers[name] = value if known is None else f"{known}, {value}"

    async def _read(self, response: aiohttp.ClientResponse) -> None:
        async for chunk in response.content.iter_any():
            room = self.body_bytes - len(self.body)
            self.body += chunk[:room]
            if len(chunk) > room:
                return
        self.body_complete = True

    @property
    def was_closed_while_idle(self) -> bool:
        """Whether a connection that was used again turned out to be closed."""
        return self.reused and self.failure is Failure.DISCONNECTED

    def fail(self, failure: Failure, problem: str) -> None:
        """Note why no answer came."""
        self.failure, self.problem = failure, problem

    def failed(self, failure: Failure, problem: str) -> OutboundAnswer:
        """The outcome of an attempt that ended before it began."""
        self.fail(failure, problem)
        return self.answer()

    def answer(self) -> OutboundAnswer:
        """What has become of the attempt."""
        if self.status is not None:
            if 300 <= self.status < 400:
                self.fail(Failure.REDIRECT, f"HTTP {self.status}: redirects are not followed")
            elif not 200 <= self.status < 300:
                self.fail(Failure.STATUS, f"HTTP {self.status}")
        timing = Timing(
            dns_seconds=_between(self.lookup_began, self.lookup_ended),
            connect_seconds=_between(self.lookup_ended or self.connection_began, self.connection_ended),
            answer_seconds=_between(self.began, self.answered),
            total_seconds=time.perf_counter() - self.began,
        )
        return OutboundAnswer(
            self.status, self.headers, bytes(self.body), self.body_complete, timing, self.failure, self.problem
        )


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")


def _between(first: float | None, last: float | None) -> float | None:
    return None if first is None or last is None else last - first


def _explain(error: aiohttp.ClientError) -> tuple[Failure, str]:
    """A failure's kind and words. No address is named: what a name resolves to in here may be nobody's business."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        reason = getattr(error.certificate_error, "verify_message", None) or "it does not hold"
        return Failure.TLS, f"the certificate is not accepted: {reason}"
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return Failure.TLS, "no TLS connection came about"
    if isinstance(error, aiohttp.ClientConnectorError):
        if isinstance(error.os_error, AddressRefused):
            return Failure.REFUSED, _NOT_PUBLIC
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return Failure.DNS, "the host's name cannot be resolved"
        return Failure.CONNECT, "no connection came about"
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError | aiohttp.ClientPayloadError):
        return Failure.DISCONNECTED, "the connection ended before an answer"
    if isinstance(error, aiohttp.InvalidURL):
        return Failure.REFUSED, "the URL cannot be used"
    return Failure.PROTOCOL, "what was answered is not HTTP"


def _tracing() -> aiohttp.TraceConfig:
    """Lets the attempt know when its name was resolved and its connection made, or taken from those that wait."""
    tracing = aiohttp.TraceConfig()

    def note(name: str) -> Any:
        async def on(session: aiohttp.ClientSession, context: Any, params: Any) -> None:
            setattr(context.trace_request_ctx, name, time.perf_counter())

        return on

    async def on_reuse(session: aiohttp.ClientSession, context: Any, params: Any) -> None:
        context.trace_request_ctx.reused = True

    tracing.on_dns_resolvehost_start.append(note("lookup_began"))
    tracing.on_dns_resolvehost_end.append(note("lookup_ended"))
    tracing.on_connection_create_start.append(note("connection_began"))
    tracing.on_connection_create_end.append(note("connection_ended"))
    tracing.on_connection_reuseconn.append(on_reuse)
    return tracing
