"""Statements on deals."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from api.deals.states import LOCKING, DealType, State, read_state
from api.http.rendering import dumps
from api.security.callers import WalletSession
from warehouse.store import Store, Transaction


@dataclass(frozen=True, slots=True)
class DealRecord:
    """A deal. ``amount`` is in whole units of the currency, ``amount_raw`` in base units; both are None where nothing
    is paid. ``holder`` accepted the deal; ``holder_now`` holds the registration, None where it has ended."""

    id: UUID
    deal_type: str
    status: str
    stage: str
    deadline_kind: str | None
    deadline: datetime | None
    paused_at: datetime | None
    group_id: UUID | None
    chain_id: int
    token_id: int
    mint_transaction: str
    symbol: str
    token_address: str
    offerer: str
    offerer_account: UUID
    holder: str | None
    amount: Decimal | None
    amount_raw: Decimal | None
    currency: str | None
    currency_address: str | None
    amount_usd: Decimal | None
    terms: Mapping[str, Any]
    message: str | None
    response_message: str | None
    funded_percent: int
    expires_at: datetime | None
    window_end: datetime | None
    completed_at: datetime | None
    failure_reason: str | None
    created_at: datetime
    updated_at: datetime
    consent_nonce: Decimal | None
    consent_deadline: datetime | None
    consent_signature: str | None
    authorized_until: datetime | None
    settlement_call: Mapping[str, Any] | None
    settlement_hash: str | None
    market_cap_usd: Decimal | None
    minted_at: datetime | None
    holder_now: str | None

    @property
    def state(self) -> State:
        """Where it is in the state machine."""
        return read_state(self.status, self.stage, self.deadline_kind)

    @property
    def kind(self) -> DealType:
        """What is offered."""
        return DealType(self.deal_type)


@dataclass(frozen=True, slots=True)
class ListedDeal(DealRecord):
    """A deal of a list, and how many there are."""

    total: int


@dataclass(frozen=True, slots=True)
class DealEventRecord:
    """Something that happened to a deal. ``actor`` is a wallet; None for the service."""

    id: UUID
    deal_id: UUID
    event_type: str
    event_data: Mapping[str, Any]
    actor: str | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class AttestationRecord:
    """A party's move as the service attested it."""

    id: UUID
    deal_id: UUID
    move: str
    actor: str
    signer: str
    statement: Mapping[str, Any]
    message_hash: str
    domain_separator: str
    signature: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class OfferedRegistration:
    """The registration that an offer is for. ``is_ending``: its end is announced on the chain."""

    token_id: int
    symbol: str
    owner: str
    token_address: str
    transaction_hash: str
    minted_at: datetime
    is_ending: bool


@dataclass(frozen=True, slots=True)
class OfferRule:
    """Which offers a holder takes; a floor of 0 is none."""

    floor_usd: int = 0
    offers_disabled: bool = False


@dataclass(frozen=True, slots=True)
class OfferCount:
    """The offers of an account: those made within a week, when the first of them was, and what the open ones add up
    to."""

    made: int
    first_made_at: datetime | None
    standing_usd: Decimal


@dataclass(frozen=True, slots=True)
class FundsCheckRecord:
    """A check of funds as the parties see it."""

    id: UUID
    wallet: str
    funded_percent: int
    verified: bool
    block_number: int
    checked_at: datetime


@dataclass(frozen=True, slots=True)
class ComparableRecord:
    """A completed deal like another. Market cap and age of the registration are of when its offer was made."""

    id: UUID
    deal_type: str
    symbol: str
    chain_id: int
    amount: Decimal
    currency: str
    amount_usd: Decimal
    market_cap_usd: Decimal
    age_seconds: int
    completed_at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the index says of a deal's registration: how it ended, and what a settlement made of it. ``is_final``: the
    new registration's mint is, which was at ``settled_at``. ``is_replaced``: by another mint under its id, for good."""

    end_reason: str | None
    ended_at: datetime | None
    new_owner: str | None
    new_transaction: str | None
    is_final: bool
    settled_at: datetime | None
    is_replaced: bool


