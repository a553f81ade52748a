"""Wire shapes of the claim routes."""

from enum import StrEnum
from typing import Annotated, Any, Literal, get_args

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import ChainId, EvmAddress, Hash, Signature, Symbol, Whole
from api.http import members
from api.http.members import BlockNumber, ChainNumber, Count, Gas, HexBytes, Omittable, UnixSeconds, Wei
from api.http.rendering import Number, Wire
from warehouse.domain.copies import CopyRule
from warehouse.domain.registrable import Obstacle

_CLAIM: dict[str, Any] = {
    "symbol": "PEPE",
    "chainId": 8453,
    "tokenAddress": "0x6982508145454Ce325dDbE47a25d4ec3d2311933",
}
_WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"


class VerificationMethod(StrEnum):
    """How the chain shows that a wallet controls a token."""

    DEPLOYER = "deployer"
    OWNER = "owner"
    ADMIN = "admin"
    MINT_AUTHORITY = "mintAuthority"
    UPDATE_AUTHORITY = "updateAuthority"
    MAJORITY_HOLDER = "majorityHolder"


class ControllerMethod(StrEnum):
    """How the chain shows that a wallet runs a token; holding most of its supply does not count."""

    DEPLOYER = "deployer"
    OWNER = "owner"
    ADMIN = "admin"
    MINT_AUTHORITY = "mintAuthority"
    UPDATE_AUTHORITY = "updateAuthority"


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
    symbol: Symbol = Field(description="The symbol to register: the token's own, 1 to 12 letters or digits.")
    chain_id: ChainId
    token_address: EvmAddress = Field(description="The token's address.")
    claimer_address: EvmAddress = Field(description="The wallet that claims.")


class VerifyRequest(Wire):
    """The claim, and the wallet's signature of its message."""

    model_config = _example(walletAddress=_WALLET, signature="0x" + "1b" * 65, timestamp=1767225600)
    symbol: Symbol = Field(description="The symbol to register: the token's own, 1 to 12 letters or digits.")
    chain_id: ChainId
    token_address: EvmAddress = Field(description="The token's address.")
    wallet_address: EvmAddress = Field(description="The wallet that claims.")
    signature: Signature = Field(
        description="Of a plain wallet, a contract wallet (EIP-1271), or one that is not deployed yet (ERC-6492)."
    )
    timestamp: Whole = Field(description="The message's timestamp, unchanged.")


class BuildRequest(Wire):
    """The claim and the proof of control."""

    model_config = _example(walletAddress=_WALLET, proofHash="0x" + "ab" * 32)
    symbol: Symbol = Field(description="The symbol to register: the token's own, 1 to 12 letters or digits.")
    chain_id: ChainId
    token_address: EvmAddress = Field(description="The token's address.")
    wallet_address: EvmAddress = Field(description="The wallet that claims.")
    proof_hash: Hash | None = Field(
        default=None, description="May be omitted while an earlier proof of the same claim is valid."
    )


class ClaimParams(Wire):
    """The claim as the service read it."""

    symbol: members.Symbol
    chain_id: ChainNumber
    token_address: members.EvmAddress = Field(description="The token's address, with its EIP-55 checksum.")
    claimer_address: members.EvmAddress = Field(description="The wallet that claims, with its EIP-55 checksum.")
    timestamp: UnixSeconds = Field(description="When the message was made, in Unix seconds.")


class FeeEstimate(Wire):
    """What the claim will cost, in wei as hexadecimal text; null if unknown now."""

    gas_limit: Gas = Field(description="Most gas that the transaction may use.")
    max_fee_per_gas: Wei | None = Field(description="Price of a unit of gas to offer, in wei.")
    contract_fee: Wei | None = Field(description="The registration fee, in wei.")
    gas_estimate: Gas = Field(description="Gas that the transaction is expected to use.")
    gas_price: Wei | None = Field(description="Present price of a unit of gas, in wei.")
    total_gas_cost: Wei | None = Field(description="`gasEstimate` times `gasPrice`, in wei.")
    total_estimate: Wei | None = Field(description="`contractFee` plus `totalGasCost`, in wei.")


class MessageResponse(Wire):
    """The message to sign."""

    message: str = Field(description="The text to sign with personal_sign, or as EIP-1271 and ERC-6492 say.")
    timestamp: UnixSeconds = Field(description="When the message was made; send it back unchanged.")
    params: ClaimParams = Field(description="The claim as the service read it.")
    fee_estimate: FeeEstimate = Field(description="What the claim will cost.")


class VerifyResponse(Wire):
    """Whether control of the token is proved, and how."""

    verified: bool = Field(description="Whether the wallet signed the message and controls the token.")
    verification_method: VerificationMethod | None = Field(
        description="What showed control; null if nothing did.", examples=["deployer"]
    )
    methods_attempted: list[VerificationMethod] = Field(
        description="What was tried, in this order; empty if the signature is not the wallet's.",
        examples=[["deployer"]],
    )
    message: str = Field(description="The outcome, in a sentence.")
    proof_hash: members.Hash | None = Field(description="The proof, for POST /claim; null without one.")
    expires_at: UnixSeconds | None = Field(
        description="When the proof ends, 24 hours after the message; Unix seconds. Null without one."
    )
    proof_jws: members.Jws | None = Field(
        default=None,
        description="The proof as a signed statement of kind `claim-proof+v1`; null without a proof.",
    )


