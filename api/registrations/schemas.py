"""Wire shapes of the registration routes."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import Address as ClaimAddress
from api.claims.inputs import ChainId, Symbol
from api.claims.schemas import Claimability, VerificationMethod
from api.heartbeats.schemas import HeartbeatComponents
from api.http import members
from api.http.members import (
    Address,
    BlockNumber,
    ChainKey,
    ChainNumber,
    Count,
    Jws,
    Omittable,
    Score,
    Timestamp,
    TokenId,
    UnixSeconds,
    Usd,
    Uuid,
)
from api.http.rendering import Number, Wire
from warehouse.domain.lifecycle import HeartbeatStatus, SymbolStatus
from warehouse.domain.registrable import Obstacle

StatusName = Annotated[
    str,
    members.one_of("SymbolStatus", "Status of the symbol on the chain.", [status.text for status in SymbolStatus]),
]


class ChainType(StrEnum):
    """Kind of a chain, or of an address."""

    EVM = "evm"
    SOLANA = "solana"


class Identity(Wire):
    """The name and avatar of a registration."""

    display_name: Omittable[str] = Field(default=None, description="Name of its page, or else of its token.")
    avatar_url: Omittable[str] = Field(default=None, description="Picture of its page: a link with https or ipfs.")


class CanonicalPeer(Wire):
    """The registration on another chain that this one belongs to."""

    chain_id: ChainNumber
    crown_id: TokenId


class VerifiedDomain(Wire):
    """A domain whose DNS names the registration."""

    domain: str = Field(description="In its ASCII form, in lower case.", examples=["pepe.example"])
    verified_at: Timestamp = Field(description="When DNS first named the registration, ISO 8601 in UTC.")
    vanity_enabled: bool = Field(description="Whether the page lives under the domain, too.")


class Registration(Wire):
    """One registration. Optional fields are omitted if they have no value."""

    token_id: TokenId
    owner: Address = Field(
        description="The wallet that owns it.", examples=["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"]
    )
    chain_id: ChainNumber
    symbol: members.Symbol
    identity: Omittable[Identity] = Field(default=None, description="How its owner presents it.")
    tier_count: Count = Field(description="Tiers for holders that its metadata document declares.")
    verified_domains: Omittable[list[VerifiedDomain]] = Field(default=None, description="Domains that name it.")
    canonical_peer: Omittable[CanonicalPeer] = Field(
        default=None, description="The registration on another chain that it belongs to."
    )
    metadata_cid: Omittable[str] = Field(default=None, description="IPFS CID of its metadata document.")
    attestation_count: Omittable[Count] = Field(default=None, description="The operator's statements about it.")


class HeartbeatSummary(Wire):
    """The token's heartbeat at its last scoring."""

    score: Score = Field(description="The weighted mean of the components, from 0 to 100.")
    status: HeartbeatStatus = Field(description="What the score means.")
    last_updated: Timestamp | None = Field(description="The hour that was scored, ISO 8601 in UTC.")
    components: HeartbeatComponents = Field(description="What the score is made of.")


class TakenBy(Wire):
    """The active registration that the symbol has on the chain by another token."""

    token_id: TokenId
    token_address: Address = Field(description="The registered token.")
    owner: Address = Field(description="The wallet that owns the registration.")


class PendingEndReason(StrEnum):
    """Why a registration is about to end."""

    INACTIVE = "inactive"
    CHALLENGE_UPHELD = "challenge_upheld"


class PendingEnd(Wire):
    """The end of a registration, announced in its registry and not in effect yet."""

    reason: PendingEndReason = Field(description="Why it ends.")
    due_at: Timestamp = Field(description="When it takes effect at the earliest, ISO 8601 in UTC.")
    objected: bool = Field(description="Whether its owner objected; then the registry's guardian must confirm it.")


