"""Wire shapes of the challenge routes."""

from enum import StrEnum
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.challenges.rules import Check
from api.claims.inputs import Address, ChainSignature, Whole
from api.claims.schemas import ControllerMethod
from api.http import members
from api.http.examples import TOKEN, WALLET
from api.http.members import ChainNumber, Omittable, Timestamp, TokenId, UnixSeconds
from api.http.rendering import Wire

WeightUsd = Annotated[
    str,
    members.text("US dollars, as exact decimal digits.", pattern=r"^[0-9]+(\.[0-9]+)?$", examples=["64000.5"]),
]
"""A weight as text: it is compared with thresholds, so no digit may be lost."""


class ChallengeState(StrEnum):
    """What became of a challenge."""

    OPEN = "open"
    UNDECIDED = "undecided"
    REJECTED = "rejected"
    UPHELD = "upheld"
    WITHDRAWING = "withdrawing"
    ENDED = "ended"
    STOPPED = "stopped"
    VOID = "void"


class DecidedBy(StrEnum):
    """Who decided a challenge."""

    RULES = "rules"
    OPERATOR = "operator"


class ChallengeMessageRequest(Wire):
    """The challenger: a wallet and the token that it controls."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        extra="forbid",
        json_schema_extra={"examples": [{"tokenAddress": TOKEN, "walletAddress": WALLET}]},
    )
    token_address: Address = Field(description="The challenger's token.")
    wallet_address: Address = Field(description="Its deployer, owner or admin; on Solana its deployer or an authority.")


class ChallengeRequest(Wire):
    """The challenger and the wallet's signature of the message."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "tokenAddress": TOKEN,
                    "walletAddress": WALLET,
                    "signature": "0x" + "1b" * 65,
                    "timestamp": 1767225600,
                }
            ]
        },
    )
    token_address: Address = Field(description="The challenger's token.")
    wallet_address: Address = Field(description="Its deployer, owner or admin; on Solana its deployer or an authority.")
    signature: ChainSignature = Field(
        description=(
            "Of a plain wallet, a contract wallet (EIP-1271), or one that is not deployed yet (ERC-6492); on Solana "
            "the wallet's Ed25519 signature of the text, in base58."
        )
    )
    timestamp: Whole = Field(description="The message's timestamp, unchanged.")


class ChallengeMessage(Wire):
    """The message to sign."""

    message: str = Field(description="The text that the wallet signs.")
    timestamp: UnixSeconds = Field(description="Send it back unchanged with the signature, within ten minutes.")


class ChallengeSide(Wire):
    """One of the two tokens at an hour."""

    weight_usd: WeightUsd = Field(description="Depth in US dollars that its pools held for six sevenths of the window.")
    is_established: bool = Field(description="Whether it weighed enough then, or within the 30 days before.")
    senior_since: Timestamp | None = Field(description="Hour in which its run of depth began; null without depth.")


class ChallengeComparison(Wire):
    """Both tokens at an hour."""

    hour: Timestamp = Field(description="When the hour began.")
    challenger: ChallengeSide = Field(description="The challenger's token.")
    registered: ChallengeSide = Field(description="The registered token.")
    challenger_is_senior: bool | None = Field(description="Null where the order of the two is not known.")


class ChallengeEvidence(Wire):
    """The figures that a challenge is decided by."""

    at_mint: ChallengeComparison | None = Field(
        description="The last full hour before the mint; null where the index does not reach back to it."
    )
    at_opening: ChallengeComparison = Field(
        description="The hour in which the challenge was opened; in a refusal, the last complete hour."
    )
    is_migration: bool = Field(description="Whether the registered token is a migration of the challenger's.")


class Challenge(Wire):
    """A challenge of a registration. Times are ISO 8601; what has not happened is null."""

    id: members.Uuid = Field(description="Id of the challenge.")
    chain_id: ChainNumber = Field(description="The chain of the registration.")
    token_id: TokenId
    symbol: members.Symbol = Field(description="The registered symbol.")
    registered_token: members.Address = Field(description="The token that holds the registration.")
    challenger_token: members.Address = Field(description="The token whose controller opened the challenge.")
    challenger_wallet: members.Address = Field(description="The wallet that opened it.")
    verification_method: ControllerMethod = Field(description="How the wallet controlled the challenger's token.")
    state: ChallengeState = Field(
        description=(
            "`open`: waits for the hour that decides it. `undecided`: rules cannot decide; an operator does. "
            "`rejected`. `upheld`: the end of the registration is announced on the chain, or about to be. "
            "`withdrawing`: an operator has the announcement taken back. `ended`: the registration has ended. "
            "`stopped`: the announced end was stopped on the chain. `void`: there was nothing left to decide."
        )
    )
    opened_at: Timestamp = Field(description="When it was opened, in chain time.")
    decision_due_at: Timestamp = Field(description="End of the hour that decides it, in chain time.")
    decided_at: Timestamp | None = Field(description="When it was decided.")
    decided_by: DecidedBy | None = Field(description="Who decided it.")
    explanation: str | None = Field(description="Why, in words.")
    evidence: ChallengeEvidence | None = Field(description="The figures; null where it was decided without them.")
    announcement_transaction: members.Transaction | None = Field(description="The transaction that announced the end.")
    execution_transaction: members.Transaction | None = Field(
        description="The transaction by which this service executed the end; anyone may have done so."
    )
    ended_at: Timestamp | None = Field(description="When the registration ended, in chain time.")
    reserved_until: Timestamp | None = Field(
        description="Until then, in chain time, only the challenger's token can claim the symbol."
    )


class Challenges(Wire):
    """Challenges of a registration, oldest first."""

    token_id: TokenId
    chain_id: ChainNumber
    challenges: list[Challenge] = Field(description="The account's own, and those that were upheld.")


class FailedCheck(Wire):
    """What is missing, and the figures that show it."""

    check: Check = Field(description="The check that failed.")
    evidence: Omittable[ChallengeEvidence] = Field(default=None, description="The figures, where it depends on them.")
