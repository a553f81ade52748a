"""Wire shapes of search: one result, a page of them, and what the whole result holds."""

from collections.abc import Mapping

from pydantic import Field

from api.apps.pages import InstalledApp
from api.http.pages import NumberedPage
from api.http.rendering import Number, Wire


class TokenFigures(Wire):
    """A token as it is known; what is not known is null."""

    address: str | None = Field(description="Null where the symbol is available.")
    symbol: str
    name: str | None = None
    name_source: str | None = None
    logo_url: str | None = None
    website: str | None = None
    twitter: str | None = None
    telegram: str | None = None
    discord: str | None = None
    decimals: int | None = None
    holders: int | None = None
    market_cap: Number | None = Field(default=None, description="USD.")
    fdv: Number | None = Field(default=None, description="USD.")
    volume24h: Number | None = Field(default=None, alias="volume24h", description="USD.")
    price_usd: Number | None = None
    price_change24h: Number | None = Field(default=None, alias="priceChange24h", description="Percent.")
    liquidity: Number | None = Field(default=None, description="USD.")
    heartbeat_score: Number | None = Field(default=None, description="0 to 100; null before the first score.")
    token_rank: int | None = Field(default=None, description="Position by market score over all chains.")
    is_copy: bool = Field(default=False, description="Whether the token impersonates another.")


class RegistrationFigures(Wire):
    """The token's registration; null fields if there is none."""

    status: str = Field(description="unclaimed, grace_period, claimed, owned or inactive.")
    token_id: int | None = None
    owner: str | None = None
    manager: str | None = Field(default=None, description="Delegated manager, if set.")
    token_address: str | None = None
    crown_contract_address: str | None = None
    verification_method: str | None = None
    verified_at: str | None = None
    mint_timestamp: int | None = Field(default=None, description="Unix seconds.")


class Explanation(Wire):
    """The terms a result was ranked by, in the order they are compared."""

    level: str = Field(description="How the symbol matched the query: exact, confusable or near.")
    is_copy: bool
    copy_of: str | None = Field(description="CAIP-10 account of the token it copies.")
    copy_rule: str | None = Field(description="registered, older_and_larger or major.")
    status: str
    status_priority: int = Field(description="0 ranks first.")
    market_score: Number = Field(description="0 to 1: 40 % market cap, 30 % volume, 30 % liquidity.")
    chain_priority: int = Field(description="0 ranks first.")


class SearchResult(Wire):
    """One token, or one chain on which the symbol is available."""

    chain_id: int
    chain_name: str
    chain_key: str
    source: str = Field(description="The first of `sources`.")
    sources: list[str] = Field(description="Any of registry, indexer and market.")
    has_crown: bool = Field(description="Whether a registration of this token is active.")
    share_url: str
    token: TokenFigures
    registration: RegistrationFigures | None = Field(description="Null where the symbol is available.")
    as_of_block: int | None = Field(default=None, description="Block the metrics are as of; null for available.")
    as_of_time: str | None = None
    explain: Explanation | None = Field(default=None, description="Only with explain=true.")
    apps: list[InstalledApp] | None = Field(
        default=None,
        description="Only with include=apps: the apps on a registered token's page, in its order.",
    )


class Filters(Wire):
    """The filters applied; `all` where there is none."""

    chain: str
    status: str


class Sort(Wire):
    """The order applied."""

    field: str
    order: str


class Pagination(NumberedPage):
    """The place of the page in the whole result."""

    next_cursor: str | None


class AsOf(Wire):
    """The published state the answer shows."""

    version: int
    published_at: str
    blocks: Mapping[str, int] = Field(description="Last block of each chain in that state, by chain key.")


class Meta(Wire):
    """The whole result, over all pages."""

    total_results: int
    chain_counts: Mapping[str, int]
    status_counts: Mapping[str, int]
    query_expanded: bool
    expansion_queries: list[str] = Field(description="Other symbols that brought results, foremost first.")
    as_of: AsOf


class SearchAnswer(Wire):
    """A page of results."""

    success: bool = True
    symbol: str
    filters: Filters
    sort: Sort
    results: list[SearchResult]
    pagination: Pagination
    meta: Meta
