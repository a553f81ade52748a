"""Wire shapes of search: one result, a page of them, and what the whole result holds."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from api.apps.pages import InstalledApp
from api.claims.schemas import CopyEvidence, CopyRuleName, VerificationMethod
from api.http.members import (
    Address,
    BlockNumber,
    ChainKey,
    ChainNumber,
    Count,
    NextCursor,
    Omittable,
    Score,
    Symbol,
    Timestamp,
    TokenId,
    UnixSeconds,
    Uri,
    Usd,
    integer,
    number,
    one_of,
)
from api.http.pages import NumberedPage
from api.http.rendering import Number, Wire
from api.registrations.schemas import StatusName
from api.search.parameters import ALL, ORDERS, SORT_COLUMNS
from api.search.ranking import STATUS_FILTERS, Level
from warehouse.domain.mints import TokenProgram
from warehouse.domain.trust import TRUST_FLAGS

Source = Literal["registry", "indexer", "market"]
MatchLevel = Annotated[str, one_of("MatchLevel", "How the symbol matches.", [level.name.lower() for level in Level])]
TokenProgramName = Annotated[str, one_of("TokenProgram", "A token program of Solana.", TokenProgram)]
TrustFlag = Annotated[str, one_of("TrustFlag", "What holders of a token of Solana should know.", TRUST_FLAGS)]
StatusFilter = Annotated[str, one_of("StatusFilter", "A filter on the status.", [ALL, *STATUS_FILTERS])]
SortField = Annotated[str, one_of("SortField", "What results are ordered by.", SORT_COLUMNS)]
SortOrder = Annotated[str, one_of("SortOrder", "Direction of the order.", ORDERS)]


class Authorities(Wire):
    """Who may do what with a mint of Solana; null for nobody."""

    mint: Address | None = Field(description="May mint more tokens.")
    freeze: Address | None = Field(description="May freeze anyone's tokens.")
    update: Address | None = Field(description="May change the name and the symbol.")


class TokenFigures(Wire):
    """A token as it is known; what is not known is null."""

    address: Address | None = Field(description="Null where the symbol is available.")
    symbol: str = Field(description="The token's own symbol, as its contract writes it.", examples=["PEPE"])
    name: str | None = Field(default=None, description="The token's name.")
    name_source: Source | None = Field(default=None, description="Who says the name.")
    logo_url: str | None = Field(default=None, description="Its logo: a link with https or ipfs.")
    website: str | None = Field(default=None, description="Its site.")
    twitter: str | None = Field(default=None, description="Handle or link.")
    telegram: str | None = Field(default=None, description="Handle or link.")
    discord: str | None = Field(default=None, description="Handle or link.")
    decimals: int | None = Field(default=None, description="Digits after the point of a whole token.")
    holders: Count | None = Field(default=None, description="Addresses with a balance above zero.")
    market_cap: Usd | None = Field(default=None, description="Price times circulating supply, in US dollars.")
    fdv: Usd | None = Field(default=None, description="Price times total supply, in US dollars.")
    volume24h: Usd | None = Field(
        default=None, alias="volume24h", description="Traded in the last 24 hours, in US dollars."
    )
    price_usd: Usd | None = Field(default=None, description="Price of a whole token in US dollars.")
    price_change24h: Number | None = Field(
        default=None, alias="priceChange24h", description="Change of the price in 24 hours, in percent."
    )
    liquidity: Usd | None = Field(default=None, description="In its pools, in US dollars.")
    heartbeat_score: Score | None = Field(default=None, description="0 to 100; null before the first score.")
    token_rank: Annotated[int, integer("Position.", minimum=1)] | None = Field(
        default=None, description="Position by market score over all chains, from 1."
    )
    is_copy: bool = Field(default=False, description="Whether the token impersonates another.")
    program: Omittable[TokenProgramName] = Field(default=None, description="On Solana: the program that keeps it.")
    authorities: Omittable[Authorities] = Field(default=None, description="On Solana: who may do what with it.")
    trust_flags: Omittable[list[TrustFlag]] = Field(
        default=None, description="On Solana: what holders should know of it, sorted. `explain` says what each means."
    )


class RegistrationFigures(Wire):
    """The token's registration; null fields if there is none."""

    status: StatusName
    token_id: TokenId | None = Field(default=None, description="Id of the registration.")
    owner: Address | None = Field(default=None, description="The wallet that owns it.")
    manager: Address | None = Field(default=None, description="Delegated manager, if set.")
    token_address: Address | None = Field(default=None, description="The registered token.")
    crown_contract_address: Address | None = Field(default=None, description="The registry contract.")
    verification_method: VerificationMethod | None = Field(
        default=None, description="How control was proved; null for a registration that was not claimed here."
    )
    verified_at: Timestamp | None = Field(default=None, description="When control was proved, ISO 8601 in UTC.")
    mint_timestamp: UnixSeconds | None = Field(default=None, description="When it was registered, in Unix seconds.")


