"""Scores as the store holds them."""

from decimal import Decimal

from api.core.store import Row, Store


class HeartbeatRepository:
    """Statements of the heartbeat routes."""

    def __init__(self, store: Store) -> None:
        self.reads = store.direct

    async def token(self, symbol: str, chain_id: int, address: str | None) -> Row | None:
        """The token a symbol means on a chain: the named one, else the registered one, else the original."""
        return await self.reads.row("heartbeat", {"symbol": symbol, "chain_id": chain_id, "address": address})

    async def registered_below(
        self, least: Decimal, below: Decimal, chain_id: int | None, *, limit: int, offset: int
    ) -> list[Row]:
        """Registered tokens with a score in the range, lowest first."""
        bounds = {"least": least, "below": below, "chain_id": chain_id, "limit": limit, "offset": offset}
        return await self.reads.rows("tokens_at_risk", bounds)

    async def count_below(self, critical: Decimal, warning: Decimal, chain_id: int | None) -> dict[str, int]:
        """How many registered tokens are below each threshold, each counted once."""
        bounds = {"critical": critical, "warning": warning, "chain_id": chain_id}
        return dict((await self.reads.rows("tokens_at_risk_counts", bounds))[0])
