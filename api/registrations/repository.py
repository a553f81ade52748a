"""Statements on registrations and their tokens."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple
from uuid import UUID

from api.registrations.schemas import EndReason
from warehouse.domain.symbols import fold
from warehouse.store import Store

_INDEXED = "indexed_"


class Ending(NamedTuple):
    """When a registration ended, and why."""

    at: datetime
    reason: EndReason

    @classmethod
    def of(
        cls, released_at: datetime | None, expired_at: datetime | None, end_reason: str | None = None
    ) -> "Ending | None":
        """The ending of a registration with these columns; None while it is active."""
        if released_at is not None:
            return cls(released_at, EndReason.SETTLED if end_reason == "settled" else EndReason.RELEASED)
        if expired_at is None:
            return None
        is_upheld = end_reason == "challenge_upheld"
        return cls(expired_at, EndReason.CHALLENGE_UPHELD if is_upheld else EndReason.EXPIRED)


@dataclass(frozen=True, slots=True)
class RegistrationRecord:
    """A registration. ``presented`` is its metadata document with the owner's profile merged over it; ``domains`` its
    verified domains as the answers show them; ``attestations`` how many the operator has made."""

    chain_id: int
    token_id: int
    symbol: str
    owner: str
    token_address: str
    registry: str
    transaction_hash: str
    block_number: int
    managers: Sequence[str]
    maintainers: Sequence[str]
    minted_at: datetime
    released_at: datetime | None
    expired_at: datetime | None
    verification_method: str | None
    verified_at: datetime | None
    metadata_cid: str | None
    presented: Mapping[str, Any]
    peer_chain_id: int | None
    peer_token_id: int | None
    domains: Sequence[Mapping[str, Any]] | None
    attestations: int = 0
    end_reason: str | None = None
    pending_end: str | None = None
    pending_end_due_at: datetime | None = None
    pending_end_objected_at: datetime | None = None

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it is active."""
        return Ending.of(self.released_at, self.expired_at, self.end_reason)


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """An indexed token with its scores, 0 to 100; None before the first scoring."""

    address: str
    symbol_key: str
    is_copy: bool
    as_of_block: int
    score: Decimal | None
    timestamp_score: Decimal | None
    volume_score: Decimal | None
    holders_score: Decimal | None
    confidence_score: Decimal | None
    scored_at: datetime | None


@dataclass(frozen=True, slots=True)
class FoundSymbol:
    """A symbol's active registration on a chain; a token: the named one whatever its symbol, else the registered one,
    else the original; the token that the symbol is reserved for by an upheld challenge; and whether any block of the
    chain was published."""

    registration: RegistrationRecord | None
    token: TokenRecord | None
    reserved_for: str | None
    is_indexed: bool


@dataclass(frozen=True, slots=True)
class LinkedRegistration:
    """An active registration of a symbol, with its token's score. ``linked``: how many registrations of the symbol are
    linked to it, itself included; ``primary_chain_id``: the chain of the first of them."""

    chain_id: int
    token_id: int
    symbol: str
    owner: str
    minted_at: datetime
    score: Decimal | None
    linked: int
    primary_chain_id: int


@dataclass(frozen=True, slots=True)
class ListingRecord:
    """An active registration as listings show it: what is presented of it, and its token."""

    token_id: int
    chain_id: int
    symbol: str
    token_address: str
    presented: Mapping[str, Any]
    minted_at: datetime
    name: str | None
    decimals: int | None
    score: Decimal | None


@dataclass(frozen=True, slots=True)
class AttestationRecord:
    """A statement of the operator about a registration."""

    id: UUID
    kind: str
    statement: str
    created_at: datetime


