"""The HTTP side: requests, their bodies piece by piece, and the framing of answers."""

import json
import re
import uuid
import zlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

import lz4.frame
import zstandard

from .access import Role
from .errors import ClickHouseError, bad_request, refused

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

# URL parameters of the transport; all others are settings of the query.
_TRANSPORT = frozenset(
    {
        "query", "database", "default_format", "user", "password", "quota_key", "session_id", "session_timeout",
        "session_check", "query_id", "compress", "decompress", "buffer_size", "wait_end_of_query",
        "enable_http_compression", "http_zlib_compression_level", "send_progress_in_http_headers",
        "http_headers_progress_interval_ms", "client_protocol_version", "role", "stacktrace", "close_session",
        "cancel_http_readonly_queries_on_client_close", "http_write_exception_in_output_format", "log_comment",
        "http_response_buffer_size", "network_compression_method", "readonly",
    }
)  # fmt: skip
_SETTING_NAME = re.compile(r"[A-Za-z_]\w*")
_PARAMETER = "param_"


class ClientGone(Exception):
    """The client closed the connection."""


@dataclass(slots=True)
class Request:
    """One request, its credentials already checked."""

    method: str
    headers: Mapping[str, str]
    parameters: dict[str, str]
    role: Role
    query_id: str = field(init=False)

    def __post_init__(self) -> None:
        """Set the query's id, and refuse unsupported framings."""
        self.query_id = self.parameters.get("query_id") or str(uuid.uuid4())
        for unsupported in ("compress", "decompress"):
            if self.parameters.get(unsupported) in ("1", "true"):
                raise refused(
                    f"{unsupported}=1 is not supported by the embedded server: switch off the compression of the driver"
                )

    @property
    def read_only(self) -> bool:
        """Whether the request may only read: a GET, or one with ``readonly``."""
        return self.method != "POST" or self.parameters.get("readonly", "0") not in ("0", "")

    @property
    def database(self) -> str | None:
        """The database named in the URL or the headers."""
        return self.parameters.get("database") or self.headers.get("x-clickhouse-database")

    @property
    def default_format(self) -> str:
        """The format of answers to statements that name none."""
        return self.parameters.get("default_format") or self.headers.get("x-clickhouse-format") or "TabSeparated"

    @property
    def waits_for_end(self) -> bool:
        """Whether nothing may be sent before the statement has ended."""
        return self.parameters.get("wait_end_of_query") == "1"

    def settings(self) -> dict[str, str]:
        """Settings of the query.

        Raises:
            ClickHouseError: a name cannot be a setting's.
        """
        found = {}
        for name, value in self.parameters.items():
            if name in _TRANSPORT or name.startswith(_PARAMETER):
                continue
            if not _SETTING_NAME.fullmatch(name):
                raise ClickHouseError(115, "UNKNOWN_SETTING", f"Unknown setting '{name[:60]}'.")
            found[name] = value
        return found

    def values(self) -> dict[str, str]:
        """Values of the query's ``{name:Type}`` parameters, keyed ``param_name``.

        Raises:
            ClickHouseError: a name cannot be a parameter's.
        """
        found = {name: value for name, value in self.parameters.items() if name.startswith(_PARAMETER)}
        for name in found:
            if not re.fullmatch(r"param_\w+", name):
                raise bad_request(f"Bad query parameter name '{name[:60]}'")
        return found


