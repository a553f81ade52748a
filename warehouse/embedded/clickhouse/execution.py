"""Running statements: to a complete result, to a streamed one, or as an insert whose data streams in.

Everything here runs in worker threads; the application awaits it.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import chdb

from .errors import ClickHouseError
from .protocol import Request
from .sessions import Lease, Sessions
from .statements import InsertHead

# Formats whose pieces can be appended to each other; pieces of ArrowStream are joined below.
_APPENDABLE = frozenset({"native", "tabseparated", "tsv", "csv", "rowbinary", "jsoneachrow"})
_STREAMED = _APPENDABLE | {"arrowstream"}


@dataclass(frozen=True, slots=True)
class Result:
    """A complete result, with the engine's counts of rows and bytes."""

    body: bytes
    read_rows: int
    read_bytes: int
    written_rows: int
    written_bytes: int
    seconds: float


def can_stream(format_name: str) -> bool:
    """Whether results in this format can be sent while the engine still works."""
    return format_name.lower() in _STREAMED


def run_to_end(sessions: Sessions, request: Request, sql: bytes, format_name: str) -> Result:
    """Run a statement to its end."""
    lease = sessions.lease(request, sql)
    try:
        result = lease.handle.query(_text(sql), format_name)
        return Result(
            result.bytes(),
            result.rows_read(),
            result.bytes_read(),
            result.rows_written(),
            result.bytes_written(),
            result.elapsed(),
        )
    except (chdb.ChdbError, RuntimeError) as error:
        raise ClickHouseError.from_engine(error) from None
    finally:
        lease.release()


@contextmanager
def _ended_by_failure(end: Callable[[], None]) -> Iterator[None]:
    """Call ``end`` if the block fails, and raise the engine's errors as ClickHouseError."""
    try:
        yield
    except BaseException as error:  # an interrupt must not keep the handle either
        end()
        if isinstance(error, (chdb.ChdbError, RuntimeError)):
            raise ClickHouseError.from_engine(error) from None
        raise


class Stream:
    """A read whose result comes in pieces. The handle is released together with the last piece."""

    def __init__(self, lease: Lease, pieces: Iterator[bytes], result: Any) -> None:
        self._lease = lease
        self._pieces = pieces
        self._result = result

    @classmethod
    def open(cls, sessions: Sessions, request: Request, sql: bytes, format_name: str) -> "Stream":
        """Start a read."""
        lease = sessions.lease(request, sql)
        with _ended_by_failure(lease.release):
            result = lease.handle.send_query(_text(sql), format_name)
        pieces = _pieces(result)
        return cls(lease, _join_arrow(pieces) if format_name.lower() == "arrowstream" else pieces, result)

    def next(self) -> bytes | None:
        """The next piece; None at the end, when the handle is already released.

        Raises:
            ClickHouseError: the statement failed; the handle is released.
        """
        with _ended_by_failure(self.close):
            piece = next(self._pieces, None)
        if piece is None:
            self.close()
        return piece

    def close(self) -> None:
        """Stop reading and release the handle."""
        try:
            self._result.close()
        except (chdb.ChdbError, RuntimeError):
            pass  # it had ended or failed by itself
        finally:
            self._lease.release()


class StreamingInsert:
    """An insert fed piece by piece, in constant memory. Its last block is written by ``finish``."""

    def __init__(self, lease: Lease, inserter: Any) -> None:
        self._lease = lease
        self._inserter = inserter

    @classmethod
    def open(cls, sessions: Sessions, request: Request, head: InsertHead) -> "StreamingInsert":
        """Start an insert."""
        lease = sessions.lease(request, head.statement)
        with _ended_by_failure(lease.release):
            return cls(lease, lease.handle.send_insert(_text(head.statement), head.format))

    def append(self, data: bytes) -> None:
        """Feed a piece of the data."""
        try:
            self._inserter.append(data)
        except RuntimeError as error:
            raise ClickHouseError.from_engine(error) from None

    def finish(self, data: bytes) -> Result:
        """Feed the last piece and commit."""
        try:
            if data:
                self._inserter.append(data)
            result = self._inserter.finish()
        except RuntimeError as error:
            raise ClickHouseError.from_engine(error) from None
        finally:
            self.abort()
        return Result(b"", 0, 0, result.rows_written, result.bytes_written, result.elapsed)

    def abort(self) -> None:
        """Drop what is not committed and release the handle; does nothing after ``finish``."""
        try:
            self._inserter.close()
        except RuntimeError:
            pass  # the engine had dropped it by itself
        finally:
            self._lease.release()


def _text(sql: bytes) -> str:
    try:
        return sql.decode()
    except UnicodeDecodeError:
        raise ClickHouseError(62, "SYNTAX_ERROR", "Syntax error: the statement is not valid UTF-8") from None


def _pieces(result: Any) -> Iterator[bytes]:
    while (piece := result.fetch()) is not None:
        yield piece.bytes()


def _join_arrow(streams: Iterator[bytes]) -> Iterator[bytes]:
    """Make one Arrow stream of many: each piece from the engine is a stream of its own, with schema and end."""
    ipc: Any = import_module("pyarrow.ipc")  # takes a while, and most servers never stream Arrow

    sink = io.BytesIO()
    writer: Any = None
    for stream in streams:
        reader = ipc.open_stream(stream)
        writer = writer or ipc.new_stream(sink, reader.schema)
        for batch in reader:
            writer.write_batch(batch)
        yield _take(sink)
    if writer is not None:
        writer.close()
        yield _take(sink)


def _take(sink: io.BytesIO) -> bytes:
    data = sink.getvalue()
    sink.seek(0)
    sink.truncate()
    return data
