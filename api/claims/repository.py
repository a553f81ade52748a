"""Statements of claims on the store."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any

from api.claims.evidence import Evidence
from api.claims.freshness import VerdictProgress
from api.claims.messages import Claim
from api.store.events import record
from warehouse.domain.addresses import checksum_address
from warehouse.domain.events.event import Occurrence, unique_key
from warehouse.domain.events.service import ClaimConfirmed
from warehouse.domain.lifecycle import RESERVED_FOR
from warehouse.domain.registrations import Registration
from warehouse.store import Store, Transaction


@dataclass(frozen=True, slots=True)
class Published:
    """What is published about whether a token may claim its symbol.

    Args:
        symbol_key: the symbol under which the token was judged; None for a token that is not indexed.
        is_copy: the copy verdict; None for a token that is not indexed.
        copy_unknown: why the token cannot be judged; None if it is judged.
        as_of_time: as of when the chain's verdicts hold; None before the first.
        ruled_copy: the operator's verdict by hand; None without one.
        reserved_for: the token that the symbol is reserved for; ``reserved_from`` is None until its registration ends.
    """

    symbol_key: str | None
    is_copy: bool | None
    copy_rule: str | None
    copy_unknown: str | None
    copy_of_chain_id: int | None
    copy_of_address: str | None
    weight_usd: Decimal | None
    senior_since: datetime | None
    senior_block: int | None
    original_usd: Decimal | None
    original_since: datetime | None
    original_block: int | None
    as_of_block: int | None
    as_of_time: datetime | None
    weighed_through: datetime | None
    history_from: datetime | None
    held_by: str | None
    ruled_copy: bool | None
    ruled_of: str | None
    ruled_reason: str | None
    reserved_for: str | None
    reserved_from: datetime | None

    @property
    def progress(self) -> VerdictProgress | None:
        """How far the chain's verdicts are."""
        if self.as_of_block is None or self.as_of_time is None:
            return None
        return VerdictProgress(self.as_of_block, self.as_of_time, self.weighed_through, self.history_from, self.held_by)

    @property
    def evidence(self) -> Evidence:
        """The figures behind the verdict."""
        return Evidence(**{field.name: getattr(self, field.name) for field in fields(Evidence)})