class Explanation(Wire):
    """The terms a result was ranked by, in the order they are compared."""

    level: MatchLevel = Field(description="How the symbol matched the query.")
    is_copy: bool = Field(description="Whether the token impersonates another.")
    copy_of: str | None = Field(description="CAIP-10 account of the token it copies.")
    copy_rule: CopyRuleName | None = Field(description="The rule that makes it a copy; null if it is none.")
    copy_evidence: CopyEvidence | None = Field(
        description="The figures behind the verdict, also of a token that is no copy; null before its first verdict."
    )
    same_symbol_on: list[ChainKey] = Field(
        description="Other chains that have a token of this symbol. Copies are judged on each chain by itself, so "
        "these may be somebody else's."
    )
    status: StatusName
    status_priority: Count = Field(description="0 ranks first.")
    market_score: Annotated[Decimal, number("From 0 to 1.", minimum=0, maximum=1)] = Field(
        description="0 to 1: 40 % market cap, 30 % volume, 30 % liquidity."
    )
    chain_priority: Count = Field(description="0 ranks first.")
    trust_flags: Omittable[dict[str, str]] = Field(
        default=None, description="On Solana: each trust flag of the token, and what it means. Flags do not rank."
    )


class CopyVerdict(Wire):
    """Why a token is judged a copy."""

    rule: CopyRuleName = Field(description="The rule that makes it a copy.")
    original: str = Field(description="CAIP-10 account of the token it copies.")
    evidence: CopyEvidence | None = Field(description="The figures; null while they cannot be read.")


class SearchResult(Wire):
    """One token, or one chain on which the symbol is available."""

    chain_id: ChainNumber
    chain_name: str = Field(description="Name of the chain.", examples=["Base"])
    chain_key: ChainKey
    source: Source = Field(description="The first of `sources`.")
    sources: list[Source] = Field(description="Who knows of it, the foremost first.")
    has_crown: bool = Field(description="Whether a registration of this token is active.")
    share_url: Uri = Field(description="Its page.")
    token: TokenFigures = Field(description="The token; where the symbol is available, only the symbol.")
    registration: RegistrationFigures | None = Field(description="Null where the symbol is available.")
    as_of_block: BlockNumber | None = Field(
        default=None, description="Block the metrics are as of; null for available."
    )
    as_of_time: Timestamp | None = Field(default=None, description="Time of that block, ISO 8601 in UTC.")
    copy_verdict: Omittable[CopyVerdict] = Field(
        default=None, description="Only of a single token that is judged a copy: by which rule, of what, and why."
    )
    explain: Omittable[Explanation] = Field(default=None, description="Only with explain=true.")
    apps: Omittable[list[InstalledApp]] = Field(
        default=None, description="Only with include=apps: the apps on a registered token's page, in its order."
    )


class Filters(Wire):
    """The filters applied; `all` where there is none."""

    chain: str = Field(description="Key of the chain, or `all`.", examples=["base"])
    status: StatusFilter = Field(description="The status, or `all`.")


class Sort(Wire):
    """The order applied."""

    field: SortField
    order: SortOrder


class Pagination(NumberedPage):
    """The place of the page in the whole result."""

    next_cursor: NextCursor


class PublishedState(Wire):
    """The published state that an answer shows."""

    version: Count = Field(description="Number of the publication.")
    published_at: Timestamp = Field(description="When it was published, ISO 8601 in UTC.")
    blocks: Mapping[str, BlockNumber] = Field(description="Last block of each chain in that state, by chain key.")


class Meta(Wire):
    """The whole result, over all pages."""

    total_results: Count = Field(description="Results on all pages.")
    chain_counts: Mapping[str, Count] = Field(description="Results by chain key.")
    status_counts: Mapping[str, Count] = Field(description="Results by status.")
    query_expanded: bool = Field(description="Whether other symbols than the query brought results.")
    expansion_queries: list[str] = Field(description="Other symbols that brought results, foremost first.")
    not_indexed: list[ChainKey] = Field(
        description="Chains that are not indexed here: what they have of the symbol is unknown."
    )
    as_of: PublishedState = Field(description="The state that the results are of.")


class SearchAnswer(Wire):
    """A page of results."""

    success: Literal[True] = Field(default=True, description="Always true.")
    symbol: Symbol = Field(description="The query, in upper case.")
    filters: Filters = Field(description="The filters applied.")
    sort: Sort = Field(description="The order applied.")
    results: list[SearchResult] = Field(description="The results of this page.")
    pagination: Pagination = Field(description="The place of this page.")
    meta: Meta = Field(description="The whole result, over all pages.")
