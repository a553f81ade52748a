"""Who may call a route, declared in the endpoint's signature.

``ApiKey`` asks for the header X-API-Key and hands the endpoint the account behind it; ``Public`` says that no
credential is needed. Every route has one of them: a test walks all routes.
"""

import asyncio
import hashlib
import hmac
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyHeader

from api.core.cache import Cache
from api.core.clock import Clock
from api.core.errors import Forbidden, Unauthorized
from api.core.metrics import Metrics
from api.core.store import Store
from warehouse.errors import StoreUnavailable

LOG = logging.getLogger(__name__)
ACCESS_MARK = "__access__"
API_KEY_HEADER = "X-API-Key"
Dependency = TypeVar("Dependency", bound=Callable[..., Any])

_LOOKUP = """
SELECT k.id AS key_id, k.key_hash, k.account_id, a.wallet, a.plan
FROM api_key AS k JOIN account AS a ON a.id = k.account_id
WHERE k.key_hash = :key_hash AND k.revoked_at IS NULL
"""
_TOUCH = """
UPDATE api_key SET last_used_at = GREATEST(last_used_at, used.at)
FROM (SELECT unnest(CAST(:ids AS uuid[])) AS id, unnest(CAST(:times AS timestamptz[])) AS at) AS used
WHERE api_key.id = used.id
"""
_LONGEST_KEY = 256


@dataclass(frozen=True, slots=True)
class Caller:
    """The account behind a request's API key."""

    key_id: UUID
    account_id: UUID
    wallet: str
    plan: str


def hash_key(secret: str) -> bytes:
    """What the store keeps of an API key. The key holds 256 random bits, so a plain hash is not worth attacking."""
    return hashlib.sha256(secret.encode()).digest()


class ApiKeys:
    """Looks keys up, remembering the answer for a few seconds, and notes when each was last used."""

    def __init__(self, store: Store, *, clock: Clock, metrics: Metrics, cache_seconds: float) -> None:
        self.store = store
        self.clock = clock
        self._known: Cache[Caller | None] = Cache("api_key", ttl_seconds=cache_seconds, metrics=metrics)
        self._used: dict[UUID, datetime] = {}

    async def find(self, secret: str) -> Caller | None:
        """The account of a key that is valid now, give or take the cache's seconds."""
        if len(secret) > _LONGEST_KEY:
            return None
        digest = hash_key(secret)
        caller = await self._known.get(digest, lambda: self._look_up(digest))
        if caller is not None:
            self._used[caller.key_id] = self.clock.now()
        return caller

    def known(self, secret: str) -> Caller | None:
        """The account of a key that was looked up a moment ago; None where the store is to be asked."""
        caller = self._known.peek(hash_key(secret)) if len(secret) <= _LONGEST_KEY else None
        if caller is not None:
            self._used[caller.key_id] = self.clock.now()
        return caller

    async def note_uses(self) -> None:
        """Write down when keys were last used: one statement for all of them, whatever the traffic."""
        used, self._used = self._used, {}
        if not used:
            return
        try:
            async with self.store.transaction() as transaction:
                await transaction.execute(_TOUCH, {"ids": list(used), "times": list(used.values())})
        except StoreUnavailable as error:
            LOG.warning("times of use of %d keys are not written: %s", len(used), error)
            self._used = {**used, **self._used}

    async def note_uses_forever(self, interval_seconds: float = 30.0) -> None:
        """Call ``note_uses`` from time to time until cancelled."""
        while True:
            await asyncio.sleep(interval_seconds)
            began = time.monotonic()
            await self.note_uses()
            LOG.debug("noted key uses in %.3f s", time.monotonic() - began)

    async def _look_up(self, digest: bytes) -> Caller | None:
        row = await self.store.row(_LOOKUP, {"key_hash": digest})
        if row is None or not hmac.compare_digest(bytes(row["key_hash"]), digest):
            return None
        return Caller(row["key_id"], row["account_id"], row["wallet"], row["plan"])


def declares_access(name: str) -> Callable[[Dependency], Dependency]:
    """Mark a dependency as one that decides who may call."""

    def mark(dependency: Dependency) -> Dependency:
        setattr(dependency, ACCESS_MARK, name)
        return dependency

    return mark


_HEADER = APIKeyHeader(name=API_KEY_HEADER, scheme_name="ApiKey", description="Account API key.", auto_error=False)


@declares_access("api_key")
async def require_api_key(request: Request, secret: Annotated[str | None, Security(_HEADER)]) -> Caller:
    """The account of the request's API key: 401 without one, 403 with one that is not valid. Asked once a request."""
    known: Caller | None = getattr(request.state, "caller", None)
    if known is not None:
        return known
    if not secret:
        raise Unauthorized("header X-API-Key is missing")
    keys: ApiKeys = request.app.state.api_keys
    caller = await keys.find(secret)
    if caller is None:
        raise Forbidden("the API key is not valid")
    request.state.caller = caller
    return caller


@declares_access("public")
async def allow_anyone() -> None:
    """No credential is needed."""


ApiKey = Annotated[Caller, Depends(require_api_key)]
Public = Annotated[None, Depends(allow_anyone)]
