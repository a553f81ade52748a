"""The outcome of a request to a URL that a user gave."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Failure(StrEnum):
    """Why a request did not succeed."""

    REFUSED = "refused"
    """The URL, or every address of its host, is not allowed. Nothing was sent."""
    DNS = "dns"
    """The host's name could not be resolved."""
    CONNECT = "connect"
    """The connection failed."""
    TLS = "tls"
    """The certificate is not valid or the handshake failed. Nothing was sent."""
    TIMEOUT = "timeout"
    """No answer within the limit."""
    DISCONNECTED = "disconnected"
    """The connection ended before an answer."""
    PROTOCOL = "protocol"
    """The answer is not HTTP."""
    REDIRECT = "redirect"
    """The answer was 3xx; redirects are not followed."""
    STATUS = "status"
    """The answer was neither 2xx nor 3xx."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Durations in seconds; None for steps that did not happen, as on a reused connection."""

    dns_seconds: float | None
    connect_seconds: float | None
    """TCP and TLS."""
    answer_seconds: float | None
    """From the start until the answer's headers arrived."""
    total_seconds: float


@dataclass(frozen=True, slots=True)
class OutboundAnswer:
    """The outcome of a request.

    Args:
        status: of the answer; None if there is none.
        headers: of the answer, names in lower case, values of one name joined with commas; the first 8 KB of them.
        body: the first bytes of the answer's body, as they came: not decompressed, of any encoding.
        body_complete: whether that is all of the body.
        failure: None for a 2xx.
        problem: the failure in words for the user who gave the URL; None for a 2xx.
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
        return readable(self.body)


def readable(data: bytes) -> str:
    """The bytes as text. Bytes that are not UTF-8, and NUL, which the store cannot keep, become U+FFFD."""
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")
