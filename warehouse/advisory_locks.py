"""Advisory locks of PostgreSQL sessions: which there are, and how to take and release one.

A lock belongs to its connection, which commits by itself (``autocommit``). A lost connection releases it.
"""

from typing import NamedTuple

from psycopg.errors import LockNotAvailable

from warehouse.postgres import Connection


class AdvisoryLock(NamedTuple):
    """The two 32-bit numbers that name a lock."""

    space: int
    number: int


WRITER_SPACE = 821
REFRESH_SPACE = 823
REFRESH = AdvisoryLock(822, 0)
"""Held in shared mode by every run that recomputes metrics, and alone by who needs all of them to wait."""
SERVING = AdvisoryLock(822, 1)
"""Held by whoever writes served rows, from allocating a version until that version is published."""
MIGRATIONS = AdvisoryLock(820, 0)
"""Held by the one process that migrates the store and the warehouse."""
BACKUP = AdvisoryLock(820, 1)
"""Held by the one process that makes a backup."""
PAUSE = AdvisoryLock(820, 2)
"""Held by who needs all writers to pause: they end their call after the unit at hand."""


def writer_of(chain_id: int) -> AdvisoryLock:
    """The lock that a chain's indexer holds while it writes. Readers of running sums take it in shared mode."""
    return AdvisoryLock(WRITER_SPACE, chain_id)


def refresh_of(chain_id: int) -> AdvisoryLock:
    """The lock of the one run that recomputes a chain's metrics; of number 0, of what is made of all chains."""
    return AdvisoryLock(REFRESH_SPACE, chain_id)


def acquire(connection: Connection, lock: AdvisoryLock) -> None:
    """Take a lock, however long that takes."""
    connection.execute("SELECT pg_advisory_lock(%(space)s, %(number)s)", lock._asdict())


def try_acquire(connection: Connection, lock: AdvisoryLock, *, shared: bool = False) -> bool:
    """Take a lock if it is free; whether it is held."""
    function = "pg_try_advisory_lock_shared" if shared else "pg_try_advisory_lock"
    row = connection.execute(f"SELECT {function}(%(space)s, %(number)s) AS held", lock._asdict()).fetchone()
    return bool(row and row["held"])


def is_held(connection: Connection, lock: AdvisoryLock) -> bool:
    """Whether another connection holds a lock. Several may ask at once."""
    if try_acquire(connection, lock, shared=True):
        release(connection, lock, shared=True)
        return False
    return True


def acquire_within(connection: Connection, lock: AdvisoryLock, wait_seconds: float, *, shared: bool = False) -> bool:
    """Take a lock, queueing for at most ``wait_seconds``; whether it is held.

    Queueing is fair: whoever comes later waits, so a writer that tries again and again cannot keep us out for ever.
    """
    _limit_waiting(connection, f"{max(1, int(wait_seconds * 1000))}ms")
    function = "pg_advisory_lock_shared" if shared else "pg_advisory_lock"
    try:
        connection.execute(f"SELECT {function}(%(space)s, %(number)s)", lock._asdict())
    except LockNotAvailable:
        return False
    finally:
        if not connection.broken:
            _limit_waiting(connection, "0")
    return True


def release(connection: Connection, lock: AdvisoryLock, *, shared: bool = False) -> None:
    """Release a lock. A lost connection has released it already."""
    if not connection.closed and not connection.broken:
        function = "pg_advisory_unlock_shared" if shared else "pg_advisory_unlock"
        connection.execute(f"SELECT {function}(%(space)s, %(number)s)", lock._asdict())


def _limit_waiting(connection: Connection, limit: str) -> None:
    connection.execute("SELECT set_config('lock_timeout', %(limit)s, false)", {"limit": limit})
