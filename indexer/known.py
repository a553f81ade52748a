"""Which pools and tokens the warehouse already knows, asked for in sets and remembered up to a bound."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from warehouse import sql
from warehouse.clickhouse import Warehouse

# Entries are some 200 bytes: this bounds the memory of a process whatever the length of the chain.
_MAX_ENTRIES = 200_000
_PER_QUERY = 500


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a contract was first seen on the chain."""

    block: int
    time: int


@dataclass(slots=True)
class Learned:
    """What one unit taught: its pools, its tokens, and the contracts it created."""

    pools: dict[bytes, str] = field(default_factory=dict)
    tokens: dict[bytes, Origin | None] = field(default_factory=dict)
    creations: dict[bytes, Origin] = field(default_factory=dict)


@dataclass(slots=True)
class Known:
    """Memory of one chain. Negative answers are remembered too, until the thing appears.

    The warehouse is asked for what is not remembered. It may lack the unit before the one being assembled, which is
    still being written then, so what these two taught is never forgotten.

    Attributes:
        pools: protocol of each pool, empty for what is no pool of a configured exchange.
        tokens: origin of each token; None for a contract that was read and is not one.
    """

    warehouse: Warehouse
    chain_id: int
    pools: dict[bytes, str] = field(default_factory=dict)
    tokens: dict[bytes, Origin | None] = field(default_factory=dict)
    _before: Learned = field(default_factory=Learned)
    _now: Learned = field(default_factory=Learned)

    def begin_unit(self) -> None:
        """The next unit is being assembled: all but the one before it are in the warehouse."""
        self._before, self._now = self._now, Learned()
        if len(self.pools) > _MAX_ENTRIES:
            self.pools = dict(self._before.pools)
        if len(self.tokens) > _MAX_ENTRIES:
            self.tokens = dict(self._before.tokens)

    def learn_pool(self, pool: bytes, protocol: str) -> None:
        """A configured exchange made this pool."""
        self.pools[pool] = self._now.pools[pool] = protocol

    def learn_token(self, address: bytes, origin: Origin | None) -> None:
        """This contract is a token that comes from there, or None: it was read and is not one."""
        self.tokens[address] = self._now.tokens[address] = origin

    def learn_creation(self, address: bytes, origin: Origin) -> None:
        """This contract was created there, if it was not created before."""
        self._now.creations.setdefault(address, origin)

    def protocols(self, pools: Collection[bytes]) -> dict[bytes, str]:
        """Protocol of each of these pools, empty where there is none."""
        missing = [pool for pool in pools if pool not in self.pools]
        self.pools.update(dict.fromkeys(missing, ""))
        for part in _parts(missing):
            for row in self._rows("queries/ingest/known_pools", "pools", part):
                self.pools[bytes.fromhex(row["pool"])] = row["protocol"]
        return {pool: self.pools[pool] for pool in pools}

    def recall_tokens(self, addresses: Iterable[bytes]) -> dict[bytes, Origin | None]:
        """What is known of these addresses; those absent from the answer are new."""
        asked = list(addresses)
        missing = [address for address in asked if address not in self.tokens]
        for part in _parts(missing):
            for row in self._rows("queries/ingest/known_tokens", "addresses", part):
                self.tokens[bytes.fromhex(row["address"])] = Origin(row["first_block"], row["first_time"])
        return {address: self.tokens[address] for address in asked if address in self.tokens}

    def creations(self, addresses: Sequence[bytes]) -> dict[bytes, Origin]:
        """Where those of these contracts were created whose creation was seen, in this unit or before."""
        found = {**self._now.creations, **self._before.creations}
        found = {address: found[address] for address in addresses if address in found}
        for part in _parts(addresses):
            for row in self._rows("queries/ingest/known_creations", "addresses", part):
                found[bytes.fromhex(row["address"])] = Origin(row["first_block"], row["first_time"])
        return found

    def _rows(self, name: str, parameter: str, part: Sequence[bytes]) -> list[dict[str, Any]]:
        wanted = {"chain_id": self.chain_id, parameter: [item.hex() for item in part]}
        return self.warehouse.rows(sql.load(name), wanted)


def _parts(items: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (items[at : at + _PER_QUERY] for at in range(0, len(items), _PER_QUERY))