class UnsignedTransaction(Wire):
    """A transaction for the claiming wallet to sign and send."""

    to: members.EvmAddress = Field(description="The registry contract.")
    data: HexBytes = Field(description="The call, ABI-encoded.")
    value: Wei = Field(description="The registration fee in wei, in hexadecimal digits with 0x.")
    chain_id: ChainNumber
    gas_limit: Gas = Field(description="Most gas that it may use, in hexadecimal digits with 0x.")


class BuildResponse(Wire):
    """The transaction that claims the registration, and its costs."""

    success: Literal[True] = Field(description="Always true.")
    transaction: UnsignedTransaction = Field(description="To be signed and sent by the claiming wallet.")
    fee_estimate: FeeEstimate = Field(description="What the claim will cost.")
    message: str = Field(description="What to do next, and until when.")


class TransactionState(StrEnum):
    """What became of a claim's transaction."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    FAILED = "failed"


class ClaimStatus(Wire):
    """The status of a claim's transaction."""

    tx_hash: members.Hash = Field(description="Hash of the transaction.")
    status: TransactionState = Field(
        description="confirmed: it registered the token; failed: it reverted, or registered nothing."
    )
    confirmations: Count = Field(description="Blocks since, its own included; 0 while it is pending.")
    block_number: BlockNumber | None = Field(description="Its block; null while it is pending.")


class ClaimMethod(Wire):
    """A way to prove control of a token."""

    method: VerificationMethod = Field(description="Its name in the answers of claims.")
    confidence: Number = Field(description="How much it says about who runs the token, from 0 to 1.")
    description: str = Field(description="What must be true of the wallet.")


class ChainKind(StrEnum):
    """A kind of chain."""

    EVM = "evm"
    SOLANA = "solana"


class ClaimMethods(Wire):
    """The ways to prove control of a token on a kind of chain, in the order in which they are checked."""

    chain_type: ChainKind = Field(description="The kind of chain.")
    methods: list[ClaimMethod] = Field(description="The first one that holds is used.")


class RefusalReason(StrEnum):
    """Why a token cannot be registered by a claim."""

    COPYCAT = "copycat"
    NOT_CLAIMABLE = "not_claimable"


CopyRuleName = Annotated[str, members.one_of("CopyRule", "What makes a token a copy.", get_args(CopyRule))]
RefusalRule = Annotated[
    str,
    members.one_of("RefusalRule", "The rule that refuses a token.", [*Obstacle, "not_a_token", *get_args(CopyRule)]),
]


class OriginalToken(Wire):
    """The token that a copy imitates."""

    chain_id: ChainNumber | None = Field(description="Its chain.")
    token_address: Omittable[members.Address] = Field(default=None, description="Its address; absent without one.")


class CopyEvidence(Wire):
    """The figures behind a copy verdict; what is not known is null."""

    weight_usd: members.Usd = Field(description="What the token weighs: depth in US dollars that its pools held.")
    senior_since: members.Timestamp | None = Field(description="Hour in which its present run of depth began.")
    senior_block: BlockNumber | None = Field(description="First block of that hour.")
    original_weight_usd: members.Usd | None = Field(description="The original's weight, its highest of 30 days.")
    original_senior_since: members.Timestamp | None = Field(description="Hour in which the original's run began.")
    original_senior_block: BlockNumber | None = Field(description="First block of that hour.")
    as_of_block: BlockNumber | None = Field(description="Block that the verdict holds as of.")
    as_of_time: members.Timestamp | None = Field(description="Time of that block.")
    weighed_through: members.Timestamp | None = Field(description="End of the last hour that was weighed.")
    operator_explanation: str | None = Field(description="Why an operator decided by hand; null if rules decided.")


class Claimability(Wire):
    """Why a token cannot be registered, and whom to ask."""

    claimable: Literal[False] = Field(description="Always false.")
    reason: RefusalReason = Field(description="The kind of reason.")
    rule: RefusalRule = Field(description="The rule that refuses it.", examples=["symbol_format"])
    message: str = Field(description="The reason, in a sentence.")
    support_email: str = Field(description="Whom to write to about it.", examples=["support@site.example"])
    original: Omittable[OriginalToken] = Field(
        default=None, description="The token that it imitates, or that the symbol is reserved for."
    )
    evidence: Omittable[CopyEvidence] = Field(default=None, description="The figures behind a verdict of a copy.")


class Refused(Wire):
    """What the answer to a refused claim adds to an error."""

    check: RefusalRule = Field(description="`copycat`, or the rule that refuses the token.", examples=["copycat"])
    claimability: Claimability = Field(description="The reason in detail.")
    support_email: str = Field(description="Whom to write to about it.", examples=["support@site.example"])