class RegistrationStatus(Wire):
    """The status of a symbol on a chain. Fields without a value are null."""

    symbol: members.Symbol
    chain_id: ChainNumber
    chain: ChainKey
    status: StatusName
    registrable: bool = Field(description="Whether no rule stands against registering the symbol on this chain now.")
    reason: Obstacle | None = Field(description="Why it cannot be registered; null if it can.")
    taken_by: TakenBy | None = Field(
        description="With `tokenAddress`: the registration that the symbol has by another token."
    )
    token_id: TokenId | None = Field(description="Id of the registration; null without one.")
    owner: Address | None = Field(description="The wallet that owns the registration; null without one.")
    token_address: Address | None = Field(description="The registered token, or else the original of the symbol.")
    crown_contract_address: Address | None = Field(description="The registry contract; null without a registration.")
    managers: list[Address] = Field(description="Wallets that manage the registration, the primary one first.")
    minted_at: Timestamp | None = Field(description="When it was registered, ISO 8601 in UTC.")
    mint_timestamp: UnixSeconds | None = Field(description="When it was registered, in Unix seconds.")
    verification_method: VerificationMethod | None = Field(
        description="How control of the token was proved; null for a registration that was not claimed here."
    )
    verified_at: Timestamp | None = Field(description="When control was proved, ISO 8601 in UTC.")
    heartbeat: HeartbeatSummary | None = Field(description="Null before the token's first score.")
    metadata: dict[str, Any] | None = Field(
        description="The metadata document, with what the owner changed since; null if there is nothing."
    )
    metadata_cid: str | None = Field(description="IPFS CID of the metadata document.")
    verified_domains: Omittable[list[VerifiedDomain]] = Field(default=None, description="Present when there are any.")
    pending_end: Omittable[PendingEnd] = Field(
        default=None, description="Present while the end of the registration is announced."
    )


class QualificationMethod(StrEnum):
    """How a wallet qualifies to claim a token."""

    DEPLOYER = "deployer"
    OWNER = "owner"
    ADMIN = "admin"
    MINT_AUTHORITY = "mint_authority"
    UPDATE_AUTHORITY = "update_authority"
    MAJORITY_HOLDER = "majority_holder"


class Qualification(Wire):
    """How a wallet qualifies to claim a token."""

    method: QualificationMethod = Field(description="What shows control of the token.", examples=["deployer"])
    confidence: Annotated[Decimal, members.number("From 0 to 1.", minimum=0, maximum=1)] = Field(
        description="How strongly it shows it, from 0 to 1.", examples=[1]
    )
    message: str = Field(description="The method, in a sentence.")


class ClaimableToken(Wire):
    """A token that the wallet can claim."""

    address: Address
    chain_id: str = Field(description="The chain id as text.", examples=["8453"])
    symbol: members.Symbol
    name: str = Field(description="The token's own name.")
    qualification: Qualification = Field(description="How the wallet qualifies.")


class ClaimableTokens(Wire):
    """All tokens that the wallet can claim."""

    tokens: list[ClaimableToken] = Field(description="The tokens, by chain.")
    total: Count = Field(description="How many tokens.")


