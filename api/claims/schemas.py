"""Wire shapes of the claim routes."""

from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import ChainId, EvmAddress, Hash, Signature, Symbol, Whole
from api.http.rendering import Wire

_CLAIM: dict[str, Any] = {
    "symbol": "PEPE",
    "chainId": 8453,
    "tokenAddress": "0x6982508145454Ce325dDbE47a25d4ec3d2311933",
}
_WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


def _example(*, extra: Literal["ignore", "forbid"] = "ignore", **fields: Any) -> ConfigDict:
    return ConfigDict(
        extra=extra,
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        json_schema_extra={"examples": [{**_CLAIM, **fields}]},
    )


class MessageRequest(Wire):
    """The claimer and the claim. Later steps ignore fields that a client carries over from earlier ones."""

    model_config = _example(extra="forbid", claimerAddress=_WALLET)
    symbol: Symbol
    chain_id: ChainId
    token_address: EvmAddress
    claimer_address: EvmAddress


class VerifyRequest(Wire):
    """The claim, and the wallet's signature of its message."""

    model_config = _example(walletAddress=_WALLET, signature="0x" + "1b" * 65, timestamp=1767225600)
    symbol: Symbol
    chain_id: ChainId
    token_address: EvmAddress
    wallet_address: EvmAddress
    signature: Signature = Field(
        description="Of a plain wallet, a contract wallet (EIP-1271), or one that is not deployed yet (ERC-6492)."
    )
    timestamp: Whole = Field(description="The message's timestamp, unchanged.")


class BuildRequest(Wire):
    """The claim and the proof of control."""

    model_config = _example(walletAddress=_WALLET, proofHash="0x" + "ab" * 32)
    symbol: Symbol
    chain_id: ChainId
    token_address: EvmAddress
    wallet_address: EvmAddress
    proof_hash: Hash | None = Field(
        default=None, description="May be omitted while an earlier proof of the same claim is valid."
    )


class ClaimParams(Wire):
    """The claim as the service read it."""

    symbol: str
    chain_id: int
    token_address: str
    claimer_address: str
    timestamp: int


class FeeEstimate(Wire):
    """What the claim will cost, in wei as hexadecimal text; null if unknown now."""

    gas_limit: str
    max_fee_per_gas: str | None
    contract_fee: str | None = Field(description="The registration fee.")
    gas_estimate: str
    gas_price: str | None
    total_gas_cost: str | None
    total_estimate: str | None


class MessageResponse(Wire):
    """The message to sign."""

    message: str
    timestamp: int
    params: ClaimParams
    fee_estimate: FeeEstimate


class VerifyResponse(Wire):
    """Whether control of the token is proved, and how."""

    verified: bool
    verification_method: str | None = Field(examples=["deployer"])
    methods_attempted: list[str] = Field(examples=[["deployer"]])
    message: str
    proof_hash: str | None
    expires_at: int | None = Field(description="Unix seconds; a proof is valid for 24 hours.")
    proof_jws: str | None = Field(
        default=None,
        description="The proof as a signed statement of kind `claim-proof+v1`; null without a proof.",
    )


class UnsignedTransaction(Wire):
    """A transaction for the claiming wallet to sign and send."""

    to: str
    data: str
    value: str = Field(description="Wei as hexadecimal text: the registration fee.")
    chain_id: int
    gas_limit: str


class BuildResponse(Wire):
    """The transaction that claims the registration, and its costs."""

    success: bool
    transaction: UnsignedTransaction
    fee_estimate: FeeEstimate
    message: str


class ClaimStatus(Wire):
    """The status of a claim's transaction."""

    tx_hash: str
    status: str = Field(description="pending, confirmed or failed", examples=["confirmed"])
    confirmations: int
    block_number: int | None
