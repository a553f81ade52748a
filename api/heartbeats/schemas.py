"""Wire shapes of heartbeats."""

from collections.abc import Mapping

from pydantic import Field

from api.http.pages import NumberedPage
from api.http.rendering import Number, Wire
from warehouse.domain.lifecycle import CRITICAL_BELOW, WARNING_BELOW


class Components(Wire):
    """The components of a score, each 0 to 100."""

    timestamp: Number = Field(description="Recency of activity.")
    volume: Number
    holders: Number
    confidence: Number = Field(description="How complete the data behind the score are.")


class Heartbeat(Wire):
    """A token's current score."""

    symbol: str
    chain_id: int
    score: Number = Field(description="Composite, 0 to 100.")
    status: str = Field(description="grace_period, healthy, moderate, at_risk or inactive.")
    last_updated: str
    components: Components
    token_address: str
    as_of_block: int


class HeartbeatPoint(Wire):
    """A score as of an hour."""

    timestamp: str
    score: Number
    status: str
    components: Components
    weights_version: int
    as_of_block: int


class HistoryPagination(Wire):
    """The place of the page, and the cursor of the next."""

    returned: int
    limit: int
    has_more: bool
    next_cursor: str | None


class HeartbeatHistory(Wire):
    """Scores over time, newest first."""

    symbol: str
    chain_id: int
    token_address: str
    interval: str
    begin: str = Field(alias="from")
    end: str = Field(alias="to")
    points: list[HeartbeatPoint]
    pagination: HistoryPagination


class TokenAtRisk(Wire):
    """A registered token with a low score."""

    symbol: str
    chain_id: int
    chain_key: str
    token_address: str
    token_id: int
    owner: str
    level: str = Field(description=f"critical below {CRITICAL_BELOW}, warning below {WARNING_BELOW}.")
    score: Number
    status: str
    last_updated: str
    components: Components
    as_of_block: int


class PagePagination(NumberedPage):
    """The place of the page in the whole list."""


class TokensAtRisk(Wire):
    """Registered tokens with low scores, lowest first."""

    tokens: list[TokenAtRisk]
    pagination: PagePagination
    level_counts: Mapping[str, int] = Field(description="How many of each level, on the chain asked for.")
