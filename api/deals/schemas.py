"""Answers of the deal routes. A deal's members are named as the specification has them; ``roles.py`` explains two."""

from typing import Annotated, Any

from pydantic import Field

from api.deals.roles import ListedRole
from api.deals.states import DeadlineKind, DealType, Move, Stage, Status
from api.http import members
from api.http.members import ChainNumber, Count, Digits, Omittable, Timestamp, TokenId, UnixSeconds
from api.http.rendering import Number, Snake, Wire

ACTIONS = ("accept", "reject", "cancel", "sign_burn_consent")
Action = Annotated[str, members.one_of("DealAction", "What a party may do now.", ACTIONS)]
Percent = Annotated[int, members.integer("In percent.", minimum=0, maximum=100)]
Wallet = members.Address
Document = Annotated[dict[str, Any], Field(description="An EIP-712 document.")]
HexHash = Annotated[
    str, members.text("0x and 64 hexadecimal digits; empty for outsiders.", pattern="^(0x[0-9a-f]{64})?$")
]
HexSignature = Annotated[
    str, members.text("0x and 130 hexadecimal digits; empty for outsiders.", pattern="^(0x[0-9a-f]{130})?$")
]


class DealEvent(Snake):
    """Something that happened to a deal."""

    id: members.Uuid
    deal_id: members.Uuid
    event_type: Move = Field(description="The move that was made.")
    event_data: dict[str, Any] = Field(description="More of it. The terms of a collab are shown to its parties only.")
    actor_address: Wallet | None = Field(description="The wallet that made it; null: the service.")
    created_at: Timestamp = Field(description="When it happened.")


class DealAttestation(Snake):
    """A move of a party, attested by the service's signer. Outsiders see who did what and when, without the proof."""

    id: members.Uuid
    deal_id: members.Uuid
    move: Move = Field(description="The move.")
    actor_address: Wallet = Field(description="The wallet that made it.")
    signer: members.EvmAddress = Field(description="Who signed: the service.")
    signature: HexSignature
    message_hash: HexHash = Field(description="What is signed: the hash of the statement.")
    domain_separator: HexHash = Field(description="EIP-712's hash of the domain.")
    statement: Document | None = Field(description="What is signed, as an EIP-712 document; null for outsiders.")
    created_at: Timestamp = Field(description="When it was made.")


class DealPayment(Snake):
    """A payment, read from a final block."""

    chain_id: ChainNumber
    currency_address: Wallet = Field(description="What was paid; the zero address is the native coin.")
    amount_raw: Digits = Field(description="Base units.")
    tx_hash: members.Transaction = Field(description="The transaction.")
    verified: bool = Field(description="Whether a final block shows it.")


class Deal(Snake):
    """A deal. What has not happened or does not apply is left out."""

    id: members.Uuid
    deal_type: DealType = Field(description="What is offered.")
    status: Status = Field(description="How far it is, coarsely.")
    stage: Stage = Field(description="What it waits for; read this rather than the status.")
    deadline: Omittable[Timestamp] = Field(default=None, description="The one clock that runs at this stage.")
    deadline_kind: Omittable[DeadlineKind] = Field(default=None, description="What the deadline ends.")
    seller_address: Wallet = Field(description="The wallet that made the offer: the acquirer, despite the name.")
    buyer_address: Omittable[Wallet] = Field(
        default=None, description="The wallet that held the registration and accepted."
    )
    crown_holder: Omittable[Wallet] = Field(
        default=None, description="The wallet that holds the registration now; in lists where the offer waits for it."
    )
    symbol: members.Symbol
    chain_id: ChainNumber
    token_id: TokenId
    token_address: Wallet = Field(description="The registered token.")
    group_id: Omittable[members.Uuid] = Field(default=None, description="The group whose offers take effect together.")
    agreed_amount: Omittable[str] = Field(default=None, description="The price in whole units, in decimal digits.")
    agreed_currency: Omittable[str] = Field(default=None, description="USDC, USDT, ETH, or a token's address.")
    message: Omittable[str] = Field(default=None, description="Of the offerer.")
    response_message: Omittable[str] = Field(default=None, description="Of the holder.")
    fund_verification_pct: Percent = Field(description="Share of the offer that the offerer proved to have.")
    expires_at: Omittable[Timestamp] = Field(default=None, description="When the unanswered offer lapses.")
    migration_window_end: Omittable[Timestamp] = Field(
        default=None, description="When the swap of a merge, or the redemption of a buyout, ends."
    )
    burn_consent_recorded: bool = Field(description="Whether the holder's consent is kept; never the consent.")
    burn_consent_expiry: Omittable[UnixSeconds] = Field(default=None, description="Until when it holds.")
    burn_tx_hash: Omittable[members.Transaction] = Field(
        default=None, description="The transaction that ended the registration."
    )
    mint_tx_hash: Omittable[members.Transaction] = Field(
        default=None, description="The transaction that registered the symbol for the offerer: the same."
    )
    completed_at: Omittable[Timestamp] = Field(default=None, description="When it was complete.")
    failure_reason: Omittable[str] = Field(default=None, description="Why it ended without being complete.")
    created_at: Timestamp = Field(description="When the offer was made.")
    actions: list[Action] | None = Field(description="What this session may do now; null without a party's session.")
    terms: Omittable[dict[str, Any]] = Field(default=None, description="The agreed terms; on the caller's own list.")
    events: Omittable[list[DealEvent]] = Field(default=None, description="All of them, oldest first; not in lists.")
    attestations: Omittable[list[DealAttestation]] = Field(
        default=None, description="The parties' moves as attested, oldest first; not in lists."
    )
    payments: Omittable[list[DealPayment]] = Field(default=None, description="The payments; not in lists.")


