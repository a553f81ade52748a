"""Finds the accounts of API keys, cached for a few seconds, and records when each key was last used.

Keys that are not cached are looked up together, one statement at a time: however many invalid keys are sent, the store
is asked one question at a time, and a valid key among them is found with the next one.
"""

import asyncio
import hashlib
import logging
import time
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from api.clock import Clock
from api.http.cache import Cache
from api.http.metrics import Metrics
from api.limits.coalescing import Coalescer
from api.security.callers import Caller
from api.security.scopes import granted
from warehouse.errors import StoreUnavailable
from warehouse.store import Store

LOG = logging.getLogger(__name__)
MAX_KEY_LENGTH = 256


def hash_key(secret: str) -> bytes:
    """The hash that the store keeps of an API key. A plain hash is enough: keys have 256 random bits."""
    return hashlib.sha256(secret.encode()).digest()


class ApiKeys:
    """Looks keys up, with a cache, and records when each was last used."""

    def __init__(self, store: Store, *, clock: Clock, metrics: Metrics, cache_seconds: float) -> None:
        self.store = store
        self.clock = clock
        self._known: Cache[Caller | None] = Cache("api_key", ttl_seconds=cache_seconds, metrics=metrics)
        self._lookups: Coalescer[bytes, Caller | None] = Coalescer(self._look_up)
        self._used: dict[UUID, datetime] = {}

    async def find(self, secret: str) -> Caller | None:
        """The account of a valid key, at most the cache's seconds old."""
        if len(secret) > MAX_KEY_LENGTH:
            return None
        digest = hash_key(secret)
        caller = await self._known.get(digest, lambda: self._lookups.ask(digest))
        if caller is None:
            self._known.forget(digest)  # invented keys must not displace valid ones
        return caller

    def known(self, secret: str) -> Caller | None:
        """The account of a key if it is cached and fresh; None means that the store must be asked."""
        return self._known.peek(hash_key(secret)) if len(secret) <= MAX_KEY_LENGTH else None

    def note_use(self, caller: Caller) -> None:
        """A request with this key was let in; see :meth:`note_uses`."""
        self._used[caller.key_id] = self.clock.now()

    def forget_key(self, key_id: UUID) -> None:
        """Drop a key from the cache: it was changed or revoked."""
        self._known.forget_matching(lambda caller: caller is not None and caller.key_id == key_id)

    def forget_account(self, account_id: UUID) -> None:
        """Drop an account's keys from the cache: its plan or its wallets changed."""
        self._known.forget_matching(lambda caller: caller is not None and caller.account_id == account_id)

    def forget_all(self) -> None:
        """Drop all keys from the cache: changes may have been missed."""
        self._known.clear()

    async def note_uses(self) -> None:
        """Write the times of last use: one statement for all keys."""
        used, self._used = self._used, {}
        if not used:
            return
        try:
            async with self.store.transaction() as transaction:
                await transaction.execute("auth/record_key_uses", {"ids": list(used), "times": list(used.values())})
        except StoreUnavailable as error:
            LOG.warning("the last use of %d keys is not written: %s", len(used), error)
            self._used = {**used, **self._used}

    async def note_uses_forever(self, interval_seconds: float = 30.0) -> None:
        """Call ``note_uses`` periodically until cancelled."""
        while True:
            await asyncio.sleep(interval_seconds)
            began = time.monotonic()
            await self.note_uses()
            LOG.debug("noted key uses in %.3f s", time.monotonic() - began)

    async def _look_up(self, digests: Sequence[bytes]) -> list[Caller | None]:
        rows = await self.store.rows("auth/find_api_keys", {"key_hashes": list(digests)})
        found = {
            bytes(row.pop("key_hash")): Caller(**{**row, "scopes": granted(row["scopes"])}) for row in map(dict, rows)
        }
        return [found.get(digest) for digest in digests]
