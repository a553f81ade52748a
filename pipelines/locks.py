"""Advisory locks that keep refresh runs and the chains' writers apart.

Take them in this order, so that processes cannot deadlock: refresh lock, serving lock, writer lock of a chain.

- The refresh lock (822, 0) is held by the one run that recomputes token metrics.
- The serving lock (822, 1) is held by whoever writes served rows, from allocating a version until that version is
  published. Versions are therefore published in the order of their numbers, and never in part.
- A chain's writer lock (821, chain id) is held by its indexer while it writes. Readers of running sums take it in
  shared mode.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from warehouse.domain.chains import Chain
from warehouse.postgres import Connection, wait_for_lock

_REFRESH_LOCK = (822, 0)
_SERVING_LOCK = (822, 1)
_WRITER_LOCK = 821


class RefreshBusy(Exception):
    """Another refresh run holds a lock that this one needs."""


@contextmanager
def refresh_lock(store: Connection, wait_seconds: float) -> Iterator[None]:
    """Hold the refresh lock.

    Raises:
        RefreshBusy: another run held it for ``wait_seconds``.
    """
    if not wait_for_lock(store, _REFRESH_LOCK, wait_seconds):
        raise RefreshBusy(f"another refresh run did not finish within {wait_seconds:.0f} seconds")
    try:
        yield
    finally:
        _unlock(store, _REFRESH_LOCK)


@contextmanager
def serving_lock(store: Connection, wait_seconds: float) -> Iterator[None]:
    """Hold the serving lock.

    Raises:
        RefreshBusy: another run held it for ``wait_seconds``.
    """
    if not wait_for_lock(store, _SERVING_LOCK, wait_seconds):
        raise RefreshBusy(f"another refresh run was publishing for {wait_seconds:.0f} seconds")
    try:
        yield
    finally:
        _unlock(store, _SERVING_LOCK)


@contextmanager
def try_refresh_lock(store: Connection) -> Iterator[bool]:
    """Hold the refresh lock if it is free; yields whether it is held. Because it does not wait, a run that already
    holds the serving lock may call it."""
    row = store.execute("SELECT pg_try_advisory_lock(%s, %s) AS held", _REFRESH_LOCK).fetchone()
    held = bool(row and row["held"])
    try:
        yield held
    finally:
        if held:
            _unlock(store, _REFRESH_LOCK)


@contextmanager
def writer_paused(store: Connection, chain: Chain, wait_seconds: float) -> Iterator[bool]:
    """Hold a chain's writer lock in shared mode, so that its indexer cannot write; yields whether it is held, which it
    is not when the writer did not pause within ``wait_seconds``."""
    key = (_WRITER_LOCK, chain.chain_id)
    held = wait_for_lock(store, key, wait_seconds, shared=True)
    try:
        yield held
    finally:
        if held:
            _unlock(store, key, shared=True)


def _unlock(store: Connection, key: tuple[int, int], *, shared: bool = False) -> None:
    """Release a lock. A lost connection has released it already."""
    if not store.closed and not store.broken:
        store.execute(
            "SELECT pg_advisory_unlock_shared(%s, %s)" if shared else "SELECT pg_advisory_unlock(%s, %s)", key
        )
