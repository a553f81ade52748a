"""What is known of pools and positions from earlier blocks: queried in batches, remembered up to a bound."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from indexer.chains.solana.pools.ranges import Ladder, Range
from indexer.known import Known
from warehouse import sql
from warehouse.domain.pool_programs import PoolProtocol

_MAX_POOLS = 20_000
_MAX_POSITIONS = 200_000
_PER_QUERY = 500


@dataclass(slots=True)
class PoolState:
    """A pool after the last event. Its price is 0 where it is unknown; of a constant product it is never kept."""

    protocol: PoolProtocol
    token0: bytes
    token1: bytes
    sqrt_price_x96: int = 0
    ranges: dict[Range, int] = field(default_factory=dict)
    _ladder: Ladder | None = None

    @property
    def ladder(self) -> Ladder:
        """The liquidity, summed."""
        if self._ladder is None:
            self._ladder = Ladder(self.ranges)
        return self._ladder

    def add(self, ticks: Range, liquidity: int) -> None:
        """Add liquidity to a range; a negative amount takes it away."""
        total = self.ranges.get(ticks, 0) + liquidity
        if total:
            self.ranges[ticks] = total
        else:
            self.ranges.pop(ticks, None)
        self._ladder = None


@dataclass(slots=True)
class Position:
    """A position's pool, range and liquidity."""

    pool: bytes
    ticks: Range
    liquidity: int


@dataclass(slots=True)
class PoolBook:
    """Memory of one chain's pools, with the warehouse behind it. None is remembered for what is not there.

    The warehouse may lack the unit before the one being assembled, which is still being written: what these two units
    concerned is never forgotten.
    """

    known: Known
    pools: dict[bytes, PoolState | None] = field(default_factory=dict)
    positions: dict[bytes, Position | None] = field(default_factory=dict)
    _before: tuple[set[bytes], set[bytes]] = field(default_factory=lambda: (set(), set()))

    def begin_unit(self, pools: Iterable[bytes], positions: Iterable[bytes]) -> None:
        """Learn what the warehouse knows of the pools and positions that a unit concerns."""
        now = set(pools), set(positions)
        wanted = now[0] | self._before[0], now[1] | self._before[1]
        self._before = now
        if len(self.pools) > _MAX_POOLS:
            self.pools = {key: self.pools[key] for key in wanted[0] if key in self.pools}
        if len(self.positions) > _MAX_POSITIONS:
            self.positions = {key: self.positions[key] for key in wanted[1] if key in self.positions}
        self._read(self.pools, now[0], self._read_pools)
        self._read(self.positions, now[1], self._read_positions)

    def _read(self, into: dict[bytes, Any], wanted: set[bytes], read: Callable[[list[bytes]], None]) -> None:
        missing = sorted(key for key in wanted if key not in into)
        into.update(dict.fromkeys(missing))
        for at in range(0, len(missing), _PER_QUERY):
            read(missing[at : at + _PER_QUERY])

    def _read_pools(self, pools: list[bytes]) -> None:
        for row in self._rows("known_pool_states", pools):
            self.pools[bytes.fromhex(row["pool_hex"])] = PoolState(
                PoolProtocol(row["protocol"]),
                bytes.fromhex(row["token0_hex"]),
                bytes.fromhex(row["token1_hex"]),
                int(row["sqrt_price_x96"]),
            )
        for row in self._rows("known_ranges", [pool for pool in pools if self.pools[pool] is not None]):
            state = self.pools[bytes.fromhex(row["pool_hex"])]
            if state is not None:
                state.add((row["tick_lower"], row["tick_upper"]), int(row["liquidity"]))

    def _read_positions(self, positions: list[bytes]) -> None:
        for row in self._rows("known_positions", positions):
            self.positions[bytes.fromhex(row["position_hex"])] = Position(
                bytes.fromhex(row["pool_hex"]), (row["tick_lower"], row["tick_upper"]), int(row["liquidity"])
            )

    def _rows(self, name: str, keys: list[bytes]) -> list[dict[str, Any]]:
        if not keys:
            return []
        wanted = {"chain_id": self.known.chain_id, "before": self.known.before, "keys": [key.hex() for key in keys]}
        return self.known.warehouse.rows(sql.load(f"queries/ingest/{name}"), wanted)
