"""Wire shapes of heartbeats."""

from typing import Literal

from pydantic import Field

from api.http.members import (
    Address,
    BlockNumber,
    ChainKey,
    ChainNumber,
    Count,
    NextCursor,
    Score,
    Symbol,
    Timestamp,
    TokenId,
)
from api.http.pages import NumberedPage
from api.http.rendering import Wire
from warehouse.domain.lifecycle import CRITICAL_BELOW, WARNING_BELOW, HeartbeatStatus, RiskLevel

Interval = Literal["hour", "day"]


class HeartbeatComponents(Wire):
    """The components of a score, each from 0 to 100."""

    timestamp: Score = Field(description="How recently the token was active.")
    volume: Score = Field(description="How much it is traded.")
    holders: Score = Field(description="How many hold it, and how spread its supply is.")
    confidence: Score = Field(description="How complete the data behind the score are.")


class Heartbeat(Wire):
    """A token's current score."""

    symbol: Symbol
    chain_id: ChainNumber
    score: Score = Field(description="The weighted mean of the components, from 0 to 100.")
    status: HeartbeatStatus = Field(description="What the score means.")
    last_updated: Timestamp = Field(description="The hour that was scored, ISO 8601 in UTC.")
    components: HeartbeatComponents = Field(description="What the score is made of.")
    token_address: Address
    as_of_block: BlockNumber = Field(description="The block that the score is as of.")


class HeartbeatPoint(Wire):
    """A score as of an hour."""

    timestamp: Timestamp = Field(description="The hour that was scored, ISO 8601 in UTC.")
    score: Score = Field(description="The weighted mean of the components, from 0 to 100.")
    status: HeartbeatStatus = Field(description="What the score meant in that hour.")
    components: HeartbeatComponents = Field(description="What the score was made of.")
    weights_version: int = Field(description="Version of the weights of the components.")
    as_of_block: BlockNumber = Field(description="The block that the score is as of.")


class HistoryPagination(Wire):
    """The place of the page, and the cursor of the next."""

    returned: Count = Field(description="Points on this page.")
    limit: Count = Field(description="Points per page.")
    has_more: bool = Field(description="Whether earlier points follow.")
    next_cursor: NextCursor


class HeartbeatHistory(Wire):
    """Scores over time, newest first."""

    symbol: Symbol
    chain_id: ChainNumber
    token_address: Address
    interval: Interval = Field(description="The time between points.")
    begin: Timestamp = Field(alias="from", description="Beginning of the range, ISO 8601 in UTC.")
    end: Timestamp = Field(alias="to", description="End of the range, exclusive, ISO 8601 in UTC.")
    points: list[HeartbeatPoint] = Field(description="Scores of the range, newest first.")
    pagination: HistoryPagination = Field(description="The place of this page.")


class TokenAtRisk(Wire):
    """A registered token with a low score."""

    symbol: Symbol
    chain_id: ChainNumber
    chain_key: ChainKey
    token_address: Address
    token_id: TokenId
    owner: Address = Field(description="The wallet that owns the registration.")
    level: RiskLevel = Field(description=f"critical: below {CRITICAL_BELOW}; warning: below {WARNING_BELOW}.")
    score: Score = Field(description="The weighted mean of the components, from 0 to 100.")
    status: HeartbeatStatus = Field(description="What the score means.")
    last_updated: Timestamp = Field(description="The hour that was scored, ISO 8601 in UTC.")
    components: HeartbeatComponents = Field(description="What the score is made of.")
    as_of_block: BlockNumber = Field(description="The block that the score is as of.")


class PagePagination(NumberedPage):
    """The place of the page in the whole list."""


class LevelCounts(Wire):
    """How many tokens are at risk."""

    critical: Count = Field(description=f"Tokens with a score below {CRITICAL_BELOW}.")
    warning: Count = Field(description=f"Tokens with a score from {CRITICAL_BELOW} to below {WARNING_BELOW}.")


class TokensAtRisk(Wire):
    """Registered tokens with low scores, lowest first."""

    tokens: list[TokenAtRisk] = Field(description="The tokens of this page, lowest score first.")
    pagination: PagePagination = Field(description="The place of this page.")
    level_counts: LevelCounts = Field(description="How many of each level, on the chain asked for.")