class QualifyRequest(Wire):
    """The wallet and the token to check."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "wallet": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                    "tokenAddress": "0x6982508145454Ce325dDbE47a25d4ec3d2311933",
                    "chainId": 8453,
                    "symbol": "PEPE",
                }
            ]
        },
    )
    wallet: ClaimAddress = Field(description="The wallet that would claim.")
    token_address: ClaimAddress = Field(description="The token's address.")
    chain_id: ChainId | None = Field(default=None, description="The token's chain; needed if several chains have it.")
    symbol: Symbol | None = Field(default=None, description="The token's symbol; free imports depend on it.")


class NotQualified(StrEnum):
    """Why a wallet cannot claim a token."""

    NOT_ELIGIBLE = "not_eligible"
    ALREADY_CLAIMED = "already_claimed"
    COPYCAT = "copycat"
    NOT_CLAIMABLE = "not_claimable"


class QualifyResponse(Wire):
    """Whether the wallet may claim the token. Optional fields are present if they apply."""

    success: Literal[True] = Field(description="Always true.")
    eligible: bool = Field(description="Whether the wallet may claim the token now.")
    qualification: Omittable[Qualification] = Field(default=None, description="How the wallet qualifies, if eligible.")
    price: Omittable[Usd] = Field(
        default=None, description="The claim's price in US dollars, if eligible; 0 means the import is free."
    )
    currency: Omittable[Literal["USD"]] = Field(default=None, description="Currency of the price.")
    pro_trial_days: Omittable[Count] = Field(default=None, description="Days of the pro plan that come with it.")
    reason: Omittable[NotQualified] = Field(default=None, description="Why not, if not eligible.")
    claimability: Omittable[Claimability] = Field(
        default=None, description="For copycat and not_claimable: the rule, and `supportEmail`."
    )


class ClaimFee(Wire):
    """The price of a claim, the same on every chain."""

    base_fee_usd: Usd = Field(description="The fee in US dollars.", examples=[25])
    multiplier: Number = Field(description="What the fee is multiplied by: 1.", examples=[1])
    total_fee_usd: Usd = Field(description="What a claim costs in US dollars, besides gas.", examples=[25])
    currency: Literal["USD"] = Field(description="Currency of the fee.")


class Attestation(Wire):
    """A statement of the operator about a registration, signed with each answer (`typ` registration-attestation+v1)."""

    id: Uuid = Field(description="Id of the statement.")
    kind: str = Field(description="What it is about, in the operator's words.", examples=["identity"])
    statement: str = Field(description="The statement.")
    created_at: Timestamp = Field(description="When it was made, ISO 8601 in UTC.")
    jws: Jws = Field(description="Compact JWS; its keys are at /api/v2/apps/jwks.")


class Attestations(Wire):
    """The operator's statements about a registration, oldest first."""

    token_id: TokenId
    chain_id: ChainNumber
    attestations: list[Attestation] = Field(description="The statements, oldest first.")


class EndReason(StrEnum):
    """Why a registration ended."""

    RELEASED = "released"
    SETTLED = "settled"
    EXPIRED = "expired"
    CHALLENGE_UPHELD = "challenge_upheld"


class Ended(Wire):
    """When and why a registration ended."""

    ended_at: Timestamp = Field(description="When it ended, ISO 8601 in UTC.")
    end_reason: EndReason = Field(description="Why it ended.")


class SymbolTakenBy(Wire):
    """The registration that a symbol has by another token."""

    taken_by: Omittable[TakenBy] = Field(default=None, description="That registration; absent if there is none.")


class UnifiedRegistration(Wire):
    """The first registration of a symbol over all chains."""

    symbol: members.Symbol
    owner: Address = Field(description="The wallet that owns it.")
    token_id: TokenId
    chain_id: ChainNumber
    status: Literal["confirmed", "pending"] = Field(description="pending: it waits for its block.")
    primary_type: ChainType = Field(description="Kind of the chain.")
    primary_claimed_at: Timestamp | None = Field(description="When it was claimed, ISO 8601 in UTC.")
    is_pending: bool = Field(description="Waits for its block.")


class AllChainsEntry(Wire):
    """One registration of the symbol."""

    token_id: TokenId
    owner: Address = Field(description="The wallet that owns it.")
    owner_type: ChainType = Field(description="Kind of the owner's address.")
    chain_type: ChainType = Field(description="Kind of the chain.")
    chain_id: ChainNumber
    is_linked: bool = Field(description="Linked to other registrations of the symbol.")
    is_active: bool = Field(description="Its heartbeat has not made it inactive.")
    deployment_count: Count = Field(description="Registrations linked together, this one included.")
    primary_chain_id: ChainNumber | None = Field(
        description="Chain of the oldest of them; null if that one or this one is on Solana."
    )
    is_pending: bool = Field(description="Waits for its block.")


class AllChains(Wire):
    """Every registration of a symbol."""

    symbol: members.Symbol
    crowns: list[AllChainsEntry] = Field(description="The registrations, oldest first.")


class Roles(Wire):
    """Who may act for a registration."""

    token_id: TokenId
    chain_id: ChainNumber
    owner: Address = Field(description="The wallet that owns it.")
    manager: Address | None = Field(description="The primary manager; null without one.")
    managers: list[Address] = Field(description="Wallets that may change its page, the primary one first.")
    maintainers: list[Address] = Field(description="Wallets that help with its page.")
    is_pending: bool = Field(description="Waits for its block.")
    as_of_block: BlockNumber = Field(description="Block up to which the registry's events are known.")