class DealEvents(Wire):
    """What happened to a deal, oldest first."""

    deal_id: members.Uuid
    events: list[DealEvent] = Field(description="The events.")


class DealPage(Wire):
    """A page of deals, newest first."""

    deals: list[Deal] = Field(description="The deals.")
    total: Count = Field(description="How many there are.")
    limit: Count = Field(description="The most on a page.")
    offset: Count = Field(description="How many come before this page.")


class OwnDeals(DealPage):
    """Deals of the session's wallets, with their terms, and the filters that were asked for."""

    deal_type: DealType | None = Field(alias="deal_type", description="Only deals of this type.")
    status: Status | None = Field(description="Only deals of this status.")


class SymbolDeals(DealPage):
    """Deals on a symbol."""

    symbol: members.Symbol
    chain_id: ChainNumber | None = Field(description="Only on this chain.")


class AddressDeals(DealPage):
    """Deals of a wallet."""

    address: Wallet
    role: ListedRole | None = Field(description="`seller`: offers made; `buyer`: deals accepted; null: both.")


class RegistrationDeals(DealPage):
    """Deals on a registration."""

    token_id: TokenId
    symbol: members.Symbol
    chain_id: ChainNumber


class GroupName(Wire):
    """A group."""

    id: members.Uuid


class PendingDeal(Snake):
    """A deal of a group that its holder has not accepted."""

    deal_id: members.Uuid
    symbol: members.Symbol
    chain_id: ChainNumber
    status: Status = Field(description="Its status.")


class DealGroup(Wire):
    """A group of offers, which take effect when all of them are accepted."""

    group: GroupName
    deals: list[Deal] = Field(description="Its deals.")
    total: Count = Field(description="How many there are.")
    accepted: Count = Field(description="How many are accepted.")
    complete: bool = Field(description="Whether all are accepted.")
    pending: list[PendingDeal] = Field(description="Those that are not.")


class MovedDeal(Wire):
    """The outcome of a move."""

    success: bool = Field(description="Always true.")
    deal_id: members.Uuid
    status: Status = Field(description="The deal's status now.")
    deal: Deal
    message: str = Field(description="What follows, in words.")


class Responded(Wire):
    """The outcome of an answer, without the deal."""

    success: bool = Field(description="Always true.")
    deal_id: members.Uuid
    status: Status = Field(description="The deal's status now.")
    message: str = Field(description="What follows, in words.")


class MadeGroup(Wire):
    """A group of offers just made."""

    success: bool = Field(description="Always true.")
    group_id: members.Uuid
    deals: list[Deal] = Field(description="Its deals.")
    message: str = Field(description="What follows, in words.")


class DealLimits(Wire):
    """Limits of offers, in whole US dollars."""

    collab_min_liquidity_usd: Count = Field(description="Least liquidity that a collab commits.")
    min_offer_usd: Count = Field(description="Lowest offer.")


class FeePreview(Wire):
    """What an offer is worth, and the lowest there can be. Amounts in millionths of a US dollar."""

    minimum_offer: Count = Field(description="The lowest offer.")
    deal_value_usd: Count = Field(description="What the offer is worth.")
    currency: str = Field(description="The currency.")
    price_usd: Omittable[Number] = Field(default=None, description="Its price; left out for dollar stablecoins.")
    mcap_estimate: Omittable[Count] = Field(default=None, description="The market cap that was given.")
    facilitation_fee: Count = Field(description="Always 0: no fee is charged on any deal.")
    effective_rate: Count = Field(description="Always 0.")


class DealPrices(Snake):
    """Prices in US dollars; null where there is no recent one."""

    ETH: Number | None = Field(description="Ether.")
    SOL: Number | None = Field(description="The coin of Solana.")
    USDC: Number = Field(description="Counts as one dollar.")
    USDT: Number = Field(description="Counts as one dollar.")


