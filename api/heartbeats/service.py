"""Heartbeats from their rows."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from api.clock import Clock
from api.heartbeats.errors import NotScored
from api.heartbeats.repository import AtRiskMemory, HeartbeatRepository, ScoredToken
from api.heartbeats.schemas import (
    Heartbeat,
    HeartbeatComponents,
    HeartbeatHistory,
    HeartbeatPoint,
    HistoryPagination,
    Interval,
    LevelCounts,
    PagePagination,
    TokenAtRisk,
    TokensAtRisk,
)
from api.http import cursors
from api.http.pages import cut_page
from api.http.times import range_of, timestamp
from api.registrations.repository import TokenRecord
from api.registrations.statuses import heartbeat_status
from api.symbols.states import SymbolStates
from api.tokens.errors import TokenNotFound
from warehouse.domain.addresses import checksum_address
from warehouse.domain.chains import Chain, Chains
from warehouse.domain.lifecycle import CRITICAL_BELOW, RISK_LEVELS, WARNING_BELOW, RiskLevel
from warehouse.readers import heartbeats as readings
from warehouse.readers.source import Source

STEP_SECONDS = {"hour": 3_600, "day": 86_400}
DEFAULT_SPAN = {"hour": timedelta(days=7), "day": timedelta(days=90)}


class HeartbeatService:
    """Answers of the heartbeat routes."""

    def __init__(
        self, memory: AtRiskMemory, states: SymbolStates, source: Source, chains: Chains, clock: Clock
    ) -> None:
        self.repository = HeartbeatRepository(memory.store, memory)
        self.states = states
        self.source = source
        self.chains = chains
        self.clock = clock

    async def current(self, symbol: str, chain: Chain, address: str | None) -> Heartbeat:
        """The current score.

        Raises:
            TokenNotFound, ChainNotIndexed: there is no such token, or it is unknown.
            InvalidInput: the token at the address has another symbol.
            NotScored: it has no score yet.
        """
        row, minted_at = await self._token(symbol, chain, address)
        if row.score is None or row.scored_at is None:
            raise NotScored(f"symbol: {symbol} on {chain.name} has no score yet")
        return Heartbeat(
            symbol=symbol,
            chain_id=chain.chain_id,
            score=row.score,
            status=heartbeat_status(row.score, minted_at, self.clock.now()),
            last_updated=timestamp(row.scored_at),
            components=_components(row),
            token_address=checksum_address(row.address),
            as_of_block=row.as_of_block,
        )

    async def history(
        self,
        symbol: str,
        chain: Chain,
        address: str | None,
        *,
        begin: datetime | None,
        end: datetime | None,
        interval: Interval,
        limit: int,
        cursor: str | None,
    ) -> HeartbeatHistory:
        """Scores over time, newest first.

        Raises:
            TokenNotFound, ChainNotIndexed: there is no such token, or it is unknown.
            InvalidInput: the range ends before it begins, the cursor is invalid, or the token has another symbol.
        """
        begin, end = range_of(begin, end, self.clock.now(), DEFAULT_SPAN[interval])
        row, minted_at = await self._token(symbol, chain, address)
        # Steps are read whole: the cursor is the beginning of the last step on the page.
        reached = cursors.read_time(cursor) if cursor is not None else end
        points = await readings.read_heartbeats(
            self.source,
            chain.chain_id,
            row.address.removeprefix("0x"),
            begin=begin,
            end=min(reached, end),
            step_seconds=STEP_SECONDS[interval],
            limit=limit + 1,
        )
        given, more = cut_page(points, limit)
        following = None
        if more:
            following = cursors.write_time(_step_of(given[-1].hour, STEP_SECONDS[interval]))
        return HeartbeatHistory(
            symbol=symbol,
            chain_id=chain.chain_id,
            token_address=checksum_address(row.address),
            interval=interval,
            begin=timestamp(begin),
            end=timestamp(end),
            points=[_point(point, minted_at) for point in given],
            pagination=HistoryPagination(returned=len(given), limit=limit, has_more=more, next_cursor=following),
        )

    async def at_risk(self, level: RiskLevel | None, chain: Chain | None, *, page: int, page_size: int) -> TokensAtRisk:
        """Registered tokens with low scores, lowest first."""
        least, below = RISK_LEVELS[level] if level else (Decimal(0), WARNING_BELOW)
        chain_id = chain.chain_id if chain else None
        levels = await self.repository.count_below(CRITICAL_BELOW, WARNING_BELOW, chain_id)
        offset = (page - 1) * page_size
        rows = await self.repository.registered_below(least, below, chain_id, limit=page_size, offset=offset)
        counts = asdict(levels)
        total = counts[level] if level else levels.critical + levels.warning
        return TokensAtRisk(
            tokens=self._at_risk(rows),
            pagination=PagePagination.of(total=total, offset=offset, returned=len(rows), page_size=page_size),
            level_counts=LevelCounts(**counts),
        )

    def _at_risk(self, rows: Sequence[ScoredToken]) -> list[TokenAtRisk]:
        now = self.clock.now()
        tokens = []
        for row in rows:
            chain = self.chains.by_id(row.chain_id)
            tokens.append(
                TokenAtRisk(
                    symbol=row.symbol_key,
                    chain_id=row.chain_id,
                    chain_key=chain.key if chain else str(row.chain_id),
                    token_address=checksum_address(row.address),
                    token_id=row.token_id,
                    owner=checksum_address(row.owner),
                    level=RiskLevel.CRITICAL if row.score < CRITICAL_BELOW else RiskLevel.WARNING,
                    score=row.score,
                    status=heartbeat_status(row.score, row.minted_at, now),
                    last_updated=timestamp(row.scored_at),
                    components=_components(row),
                    as_of_block=row.as_of_block,
                )
            )
        return tokens

    async def _token(self, symbol: str, chain: Chain, address: str | None) -> tuple[TokenRecord, datetime | None]:
        """The token that is meant, and when its registration was minted."""
        state = await self.states.of(symbol, chain, address)
        if state.token is None:
            raise TokenNotFound(symbol, chain, address)
        return state.token, None if state.registration is None else state.registration.minted_at


def _components(row: TokenRecord | ScoredToken) -> HeartbeatComponents:
    return HeartbeatComponents(
        timestamp=row.timestamp_score,
        volume=row.volume_score,
        holders=row.holders_score,
        confidence=row.confidence_score,
    )


def _point(point: readings.HeartbeatPoint, minted_at: datetime | None) -> HeartbeatPoint:
    # A mint after that hour gives no grace period.
    minted = minted_at if minted_at is not None and minted_at <= point.hour else None
    return HeartbeatPoint(
        timestamp=timestamp(point.hour),
        score=point.score,
        status=heartbeat_status(point.score, minted, point.hour),
        components=HeartbeatComponents(
            timestamp=point.timestamp_score,
            volume=point.volume_score,
            holders=point.holders_score,
            confidence=point.confidence_score,
        ),
        weights_version=point.weights_version,
        as_of_block=point.as_of_block,
    )


def _step_of(moment: datetime, seconds: int) -> datetime:
    """The start of the step that contains a time."""
    at = int(moment.timestamp())
    return datetime.fromtimestamp(at - at % seconds, UTC)
