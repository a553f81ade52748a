"""Just enough HTTP over one connection: for clients that measure, and for those that misbehave."""

import asyncio

IDENTITY = "Accept-Encoding: identity\r\n"


class Line:
    """One connection from a chosen local address; a request at a time."""

    def __init__(self, port: int, address: str = "127.0.0.1") -> None:
        self.port = port
        self.address = address
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def open(self) -> asyncio.StreamWriter:
        """The connection, opened if there is none."""
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(self.address, 0), limit=2**24
            )
        return self.writer

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def ask(self, path: str, headers: str = "", method: str = "GET", body: bytes = b"") -> int:
        """Send a request; the status of its answer, whose body is read and dropped."""
        length = f"Content-Length: {len(body)}\r\nContent-Type: application/json\r\n" if body else ""
        return await self.send(f"{method} {path} HTTP/1.1\r\nHost: a\r\n{length}{headers}\r\n".encode() + body)

    async def send(self, data: bytes) -> int:
        """Send bytes; the status of the next answer."""
        writer = await self.open()
        assert self.reader is not None
        writer.write(data)
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head[9:12])
        at = head.find(b"content-length:") + 15
        if at > 14 and status not in (204, 304):
            await self.reader.readexactly(int(head[at : head.index(b"\r", at)]))
        if b"connection: close" in head:
            self.close()
        return status