class OfferFloor(Wire):
    """Which offers the account takes."""

    offer_floor_usd: Count = Field(description="Lowest offer in whole US dollars; 0: none.")
    offers_disabled: bool = Field(description="Whether it takes none.")


class FundsAttestation(Wire):
    """The service's signature of what it read."""

    hash: members.Hash = Field(description="What is signed: the hash of the statement.")
    signature: members.HexBytes = Field(description="Of the service's signer.")
    block_number: members.BlockNumber = Field(description="As of this block, or one of the next.")
    timestamp: UnixSeconds = Field(description="When it was read.")
    statement: Document


class FundsCheck(Wire):
    """A check of funds: a balance read only, nothing is held."""

    verified: bool = Field(description="Whether the wallet has what is required.")
    balance: Digits = Field(description="What it has, in base units.")
    required_amount: Digits = Field(description="What is required, in base units.")
    required_pct: Percent = Field(description="Share of the offer that is required.")
    shortfall: Omittable[Digits] = Field(default=None, description="What is missing, in base units.")
    attestation: Omittable[FundsAttestation] = Field(default=None, description="Where it is verified; for an hour.")


class FundsCheckEntry(Wire):
    """A check of funds that a party filed for a deal."""

    id: members.Uuid
    wallet_address: Wallet = Field(description="Whose balance was read.")
    funded_pct: Percent = Field(description="Share of the offer that was there.")
    verified: bool = Field(description="Whether that sufficed.")
    block_number: members.BlockNumber = Field(description="As of this block, or one of the next.")
    checked_at: Timestamp = Field(description="When it was read.")


class FundsTimeline(Wire):
    """The checks of funds of a deal, oldest first."""

    deal_id: members.Uuid
    checks: list[FundsCheckEntry] = Field(description="The checks.")


class SolanaTransaction(Wire):
    """The transaction of a settlement on Solana. The holder signs first, then the offerer signs and sends it."""

    chain_id: ChainNumber
    message: Annotated[str, members.text("A transaction of version 0, in base64.", format="byte")] = Field(
        description="With the holder's signature where it was handed in, and zeros for missing ones."
    )
    holder_signed: bool = Field(description="Whether the holder's signature is in it.")
    blockhash: members.SolanaAddress = Field(description="The recent blockhash in it; with another, both sign anew.")
    last_valid_block_height: members.BlockNumber = Field(
        description="The last block height at which the network takes this blockhash."
    )
    block_height: members.BlockNumber = Field(description="The block height now.")


class DealConsent(Wire):
    """What the holder signs to settle a deal: a document, or on Solana the transaction."""

    deal_id: members.Uuid
    nonce: Omittable[Digits] = Field(
        default=None, description="Send it back with the signature. `revokeConsent(nonce)` voids the consent."
    )
    deadline: Omittable[UnixSeconds] = Field(
        default=None, description="Until when the consent holds. Send it back with the signature."
    )
    document: Omittable[Document] = None
    transaction: Omittable[SolanaTransaction] = Field(default=None, description="On Solana.")


class SettlementCall(Wire):
    """A transaction for the offerer to sign and send."""

    chain_id: ChainNumber
    to: members.EvmAddress = Field(description="Where it goes.")
    data: members.HexBytes = Field(description="The call.")
    value: members.Wei = Field(description="Coins that go with it.")


class DealSettlement(Wire):
    """The transaction that settles a deal: it pays the holder and moves the registration, or does nothing."""

    deal_id: members.Uuid
    transaction: SettlementCall | SolanaTransaction = Field(description="To be signed and sent by the offerer.")
    approval: Omittable[SettlementCall] = Field(
        default=None, description="To be mined before: lets the registry take exactly the price, where it may not yet."
    )
    authorized_until: Timestamp = Field(description="In chain time; the registry refuses it later.")


class Comparable(Wire):
    """A completed deal. Market cap and age are of when its offer was made."""

    deal_id: members.Uuid
    deal_type: DealType = Field(description="What was sold.")
    symbol: members.Symbol
    chain_id: ChainNumber
    agreed_amount: str = Field(description="The price in whole units, in decimal digits.")
    agreed_currency: str = Field(description="USDC, USDT, ETH, or a token's address.")
    amount_usd: members.Usd = Field(description="The price in US dollars.")
    market_cap_usd: members.Usd = Field(description="Market cap of the registered token.")
    age_days: Count = Field(description="Age of the registration in whole days.")
    completed_at: Timestamp = Field(description="When it was complete.")


class Comparables(Wire):
    """Completed deals like another."""

    deal_id: members.Uuid
    comparables: list[Comparable] = Field(description="The likest first; empty where the market cap is not known.")
