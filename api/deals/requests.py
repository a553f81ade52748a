"""Bodies of deal requests. Members are named as the specification has them."""

from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StrictBool, WithJsonSchema

from api.claims.inputs import Address, ChainId, Text, Whole
from api.deals.states import DealType
from api.http.examples import WALLET
from api.http.rendering import Snake, Wire

MAX_MESSAGE = 2000
MAX_FLOOR_USD = 100_000_000
MAX_GROUP = 20


def _number(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("must be a number")
    amount = Decimal(value)
    if not amount.is_finite() or amount <= 0 or abs(amount.adjusted()) > 60:
        raise ValueError("must be more than 0")
    return amount


def _storable(value: Any) -> Any:
    if isinstance(value, str) and "\0" in value:
        raise ValueError("must not contain the character NUL")
    return value


Amount = Annotated[
    Decimal, BeforeValidator(_number), WithJsonSchema({"type": "number", "exclusiveMinimum": 0, "examples": [25000]})
]
"""A positive JSON number, read without loss (``ExactRoute``)."""
Words = Annotated[Text, AfterValidator(_storable), Field(max_length=MAX_MESSAGE)]
Currency = Annotated[Text, Field(max_length=64)]


class BuyoutTerms(Wire):
    """Terms of a buyout."""

    redemption_window: Whole | None = Field(
        default=None,
        ge=30,
        le=730,
        description="Days after the settlement in which the token's holders are paid their share.",
    )
    redemption_share_bps: Whole | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="With a window: what of the amount the token's holders get, in hundredths of a percent; the rest is"
        " paid to the registration's holder. Default: all of it.",
    )


class Ratio(Wire):
    """How many new tokens an old one is swapped for, as a fraction of whole numbers."""

    new_tokens: Whole = Field(ge=1, le=10**18, description="New tokens ...")
    old_tokens: Whole = Field(ge=1, le=10**18, description="... for this many old ones.")


class MigrationTerms(Wire):
    """Terms of a merge."""

    swap_window: Whole = Field(ge=1, le=730, description="Days in which holders can swap.")
    ratio: Ratio | None = Field(default=None, description="In whole tokens. Default: one for one.")
    new_token: Address | None = Field(
        default=None, description="What holders swap the registered token for. Without it the swap cannot be opened."
    )


class CollabTerms(Wire):
    """Terms of a collab."""

    proposed_symbol: Annotated[Text, AfterValidator(_storable), Field(min_length=1, max_length=16)] = Field(
        description="Symbol of the token to be launched."
    )
    partner_share_bps: Whole = Field(
        ge=1, le=9999, description="The partner's share of the creator's fee, in hundredths of a percent."
    )
    liquidity_commitment_usd: Amount = Field(description="Liquidity that the offerer commits, in US dollars.")


_OFFER: dict[str, Any] = {
    "deal_type": "buyout",
    "symbol": "PEPE",
    "chain_id": 8453,
    "agreed_amount": "25000",
    "agreed_currency": "USDC",
    "message": "We would like to take this over.",
    "offer_window_days": 30,
}


class OfferRequest(Snake):
    """An offer on a registration."""

    model_config = ConfigDict(json_schema_extra={"examples": [_OFFER]})

    deal_type: DealType = Field(description="What is offered; never assumed.")
    symbol: Annotated[Text, Field(max_length=32)] = Field(description="The registered symbol.")
    chain_id: ChainId = Field(description="Chain of the registration: its id or key.")
    token_address: Address | None = Field(default=None, description="The registered token, to be sure of it.")
    buyer_address: Address | None = Field(
        default=None, description="The wallet offered from. Default: the session's wallet."
    )
    agreed_amount: Annotated[Text, Field(max_length=128)] | None = Field(
        default=None, description="The price in whole units of the currency; of a buyout or project sale."
    )
    agreed_currency: Currency | None = Field(
        default=None, description="USDC, USDT, ETH or a token's address; on Solana USDC."
    )
    payment_method: Annotated[Text, Field(max_length=32)] | None = Field(
        default=None, description="`escrow` is refused: nothing is held for the parties."
    )
    message: Words | None = Field(default=None, description="To the holder.")
    offer_window_days: Literal[7, 14, 30, 60, 90] | None = Field(
        default=None, description="Days until an unanswered offer lapses. Default: 30. Not with a window of its own."
    )
    buyout_terms: BuyoutTerms | None = Field(default=None, description="Of a buyout.")
    migration_terms: MigrationTerms | None = Field(default=None, description="Of a merge, which needs them.")
    acquisition_terms: dict[str, Any] | None = Field(default=None, description="Of a project sale, as agreed.")
    collab_terms: CollabTerms | None = Field(default=None, description="Of a collab, which needs them.")


