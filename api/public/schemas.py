"""Wire shapes of the public reads. Unknown values are null, never 0."""

from pydantic import Field

from api.apps.pages import InstalledApp
from api.http.members import (
    Address,
    BlockNumber,
    Caip2,
    ChainKey,
    Count,
    Digits,
    Omittable,
    Symbol,
    Timestamp,
    TokenId,
    Uri,
    Usd,
)
from api.http.rendering import Number, Wire
from api.search.schemas import TrustFlag


class BlockReached(Wire):
    """The block that an answer's metrics are as of."""

    block: BlockNumber | None = Field(description="Number of the block; null before the token is published.")
    time: Timestamp | None = Field(description="Its time, ISO 8601 in UTC.")


class Market(Wire):
    """The coin's market."""

    price_usd: Usd | None = Field(default=None, description="Price of a whole token in US dollars.")
    market_cap_usd: Usd | None = Field(default=None, description="Price times circulating supply, in US dollars.")
    volume24h_usd: Usd | None = Field(
        default=None, alias="volume24hUsd", description="Traded in the last 24 hours, in US dollars."
    )
    liquidity_usd: Usd | None = Field(default=None, description="In its pools, in US dollars.")
    price_change24h_pct: Number | None = Field(
        default=None, alias="priceChange24hPct", description="Change of the price in 24 hours, in percent."
    )


class Coin(Wire):
    """A verified coin."""

    symbol: Symbol
    name: str = Field(description="Name of the coin.")
    chain: ChainKey
    chain_id: Caip2
    crown_id: TokenId
    token_address: Address = Field(description="Address of its token.")
    logo_url: str | None = Field(description="Null for a page marked NSFW.")
    nsfw: bool = Field(description="Whether its page is not for everyone's eyes.")
    page_url: Uri = Field(description="Its page.")
    market: Market = Field(description="Its market.")
    holders: Count | None = Field(description="Addresses with a balance above zero.")
    trust_flags: Omittable[list[TrustFlag]] = Field(
        default=None, description="On Solana: what holders should know of the token, sorted."
    )
    as_of: BlockReached = Field(description="The block that the figures are as of.")


class CoinApps(Wire):
    """The apps on a coin's page, in the page's own order."""

    symbol: Symbol
    chain: ChainKey
    chain_id: Caip2
    crown_id: TokenId
    apps: list[InstalledApp] = Field(description="The apps, in the page's order.")


class Holding(Wire):
    """A wallet's balance of a token."""

    chain: ChainKey
    chain_id: Caip2
    token: Address = Field(description="Address of the token.")
    wallet: Address = Field(description="The wallet.")
    balance: Digits = Field(description="In the token's smallest unit.")
    holds: bool = Field(description="Whether the balance is above zero.")
    as_of: BlockReached = Field(description="The block that the figures are as of.")


class Sites(Wire):
    """The verified sites of a coin. A host covers its subdomains."""

    chain: ChainKey
    chain_id: Caip2
    crown_id: TokenId
    symbol: Symbol
    badge_hosts: list[str] = Field(description="Sites that show the verified badge.")
    embed_hosts: list[str] = Field(description="Sites that may also run the coin's apps and its checkout.")
    interactive: bool = Field(description="Whether there are embed hosts, and embeds are turned on.")
