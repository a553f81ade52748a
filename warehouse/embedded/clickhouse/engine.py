"""The engine: a root handle that keeps it open, a fresh handle for each request, and threads to run statements."""

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import chdb

from .access import Role
from .errors import ClickHouseError
from .ownership import own

Handle = Any  # chdb.state.sqlitelike.Connection, which carries no types

T = TypeVar("T")

_connect: Callable[[str], Handle] = chdb.connect

STORE_FOLDER = "store"
# No query logs and no stack samples: gathering them takes a tenth of a short statement's CPU. No threads that format
# text: they take a third of the CPU of the shortest statements.
_SAVINGS = (
    "log_queries=0",
    "log_query_threads=0",
    "log_query_views=0",
    "log_profile_events=0",
    "log_processors_profiles=0",
    "query_profiler_real_time_period_ns=0",
    "query_profiler_cpu_time_period_ns=0",
    "output_format_parallel_formatting=0",
)


class Engine:
    """An open engine. Each handle has its own database, settings and temporary tables.

    The binding is synchronous, so every statement runs in a thread; acquiring the handle, running the statement and
    releasing the handle are one task of the thread pool.
    """

    def __init__(
        self,
        directory: Path,
        *,
        database: str = "default",
        statement_seconds: int = 900,
        threads: int = 16,
        wait_seconds: float = 0.0,
    ) -> None:
        self.database = database
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = own(directory / "owner.lock", wait_seconds)
        # The engine reads its folder from a connection string, where an unusual path could be read as options.
        os.chdir(directory)
        self._options = "&".join(
            [
                f"{STORE_FOLDER}?implicit_select=0",
                "async_insert=0",
                f"max_execution_time={statement_seconds}",
                "backups.allowed_path=/",  # only the owner may run BACKUP
                *_SAVINGS,
            ]
        )
        self._root: Handle = _connect(self._options)
        self._root.query(f"CREATE DATABASE IF NOT EXISTS {identifier(database)} ENGINE = Atomic", "TSV")
        facts = self._root.query("SELECT version(), timezone()", "TSV").bytes().decode().split()
        self.version, self.timezone = facts[0], facts[1]
        names = self._root.query("SELECT lower(name) FROM system.table_functions", "TSV").bytes().decode()
        self.table_functions = frozenset(names.split())
        self._threads = {
            Role.OWNER: ThreadPoolExecutor(threads, "statement"),
            # Few, so that analysts cannot take all threads.
            Role.ANALYST: ThreadPoolExecutor(2, "analyst"),
        }
        self._control = ThreadPoolExecutor(1, "control")

    def handle(self) -> Handle:
        """A fresh handle in the engine's database."""
        return _connect(f"{self._options}&database={self.database}")

    def check_syntax(self, sql: bytes) -> None:
        """Parse a statement without running it.

        Raises:
            ClickHouseError: it cannot be parsed; with the engine's message.
        """
        handle = _connect(self._options)
        try:
            handle.query(f"SELECT formatQuery({literal(sql.decode('utf-8', 'replace'))})", "Null")
        except (chdb.ChdbError, RuntimeError) as error:
            found = ClickHouseError.from_engine(error)
            message = found.text.partition("DB::Exception: ")[2].partition(": In scope SELECT formatQuery")[0]
            raise ClickHouseError(found.code, "SYNTAX_ERROR", message) from None
        finally:
            handle.close()

    def submit(self, role: Role, work: Callable[[], T]) -> "Future[T]":
        """Run ``work`` in one of the role's threads."""
        return self._threads[role].submit(work)

    async def kill(self, query_id: str) -> None:
        """Cancel the running statement with this id, if it still runs."""
        condition = f"Settings['log_comment'] = {literal(query_id)}"
        await asyncio.get_running_loop().run_in_executor(self._control, self._kill, condition)

    def _kill(self, condition: str) -> None:
        handle = _connect(self._options)
        try:
            handle.query(f"KILL QUERY WHERE {condition} ASYNC", "TSV")
        finally:
            handle.close()

    def close(self, before_root: Callable[[], None]) -> None:
        """Cancel running statements, wait for them, call ``before_root`` and close the engine."""
        self._kill("Settings['log_comment'] != ''")
        for pool in (*self._threads.values(), self._control):
            pool.shutdown(wait=True, cancel_futures=True)
        before_root()
        self._root.close()
        self._lock.close()


def configure(handle: Handle, settings: Mapping[str, str], database: str | None = None) -> None:
    """Set a handle's settings and ``param_`` values, and its database where one is given.

    Raises:
        ClickHouseError: the database does not exist, a setting is unknown or its value wrong.
    """
    try:
        if database:
            handle.query(f"USE {identifier(database)}", "TSV")
        if settings:
            assignments = ", ".join(f"{name} = {literal(value)}" for name, value in settings.items())
            handle.query(f"SET {assignments}", "TSV")
    except chdb.ChdbError as error:
        raise ClickHouseError.from_engine(error) from None


def identifier(name: str) -> str:
    """A ClickHouse identifier, quoted."""
    return "`" + name.replace("\\", "\\\\").replace("`", "\\`") + "`"


def literal(text: str) -> str:
    """A ClickHouse string literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