class DealGroupRequest(Wire):
    """Offers that take effect together."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"offers": [_OFFER, {**_OFFER, "symbol": "WOJAK"}]}]})

    offers: Annotated[list[OfferRequest], Field(min_length=2, max_length=MAX_GROUP)] = Field(
        description="The offers, each as for a single one."
    )


class DealAnswerRequest(Snake):
    """The answer of the holder."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"wallet_address": WALLET, "response_message": "Agreed."}]}
    )

    wallet_address: Address | None = Field(default=None, description="Who answers. Default: the session's wallet.")
    response_message: Words | None = Field(default=None, description="To the offerer.")


class DealRespondRequest(Snake):
    """The answer of the holder, as one of two words."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"action": "accept", "message": "Agreed."}]})

    action: Literal["accept", "reject"] = Field(description="What to do.")
    message: Words | None = Field(default=None, description="To the offerer.")


class DealCancelRequest(Snake):
    """Who cancels."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"wallet_address": WALLET}]})

    wallet_address: Address | None = Field(default=None, description="Who cancels. Default: the session's wallet.")


class FundsRequest(Wire):
    """What funds are to be shown for."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"walletAddress": WALLET, "currency": "USDC", "offerAmount": 25000, "chainId": 8453}]
        }
    )

    wallet_address: Address = Field(description="Whose balance is read; a wallet of the session.")
    currency: Currency = Field(description="USDC, USDT, ETH or a token's address; on Solana USDC.")
    offer_amount: Amount = Field(
        description="The offer as typed: 25000 is 25,000 USDC. For a collab the dollars of liquidity committed."
    )
    chain_id: Whole = Field(description="Chain of the offer.")
    symbol: Annotated[Text, Field(max_length=32)] | None = Field(default=None, description="What the offer is for.")


class OfferFloorRequest(Wire):
    """Which offers a holder takes; a member that is left out stays as it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"floorUsd": 1000, "offersDisabled": False}]})

    floor_usd: Whole | None = Field(
        default=None, ge=0, le=MAX_FLOOR_USD, description="Lowest offer in whole US dollars; 0 or null: none."
    )
    offers_disabled: StrictBool | None = Field(default=None, description="Whether no offers are taken at all.")


class DealConsentRequest(Wire):
    """The holder's signature of the consent, and what it was made with. On EVM chains all three are required; on Solana
    nothing is, or the signature alone."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"nonce": "81985529216486895", "deadline": 1795780800, "signature": "0x" + "1b" * 65}]
        }
    )

    nonce: Annotated[Text, Field(pattern=r"^[0-9]{1,78}$")] | None = Field(
        default=None, description="As in the document."
    )
    deadline: Annotated[Whole, Field(ge=0, le=2**40)] | None = Field(default=None, description="As in the document.")
    signature: Text | None = Field(
        default=None,
        description="Of a plain wallet, or of a contract wallet (EIP-1271), as 0x and hexadecimal digits. On Solana of "
        "the settlement's transaction, in base58, while the deal settles; left out before, to say that the offerer may "
        "ask for it.",
    )


class DealConfirmRequest(Wire):
    """The transaction that was sent."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"txHash": "0x" + "5e" * 32}]})

    tx_hash: Text = Field(description="Its hash; on Solana its first signature, in base58.")