class RegistrationRepository:
    """Statements of the registration routes."""

    def __init__(self, store: Store) -> None:
        self.reads = store

    async def earliest_with_id(self, token_id: int, chain_id: int | None) -> RegistrationRecord | None:
        """The earliest mint with the id, on the chain if one is named."""
        wanted = {"token_id": token_id, "chain_id": chain_id}
        return await self.reads.row("registrations/find_by_id", wanted, RegistrationRecord)

    async def first_of_symbol(self, symbol: str, chain_id: int | None) -> RegistrationRecord | None:
        """The first active registration of a symbol, else the one that ended last."""
        wanted = {"symbol": symbol, "chain_id": chain_id}
        return await self.reads.row("registrations/find_by_symbol", wanted, RegistrationRecord)

    async def active_of_symbol(self, symbol: str) -> list[LinkedRegistration]:
        """The active registrations of a symbol, oldest first, each with the number of those linked to it."""
        return await self.reads.rows("registrations/list_of_symbol", {"symbol": symbol}, LinkedRegistration)

    async def attestations(self, chain_id: int, token_id: int) -> list[AttestationRecord]:
        """The operator's statements about a registration, oldest first."""
        wanted = {"chain_id": chain_id, "token_id": token_id}
        return await self.reads.rows("attestations/list", wanted, AttestationRecord)

    async def published_block(self, chain_id: int) -> int | None:
        """The last block of a chain that was published; None before the first."""
        row = await self.reads.row("ingestion/find_last_block", {"chain_id": chain_id})
        return None if row is None else row["block_number"]

    async def symbol(self, symbol: str, chain_id: int, address: str | None, *, reserved_since: datetime) -> FoundSymbol:
        """What the store knows of a symbol on a chain, and of the token at ``address`` if given. A symbol is reserved
        if an upheld challenge ended its registration after ``reserved_since``."""
        wanted = {"symbol": symbol, "chain_id": chain_id, "address": address, **_reserved(symbol, reserved_since)}
        found = (await self.reads.rows("registrations/find_symbol", wanted))[0]
        indexed = {name.removeprefix(_INDEXED): found.pop(name) for name in list(found) if name.startswith(_INDEXED)}
        reserved_for, is_indexed = found.pop("reserved_for"), found.pop("is_indexed")
        return FoundSymbol(
            RegistrationRecord(**found) if found["token_id"] is not None else None,
            TokenRecord(**indexed) if indexed["address"] is not None else None,
            reserved_for,
            is_indexed,
        )

    async def taken_chains(self, symbol: str, *, reserved_since: datetime) -> frozenset[int]:
        """Chains on which a symbol has an active registration, or is reserved (see :meth:`symbol`)."""
        wanted = {"symbol": symbol, **_reserved(symbol, reserved_since)}
        rows = await self.reads.rows("registrations/list_taken_chains", wanted)
        return frozenset(row["chain_id"] for row in rows)

    async def listing(self, symbol: str, chain_id: int) -> ListingRecord | None:
        """What a listing shows of the symbol's active registration on a chain."""
        wanted = {"symbol": symbol, "chain_id": chain_id}
        return await self.reads.row("registrations/find_listing", wanted, ListingRecord)

    async def registered_among(
        self, asked: Mapping[int, tuple[Iterable[str], Iterable[str]]]
    ) -> dict[int, tuple[Set[str], Set[str]]]:
        """Of tokens (0x in lower case) and symbols by chain, those with an active registration on that chain. The
        result may contain others that have one. No token or symbol has a comma or a semicolon."""
        lists = {
            "chain_ids": ",".join(map(str, asked)),
            "tokens": ";".join(",".join(tokens) for tokens, _ in asked.values()),
            "symbols": ";".join(",".join(symbols) for _, symbols in asked.values()),
        }
        rows = await self.reads.rows("registrations/filter_registered", lists)
        return {row["chain_id"]: (set(row["tokens"].split(",")), set(row["symbols"].split(","))) for row in rows}


def _reserved(symbol: str, since: datetime) -> dict[str, Any]:
    return {"symbol_folded": fold(symbol), "reserved_since": since}
