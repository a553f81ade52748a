"""Wire shapes of the Solana claim routes."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.claims.inputs import Symbol, Text
from api.http import fields, members
from api.http.members import BlockNumber, Lamports, SolanaAddress, SolanaSignature, TokenId, UnixSeconds, Usd
from api.http.rendering import Wire

_CLAIM: dict[str, Any] = {
    "claimer": "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM",
    "symbol": "BONK",
    "tokenMint": "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263",
}
AddressText = Annotated[Text, Field(json_schema_extra=fields.SOLANA_ADDRESS)]


class SolanaClaimRequest(Wire):
    """The claim."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, frozen=True, json_schema_extra={"examples": [_CLAIM]}
    )
    claimer: AddressText = Field(description="The wallet that claims, signs and pays.")
    symbol: Symbol = Field(description="The symbol to register: the token's own, 1 to 12 letters or digits.")
    token_mint: AddressText = Field(description="The token's mint, of SPL Token or Token-2022.")


class SolanaCosts(Wire):
    """What the claimer pays, in lamports."""

    registration_fee: Lamports = Field(description="The registration fee, which goes to the treasury.")
    rent: Lamports = Field(
        description="Deposit for the registration's account. The owner gets nearly all of it back when it ends."
    )
    network_fee: Lamports = Field(description="The network's fee for the signatures, without a priority fee.")
    total: Lamports = Field(description="All of them.")


class SolanaBuildResponse(Wire):
    """The transaction that claims the registration, and how long it is valid."""

    success: Literal[True] = Field(description="Always true.")
    transaction: Annotated[str, members.text("A transaction of version 0, in base64.", format="byte")] = Field(
        description="To be signed and sent by the claiming wallet: in base64, with zeros for the missing signature."
    )
    crown_pda: SolanaAddress = Field(description="The account of the symbol, which will hold the registration.")
    symbol: members.Symbol
    token_mint: SolanaAddress = Field(description="The token's mint.")
    claimer: SolanaAddress = Field(description="The wallet that must sign, and pays.")
    costs: SolanaCosts = Field(description="What the claimer pays.")
    blockhash: SolanaAddress = Field(description="The recent blockhash in the transaction.")
    last_valid_block_height: BlockNumber = Field(
        description="The last block height at which the network takes this blockhash."
    )
    block_height: BlockNumber = Field(description="The block height now.")
    blockhash_seconds: Annotated[int, members.integer("Seconds.", minimum=0)] = Field(
        description="About how many seconds the blockhash remains valid."
    )
    expires_at: UnixSeconds = Field(
        description="Until when the service's authorisation counts, whatever blockhash is used; Unix seconds."
    )
    message: str = Field(description="What to do next, and until when.")


class SolanaQuoteResponse(Wire):
    """What a claim would cost now. Nothing is reserved or promised by it."""

    success: Literal[True] = Field(description="Always true.")
    symbol: members.Symbol
    token_mint: SolanaAddress = Field(description="The token's mint.")
    claimer: SolanaAddress = Field(description="The wallet that would claim.")
    crown_pda: SolanaAddress = Field(description="The account of the symbol.")
    price: Usd = Field(description="The registration fee in US dollars; 0 for a free claim.")
    currency: Literal["USD"] = Field(description="Currency of the price.")
    costs: SolanaCosts = Field(description="What the claimer would pay.")
    balance: Lamports = Field(description="What the claimer holds.")


class SolanaClaimState(StrEnum):
    """What became of the claims of a symbol."""

    UNCLAIMED = "unclaimed"
    PENDING = "pending"
    CONFIRMED = "confirmed"
    FAILED = "failed"


class SolanaClaimStatus(Wire):
    """The status of a symbol's claim."""

    symbol: members.Symbol
    status: SolanaClaimState = Field(
        description=(
            "confirmed: the symbol is registered, and registration reads show it; pending: a transaction was built and "
            "can still be sent, or its registration is about to be shown; failed: no transaction that was built "
            "registered it in time; unclaimed: none was built."
        )
    )
    crown_pda: SolanaAddress = Field(description="The account of the symbol.")
    token_id: TokenId | None = Field(description="Id of the registration; null without one.")
    owner: SolanaAddress | None = Field(description="The wallet that owns it; null without one.")
    token_mint: SolanaAddress | None = Field(description="The registered token's mint; null without a registration.")
    signature: SolanaSignature | None = Field(
        description="The transaction that registered it; null without one, or while it is not known."
    )
    slot: BlockNumber | None = Field(description="The slot of that transaction; null while it is not known.")
    expires_at: UnixSeconds | None = Field(
        description="While pending: when the last authorisation runs out, in Unix seconds; otherwise null."
    )
