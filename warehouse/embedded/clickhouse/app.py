"""The ASGI application: reads a request and chooses how to answer it."""

import asyncio
import logging
import os
import secrets
import threading
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from .access import Role, Users, authenticate, check_analyst
from .engine import Engine
from .errors import NO_HANDLER, ClickHouseError
from .execution import Result, Stream, StreamingInsert, can_stream, run_to_end
from .grants import grants_statement
from .protocol import (
    ClientGone,
    HttpCall,
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
# Shorter statements are not cancelled when their client leaves.
SHORT_STATEMENT_SECONDS = 0.02
MAX_STATEMENT_BYTES = 32 << 20
STOP_SECONDS = 15.0
_PROBES = ("/ping", "/replicas_status")

log = logging.getLogger(__name__)


class Application:
    """The ClickHouse HTTP interface over one engine."""

    def __init__(self, engine: Engine, users: Users, name: str) -> None:
        self._engine = engine
        self._users = users
        self._name = name.encode("latin-1", "replace")
        self._sessions = Sessions(engine, users)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http":
            await self._serve(HttpCall(scope, receive, send))

    def close(self) -> None:
        """Cancel running statements and close the engine. Call it when no requests are served any more."""
        # A statement that ignores its cancellation must not keep the process alive; the engine survives a crash.
        last_resort = threading.Timer(STOP_SECONDS, os._exit, (1,))
        last_resort.daemon = True
        last_resort.start()
        self._engine.close(before_root=self._sessions.close)
        last_resort.cancel()

    async def _serve(self, call: HttpCall) -> None:
        path, method = call.scope["path"], call.scope["method"]
        parameters = call.url_parameters()
        if path in _PROBES or (path == "/" and method in ("GET", "HEAD") and "query" not in parameters):
            return await call.reply(200, b"Ok.\n")
        try:
            if path != "/":
                raise ClickHouseError(NO_HANDLER, "NOT_FOUND", f"There is no handle {path[:80]}")
            role = authenticate(call.headers, parameters, self._users)
            request = Request(method, call.headers, parameters, role)
            call.base_headers = [
                (b"x-clickhouse-server-display-name", self._name),
                (b"x-clickhouse-query-id", request.query_id.encode("utf-8", "replace")),
                (b"x-clickhouse-timezone", self._engine.timezone.encode()),
            ]
            await self._answer(call, request)
        except ClientGone:
            return
        except ClickHouseError as error:
            await self._fail(call, error)
        except Exception as error:  # the client gets an answer whatever happens, and the log gets the trace
            log.exception("request failed")
            await self._fail(call, ClickHouseError.from_engine(error))

    async def _fail(self, call: HttpCall, error: ClickHouseError) -> None:
        if not call.answering:
            await call.fail(error, self._engine.version)

    async def _answer(self, call: HttpCall, request: Request) -> None:
        sql, head = await self._statement(call, request)
        checked = head.statement if head else sql
        check(checked)
        if request.role is Role.ANALYST:
            if checked.strip() and keyword(checked) not in READS:
                # What is no statement at all gets the engine's message, which says where it ends to be one.
                await self._run_step(request, lambda: self._engine.check_syntax(checked))
            check_analyst(checked, self._engine.table_functions)
            sql = grants_statement(sql, self._users.analyst_name) or sql
        if not checked.strip():
            raise ClickHouseError(62, "SYNTAX_ERROR", "Syntax error: Empty query")
        if head is not None:
            return await self._insert(call, request, head, sql[head.data_start :])
        format_name = output_format(sql) or request.default_format
        if can_stream(format_name) and not request.waits_for_end and keyword(sql) in (b"SELECT", b"WITH", b"("):
            return await self._send_stream(call, request, sql, format_name)
        await self._send_result(call, request, sql, format_name)

    async def _statement(self, call: HttpCall, request: Request) -> tuple[bytes, InsertHead | None]:
        """The statement, read only as far as needed: the data of an insert stays unread."""
        in_url = request.parameters.get("query", "").encode("utf-8", "surrogateescape")
        form = call.headers.get("content-type", "").startswith("multipart/form-data")
        sql = b"" if form or not in_url else in_url + b"\n"
        fresh = True
        while (piece := await call.read()) is not None:
            sql += piece
            if not form and (fresh or len(sql) <= INSERT_PIECE_BYTES):
                fresh = False
                head = insert_head(sql, complete=False)
                if head is not None:
                    return sql, head
            if len(sql) > MAX_STATEMENT_BYTES:
                raise ClickHouseError(171, "QUERY_IS_TOO_LARGE", "The statement is longer than 32 MB")
        if form:
            fields = form_fields(call.headers["content-type"], sql)
            request.parameters.update(fields)
            sql = request.parameters.get("query", "").encode("utf-8", "surrogateescape")
        return sql, insert_head(sql, complete=True)

    async def _run(
        self,
        call: HttpCall,
        request: Request,
        work: Callable[[], T],
        discard: Callable[[T], None] = lambda _: None,
    ) -> T:
        """Run a statement in a thread, and cancel it when its client leaves.

        ``discard`` releases the result of a statement that ended before it could be cancelled.
        """
        running = self._engine.submit(request.role, work)
        leaving: asyncio.Future[None] | None = None
        try:
            waiting = asyncio.wrap_future(running)
            await asyncio.wait((waiting,), timeout=SHORT_STATEMENT_SECONDS)
            if not waiting.done():
                leaving = asyncio.ensure_future(call.disconnected())
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
        # The engine cannot find a statement between two of its steps: ask again until it has ended.
        while not running.done():
            await self._engine.kill(request.query_id)
            await asyncio.sleep(0.05)
        if running.exception() is None:
            await self._run_step(request, lambda: discard(running.result()))

    async def _run_step(self, request: Request, work: Callable[[], T]) -> T:
        """Run one step of a statement in a thread, without cancelling it."""
        return await asyncio.shield(asyncio.wrap_future(self._engine.submit(request.role, work)))

    async def _send_result(self, call: HttpCall, request: Request, sql: bytes, format_name: str) -> None:
        answer = await self._run(call, request, lambda: run_to_end(self._sessions, request, sql, format_name))
        if request.parameters.get("close_session") == "1":
            self._sessions.forget(request.parameters.get("session_id", ""))
        # Clients take the format header as the sign that there is a result, even an empty one.
        format_header = [_format(format_name)] if answer.body or keyword(sql) in READS else []
        await call.reply(200, answer.body, [*format_header, _summary(answer)])

    async def _send_stream(self, call: HttpCall, request: Request, sql: bytes, format_name: str) -> None:
        def begin() -> tuple[Stream, bytes | None, bytes | None]:
            stream = Stream.open(self._sessions, request, sql, format_name)
            first = stream.next()
            return stream, first, None if first is None else stream.next()

        stream, first, following = await self._run(call, request, begin, lambda begun: begun[0].close())
        if first is None and format_name.lower() == "arrowstream":
            # The engine gives nothing at all for no rows, and a stream without its schema is unreadable.
            return await self._send_result(call, request, sql, format_name)
        if following is None:
            return await call.reply(200, first or b"", [_format(format_name)])
        tag = secrets.token_hex(8)
        await call.start([_format(format_name), (b"x-clickhouse-exception-tag", tag.encode())])
        leaving = asyncio.ensure_future(call.disconnected())
        piece: bytes | None = first
        try:
            while piece is not None and not leaving.done():
                await call.piece(piece)
                piece, following = following, None
                if piece is not None:
                    following = await self._run_step(request, stream.next)
        except ClickHouseError as error:
            # Send what was read before the error, as a ClickHouse server does.
            if piece is not None:
                await call.piece(piece)
            await call.piece(late_exception(error, tag, self._engine.version))
        finally:
            leaving.cancel()
            await self._run_step(request, stream.close)
        await call.end()

    async def _insert(self, call: HttpCall, request: Request, head: InsertHead, data: bytes) -> None:
        piece, ended = await _read_piece(call, data)
        if ended:  # one thread switch instead of two
            answer = await self._run(call, request, lambda: self._open_insert(request, head).finish(piece))
            return await call.reply(200, b"", [_summary(answer)])
        opening = self._engine.submit(request.role, lambda: self._open_insert(request, head))
        try:
            insert = await asyncio.shield(asyncio.wrap_future(opening))
        except asyncio.CancelledError:
            await self._abandon(request, opening, StreamingInsert.abort)
            raise
        finished = False
        try:
            while not ended:
                await self._run_step(request, partial(insert.append, piece))
                piece, ended = await _read_piece(call, b"")
            answer = await self._run(call, request, lambda: insert.finish(piece))
            finished = True
        finally:
            if not finished:
                await self._run_step(request, insert.abort)
        await call.reply(200, b"", [_summary(answer)])

    def _open_insert(self, request: Request, head: InsertHead) -> StreamingInsert:
        return StreamingInsert.open(self._sessions, request, head)


async def _read_piece(call: HttpCall, begun: bytes) -> tuple[bytes, bool]:
    """The next piece of a body, of about ``INSERT_PIECE_BYTES``, and whether it was the last."""
    pieces, size = [begun], len(begun)
    while size < INSERT_PIECE_BYTES:
        piece = await call.read()
        if piece is None:
            return b"".join(pieces), True
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces), False


def _format(name: str) -> tuple[bytes, bytes]:
    return b"x-clickhouse-format", name.encode("latin-1", "replace")


def _summary(answer: Result) -> tuple[bytes, bytes]:
    return summary(
        read_rows=answer.read_rows,
        read_bytes=answer.read_bytes,
        written_rows=answer.written_rows,
        written_bytes=answer.written_bytes,
        seconds=answer.seconds,
    )
