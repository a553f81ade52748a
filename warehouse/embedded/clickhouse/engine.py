"""The engine itself: one root handle that keeps it open, a fresh handle for each request, threads to run them in."""

import asyncio
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import chdb

from warehouse.embedded.lifetime import own

from .access import Role
from .errors import ClickHouseError

Handle = Any  # chdb.state.sqlitelike.Connection, which carries no types

T = TypeVar("T")

_connect: Callable[[str], Handle] = chdb.connect

DATABASE = "regalia"
STORE_FOLDER = "store"
# The engine keeps no logs of statements and no samples of their stacks, to gather which is a tenth of a short one's
# CPU, and starts no threads to write text, which are a third of the shortest one's.
_SPARED = (
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
    """An open engine. Handles are isolated from one another: database, settings and temporary tables are theirs.

    The binding is synchronous, so every statement runs in a thread; acquiring the handle, running the statement and
    releasing the handle are one visit to the thread pool.
    """

    def __init__(
        self, directory: Path, *, statement_seconds: int = 900, threads: int = 16, wait_seconds: float = 0.0
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._lock = own(directory / "owner.lock", wait_seconds)
        # The engine takes its folder out of a connection string, where an unusual path would be read as options.
        os.chdir(directory)
        self._options = "&".join(
            [f"{STORE_FOLDER}?implicit_select=0", "async_insert=0", f"max_execution_time={statement_seconds}", *_SPARED]
        )
        self._root: Handle = _connect(self._options)
        self._root.query(f"CREATE DATABASE IF NOT EXISTS {DATABASE} ENGINE = Atomic", "TSV")
        facts = self._root.query("SELECT version(), timezone()", "TSV").bytes().decode().split()
        self.version, self.timezone = facts[0], facts[1]
        names = self._root.query("SELECT lower(name) FROM system.table_functions", "TSV").bytes().decode()
        self.table_functions = frozenset(names.split())
        self._threads = {
            Role.OWNER: ThreadPoolExecutor(threads, "statement"),
            # Few, so that analysts cannot take the threads away from the service.
            Role.ANALYST: ThreadPoolExecutor(2, "analyst"),
        }
        self._control = ThreadPoolExecutor(1, "control")

    def handle(self) -> Handle:
        """A fresh handle in the database ``regalia``."""
        return _connect(f"{self._options}&database={DATABASE}")

    def submit(self, role: Role, work: Callable[[], T]) -> "Future[T]":
        """Run ``work`` in one of the role's threads."""
        return self._threads[role].submit(work)

    async def kill(self, query_id: str) -> None:
        """Cancel the running statement that carries this id, if there still is one."""
        condition = f"Settings['log_comment'] = {literal(query_id)}"
        await asyncio.get_running_loop().run_in_executor(self._control, self._kill, condition)

    def _kill(self, condition: str) -> None:
        handle = _connect(self._options)
        try:
            handle.query(f"KILL QUERY WHERE {condition} ASYNC", "TSV")
        finally:
            handle.close()

    def close(self, before_root: Callable[[], None]) -> None:
        """Cancel what runs, wait for it, and shut the engine down in order, ``before_root`` just before its end."""
        self._kill("Settings['log_comment'] != ''")
        for pool in (*self._threads.values(), self._control):
            pool.shutdown(wait=True, cancel_futures=True)
        before_root()
        self._root.close()
        self._lock.close()


def configure(handle: Handle, settings: Mapping[str, str], database: str | None) -> None:
    """Set a handle's database, settings and ``param_`` values.

    Raises:
        ClickHouseError: the database does not exist, a setting is unknown or its value wrong.
    """
    try:
        if database and database != DATABASE:
            name = database.replace("\\", "\\\\").replace("`", "\\`")
            handle.query(f"USE `{name}`", "TSV")
        if settings:
            assignments = ", ".join(f"{name} = {literal(value)}" for name, value in settings.items())
            handle.query(f"SET {assignments}", "TSV")
    except chdb.ChdbError as error:
        raise ClickHouseError.from_engine(error) from None


def literal(text: str) -> str:
    """A ClickHouse string literal."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
