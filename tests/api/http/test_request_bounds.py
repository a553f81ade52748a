"""Bodies that are too large: refused so that the client sees why."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from api.http.errors import RouteGroups
from api.http.request_bounds import LINGERING, LimitsMiddleware

LIMIT, PART = 1_000, 100


class Client:
    """Sends a body in parts, and keeps the answer."""

    def __init__(self, parts: int) -> None:
        self.left = parts
        self.status = 0

    async def receive(self) -> Message:
        self.left -= 1
        return {"type": "http.request", "body": bytes(PART), "more_body": self.left > 0}

    async def send(self, message: Message) -> None:
        self.status = message.get("status", self.status)


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass


@pytest.mark.parametrize(
    ("parts", "headers", "left"),
    [
        (30, [(b"content-length", b"3000")], 0),
        (30, [], 0),
        (30, [(b"content-length", b"3000"), (b"expect", b"100-continue")], 30),
        (1_000, [(b"content-length", b"100000")], 1_000 - LINGERING * LIMIT // PART),
        (1_000, [], 1_000 - (LINGERING + 1) * LIMIT // PART - 1),
    ],
)
async def test_what_a_client_still_sends_is_received_before_it_is_refused(
    parts: int, headers: list[tuple[bytes, bytes]], left: int
) -> None:
    client = Client(parts)
    limits = LimitsMiddleware(read_all, groups=RouteGroups(()), body_limit_bytes=LIMIT, timeout_seconds=5)
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    await limits(scope, client.receive, client.send)
    assert (client.status, client.left) == (413, left)
