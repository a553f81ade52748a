"""Bodies that are too large are refused with an answer that the client can read."""

import pytest
from starlette.types import Message, Receive, Scope, Send

from api.http.request_bounds import DISCARDED_FACTOR, RequestBoundsMiddleware
from api.http.route_table import RouteTable
from api.settings import ApiSettings

LIMIT, PART = 2_000, 200
SETTINGS = ApiSettings(body_limit_bytes=LIMIT, request_timeout_seconds=5)


class Client:
    """Sends a body in parts and keeps the answer."""

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
        (30, [(b"content-length", b"6000")], 0),
        (30, [], 0),
        (30, [(b"content-length", b"6000"), (b"expect", b"100-continue")], 30),
        (1_000, [(b"content-length", b"200000")], 1_000 - DISCARDED_FACTOR * LIMIT // PART),
        (1_000, [], 1_000 - (DISCARDED_FACTOR + 1) * LIMIT // PART - 1),
    ],
)
async def test_the_rest_of_a_large_body_is_discarded_before_the_answer(
    parts: int, headers: list[tuple[bytes, bytes]], left: int
) -> None:
    client = Client(parts)
    limits = RequestBoundsMiddleware(read_all, table=RouteTable(()), settings=SETTINGS)
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    await limits(scope, client.receive, client.send)
    assert (client.status, client.left) == (413, left)