@dataclass(frozen=True, slots=True)
class NativePrice:
    """The price of a chain's native coin in US dollars."""

    price_usd: Decimal
    as_of_time: datetime


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof that a wallet controls a token, for one claim."""

    proof_hash: str
    chain_id: int
    token_address: str
    symbol: str
    wallet: str
    verification_method: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class RecordedMint:
    """A registration that is recorded, and the transaction that made it."""

    symbol: str
    owner: str
    token_address: str
    transaction_hash: str
    block_number: int
    minted_at: datetime
    registry: str


class ClaimRepository:
    """Statements of the claim routes."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def published(self, chain_id: int, address: str, folded: str, now: datetime) -> Published:
        """What is published about a token whose symbol folds to ``folded``; ``now`` is the chain's time."""
        wanted = {
            "chain_id": chain_id,
            "address": address,
            "symbol_folded": folded,
            "reserved_after": now - RESERVED_FOR,
        }
        return (await self.store.rows("claims/find_verdict", wanted, Published))[0]

    async def chains_of_token(self, address: str) -> list[int]:
        """Chains that have a token at this address."""
        rows = await self.store.rows("claims/list_chains_of_token", {"address": address})
        return [row["chain_id"] for row in rows]

    async def has_symbol(self, chain_id: int, address: str) -> bool:
        """Whether the index knows a token with a symbol at the address."""
        row = await self.store.row("tokens/has_symbol", {"chain_id": chain_id, "address": address})
        return row is not None and row["found"]

    async def has_token_of_symbols(self, chain_id: int, symbols: Sequence[str]) -> bool:
        """Whether any token of these symbols is indexed on the chain."""
        wanted = {"chain_id": chain_id, "symbols": list(symbols)}
        row = await self.store.row("claims/has_token_of_symbols", wanted)
        return row is not None and row["found"]

    async def active_symbol_of_token(self, chain_id: int, address: str) -> str | None:
        """The symbol under which a token is registered now."""
        token = {"chain_id": chain_id, "address": address}
        row = await self.store.row("claims/find_registered_symbol", token)
        return row["symbol"] if row else None

    async def other_symbol_of_token(self, claim: Claim) -> str | None:
        """Another symbol under which the claimed token is registered now. A token holds one at a time."""
        registered = await self.active_symbol_of_token(claim.chain.chain_id, claim.token)
        return None if registered == claim.symbol else registered

    async def last_expired_owner(self, chain_id: int, symbol: str) -> str | None:
        """Who owned the symbol's last registration, where that one ended by expiry."""
        row = await self.store.row("claims/find_last_owner", {"chain_id": chain_id, "symbol": symbol})
        return row["owner"] if row and row["end_reason"] == "inactive" else None

    async def native_price(self, chain_id: int) -> NativePrice | None:
        """What the chain's native coin costs."""
        return await self.store.row("prices/find_native", {"chain_id": chain_id}, NativePrice)

    async def proof(self, proof_hash: str) -> Proof | None:
        """A stored proof."""
        return await self.store.row("claims/find_proof", {"proof_hash": proof_hash}, Proof)

    async def newest_proof(self, chain_id: int, token: str, symbol: str, wallet: str, now: datetime) -> Proof | None:
        """The newest proof of exactly this claim that is still good."""
        claim = {"chain_id": chain_id, "token_address": token, "symbol": symbol, "wallet": wallet, "now": now}
        return await self.store.row("claims/find_newest_proof", claim, Proof)

    async def save_proof(self, transaction: Transaction, proof: dict[str, Any]) -> None:
        """Keep a proof; the same signature verified again leaves the first one as it is."""
        await transaction.execute("claims/save_proof", proof)

    async def last_deadline(self, chain_id: int, symbol: str, wallet: str) -> datetime | None:
        """When the wallet's last authorisation for the symbol runs out."""
        claim = {"chain_id": chain_id, "symbol": symbol, "wallet": wallet}
        row = await self.store.row("claims/find_last_deadline", claim)
        return row["deadline"] if row else None

    async def save_authorization(
        self,
        transaction: Transaction,
        *,
        claim: Claim,
        proof_hash: str | None,
        method: str,
        nonce: int,
        fee_wei: int,
        price_usd: Decimal,
        deadline: datetime,
    ) -> None:
        """Note what the service has signed for; ``fee_wei`` is in base units. On Solana there is no proof: the claimer
        signs the transaction alone."""
        await transaction.execute(
            "claims/save_authorization",
            {
                "chain_id": claim.chain.chain_id,
                "token_address": claim.token,
                "symbol": claim.symbol,
                "wallet": claim.wallet,
                "proof_hash": proof_hash,
                "verification_method": method,
                "nonce": nonce,
                "fee_wei": fee_wei,
                "price_usd": price_usd,
                "deadline": deadline,
            },
        )

    async def symbol_deadline(self, chain_id: int, symbol: str) -> datetime | None:
        """When the last authorisation for the symbol runs out, whoever has it."""
        row = await self.store.row("claims/find_symbol_deadline", {"chain_id": chain_id, "symbol": symbol})
        return row["deadline"] if row else None

    async def registration(self, chain_id: int, token_id: int) -> RecordedMint | None:
        """Where a registration was minted, if it is recorded."""
        return await self.store.row(
            "claims/find_registration", {"chain_id": chain_id, "token_id": token_id}, RecordedMint
        )

    async def record_mint(self, transaction: Transaction, minted: Registration) -> None:
        """Write a minted registration and the event ``claim.confirmed``. Repeating it changes nothing."""
        # Only the mint: roles, document and peer come with later events, which the pipelines read.
        rows = json.dumps([asdict(minted)], default=datetime.isoformat)
        await transaction.execute("registrations/upsert", {"registrations": rows, "from_receipt": True})
        confirmed = ClaimConfirmed(
            chain_id=minted.chain_id,
            token_id=minted.token_id,
            symbol=minted.symbol,
            owner=checksum_address(minted.owner),
            token_address=checksum_address(minted.token_address),
            transaction_hash=minted.transaction_hash,
            block_number=minted.block_number,
        )
        key = unique_key(confirmed)
        await record(transaction, Occurrence(confirmed, key, minted.symbol, chain_id=minted.chain_id))
