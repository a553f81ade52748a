"""Locks that keep refresh runs and the chains' writers apart.

Runs of different chains do not wait for each other, except while they write served rows: each chain has a refresh lock
of its own. Who needs all of them, such as a backup, takes the lock that each run shares.

Take them in this order, so that processes cannot deadlock: shared refresh lock, refresh lock of a chain, serving lock,
writer lock of a chain. A run holds the refresh lock of one chain, and may try those of others without waiting.
Versions are published in the order of their numbers, and never in part, because the serving lock is held from
allocating one until it is published.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from warehouse import advisory_locks
from warehouse.advisory_locks import REFRESH, SERVING, AdvisoryLock
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

ALL_CHAINS = 0
"""In place of a chain: what is compiled of all chains, such as token lists, and removed of all, such as old rows."""


class RefreshBusy(Exception):
    """Another refresh run holds a lock that this one needs."""


def refresh_lock(store: Connection, wait_seconds: float) -> AbstractContextManager[None]:
    """Keep the refresh runs of all chains away.

    Raises:
        RefreshBusy: one of them went on for ``wait_seconds``.
    """
    return _held(store, REFRESH, wait_seconds, "another refresh run did not finish")


@contextmanager
def chain_lock(store: Connection, chain_id: int, wait_seconds: float) -> Iterator[bool]:
    """Hold a chain's refresh lock, or that of :data:`ALL_CHAINS`.

    Raises:
        RefreshBusy: another run of the chain, or one that needs all chains, held it for ``wait_seconds``.
    """
    busy = f"another refresh run of chain {chain_id} did not finish"
    with (
        _held(store, REFRESH, wait_seconds, busy, shared=True),
        _held(store, advisory_locks.refresh_of(chain_id), wait_seconds, busy),
    ):
        yield True


@contextmanager
def try_chain_lock(store: Connection, chain_id: int) -> Iterator[bool]:
    """Hold a chain's refresh lock if it is free, or this connection's already; yields whether it is held. Because it
    does not wait, a run that already holds the serving lock may call it."""
    with _held_if_free(store, REFRESH, shared=True) as shared:
        if not shared:
            yield False
            return
        with _held_if_free(store, advisory_locks.refresh_of(chain_id)) as held:
            yield held


def serving_lock(store: Connection, wait_seconds: float) -> AbstractContextManager[None]:
    """Hold the serving lock.

    Raises:
        RefreshBusy: another run held it for ``wait_seconds``.
    """
    return _held(store, SERVING, wait_seconds, "another refresh run was publishing")


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
def _held(
    store: Connection, lock: AdvisoryLock, wait_seconds: float, otherwise: str, *, shared: bool = False
) -> Iterator[None]:
    if not advisory_locks.acquire_within(store, lock, wait_seconds, shared=shared):
        raise RefreshBusy(f"{otherwise} within {wait_seconds:.0f} seconds")
    try:
        yield
    finally:
        advisory_locks.release(store, lock, shared=shared)


@contextmanager
def _held_if_free(store: Connection, lock: AdvisoryLock, *, shared: bool = False) -> Iterator[bool]:
    held = advisory_locks.try_acquire(store, lock, shared=shared)
    try:
        yield held
    finally:
        if held:
            advisory_locks.release(store, lock, shared=shared)
