"""Wire shapes of the registration routes."""

from typing import Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import ChainId, EvmAddress, Symbol
from api.http.rendering import Number, Wire


class Identity(Wire):
    """The name and avatar of a registration."""

    display_name: str | None
    avatar_url: str | None


class CanonicalPeer(Wire):
    """The registration on another chain that this one belongs to."""

    chain_id: int
    crown_id: int


class VerifiedDomain(Wire):
    """A domain whose DNS names the registration."""

    domain: str
    verified_at: str
    vanity_enabled: bool


class Registration(Wire):
    """One registration. Optional fields are omitted if they have no value."""

    token_id: int = Field(examples=[7])
    owner: str = Field(examples=["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"])
    chain_id: int = Field(examples=[8453])
    symbol: str = Field(examples=["PEPE"])
    identity: Identity | None = None
    tier_count: int
    verified_domains: list[VerifiedDomain] | None = None
    canonical_peer: CanonicalPeer | None = None
    metadata_cid: str | None = None
    attestation_count: int | None = None


class HeartbeatComponents(Wire):
    """The four parts of the score, 0 to 100 each."""

    timestamp: Number | None
    volume: Number | None
    holders: Number | None
    confidence: Number | None


class HeartbeatSummary(Wire):
    """The token's heartbeat at its last scoring."""

    score: Number
    status: str = Field(description="grace_period, healthy, moderate, at_risk or inactive")
    last_updated: str | None
    components: HeartbeatComponents


class RegistrationStatus(Wire):
    """The status of a symbol on a chain. Fields without a value are null."""

    symbol: str
    chain_id: int
    chain: str
    status: str = Field(description="available, unclaimed, grace_period, claimed, owned or inactive")
    token_id: int | None
    owner: str | None
    token_address: str | None
    crown_contract_address: str | None
    managers: list[str]
    minted_at: str | None
    mint_timestamp: int | None
    verification_method: str | None
    verified_at: str | None
    heartbeat: HeartbeatSummary | None
    metadata: dict[str, Any] | None
    metadata_cid: str | None
    verified_domains: list[VerifiedDomain] | None = Field(
        default=None, description="Present when there are any.", exclude_if=lambda domains: domains is None
    )


class Qualification(Wire):
    """How a wallet qualifies to claim a token."""

    method: str = Field(examples=["deployer"])
    confidence: Number = Field(examples=[1])
    message: str


class ClaimableToken(Wire):
    """A token that the wallet can claim."""

    address: str
    chain_id: str = Field(description="A number as text on EVM chains.", examples=["8453"])
    symbol: str
    name: str
    qualification: Qualification


class ClaimableTokens(Wire):
    """All tokens that the wallet can claim."""

    tokens: list[ClaimableToken]
    total: int


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
    wallet: EvmAddress
    token_address: EvmAddress
    chain_id: ChainId | None = None
    symbol: Symbol | None = None


class QualifyResponse(Wire):
    """Whether the wallet may claim the token. Optional fields are present if they apply."""

    success: bool
    eligible: bool
    qualification: Qualification | None = None
    price: Number | None = Field(default=None, description="In dollars; 0 means the import is free.")
    currency: str | None = None
    pro_trial_days: int | None = None
    reason: str | None = Field(
        default=None, description="not_eligible, already_claimed, copycat or not_claimable; only when not eligible"
    )
    claimability: dict[str, Any] | None = Field(
        default=None, description="For copycat and not_claimable: the rule, and `supportEmail`."
    )


class ClaimFee(Wire):
    """The price of a claim, the same on every chain."""

    base_fee_usd: Number = Field(examples=[25])
    multiplier: Number = Field(examples=[1])
    total_fee_usd: Number = Field(examples=[25])
    currency: str = Field(examples=["USD"])


class Attestation(Wire):
    """A statement of the operator about a registration, signed with each answer (`typ` registration-attestation+v1)."""

    id: str
    kind: str = Field(examples=["identity"])
    statement: str
    created_at: str
    jws: str = Field(description="Compact JWS; its keys are at /api/v2/apps/jwks.")


class Attestations(Wire):
    """The operator's statements about a registration, oldest first."""

    token_id: int
    chain_id: int
    attestations: list[Attestation]


class UnifiedRegistration(Wire):
    """The first registration of a symbol over all chains."""

    symbol: str
    owner: str
    token_id: int
    chain_id: int
    status: str = Field(description="confirmed or pending")
    primary_type: str = Field(description="evm or solana")
    primary_claimed_at: str | None = Field(description="Time of the claim.")
    is_pending: bool = Field(description="Waits for its block.")


class AllChainsEntry(Wire):
    """One registration of the symbol."""

    token_id: int
    owner: str
    owner_type: str = Field(description="evm or solana")
    chain_type: str = Field(description="evm or solana")
    chain_id: int
    is_linked: bool = Field(description="Linked to other registrations of the symbol.")
    is_active: bool = Field(description="Its heartbeat has not made it inactive.")
    deployment_count: int = Field(description="Registrations linked together, this one included.")
    primary_chain_id: int | None = Field(description="Chain of the oldest of them; null on Solana.")
    is_pending: bool


class AllChains(Wire):
    """Every registration of a symbol."""

    symbol: str
    crowns: list[AllChainsEntry]


class Roles(Wire):
    """Who may act for a registration."""

    token_id: int
    chain_id: int
    owner: str
    manager: str | None = Field(description="The primary manager.")
    managers: list[str]
    maintainers: list[str]
    is_pending: bool
    as_of_block: int = Field(description="Block up to which the registry's events are known.")
