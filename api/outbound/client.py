"""The client for URLs that users gave, such as those of webhooks.

Requests go to public addresses only, and the checked address is the one that is connected to: the client resolves names
itself, drops addresses that are not public, and checks each socket's address again before it connects. A name that
resolves differently the second time (DNS rebinding) gains nothing. Redirects are not followed, proxies and passwords of
the environment are not used, no cookie is kept, certificates are verified, and one time limit covers everything from
the DNS lookup to the answer's body. The result is a value, never an exception: a misbehaving receiver is an outcome.

Idle connections are reused for a few seconds. If the receiver closes one just as a request is sent, the request is sent
again on a new connection. At worst the receiver sees the same request twice, as after any lost answer.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping, Sequence

import aiohttp

from api.outbound.answers import Failure, OutboundAnswer
from api.outbound.attempt import Attempt, tracing
from api.outbound.connections import new_connector, system_trust
from api.outbound.destinations import Address, Destination, Network, UrlRefused, is_loopback, is_public, validate_url
from api.outbound.dns import NameServers
from api.outbound.own_addresses import OwnAddresses
from api.settings import ApiSettings

LIMIT_SECONDS = 5.0
BODY_BYTES = 4096


class Outbound:
    """Sends requests to URLs that users gave. Use it in one event loop; ``close`` closes its connections.

    Args:
        allow_loopback: for development, URLs of this machine's loopback addresses are allowed, also with http.
        refused: networks that are refused in addition to private ones.
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
        """The client that the settings ask for."""
        return cls(
            allow_loopback=settings.outbound_loopback,
            refused=settings.outbound_refused,
            user_agent=settings.service_name,
        )

    def validate(self, url: str) -> Destination:
        """Check a URL by the rules of this client, when it is registered.

        Raises:
            UrlRefused: the message gives the reason to the user.
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
        attempt = Attempt(method, body, dict(headers or {}), body_bytes)
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
        """Close all connections."""
        sessions, self._sessions = self._sessions, {}
        for session in sessions.values():
            await session.close()

    def _is_public(self, address: Address) -> bool:
        return is_public(address, self.refused) and address not in self._own

    def _session(self, destination: Destination, *, fresh: bool) -> aiohttp.ClientSession:
        """The session for a kind of destination: each has its own address rule and its own connections."""
        key = (destination.loopback, fresh)
        session = self._sessions.get(key)
        if session is None:
            allows = is_loopback if destination.loopback else self._public
            connector = new_connector(self._names, allows, self._trust, fresh=fresh)
            session = self._sessions[key] = aiohttp.ClientSession(
                connector=connector,
                cookie_jar=aiohttp.DummyCookieJar(),
                trust_env=False,
                auto_decompress=False,
                headers={"User-Agent": self._user_agent, "Accept-Encoding": "identity"},
                skip_auto_headers=("Content-Type",),
                timeout=aiohttp.ClientTimeout(total=None, connect=None, sock_connect=None, sock_read=None),
                trace_configs=[tracing()],
                raise_for_status=False,
            )
        return session