@dataclass(frozen=True, slots=True)
class Wallets:
    """Wallets that deals are listed for; a contract's wallet counts on its own chain only."""

    addresses: Sequence[str]
    chains: Sequence[int | None]

    @classmethod
    def of(cls, session: WalletSession) -> "Wallets":
        """The wallets of a session."""
        return cls(session.wallets, [session.contract_chains.get(wallet) for wallet in session.wallets])


@dataclass(frozen=True, slots=True)
class DealFilter:
    """Which deals are listed: those that fit all that is given. ``as_offerer`` and so on: what makes a deal one of the
    wallets'."""

    symbol: str | None = None
    chain_id: int | None = None
    token_id: int | None = None
    group_id: UUID | None = None
    deal_type: str | None = None
    status: str | None = None
    wallets: Wallets | None = None
    as_offerer: bool = True
    as_holder: bool = True
    waiting: bool = True


def _json(value: Any) -> str:
    return dumps(value).decode()


class DealRepository:
    """Statements of the deal routes and of the worker."""

    def __init__(self, store: Store) -> None:
        self.store = store

    async def find(self, id: UUID) -> DealRecord | None:
        """A deal."""
        return await self.store.row("deals/find", {"id": id}, DealRecord)

    async def listed(self, wanted: DealFilter, *, limit: int, offset: int) -> tuple[list[ListedDeal], int]:
        """A page of deals, newest first, and how many there are. A page beyond the end counts 0."""
        wallets = wanted.wallets
        given = {
            "symbol": wanted.symbol,
            "chain_id": wanted.chain_id,
            "token_id": wanted.token_id,
            "group_id": wanted.group_id,
            "deal_type": wanted.deal_type,
            "status": wanted.status,
            "wallets": None if wallets is None else list(wallets.addresses),
            "wallet_chains": None if wallets is None else list(wallets.chains),
            "as_offerer": wanted.as_offerer,
            "as_holder": wanted.as_holder,
            "waiting": wanted.waiting,
            "limit": limit,
            "offset": offset,
        }
        found = await self.store.rows("deals/list", given, ListedDeal)
        if not found and offset:
            first = await self.store.row("deals/list", {**given, "limit": 1, "offset": 0}, ListedDeal)
            return [], 0 if first is None else first.total
        return found, found[0].total if found else 0

    async def events(self, deal_id: UUID) -> list[DealEventRecord]:
        """What happened to a deal, oldest first."""
        return await self.store.rows("deals/list_events", {"deal_id": deal_id}, DealEventRecord)

    async def attestations(self, deal_id: UUID) -> list[AttestationRecord]:
        """The parties' attested moves, oldest first."""
        return await self.store.rows("deals/list_attestations", {"deal_id": deal_id}, AttestationRecord)

    async def funds_checks(self, deal_id: UUID) -> list[FundsCheckRecord]:
        """The checks of funds that were filed for a deal, oldest first."""
        return await self.store.rows("deals/list_funds_checks", {"deal_id": deal_id}, FundsCheckRecord)

    async def registration(self, chain_id: int, symbol: str) -> OfferedRegistration | None:
        """The active registration of a symbol on a chain."""
        wanted = {"chain_id": chain_id, "symbol": symbol}
        return await self.store.row("deals/find_registration", wanted, OfferedRegistration)

    async def lock_holder(self, transaction: Transaction, deal: DealRecord) -> str | None:
        """Who holds the deal's registration, which cannot change before the transaction ends; None: it has ended."""
        wanted = {"chain_id": deal.chain_id, "token_id": deal.token_id, "mint_transaction": deal.mint_transaction}
        row = await transaction.row("deals/lock_holder", wanted)
        return None if row is None else row["owner"]

    async def is_taken(self, transaction: Transaction, deal: DealRecord) -> bool:
        """Whether another deal on the registration is accepted and not over."""
        wanted = {"id": deal.id, "chain_id": deal.chain_id, "token_id": deal.token_id}
        row = await transaction.row(
            "deals/find_accepted", {**wanted, "mint_transaction": deal.mint_transaction, "statuses": list(LOCKING)}
        )
        return row is not None

    async def group(self, transaction: Transaction, group_id: UUID) -> list[DealRecord]:
        """The deals of a group, locked until the transaction ends."""
        return await transaction.rows("deals/list_group", {"group_id": group_id}, DealRecord)

    async def due(self, now: datetime, limit: int) -> list[DealRecord]:
        """Deals whose deadline has passed."""
        return await self.store.rows("deals/list_due", {"now": now, "limit": limit}, DealRecord)

    async def orphaned(self, before: datetime, limit: int) -> list[DealRecord]:
        """Deals that are not over although their registration ended before a moment."""
        return await self.store.rows("deals/list_orphaned", {"before": before, "limit": limit}, DealRecord)

    async def comparables(self, id: UUID) -> list[ComparableRecord]:
        """Completed deals of like market cap and age, the likest first; none where the deal's are not known."""
        return await self.store.rows("deals/list_comparables", {"id": id}, ComparableRecord)

    async def settling(self) -> list[DealRecord]:
        """Deals whose settlement is authorised, oldest first."""
        return await self.store.rows("deals/list_settling", None, DealRecord)

    async def may_settle(self, deal: DealRecord) -> bool:
        """Whether a deal's registration is there, and its end is neither announced nor about to be."""
        wanted = {"chain_id": deal.chain_id, "token_id": deal.token_id, "mint_transaction": deal.mint_transaction}
        row = await self.store.row("deals/find_obstacle", wanted)
        return row is not None and not row["is_ending"]

    async def renew_call(self, deal: DealRecord, call: Mapping[str, Any]) -> bool:
        """Replace the transaction of a deal that settles; False where it was replaced meanwhile, or the deal moved."""
        given = {"id": deal.id, "before": _json(deal.settlement_call), "call": _json(call)}
        return await self.store.row("deals/renew_call", given) is not None

    async def keep_signature(self, deal: DealRecord, signature: str) -> bool:
        """Keep the holder's signature of a settlement's transaction; False where there is another by now."""
        given = {"id": deal.id, "call": _json(deal.settlement_call), "signature": signature}
        return await self.store.row("deals/keep_signature", given) is not None

    async def outcome(self, deal: DealRecord) -> Outcome | None:
        """What became of a deal's registration; None while its mint is not recorded."""
        wanted = {"chain_id": deal.chain_id, "token_id": deal.token_id, "mint_transaction": deal.mint_transaction}
        return await self.store.row("deals/find_outcome", wanted, Outcome)

    async def accounts(self, transaction: Transaction, wallets: Iterable[str | None], chain_id: int) -> dict[str, UUID]:
        """The accounts of wallets that have one."""
        wanted = {"wallets": [wallet for wallet in wallets if wallet is not None], "chain_id": chain_id}
        return {row["wallet"]: row["account_id"] for row in await transaction.rows("deals/find_accounts", wanted)}

    async def offer_rule(self, account_id: UUID) -> OfferRule:
        """Which offers an account takes."""
        found = await self.store.row("deals/find_offer_rule", {"account_id": account_id}, OfferRule)
        return found or OfferRule()

    async def offer_rule_of(self, wallet: str, chain_id: int) -> OfferRule:
        """Which offers the account of a wallet takes."""
        wanted = {"wallet": wallet, "chain_id": chain_id}
        return await self.store.row("deals/find_offer_rule_of_wallet", wanted, OfferRule) or OfferRule()

    async def save_offer_rule(self, account_id: UUID, floor_usd: int | None, disabled: bool | None) -> OfferRule:
        """Change which offers an account takes; None leaves a setting as it is."""
        given = {"account_id": account_id, "floor_usd": floor_usd, "offers_disabled": disabled}
        found = await self.store.row("deals/save_offer_rule", given, OfferRule)
        assert found is not None  # noqa: S101 - the statement always returns a row
        return found
