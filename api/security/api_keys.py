"""Finds the accounts of API keys, cached for a few seconds, and records when each key was last used."""

import asyncio
import hashlib
import hmac
import logging
import time
from datetime import datetime
from uuid import UUID

from api.clock import Clock
from api.http.cache import Cache
from api.http.metrics import Metrics
from api.security.callers import Caller
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
        self._used: dict[UUID, datetime] = {}

    async def find(self, secret: str) -> Caller | None:
        """The account of a valid key, at most the cache's seconds old."""
        if len(secret) > MAX_KEY_LENGTH:
            return None
        digest = hash_key(secret)
        caller = await self._known.get(digest, lambda: self._look_up(digest))
        if caller is not None:
            self._used[caller.key_id] = self.clock.now()
        return caller

    def known(self, secret: str) -> Caller | None:
        """The account of a key if it is cached and fresh; None means that the store must be asked."""
        caller = self._known.peek(hash_key(secret)) if len(secret) <= MAX_KEY_LENGTH else None
        if caller is not None:
            self._used[caller.key_id] = self.clock.now()
        return caller

    def was_valid(self, secret: str) -> bool:
        """Whether the key was valid when it was last looked up, if that is still cached."""
        return len(secret) <= MAX_KEY_LENGTH and self._known.last(hash_key(secret)) is not None

    def forget(self) -> None:
        """Drop all keys from the cache: a plan changed, or a key was revoked."""
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

    async def _look_up(self, digest: bytes) -> Caller | None:
        row = await self.store.row("auth/find_api_key", {"key_hash": digest})
        if row is None or not hmac.compare_digest(bytes(row["key_hash"]), digest):
            return None
        return Caller(row["key_id"], row["account_id"], row["wallet"], row["plan"])
