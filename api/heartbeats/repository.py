"""Scores as the store holds them."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from api.http.cache import Cache
from api.http.metrics import Metrics
from warehouse.store import Store

AT_RISK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class ScoredToken:
    """A registered token with its score, 0 to 100."""

    symbol_key: str
    chain_id: int
    address: str
    score: Decimal
    timestamp_score: Decimal
    volume_score: Decimal
    holders_score: Decimal
    confidence_score: Decimal
    scored_at: datetime
    as_of_block: int
    token_id: int
    owner: str
    minted_at: datetime


@dataclass(frozen=True, slots=True)
class AtRiskCounts:
    """How many registered tokens have a critical score, and how many a warning one; each is counted once."""

    critical: int
    warning: int


class AtRiskMemory:
    """Cached reads of tokens at risk: counting them joins all scores with all registrations, and scores change once an
    hour."""

    def __init__(self, store: Store, metrics: Metrics) -> None:
        self.store = store
        self.counts: Cache[AtRiskCounts] = Cache(
            "at_risk_counts", ttl_seconds=AT_RISK_SECONDS, metrics=metrics, limit=100
        )
        self.pages: Cache[list[ScoredToken]] = Cache(
            "at_risk_pages", ttl_seconds=AT_RISK_SECONDS, metrics=metrics, limit=200
        )


class HeartbeatRepository:
    """Statements of the heartbeat routes."""

    def __init__(self, store: Store, memory: AtRiskMemory) -> None:
        self.reads = store
        self.memory = memory

    async def registered_below(
        self, least: Decimal, below: Decimal, chain_id: int | None, *, limit: int, offset: int
    ) -> list[ScoredToken]:
        """Registered tokens with a score in the range, lowest first; a few seconds old at most."""
        bounds = {"least": least, "below": below, "chain_id": chain_id, "limit": limit, "offset": offset}
        return await self.memory.pages.get(
            tuple(bounds.values()), lambda: self.reads.rows("heartbeats/list_at_risk", bounds, ScoredToken)
        )

    async def count_below(self, critical: Decimal, warning: Decimal, chain_id: int | None) -> AtRiskCounts:
        """How many registered tokens are below each threshold, each counted once; a few seconds old at most."""
        bounds = {"critical": critical, "warning": warning, "chain_id": chain_id}

        async def count() -> AtRiskCounts:
            return (await self.reads.rows("heartbeats/count_at_risk", bounds, AtRiskCounts))[0]

        return await self.memory.counts.get(tuple(bounds.values()), count)
