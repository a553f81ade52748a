"""One attempt of a request: sends it, measures it and keeps the answer. Failures are recorded, not raised."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from yarl import URL

from api.outbound.answers import Failure, OutboundAnswer, Timing, readable
from api.outbound.connections import NOT_PUBLIC, AddressRefused

HEADER_BYTES = 8192


@dataclass(slots=True)
class Attempt:
    """One attempt of a request, and its result so far."""

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
        """Send the request and read the answer. Failures are recorded, except for the caller's timeout."""
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
            name, value = readable(raw_name).lower(), readable(raw_value)
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
        """Whether a reused connection turned out to be closed."""
        return self.reused and self.failure is Failure.DISCONNECTED

    def fail(self, failure: Failure, problem: str) -> None:
        """Record why there is no answer."""
        self.failure, self.problem = failure, problem

    def failed(self, failure: Failure, problem: str) -> OutboundAnswer:
        """The outcome of an attempt that was not sent."""
        self.fail(failure, problem)
        return self.answer()

    def answer(self) -> OutboundAnswer:
        """The outcome of the attempt."""
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


def tracing() -> aiohttp.TraceConfig:
    """Records when the attempt's name was resolved and its connection was made or reused."""
    config = aiohttp.TraceConfig()

    def note(name: str) -> Any:
        async def on(session: aiohttp.ClientSession, context: Any, params: Any) -> None:
            setattr(context.trace_request_ctx, name, time.perf_counter())

        return on

    async def on_reuse(session: aiohttp.ClientSession, context: Any, params: Any) -> None:
        context.trace_request_ctx.reused = True

    config.on_dns_resolvehost_start.append(note("lookup_began"))
    config.on_dns_resolvehost_end.append(note("lookup_ended"))
    config.on_connection_create_start.append(note("connection_began"))
    config.on_connection_create_end.append(note("connection_ended"))
    config.on_connection_reuseconn.append(on_reuse)
    return config


def _explain(error: aiohttp.ClientError) -> tuple[Failure, str]:
    """The kind of a failure and its message, which names no address: internal DNS answers must not leak."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        reason = getattr(error.certificate_error, "verify_message", None) or "verification failed"
        return Failure.TLS, f"the certificate is not accepted: {reason}"
    if isinstance(error, aiohttp.ClientConnectorSSLError):
        return Failure.TLS, "the TLS handshake failed"
    if isinstance(error, aiohttp.ClientConnectorError):
        if isinstance(error.os_error, AddressRefused):
            return Failure.REFUSED, NOT_PUBLIC
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return Failure.DNS, "the host's name cannot be resolved"
        return Failure.CONNECT, "the connection failed"
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientOSError | aiohttp.ClientPayloadError):
        return Failure.DISCONNECTED, "the connection ended before an answer"
    if isinstance(error, aiohttp.InvalidURL):
        return Failure.REFUSED, "the URL cannot be used"
    return Failure.PROTOCOL, "what was answered is not HTTP"


def _between(first: float | None, last: float | None) -> float | None:
    return None if first is None or last is None else last - first
