"""Connections to a node that receive a large answer in one system call.

Python's http.client reads an answer of megabytes in hundreds of calls, and after each waits for the interpreter lock,
which decoding threads hold.
"""

import io
import socket
import ssl
import struct
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import Any, Final
from urllib.parse import urlsplit

_WHOLE_BYTES: Final = 64 * 1024
"""Reads of at least this size wait for all bytes. http.client requests that much only if the answer has it."""


def connect_to(url: str, timeout_seconds: float) -> HTTPConnection:
    """A connection to the host of a URL; it connects with the first request."""
    parts = urlsplit(url)
    host = parts.hostname or "127.0.0.1"
    if parts.scheme == "https":
        return HTTPSConnection(host, parts.port, timeout=timeout_seconds, context=ssl.create_default_context())
    return _WholeConnection(host, parts.port, timeout=timeout_seconds)


class _WholeReads(io.RawIOBase):
    """Reads a socket whose time limit is set in the system.

    Raises:
        TimeoutError: nothing arrived within the limit.
    """

    def __init__(self, connected: socket.socket) -> None:
        self._connected = connected
        self._held = connected.makefile("rb", buffering=0)  # keeps the socket open until the answer is read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        flags = socket.MSG_WAITALL if len(buffer) >= _WHOLE_BYTES else 0
        try:
            return self._connected.recv_into(buffer, 0, flags)
        except BlockingIOError as error:
            raise TimeoutError("timed out") from error

    def close(self) -> None:
        self._held.close()
        super().close()


class _Sending:
    """Gives HTTPResponse its reader."""

    def __init__(self, connected: socket.socket) -> None:
        self._connected = connected

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_WholeReads(self._connected))


class _WholeResponse(HTTPResponse):
    def __init__(self, connected: socket.socket, *args: Any, **named: Any) -> None:
        sending: Any = _Sending(connected)
        super().__init__(sending, *args, **named)


class _WholeConnection(HTTPConnection):
    response_class = _WholeResponse

    def connect(self) -> None:
        super().connect()
        if self.sock is None or self.timeout is None:
            raise ConnectionError("a connection to a node has a time limit")
        # With a Python timeout the socket would not block, and a read would return before all bytes arrived.
        whole, part = divmod(self.timeout, 1)
        limit = struct.pack("ll", int(whole), int(part * 1_000_000))
        self.sock.settimeout(None)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
