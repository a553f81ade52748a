"""Rows of the pool tables, by column."""

from dataclasses import dataclass, field

from indexer.chains.solana.blocks import log_index
from indexer.chains.solana.decoders.frame import Columns, Tables
from indexer.chains.solana.pools.event import PoolEvent
from indexer.chains.solana.pools.ranges import Range
from warehouse.domain.amm import tick_at_sqrt_ratio
from warehouse.domain.facts import BLOCK_TIME, FACT_TABLES
from warehouse.domain.pool_programs import PoolProtocol


@dataclass(slots=True)
class PoolRows:
    """The rows of one unit. Pools that no row concerns are absent."""

    tables: Tables = field(default_factory=dict)
    _placed: tuple[int, int] = (-1, -1)
    _next: int = 0
    _event: PoolEvent | None = None

    def pool(self, event: PoolEvent) -> None:
        """A pool was created."""
        dex = event.program.dex
        self._add(
            "fact_pool",
            event,
            protocol=dex.protocol.encode(),
            exchange=dex.name.encode(),
            factory=event.program.address,
            token0=event.token0,
            token1=event.token1,
            fee_ppm=dex.fee_ppm if event.program.protocol is PoolProtocol.CONSTANT_PRODUCT else 0,
            tick_spacing=0,
            hooks=b"",
        )

    def reserves(self, event: PoolEvent) -> None:
        """What the vaults held after the transaction."""
        self._state(event, event.reserve0, event.reserve1, 0)

    def price(self, event: PoolEvent, sqrt_price_x96: int) -> None:
        """A pool's price, where no swap set it; 0: it is unknown from here on."""
        self._state(event, 0, 0, sqrt_price_x96)

    def swap(
        self, event: PoolEvent, gains: tuple[int, int] | None = None, sqrt_price_x96: int = 0, liquidity: int = 0
    ) -> None:
        """A trade; ``gains`` replaces what the event says the pool gained."""
        gain0, gain1 = gains or (event.gain0, event.gain1)
        self._add(
            "fact_swap",
            event,
            sender=event.sender,
            recipient=b"",
            amount0_raw=gain0,
            amount1_raw=gain1,
            sqrt_price_x96=sqrt_price_x96,
            liquidity=liquidity,
            tick=_tick(sqrt_price_x96),
        )

    def liquidity(self, event: PoolEvent, ticks: Range, delta: int) -> None:
        """Liquidity given to a range or taken from it."""
        if delta:
            lower, upper = ticks
            self._add("fact_liquidity", event, tick_lower=lower, tick_upper=upper, liquidity_delta=delta)

    def moved(self, event: PoolEvent, before: Range, old: int, ticks: Range, new: int) -> None:
        """Liquidity went from one range to another."""
        self.liquidity(event, before, -old)
        self._event = None  # two rows of a table have two places
        self.liquidity(event, ticks, new)

    def position(self, event: PoolEvent, ticks: Range, liquidity: int) -> None:
        """A position's range and liquidity."""
        lower, upper = ticks
        self._add(
            "fact_pool_position",
            event,
            position=event.position,
            tick_lower=lower,
            tick_upper=upper,
            liquidity=liquidity,
        )

    def _state(self, event: PoolEvent, reserve0: int, reserve1: int, root: int) -> None:
        self._add(
            "fact_pool_state",
            event,
            reserve0_raw=reserve0,
            reserve1_raw=reserve1,
            sqrt_price_x96=root,
            tick=_tick(root),
        )

    def _place(self, event: PoolEvent) -> int:
        """The place of an event's rows: events are counted within their transaction, those without rows are not."""
        if event is not self._event:
            transaction = event.block_number, event.transaction_index
            self._next = self._next + 1 if transaction == self._placed else 0
            self._placed, self._event = transaction, event
        return log_index(event.transaction_index, self._next)

    def _add(self, table: str, event: PoolEvent, **values: object) -> None:
        standard = {
            "pool": event.pool,
            "block_number": event.block_number,
            "log_index": self._place(event),
            "transaction_hash": event.transaction_hash,
        }
        names = [name for name in FACT_TABLES[table].columns if name != BLOCK_TIME]
        columns: Columns = self.tables.setdefault(table, {name: [] for name in names})
        for name in names:
            columns[name].append(values[name] if name in values else standard[name])


def _tick(root: int) -> int:
    return tick_at_sqrt_ratio(root) if root else 0