class HttpCall:
    """One HTTP request and its answer, over ASGI."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope = scope
        self.headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        self.base_headers: Headers = []
        self.answering = False
        self._receive = receive
        self._send = send
        self._body_ended = False
        self._decompress: Callable[[bytes], bytes] | None = None

    def url_parameters(self) -> dict[str, str]:
        """Parameters of the URL; bytes that are not UTF-8 survive."""
        text = self.scope["query_string"].decode("latin-1")
        return dict(parse_qsl(text, keep_blank_values=True, errors="surrogateescape"))

    async def read(self) -> bytes | None:
        """The body's next piece, decompressed; None at its end.

        Raises:
            ClientGone: the client left before its end.
            ClickHouseError: the body's encoding is unknown or broken.
        """
        if self._decompress is None:
            self._decompress = _decompressor(self.headers.get("content-encoding", ""))
        while not self._body_ended:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            self._body_ended = not message.get("more_body", False)
            piece = self._decompress(message.get("body", b""))
            if piece:
                return piece
        return None

    async def disconnected(self) -> None:
        """Return when the client has closed the connection. Only to be awaited after the body."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def reply(self, status: int, body: bytes, headers: Headers | None = None) -> None:
        """Answer in one piece."""
        content_type = [] if headers and any(name == b"content-type" for name, _ in headers) else [_TEXT]
        length = (b"content-length", str(len(body)).encode())
        await self._start(status, [*content_type, length, *(headers or [])])
        await self._send({"type": "http.response.body", "body": body if self.scope["method"] != "HEAD" else b""})

    async def fail(self, error: ClickHouseError, version: str) -> None:
        """Answer with an error."""
        code = (b"x-clickhouse-exception-code", str(error.code).encode())
        await self.reply(error.status, error.wire(version), [code])

    async def start(self, headers: Headers) -> None:
        """Begin an answer of unknown length."""
        await self._start(200, [_TEXT, *headers])

    async def piece(self, data: bytes) -> None:
        """Send the next piece of it."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        """End it."""
        await self._send({"type": "http.response.body", "body": b""})

    async def _start(self, status: int, headers: Headers) -> None:
        self.answering = True
        await self._send({"type": "http.response.start", "status": status, "headers": self.base_headers + headers})


_TEXT = (b"content-type", b"text/plain; charset=UTF-8")


_new_lz4_decompressor: Callable[[], Any] = lz4.frame.LZ4FrameDecompressor  # carries no types


def _decompressor(encoding: str) -> Callable[[bytes], bytes]:
    name = encoding.strip().lower()
    decompress: Callable[[bytes], bytes]
    if name in ("", "identity"):
        return bytes
    if name == "gzip":
        decompress = zlib.decompressobj(31).decompress
    elif name == "deflate":
        decompress = zlib.decompressobj().decompress
    elif name == "lz4":
        decompress = _new_lz4_decompressor().decompress
    elif name == "zstd":
        decompress = zstandard.ZstdDecompressor().decompressobj().decompress
    else:
        raise refused(f"Content-Encoding {name[:40]!r} is not supported: use gzip, deflate, lz4 or zstd")

    def checked(piece: bytes) -> bytes:
        try:
            return decompress(piece) if piece else b""
        except (zlib.error, RuntimeError, EOFError, zstandard.ZstdError) as error:
            raise ClickHouseError(271, "CANNOT_DECOMPRESS", f"The {name} body cannot be decompressed") from error

    return checked


def form_fields(content_type: str, body: bytes) -> dict[str, str]:
    """The fields of a multipart form: how clients send long statements and parameters.

    Raises:
        ClickHouseError: the form is malformed or holds files (external tables).
    """
    boundary = re.search(r'boundary="?([^";]+)', content_type)
    if boundary is None:
        raise bad_request("multipart/form-data without a boundary")
    fields = {}
    for part in body.split(b"--" + boundary.group(1).encode("latin-1"))[1:-1]:
        head, found, value = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        name = re.search(rb'name="([^"]+)"', head)
        if not found or name is None:
            raise bad_request("malformed multipart/form-data")
        if b"filename=" in head:
            raise refused("external data is not supported by the embedded server")
        fields[name.group(1).decode()] = value.removesuffix(b"\r\n").decode("utf-8", "surrogateescape")
    return fields


def summary(*, read_rows: int = 0, read_bytes: int = 0, written_rows: int = 0, written_bytes: int = 0,
            seconds: float = 0.0) -> tuple[bytes, bytes]:  # fmt: skip
    """The X-ClickHouse-Summary header."""
    counts = {
        "read_rows": read_rows,
        "read_bytes": read_bytes,
        "written_rows": written_rows,
        "written_bytes": written_bytes,
        "result_rows": 0,
        "elapsed_ns": int(seconds * 1e9),
    }
    return b"x-clickhouse-summary", json.dumps({name: str(value) for name, value in counts.items()}).encode()


def late_exception(error: ClickHouseError, tag: str, version: str) -> bytes:
    """The text of an error after part of the answer was sent; a header announced the tag."""
    text = error.wire(version)
    return b"\r\n__exception__\r\n%b\r\n%b%d %b\r\n__exception__\r\n" % (tag.encode(), text, len(text), tag.encode())
