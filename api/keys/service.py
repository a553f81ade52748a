"""Making, changing, rolling and revoking an account's keys.

Each step is one transaction, which also records it in the audit log. The store notifies all API processes of a changed
key when it commits; the process that made the change forgets the key itself.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from api.clock import Clock
from api.http.errors import InvalidInput, TooManyRequests
from api.http.idempotency import KEPT, KeyReused
from api.http.rendering import Wire, dumps
from api.http.times import read_time, timestamp
from api.keys.described import key_members, rights_members
from api.keys.errors import KeyHasExpired, KeyLimit, KeyNotFound, KeyReplaced, KeyRevoked
from api.keys.repository import DAY, ApiKey, KeyOfRequest, KeyRepository, LockedKey, Rights
from api.keys.rules import expiry_after_roll, read_expiry, read_networks
from api.keys.schemas import ApiKeyEntry, ApiKeyList, CreateKey, NewApiKey, RolledApiKey, RollKey, UpdateKey
from api.keys.secret import Secret, new_secret
from api.limits.plans import Limits
from api.outbound.destinations import Address
from api.security.api_keys import ApiKeys, hash_key
from api.security.callers import WalletSession
from api.security.sealing import Sealer, Unsealable
from api.settings import ApiSettings
from api.store import audit
from api.store.audit import Action, Actor
from warehouse.domain.events.security import KeyAction, KeyCreated, KeyRolled, KeyUpdated
from warehouse.domain.events.security import KeyRevoked as KeyWasRevoked
from warehouse.store import Transaction


@dataclass(frozen=True, slots=True)
class KeyService:
    """Steps of the routes of keys.

    Args:
        address: the client's, for the audit log.
    """

    repository: KeyRepository
    limits: Limits
    keys: ApiKeys
    sealer: Sealer
    clock: Clock
    settings: ApiSettings
    address: Address | None

    async def list_all(self, session: WalletSession) -> ApiKeyList:
        """The account's keys."""
        rows = await self.repository.keys(session.account_id, self.clock.now())
        return ApiKeyList(keys=[_entry(row) for row in rows], limit=self.limits.plans[session.plan].keys)

    async def create(self, session: WalletSession, body: CreateKey, request_key: str | None) -> NewApiKey:
        """Make a key. Safe to repeat with the same ``request_key``: the answer is the key that was made before.

        Raises:
            InvalidInput: an address or the expiry is not valid.
            KeyLimit: the account has as many keys as its plan allows.
            TooManyRequests: it made as many within a day as its plan allows.
            KeyReused: ``request_key`` belongs to another request.
        """
        now = self.clock.now()
        rights = Rights(
            body.name,
            _scopes(body.scopes),
            read_networks(body.allowed_addresses),
            self._expiry(body.expires_at, now),
        )
        request = _hash("create", body)
        async with self.repository.store.transaction() as transaction:
            plan = await self.repository.lock_account(transaction, session.account_id)
            made = await self._made(transaction, session, request_key, request, now)
            if made is not None:
                return NewApiKey(**_members(made), key=self._secret_of(made))
            await self._require_room(transaction, session.account_id, plan, now, adds=True)
            secret = new_secret(self.settings.api_key_prefix)
            row = await self._add(transaction, session, secret, rights, (request_key, request), now, quota_of=None)
            await self._record(
                transaction,
                session,
                row,
                KeyCreated(**self._members(session, row), **_rights(row)),
                now,
            )
        return NewApiKey(**_members(row), key=secret.key)

    async def update(self, session: WalletSession, key_id: UUID, body: UpdateKey) -> ApiKeyEntry:
        """Change the members that the body has.

        Raises:
            InvalidInput: a member is not valid, or there is none.
            KeyNotFound, KeyRevoked, KeyHasExpired, KeyReplaced: the key is not there, or not changed any more.
        """
        now, given = self.clock.now(), body.model_fields_set
        if not given:
            raise InvalidInput("body", "must have a member to change: name, scopes, allowedAddresses or expiresAt")
        changes: dict[str, Any] = {}
        if "name" in given:
            if body.name is None:
                raise InvalidInput("name", "must be text")
            changes["name"] = body.name
        if "scopes" in given:
            changes["scopes"] = _scopes(body.scopes)
        if "allowed_addresses" in given:
            changes["allowed_addresses"] = read_networks(body.allowed_addresses)
        if "expires_at" in given:
            changes["expires_at"] = self._expiry(body.expires_at, now)
        async with self.repository.store.transaction() as transaction:
            old = await self._lock(transaction, session, key_id, now)
            before = Rights(old.name, old.scopes, old.allowed_addresses, old.expires_at)
            changed = tuple(sorted(name for name, value in changes.items() if getattr(before, name) != value))
            row = await self.repository.change(transaction, key_id, replace(before, **changes))
            if changed:
                event = KeyUpdated(
                    **self._members(session, row),
                    **_rights(row),
                    updated_fields=changed,
                )
                await self._record(transaction, session, row, event, now)
        self.keys.forget_key(key_id)
        return _entry(row)

    async def roll(self, session: WalletSession, key_id: UUID, body: RollKey, request_key: str | None) -> RolledApiKey:
        """Replace a key by a new one with the same rights; the old one works until its grace period ends. Both are
        counted against the old one's rate and quota, so rolling does not multiply them. Safe to repeat with the same
        ``request_key``.

        Raises:
            InvalidInput: the grace period or the expiry is not valid.
            KeyNotFound, KeyRevoked, KeyHasExpired, KeyReplaced: the key is not there, or not rolled any more.
            TooManyRequests: the account made as many keys within a day as its plan allows.
            KeyReused: ``request_key`` belongs to another request.
        """
        now, longest = self.clock.now(), timedelta(days=self.settings.api_key_grace_days)
        grace = timedelta(seconds=min(body.grace_seconds, 10**9))
        if grace > longest:
            raise InvalidInput("graceSeconds", f"must be at most {int(longest.total_seconds())}")
        wanted = None if body.expires_at is None else self._expiry(body.expires_at, now)
        request = _hash(f"roll {key_id}", body)
        async with self.repository.store.transaction() as transaction:
            plan = await self.repository.lock_account(transaction, session.account_id)
            made = await self._made(transaction, session, request_key, request, now)
            if made is not None:
                previous = await self.repository.replaced(transaction, made.id)
                if previous is None:
                    raise KeyReused
                return RolledApiKey(**_members(made), key=self._secret_of(made), previous=_entry(previous))
            old = await self._lock(transaction, session, key_id, now)
            await self._require_room(transaction, session.account_id, plan, now, adds=False)
            expires_at = wanted or expiry_after_roll(
                old.created_at, old.expires_at, now, self.settings.api_key_max_days
            )
            rights = Rights(old.name, old.scopes, old.allowed_addresses, expires_at)
            secret = new_secret(self.settings.api_key_prefix)
            row = await self._add(
                transaction, session, secret, rights, (request_key, request), now, quota_of=old.quota_id
            )
            await self.repository.replace(transaction, old.id, replaced_by=row.id, ends_at=now + grace, now=now)
            previous = await self.repository.replaced(transaction, row.id)
            assert previous is not None  # noqa: S101 - it was replaced in the statement before
            event = KeyRolled(
                **self._members(session, old),
                new_key_id=str(row.id),
                new_prefix=row.prefix,
                ends_at=timestamp(previous.expires_at or now),
            )
            await self._record(transaction, session, old, event, now)
        self.keys.forget_key(key_id)
        return RolledApiKey(**_members(row), key=secret.key, previous=_entry(previous))

    async def revoke(self, session: WalletSession, key_id: UUID) -> ApiKeyEntry:
        """Revoke a key. A revoked key stays as it is.

        Raises:
            KeyNotFound: the account has no such key.
        """
        now = self.clock.now()
        async with self.repository.store.transaction() as transaction:
            old = await self.repository.lock(transaction, session.account_id, key_id)
            row = await self.repository.revoke(transaction, session.account_id, key_id, now)
            if old is None or row is None:
                raise KeyNotFound
            if old.revoked_at is None:
                await self._record(transaction, session, row, KeyWasRevoked(**self._members(session, row)), now)
        self.keys.forget_key(key_id)
        return _entry(row)

    def _expiry(self, text: str | None, now: datetime) -> datetime | None:
        wanted = None if text is None else read_time("expiresAt", text)
        return read_expiry(wanted, now, self.settings.api_key_max_days)

    async def _lock(self, transaction: Transaction, session: WalletSession, key_id: UUID, now: datetime) -> LockedKey:
        """Lock a key that may still be changed."""
        key = await self.repository.lock(transaction, session.account_id, key_id)
        if key is None:
            raise KeyNotFound
        if key.revoked_at is not None:
            raise KeyRevoked
        if key.expires_at is not None and key.expires_at <= now:
            raise KeyHasExpired
        if key.replaced_by is not None:
            raise KeyReplaced(key.replaced_by)
        return key

    async def _require_room(
        self, transaction: Transaction, account_id: UUID, plan: str, now: datetime, *, adds: bool
    ) -> None:
        limits = self.limits.plans[plan]
        counts = await self.repository.counts(transaction, account_id, now, limits.new_keys)
        if adds and counts.active >= limits.keys:
            raise KeyLimit(
                f"plan {plan} allows {limits.keys} API keys, this account has {counts.active}",
                details={"plan": plan, "limit": limits.keys},
            )
        if counts.nth_newest_at is not None:
            wait = counts.nth_newest_at + DAY - now
            raise TooManyRequests(f"plan {plan} allows {limits.new_keys} new API keys a day", wait.total_seconds())

    async def _made(
        self, transaction: Transaction, session: WalletSession, request_key: str | None, request: bytes, now: datetime
    ) -> KeyOfRequest | None:
        """The key that the same request made before. The account's row is locked, so of two concurrent requests the
        second finds the first one's key."""
        if request_key is None:
            return None
        made = await self.repository.of_request(transaction, session.account_id, request_key, now - KEPT)
        if made is not None and bytes(made.request_hash) != request:
            raise KeyReused
        return made

    async def _add(
        self,
        transaction: Transaction,
        session: WalletSession,
        secret: Secret,
        rights: Rights,
        request: tuple[str | None, bytes],
        now: datetime,
        *,
        quota_of: UUID | None,
    ) -> ApiKey:
        request_key, request_hash = request
        key = {
            "account_id": session.account_id,
            "prefix": secret.prefix,
            "key_hash": hash_key(secret.key),
            "now": now,
            "quota_of": quota_of,
            "idempotency_key": request_key,
            "request_hash": None if request_key is None else request_hash,
        }
        row = await self.repository.add(transaction, key, rights)
        if request_key is not None:
            # Kept for a day, encrypted, so that a repeat can have the same answer.
            await self.repository.seal(transaction, row.id, self.sealer.seal(secret.key.encode(), f"api key {row.id}"))
        return row

    def _secret_of(self, made: KeyOfRequest) -> str:
        try:
            return self.sealer.unseal(bytes(made.sealed_secret), f"api key {made.id}").decode()
        except Unsealable as error:
            raise KeyReused("Idempotency-Key: the key was made, and cannot be shown again; roll it") from error

    def _members(self, session: WalletSession, row: ApiKey) -> dict[str, Any]:
        return key_members(Actor.of(session, self.address), row.id, row.name, row.prefix)

    async def _record(
        self, transaction: Transaction, session: WalletSession, row: ApiKey, event: KeyAction, now: datetime
    ) -> None:
        actor = Actor.of(session, self.address)
        await audit.record(transaction, Action(session.account_id, actor, event, now, row.id))


def _scopes(wanted: Sequence[str] | None) -> list[str] | None:
    return None if wanted is None else sorted(set(map(str, wanted)))


def _members(row: ApiKey) -> dict[str, Any]:
    networks = None if row.allowed_addresses is None else [str(network) for network in row.allowed_addresses]
    known = {name: getattr(row, name) for name in ApiKeyEntry.model_fields if name != "allowed_addresses"}
    return {**known, "allowed_addresses": networks}


def _entry(row: ApiKey) -> ApiKeyEntry:
    return ApiKeyEntry(**_members(row))


def _rights(row: ApiKey) -> dict[str, Any]:
    return rights_members(row.scopes, row.allowed_addresses, row.expires_at)


def _hash(what: str, body: Wire) -> bytes:
    """What tells one request from another that is sent with the same Idempotency-Key."""
    return hashlib.sha256(what.encode() + b"\n" + dumps(body.model_dump(exclude_unset=True))).digest()
