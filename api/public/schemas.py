"""Wire shapes of the public reads. Unknown values are null, never 0."""

from pydantic import Field

from api.apps.pages import InstalledApp
from api.http.rendering import Number, Wire


class AsOf(Wire):
    """The block that an answer's metrics are as of."""

    block: int | None
    time: str | None = Field(description="ISO 8601.")


class Market(Wire):
    """The coin's market."""

    price_usd: Number | None = None
    market_cap_usd: Number | None = None
    volume24h_usd: Number | None = Field(default=None, alias="volume24hUsd")
    liquidity_usd: Number | None = None
    price_change24h_pct: Number | None = Field(default=None, alias="priceChange24hPct")


class Coin(Wire):
    """A verified coin."""

    symbol: str
    name: str
    chain: str
    chain_id: str = Field(description="CAIP-2.", examples=["eip155:8453"])
    crown_id: int
    token_address: str
    logo_url: str | None = Field(description="Null for a page marked NSFW.")
    nsfw: bool
    page_url: str
    market: Market
    holders: int | None
    as_of: AsOf


class CoinApps(Wire):
    """The apps on a coin's page, in the page's own order."""

    symbol: str
    chain: str
    chain_id: str
    crown_id: int
    apps: list[InstalledApp]


class Holding(Wire):
    """A wallet's balance of a token."""

    chain: str
    chain_id: str
    token: str
    wallet: str
    balance: str = Field(description="In the token's smallest unit.")
    holds: bool
    as_of: AsOf


class Sites(Wire):
    """The verified sites of a coin. A host covers its subdomains."""

    chain: str
    chain_id: str
    crown_id: int
    symbol: str
    badge_hosts: list[str] = Field(description="Sites that show the verified badge.")
    embed_hosts: list[str] = Field(description="Sites that may also run the coin's apps and its checkout.")
    interactive: bool
