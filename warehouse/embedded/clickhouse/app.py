"""The ASGI application: from a request to the manner of answering it."""

import asyncio
import logging
import os
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from .access import Passwords, Role, authenticate, check_analyst
from .engine import Engine
from .errors import NO_HANDLER, ClickHouseError
from .execution import Stream, StreamingInsert, Whole, run_whole, streams
from .protocol import (
    ClientGone,
    Exchange,
    Receive,
    Request,
    Scope,
    Send,
    form_fields,
    late_exception,
    summary,
)
from .sessions import Sessions
from .statements import READS, InsertHead, check, insert_head, keyword, output_format

T = TypeVar("T")

INSERT_PIECE_BYTES = 1 << 20
# A statement so short is not cancelled when its client leaves.
UNWATCHED_SECONDS = 0.02
MAX_STATEMENT_BYTES = 32 << 20
STOP_SECONDS = 15.0
_PROBES = ("/ping", "/replicas_status")

log = logging.getLogger(__name__)


class Application:
    """The ClickHouse HTTP interface over one engine."""

    def __init__(self, engine: Engine, passwords: Passwords) -> None:
        self._engine = engine
        self._passwords = passwords
        self._sessions = Sessions(engine)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            await self._serve(Exchange(scope, receive, send))

    def close(self) -> None:
        """Cancel what runs and close the engine, when nothing is served any more."""
        # A statement that does not heed its cancelling must not keep the process: the engine stands a crash.
        last_resort = threading.Timer(STOP_SECONDS, os._exit, (1,))
        last_resort.daemon = True
        last_resort.start()
        self._engine.close(before_root=self._sessions.close)
        last_resort.cancel()

    async def _serve(self, exchange: Exchange) -> None:
        path, method = exchange.scope["path"], exchange.scope["method"]
        parameters = exchange.url_parameters()
        if path in _PROBES or (path == "/" and method in ("GET", "HEAD") and "query" not in parameters):
            return await exchange.reply(200, b"Ok.\n")
        try:
            if path != "/":
                raise ClickHouseError(NO_HANDLER, "NOT_FOUND", f"There is no handle {path[:80]}")
            role = authenticate(exchange.headers, parameters, self._passwords)
            request = Request(method, exchange.headers, parameters, role)
            exchange.base_headers = [
                (b"x-clickhouse-server-display-name", b"regalia"),
                (b"x-clickhouse-query-id", request.query_id.encode("utf-8", "replace")),
                (b"x-clickhouse-timezone", self._engine.timezone.encode()),
            ]
            await self._answer(exchange, request)
        except ClientGone:
            return
        except ClickHouseError as error:
            await self._fail(exchange, error)
        except Exception as error:  # the client gets an answer whatever happens, and the log the trace
            log.exception("request failed")
            await self._fail(exchange, ClickHouseError.from_engine(error))

    async def _fail(self, exchange: Exchange, error: ClickHouseError) -> None:
        if not exchange.answering:
            await exchange.fail(error, self._engine.version)

    async def _answer(self, exchange: Exchange, request: Request) -> None:
        sql, head = await self._statement(exchange, request)
        checked = head.statement if head else sql
        check(checked)
        if request.role is Role.ANALYST:
            check_analyst(checked, self._engine.table_functions)
        if not checked.strip():
            raise ClickHouseError(62, "SYNTAX_ERROR", "Syntax error: Empty query")
        if head is not None:
            return await self._insert(exchange, request, head, sql[head.data_start :])
        format_name = output_format(sql) or request.default_format
        if streams(format_name) and not request.waits_for_end and keyword(sql) in (b"SELECT", b"WITH", b"("):
            return await self._stream(exchange, request, sql, format_name)
        await self._whole(exchange, request, sql, format_name)

    async def _statement(self, exchange: Exchange, request: Request) -> tuple[bytes, InsertHead | None]:
        """The statement, read only as far as needed: an insert's data stays in the connection."""
        in_url = request.parameters.get("query", "").encode("utf-8", "surrogateescape")
        form = exchange.headers.get("content-type", "").startswith("multipart/form-data")
        sql = b"" if form or not in_url else in_url + b"\n"
        fresh = True
        while (piece := await exchange.read()) is not None:
            sql += piece
            if not form and (fresh or len(sql) <= INSERT_PIECE_BYTES):
                fresh = False
                head = insert_head(sql, complete=False)
                if head is not None:
                    return sql, head
            if len(sql) > MAX_STATEMENT_BYTES:
                raise ClickHouseError(171, "QUERY_IS_TOO_LARGE", "The statement is longer than 32 MB")
        if form:
            fields = form_fields(exchange.headers["content-type"], sql)
            request.parameters.update(fields)
            sql = request.parameters.get("query", "").encode("utf-8", "surrogateescape")
        return sql, insert_head(sql, complete=True)

    async def _run(
        self,
        exchange: Exchange,
        request: Request,
        work: Callable[[], T],
        discard: Callable[[T], None] = lambda _: None,
    ) -> T:
        """Run a statement in a thread; a client that leaves takes the statement with it.

        ``discard`` gets the result of a statement that ended just then, to release what it holds.
        """
        running = self._engine.submit(request.role, work)
        leaving: asyncio.Future[None] | None = None
        try:
            waiting = asyncio.wrap_future(running)
            await asyncio.wait((waiting,), timeout=UNWATCHED_SECONDS)
            if not waiting.done():
                leaving = asyncio.ensure_future(exchange.disconnected())
                await asyncio.wait((waiting, leaving), return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                return waiting.result()
            await self._abandon(request, running, discard)
            raise ClientGone
        except asyncio.CancelledError:
            await self._abandon(request, running, discard)
            raise
        finally:
            if leaving is not None:
                leaving.cancel()

    async def _abandon(self, request: Request, running: "Future[T]", discard: Callable[[T], None]) -> None:
        if running.cancel():
            return  # it was still waiting for a thread
        # Between two of its steps a statement cannot be found: ask again until it has ended.
        while not running.done():
            await self._engine.kill(request.query_id)
            await asyncio.sleep(0.05)
        if running.exception() is None:
            await self._off(request, lambda: discard(running.result()))

    async def _off(self, request: Request, work: Callable[[], T]) -> T:
        """Do a step of a statement in a thread, to its end."""
        return await asyncio.shield(asyncio.wrap_future(self._engine.submit(request.role, work)))

    async def _whole(self, exchange: Exchange, request: Request, sql: bytes, format_name: str) -> None:
        answer = await self._run(exchange, request, lambda: run_whole(self._sessions, request, sql, format_name))
        if request.parameters.get("close_session") == "1":
            self._sessions.forget(request.parameters.get("session_id", ""))
        # Clients tell by the format that there is a result, if an empty one.
        told = [_format(format_name)] if answer.body or keyword(sql) in READS else []
        await exchange.reply(200, answer.body, [*told, _summary(answer)])

    async def _stream(self, exchange: Exchange, request: Request, sql: bytes, format_name: str) -> None:
        def begin() -> tuple[Stream, bytes | None, bytes | None]:
            stream = Stream.open(self._sessions, request, sql, format_name)
            first = stream.next()
            return stream, first, None if first is None else stream.next()

        stream, first, following = await self._run(exchange, request, begin, lambda begun: begun[0].close())
        if first is None and format_name.lower() == "arrowstream":
            # The engine gives nothing at all for no rows, and a stream without its schema is unreadable.
            return await self._whole(exchange, request, sql, format_name)
        if following is None:
            return await exchange.reply(200, first or b"", [_format(format_name)])
        tag = secrets.token_hex(8)
        await exchange.start([_format(format_name), (b"x-clickhouse-exception-tag", tag.encode())])
        leaving = asyncio.ensure_future(exchange.disconnected())
        piece: bytes | None = first
        try:
            while piece is not None and not leaving.done():
                await exchange.piece(piece)
                piece, following = following, None
                if piece is not None:
                    following = await self._off(request, stream.next)
        except ClickHouseError as error:
            # What was read before the error still goes out, as from a server.
            if piece is not None:
                await exchange.piece(piece)
            await exchange.piece(late_exception(error, tag, self._engine.version))
        finally:
            leaving.cancel()
            await self._off(request, stream.close)
        await exchange.end()

    async def _insert(self, exchange: Exchange, request: Request, head: InsertHead, data: bytes) -> None:
        piece, ended = await _gathered(exchange, data)
        if ended:  # one visit to a thread instead of two
            answer = await self._run(exchange, request, lambda: self._opened(request, head).finish(piece))
            return await exchange.reply(200, b"", [_summary(answer)])
        opening = self._engine.submit(request.role, lambda: self._opened(request, head))
        try:
            insert = await asyncio.shield(asyncio.wrap_future(opening))
        except asyncio.CancelledError:
            await self._abandon(request, opening, StreamingInsert.abort)
            raise
        finished = False
        try:
            while not ended:
                await self._off(request, partial(insert.append, piece))
                piece, ended = await _gathered(exchange, b"")
            answer = await self._run(exchange, request, lambda: insert.finish(piece))
            finished = True
        finally:
            if not finished:
                await self._off(request, insert.abort)
        await exchange.reply(200, b"", [_summary(answer)])

    def _opened(self, request: Request, head: InsertHead) -> StreamingInsert:
        return StreamingInsert.open(self._sessions, request, head)


async def _gathered(exchange: Exchange, begun: bytes) -> tuple[bytes, bool]:
    """What comes next of a body, as much as is handed on at once; and whether that was all."""
    pieces, size = [begun], len(begun)
    while size < INSERT_PIECE_BYTES:
        piece = await exchange.read()
        if piece is None:
            return b"".join(pieces), True
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces), False


def _format(name: str) -> tuple[bytes, bytes]:
    return b"x-clickhouse-format", name.encode("latin-1", "replace")


def _summary(answer: Whole) -> tuple[bytes, bytes]:
    return summary(
        read_rows=answer.read_rows,
        read_bytes=answer.read_bytes,
        written_rows=answer.written_rows,
        written_bytes=answer.written_bytes,
        seconds=answer.seconds,
    )
