"""Locks that keep refresh runs and the chains' writers apart.

Take them in this order, so that processes cannot deadlock: refresh lock, serving lock, writer lock of a chain. Versions
are published in the order of their numbers, and never in part, because the serving lock is held from allocating one
until it is published.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from warehouse import advisory_locks
from warehouse.advisory_locks import REFRESH, SERVING, AdvisoryLock
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection


class RefreshBusy(Exception):
    """Another refresh run holds a lock that this one needs."""


def refresh_lock(store: Connection, wait_seconds: float) -> AbstractContextManager[None]:
    """Hold the refresh lock.

    Raises:
        RefreshBusy: another run held it for ``wait_seconds``.
    """
    return _held(store, REFRESH, wait_seconds, "another refresh run did not finish")


def serving_lock(store: Connection, wait_seconds: float) -> AbstractContextManager[None]:
    """Hold the serving lock.

    Raises:
        RefreshBusy: another run held it for ``wait_seconds``.
    """
    return _held(store, SERVING, wait_seconds, "another refresh run was publishing")


@contextmanager
def try_refresh_lock(store: Connection) -> Iterator[bool]:
    """Hold the refresh lock if it is free; yields whether it is held. Because it does not wait, a run that already
    holds the serving lock may call it."""
    held = advisory_locks.try_acquire(store, REFRESH)
    try:
        yield held
    finally:
        if held:
            advisory_locks.release(store, REFRESH)


@contextmanager
def writer_paused(store: Connection, chain: Chain, wait_seconds: float) -> Iterator[bool]:
    """Hold a chain's writer lock in shared mode, so that its indexer cannot write; yields whether it is held, which it
    is not when the writer did not pause within ``wait_seconds``."""
    with _writer_lock(store, chain.chain_id, wait_seconds, shared=True) as held:
        yield held


def writer_stopped(store: Connection, chain_id: int, wait_seconds: float) -> AbstractContextManager[bool]:
    """The same, alone: the caller may write what the indexer would. It waits for those that hold the lock in shared
    mode as well."""
    return _writer_lock(store, chain_id, wait_seconds, shared=False)


@contextmanager
def _writer_lock(store: Connection, chain_id: int, wait_seconds: float, *, shared: bool) -> Iterator[bool]:
    lock = advisory_locks.writer_of(chain_id)
    held = advisory_locks.acquire_within(store, lock, wait_seconds, shared=shared)
    try:
        yield held
    finally:
        if held:
            advisory_locks.release(store, lock, shared=shared)


@contextmanager
def _held(store: Connection, lock: AdvisoryLock, wait_seconds: float, otherwise: str) -> Iterator[None]:
    if not advisory_locks.acquire_within(store, lock, wait_seconds):
        raise RefreshBusy(f"{otherwise} within {wait_seconds:.0f} seconds")
    try:
        yield
    finally:
        advisory_locks.release(store, lock)
