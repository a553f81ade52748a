"""Answers arrive complete however a node sends them; a silent node times out."""

import http.client
import random
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from indexer.chains.evm.tuned.connection import connect_to

BODY = random.Random(7).randbytes(1_500_000)
Piece = bytes | float
"""Bytes that a node sends, or seconds for which it is silent."""


@contextmanager
def node(answers: Sequence[Sequence[Piece]]) -> Iterator[str]:
    """A node that answers requests over one connection and closes it after the last."""
    server = socket.create_server(("127.0.0.1", 0))
    over = threading.Event()

    def serve() -> None:
        accepted, _ = server.accept()
        with accepted:
            for pieces in answers:
                while accepted.recv(65536)[-4:] != b"\r\n\r\n":
                    pass
                for piece in pieces:
                    if isinstance(piece, bytes):
                        accepted.sendall(piece)
                    else:
                        over.wait(piece)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
    finally:
        over.set()
        thread.join(30)
        server.close()


def head(**headers: str) -> bytes:
    lines = "".join(f"{name.replace('_', '-')}: {text}\r\n" for name, text in headers.items())
    return f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode()


def cut(body: bytes, size: int) -> list[bytes]:
    return [body[at : at + size] for at in range(0, len(body), size)]


def chunked(body: bytes) -> list[bytes]:
    return [b"%x\r\n%b\r\n" % (len(piece), piece) for piece in cut(body, 100_003)] + [b"0\r\n\r\n"]


LENGTH = head(Content_Length=str(len(BODY)))
WAYS: dict[str, list[Piece]] = {
    "at once": [LENGTH + BODY],
    "in pieces": [LENGTH, *cut(BODY, 40_001)],
    "after a pause": [LENGTH + BODY[:70_000], 0.1, BODY[70_000:]],
    "in chunks": [head(Transfer_Encoding="chunked"), *chunked(BODY)],
    "until the connection ends": [head(Connection="close"), BODY],
}


def ask(connection: http.client.HTTPConnection) -> bytes:
    connection.request("GET", "/")
    return connection.getresponse().read(2_000_000)


@pytest.mark.parametrize("way", WAYS)
def test_a_large_answer_arrives_whole(way: str) -> None:
    with node([WAYS[way]]) as url:
        connection = connect_to(url, 5)
        assert ask(connection) == BODY
        connection.close()


def test_one_connection_serves_several_answers() -> None:
    small = [head(Content_Length="2") + b"ok"]
    with node([small, WAYS["in pieces"], WAYS["in chunks"], small]) as url:
        connection = connect_to(url, 5)
        assert [ask(connection) for _ in range(4)] == [b"ok", BODY, BODY, b"ok"]
        connection.close()


@pytest.mark.parametrize("before", [b"", LENGTH, LENGTH + BODY[:200_000]], ids=["head", "body", "rest"])
def test_a_silent_node_times_out(before: bytes) -> None:
    with node([[before, 60.0]]) as url:
        connection = connect_to(url, 0.3)
        began = time.monotonic()
        with pytest.raises(TimeoutError):
            ask(connection)
        assert time.monotonic() - began < 20
        connection.close()


def test_a_truncated_answer_ends_early() -> None:
    with node([[LENGTH + BODY[:900_000]]]) as url:
        connection = connect_to(url, 5)
        assert ask(connection) == BODY[:900_000]
        connection.close()
