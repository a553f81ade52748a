"""The attacks. Each is one client, at an address of its own unless it shares the paying client's, with as many
connections as it says, that goes on until it is stopped.

``python -m tests.abuse.attacks NAME PORT`` runs one, in a process of its own and at low priority: on one machine the
paying client would otherwise wait for the attacker's processor, not for the service.
"""

import asyncio
import base64
import json
import os
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Final

import uvloop

from tests.abuse.wire import IDENTITY, Line

ELSEWHERE: Final = "127.0.0.2"
SAME: Final = "127.0.0.1"
"""The paying client's own address, as of customers behind one gateway."""
Step = Callable[[Line, int], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack.

    Args:
        what: what the client does, in words.
        step: one action on a connection, with a number that no other action has; a failure opens another connection.
        connections: how many act at the same time.
        address: where they come from.
    """

    what: str
    step: Step
    connections: int = 8
    address: str = ELSEWHERE


def asks(path: str, headers: str = "", method: str = "GET", body: bytes = b"") -> Step:
    """Ask for a path again and again; ``{n}`` is another number each time."""

    async def step(line: Line, number: int) -> None:
        await line.ask(path.replace("{n}", str(number)), headers.replace("{n}", str(number)), method, body)

    return step


def on_new_connections(step: Step) -> Step:
    """The same, with a new connection each time."""

    async def anew(line: Line, number: int) -> None:
        line.close()
        await step(line, number)

    return anew


def holds(data: bytes, *, drip: bytes = b"", seconds: float = 60.0) -> Step:
    """Send something and then hold the connection, with a few bytes a second."""

    async def step(line: Line, number: int) -> None:
        line.close()
        writer = await line.open()
        writer.write(data)
        assert line.reader is not None
        for _ in range(round(seconds / 0.5)):
            with suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    if not await line.reader.read(65_536):
                        return
            if drip:
                writer.write(drip)

    return step


def reads_nothing(path: str) -> Step:
    """Ask for large answers and never read them."""

    async def step(line: Line, number: int) -> None:
        line.close()
        writer = await line.open()
        assert line.reader is not None
        line.reader._limit = 1024  # type: ignore[attr-defined]  # the stream stops reading there
        writer.write(f"GET {path} HTTP/1.1\r\nHost: a\r\n{IDENTITY}\r\n".encode() * 4)
        await asyncio.sleep(30)

    return step


def sends(data: bytes) -> Step:
    """Send bytes on a new connection and read one answer."""

    async def step(line: Line, number: int) -> None:
        line.close()
        await line.send(data)

    return step


async def pipeline(line: Line, number: int) -> None:
    """Many requests in one packet, over and over."""
    line.close()
    writer = await line.open()
    assert line.reader is not None
    writer.write(b"GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n" * 1_000)
    while await line.reader.read(65_536):
        pass


def _part(content: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


FORGED = f"{_part({'alg': 'EdDSA', 'typ': 'JWT'})}.{_part({'sub': 'x', 'exp': 9_999_999_999})}.{'A' * 86}"
SIGN_IN = json.dumps({"message": "a wants you to sign in", "signature": "0x" + "11" * 65}).encode()
GUESS = "X-API-Key: rgl_live_{n}\r\n"
POST_HALF = (
    b"POST /api/v2/auth/login/siwe HTTP/1.1\r\nHost: a\r\n"
    b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n"
)

ATTACKS: Final[dict[str, Attack]] = {
    "document": Attack("asks for the OpenAPI document", asks("/openapi.json", IDENTITY)),
    "document-anew": Attack("the same over new connections", on_new_connections(asks("/openapi.json", IDENTITY))),
    "metrics": Attack("asks the public port for metrics", asks("/metrics")),
    "unknown-paths": Attack("asks for paths that do not exist", asks("/api/v2/nothing/{n}")),
    "live": Attack("asks whether the service lives", asks("/health/live")),
    "ready": Attack("asks whether the service is ready", asks("/health/ready")),
    "no-key": Attack("sends no key", asks("/api/v2/search?symbol=A{n}")),
    "guesses": Attack("guesses API keys", asks("/api/v2/search?symbol=A", GUESS)),
    "guesses-nearby": Attack(
        "guesses API keys at the customer's address", asks("/api/v2/search?symbol=A", GUESS), address=SAME
    ),
    "forged-sessions": Attack(
        "sends forged session tokens", asks("/api/v2/account", f"Authorization: Bearer {FORGED}\r\n")
    ),
    "nonces": Attack("asks for sign-in nonces", asks("/api/v2/auth/nonce")),
    "sign-ins": Attack("signs in with bad messages", asks("/api/v2/auth/login/siwe", method="POST", body=SIGN_IN)),
    "coins": Attack("reads coins, another each time", asks("/api/v2/public/coins/base/C{n}")),
    "preflights": Attack("sends preflights", asks("/api/v2/public/coins/base/C{n}", method="OPTIONS")),
    "slow-headers": Attack("sends half of a request's headers", holds(b"GET / HTTP/1.1\r\nHost"), 2_000),
    "slow-headers-nearby": Attack(
        "the same at the customer's address", holds(b"GET / HTTP/1.1\r\nHost"), 1_000, address=SAME
    ),
    "dripped-headers": Attack("sends headers by the byte", holds(b"GET / HTTP/1.1\r\nX: ", drip=b"x"), 250),
    "idle": Attack("opens connections and sends nothing", holds(b""), 2_000),
    "slow-bodies": Attack("sends bodies by the byte", holds(POST_HALF, drip=b"x"), 250),
    "connections": Attack("opens connections and closes them", on_new_connections(asks("/nothing")), 32),
    "unread": Attack("reads none of its answers", reads_nothing("/openapi.json"), 200),
    "pipelines": Attack("sends a thousand requests at once", pipeline),
    "malformed": Attack("sends what is not HTTP", sends(b"hello\r\n\r\n")),
    "large-headers": Attack(
        "sends 100 kB of headers", sends(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100_000 + b"\r\n\r\n")
    ),
    "large-bodies": Attack(
        "sends bodies that are too large", asks("/api/v2/verify/symbol", GUESS, method="POST", body=b"x" * 70_000)
    ),
}


async def run(attack: Attack, port: int) -> None:
    """Run an attack until the process is stopped."""
    numbers = count()

    async def act() -> None:
        line = Line(port, attack.address)
        while True:
            try:
                await attack.step(line, next(numbers))
            except (OSError, asyncio.IncompleteReadError):
                line.close()
                await asyncio.sleep(0.01)

    await asyncio.gather(*(act() for _ in range(attack.connections)))


if __name__ == "__main__":
    os.nice(10)
    uvloop.run(run(ATTACKS[sys.argv[1]], int(sys.argv[2])))
