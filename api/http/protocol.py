"""uvicorn's HTTP protocol, with bounds that it lacks. The only file that relies on uvicorn's inner names.

uvicorn waits for the headers of a request for ever, accepts any number and size of them, opens any number of
connections, and answers what its parser refuses in plain text. Here

- the headers of a request must arrive in time (408) and have bounded sizes (414, 431),
- connections are registered by client address (429, 503; see ``api/http/connections.py``),
- a request of HTTP/1.1 names its host exactly once (400),
- a connection whose client does not read its answers is closed,
- every answer has a JSON body like those of the application.

``tests/api/http/test_protocol.py`` fails when a name that is used here moves.
"""

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from api.http.connections import Closed, Connections
from api.http.error_shapes import ErrorShape
from api.http.errors import (
    ApiError,
    HeadersTooLarge,
    InvalidInput,
    RequestTimeout,
    TooManyConnections,
    Unavailable,
    UriTooLong,
)
from api.http.pacing import HELD_SECONDS

MAX_PIPELINED: Final = 32
"""Requests that may wait for the answer to an earlier one of their connection."""
_SHAPE = ErrorShape()


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a connection.

    Args:
        headers_seconds: from the connection, or from the first byte of a later request, to the end of its headers.
        not_read_seconds: an answer of which the client reads nothing for this long ends the connection.
        headers_bytes: of all headers of a request.
        target_bytes: of a request's path and query.
        address_of: the client address that a connection counts for, by its peer; None is bounded by the total alone.
        is_over: counts a refusal of an address, and says whether it has had too many; refusals are then held back.
    """

    headers_seconds: float
    not_read_seconds: float
    headers_bytes: int
    target_bytes: int
    address_of: Callable[[str], str | None] = lambda host: host
    is_over: Callable[[str], bool] = lambda address: False


def bounded_protocol(bounds: Bounds, connections: Connections) -> type[asyncio.Protocol]:
    """The protocol class for ``uvicorn.Config(http=...)``, with these bounds over these connections."""
    return type("BoundProtocol", (_BoundedProtocol,), {"bounds": bounds, "register": connections})


class _Refused(Exception):
    """Raised in a callback of the parser, to stop it; ``_fault`` says why."""


class _Stage(Enum):
    """What the next byte of a connection belongs to."""

    BETWEEN = "nothing yet: no request has begun since the last one"
    HEADERS = "a request's first line or its headers"
    BODY = "a body"


class _BoundedProtocol(HttpToolsProtocol):
    bounds: Bounds
    register: Connections

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._address: str | None = None
        self._registered = False
        self._closing = False
        self._stage = _Stage.BETWEEN
        self._messages = 0
        self._headers_bytes = 0
        self._unparsed_bytes = 0
        self._headers_timer: asyncio.TimerHandle | None = None
        self._unread_timer: asyncio.TimerHandle | None = None
        self._unread_bytes = 0
        self._fault: tuple[Closed, ApiError] | None = None

    # The connection.

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._address = self.bounds.address_of(self.client[0]) if self.client else None
        if self.register.enter(self, self._address):
            self._registered = True
            self._await_headers()
        elif self.register.open >= self.register.total:
            self._close_with(Unavailable("too many connections are open, try again", retry_after_seconds=1))
        else:
            self._close_with(TooManyConnections(wait_seconds=1))

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timers()
        if self._registered:
            self._registered = False
            self.register.leave(self, self._address)
        super().connection_lost(exc)

    def give_way(self) -> None:
        """Close: the connection waits for a request, and another one needs its place."""
        self._close()

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        self._unset_keepalive_if_required()
        messages = self._messages
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            # No protocol is switched to. What follows cannot be told from the other protocol, so this is the last one.
            self.cycle.keep_alive = False
            return
        except httptools.HttpParserError:
            self._refuse(*(self._fault or ("malformed", InvalidInput("request", "is not valid HTTP"))))
            return
        ended = self._stage is _Stage.BETWEEN and messages != self._messages
        if self._stage is _Stage.BODY or ended:
            return
        # The parser keeps a header until it is whole, so what it keeps is bounded here.
        self._unparsed_bytes += len(data)
        if self._unparsed_bytes > 2 * (self.bounds.headers_bytes + self.bounds.target_bytes):
            self._refuse("headers_large", HeadersTooLarge(self.bounds.headers_bytes))
        elif self._headers_timer is None:
            self._await_headers()

    # Callbacks of the parser.

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._stage, self._headers_bytes = _Stage.HEADERS, 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        if len(self.url) > self.bounds.target_bytes:
            self._fail("target_long", UriTooLong(self.bounds.target_bytes))

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._stage is _Stage.BODY:
            return  # a trailer, after the body: the application has seen the headers
        self._headers_bytes += len(name) + len(value)
        if self._headers_bytes > self.bounds.headers_bytes:
            self._fail("headers_large", HeadersTooLarge(self.bounds.headers_bytes))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self.parser.get_http_version() == "1.1" and [name for name, _ in self.headers].count(b"host") != 1:
            self._fail("malformed", InvalidInput("Host", "must be sent exactly once"))
        if len(self.pipeline) >= MAX_PIPELINED:
            self._fail("malformed", InvalidInput("request", "follows too many that are not answered yet"))
        super().on_headers_complete()
        self._stage, self._unparsed_bytes = _Stage.BODY, 0
        if self._headers_timer is not None:
            self._headers_timer.cancel()
            self._headers_timer = None
        self.register.busy(self, self._address)

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._stage = _Stage.BETWEEN
        self._messages += 1

    # Answers.

    def on_response_complete(self) -> None:
        """The answer is sent as far as the application is concerned."""
        super().on_response_complete()
        if self.cycle.response_complete and self._registered and not self.transport.is_closing():
            self.register.idle(self, self._address)

    def pause_writing(self) -> None:
        """The client reads slower than it is sent to."""
        super().pause_writing()
        self._await_reading()

    def resume_writing(self) -> None:
        """The client has read most of what was sent."""
        super().resume_writing()
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def timeout_keep_alive_handler(self) -> None:
        """No request came for a while after the last answer."""
        if self.transport.get_write_buffer_size():
            self._await_reading()  # the client still reads that answer
        else:
            super().timeout_keep_alive_handler()

    # Bounds.

    def _await_headers(self) -> None:
        self._headers_timer = self.loop.call_later(self.bounds.headers_seconds, self._on_late_headers)

    def _on_late_headers(self) -> None:
        self._headers_timer = None
        if self._is_answering():
            self._await_headers()  # reading may be paused until the answer is sent
        else:
            self._refuse("headers_late", RequestTimeout())

    def _await_reading(self) -> None:
        if self._unread_timer is None:
            self._unread_bytes = self.transport.get_write_buffer_size()
            self._unread_timer = self.loop.call_later(self.bounds.not_read_seconds, self._on_unread)

    def _on_unread(self) -> None:
        self._unread_timer = None
        left = self.transport.get_write_buffer_size()
        if left and left >= self._unread_bytes:
            self.register.count("not_read")
            self._closing = True
            self.transport.abort()
        elif left:
            self._await_reading()
        elif not self._is_answering():
            self.transport.close()

    def _fail(self, reason: Closed, error: ApiError) -> None:
        self._fault = reason, error
        raise _Refused(reason)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _refuse(self, reason: Closed, error: ApiError) -> None:
        """Answer what the application does not see, after the answers that are due, and close."""
        self.register.count(reason)
        in_body = self._stage is _Stage.BODY
        if not self._is_answering():
            if in_body:
                self._close()  # the request is answered already
            else:
                self._close_with(error)
        elif not in_body:
            self._closing = True
            self.cycle.keep_alive = False  # closes the connection after the answer
            self.flow.pause_reading()
        elif self.pipeline or self.cycle.response_started:
            self._closing = True
            self.transport.abort()
        else:
            self._close_with(error)

    def _close_with(self, error: ApiError) -> None:
        if self._registered and self._address is not None and self.bounds.is_over(self._address):
            self._closing = True
            self._stop_timers()
            self.flow.pause_reading()
            self._headers_timer = self.loop.call_later(HELD_SECONDS, self._answer_and_close, error)
        else:
            self._answer_and_close(error)

    def _answer_and_close(self, error: ApiError) -> None:
        self.transport.write(b"".join((*self._head(error), _SHAPE.render(error).body)))
        self._close()

    def _head(self, error: ApiError) -> list[bytes]:
        response = _SHAPE.render(error)
        headers = [
            *self.server_state.default_headers,
            *response.raw_headers,
            (b"connection", b"close"),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"x-request-id", uuid.uuid4().hex.encode()),
        ]
        return [STATUS_LINE[error.status], *(name + b": " + value + b"\r\n" for name, value in headers), b"\r\n"]

    def _close(self) -> None:
        self._closing = True
        self._stop_timers()
        self.transport.close()
        if self.transport.get_write_buffer_size():
            self._await_reading()

    def _stop_timers(self) -> None:
        for timer in (self._headers_timer, self._unread_timer):
            if timer is not None:
                timer.cancel()
        self._headers_timer = self._unread_timer = None
