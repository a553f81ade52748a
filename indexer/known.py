"""Which pools and tokens the warehouse already has: queried in batches, remembered up to a bound."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from warehouse import sql
from warehouse.clickhouse import Warehouse

# An entry takes some 200 bytes, so memory stays bounded however long the chain is.
_MAX_ENTRIES = 200_000
# These take some 700 bytes each.
_MAX_IDENTITIES = 20_000
_MAX_UNREAD = 10_000
_PER_QUERY = 500
_NEVER = 2**64 - 1
UNREAD = "unread"
"""``read_status`` of a token that has to be read from the node."""

KeptT = TypeVar("KeptT")


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a contract was first seen on the chain."""

    block: int
    time: int


@dataclass(frozen=True, slots=True)
class Identity:
    """What the newest row of fact_token says of a token, on chains where a row is made from the one before.

    Attributes:
        pointer: the address that the token names for its metadata, empty for none.
        unread: the token has to be read from the node.
        read_block: block of the row.
    """

    origin: Origin
    name: str
    symbol: str
    decimals: int | None
    total_supply_raw: int | None
    program: str
    traits: frozenset[str]
    pointer: bytes
    unread: bool
    read_block: int


@dataclass(slots=True)
class Learned:
    """What one unit added: its pools, its tokens, and the contracts it created."""

    pools: dict[bytes, str] = field(default_factory=dict)
    tokens: dict[bytes, Origin | None] = field(default_factory=dict)
    creations: dict[bytes, Origin] = field(default_factory=dict)
    identities: dict[bytes, Identity] = field(default_factory=dict)


@dataclass(slots=True)
class Known:
    """Memory of one chain, with the warehouse behind it. That something is absent is remembered too, until it appears.

    The warehouse may lack the unit before the one being assembled, which is still being written. So what these two
    units added is never forgotten.

    Attributes:
        pools: protocol of each pool, empty for an address that is no pool of a configured DEX.
        tokens: origin of each token; None for a contract that was read and is no token.
        identities: newest row of each token, where rows are made from the ones before.
        owners: the token that each account with metadata is about.
        before: blocks from this one on are ignored: they are compared with the chain, or come after those that are.
    """

    warehouse: Warehouse
    chain_id: int
    before: int = _NEVER
    pools: dict[bytes, str] = field(default_factory=dict)
    tokens: dict[bytes, Origin | None] = field(default_factory=dict)
    identities: dict[bytes, Identity] = field(default_factory=dict)
    owners: dict[bytes, bytes] = field(default_factory=dict)
    _unread: dict[bytes, int] = field(default_factory=dict)
    _more_unread: bool = True
    _before: Learned = field(default_factory=Learned)
    _now: Learned = field(default_factory=Learned)
    _kept: dict[Any, Any] = field(default_factory=dict)

    def kept(self, make: "Callable[[Known], KeptT]") -> KeptT:
        """What a kind of chain remembers besides: made when first asked for, and dropped with this memory."""
        if make not in self._kept:
            self._kept[make] = make(self)
        found: KeptT = self._kept[make]
        return found

    def begin_unit(self) -> None:
        """Call before assembling a unit: all units but the previous one are in the warehouse."""
        self._before, self._now = self._now, Learned()
        if len(self.pools) > _MAX_ENTRIES:
            self.pools = dict(self._before.pools)
        if len(self.tokens) > _MAX_ENTRIES:
            self.tokens = dict(self._before.tokens)
        if len(self.identities) > _MAX_IDENTITIES:
            self.identities = dict(self._before.identities)
        if len(self.owners) > _MAX_ENTRIES:
            self.owners = {}

    def learn_pool(self, pool: bytes, protocol: str) -> None:
        """A configured DEX created this pool."""
        self.pools[pool] = self._now.pools[pool] = protocol

    def learn_token(self, address: bytes, origin: Origin | None) -> None:
        """This contract is a token of that origin; None says that it was read and is no token."""
        self.tokens[address] = self._now.tokens[address] = origin

    def learn_creation(self, address: bytes, origin: Origin) -> None:
        """This contract was created there; its first creation counts."""
        self._now.creations.setdefault(address, origin)

    def learn_identity(self, address: bytes, identity: Identity) -> None:
        """A row of this token was made."""
        self.identities[address] = self._now.identities[address] = identity
        self.learn_token(address, identity.origin)
        if not identity.unread:
            self._unread.pop(address, None)
        elif len(self._unread) < _MAX_UNREAD:
            self._unread[address] = identity.read_block
        else:
            self._more_unread = True

    def unread(self) -> dict[bytes, int]:
        """Tokens that have to be read from the node, with the block of their newest row; at most so many at once."""
        if self.before != _NEVER:
            return {}  # the node says what holds now, and not what held then
        if not self._unread and self._more_unread:
            rows = self.warehouse.rows(
                sql.load("queries/ingest/unread_tokens"), {"chain_id": self.chain_id, "limit": _MAX_UNREAD}
            )
            self._more_unread = len(rows) == _MAX_UNREAD
            found = {bytes.fromhex(row["address"]): row["read_block"] for row in rows}
            written = {**self._before.identities, **self._now.identities}  # newer than what the warehouse may have
            self._unread = {address: block for address, block in found.items() if address not in written}
        return dict(self._unread)

    def protocols(self, pools: Collection[bytes]) -> dict[bytes, str]:
        """Protocol of each of these pools, empty where there is none."""
        missing = [pool for pool in pools if pool not in self.pools]
        self.pools.update(dict.fromkeys(missing, ""))
        for part in _parts(missing):
            for row in self._rows("queries/ingest/known_pools", "pools", part):
                self.pools[bytes.fromhex(row["pool"])] = row["protocol"]
        return {pool: self.pools[pool] for pool in pools}

    def recall_tokens(self, addresses: Iterable[bytes]) -> dict[bytes, Origin | None]:
        """What is known of these addresses. Those absent from the result are new."""
        asked = list(addresses)
        missing = [address for address in asked if address not in self.tokens]
        for part in _parts(missing):
            for row in self._rows("queries/ingest/known_tokens", "addresses", part):
                self.tokens[bytes.fromhex(row["address"])] = Origin(row["first_block"], row["first_time"])
        return {address: self.tokens[address] for address in asked if address in self.tokens}

    def recall_identities(self, addresses: Iterable[bytes]) -> dict[bytes, Identity]:
        """Newest rows of these tokens, as far as there are any."""
        asked = list(addresses)
        missing = [address for address in asked if address not in self.identities]
        for part in _parts(missing):
            for row in self._rows("queries/ingest/known_identities", "addresses", part):
                supply = row["total_supply_raw"]
                self.identities[bytes.fromhex(row["address"])] = Identity(
                    Origin(row["first_block"], row["first_time"]),
                    row["name"],
                    row["symbol"],
                    row["decimals"],
                    None if supply is None else int(supply),
                    row["program"],
                    frozenset(row["traits"]),
                    bytes.fromhex(row["pointer"]),
                    row["read_status"] == UNREAD,
                    row["newest_block"],
                )
        return {address: self.identities[address] for address in asked if address in self.identities}

    def controls(self, addresses: Sequence[bytes]) -> dict[tuple[bytes, str], bytes]:
        """Who is in charge of these tokens, by token and kind, without the units that are not in the warehouse yet."""
        found: dict[tuple[bytes, str], bytes] = {}
        for part in _parts(addresses):
            for row in self._rows("queries/ingest/known_controls", "addresses", part):
                found[bytes.fromhex(row["address"]), row["kind"]] = bytes.fromhex(row["account"])
        return found

    def creations(self, addresses: Sequence[bytes]) -> dict[bytes, Origin]:
        """Where these contracts were created, as far as their creation was seen in this unit or an earlier one."""
        found = {**self._now.creations, **self._before.creations}
        found = {address: found[address] for address in addresses if address in found}
        for part in _parts(addresses):
            for row in self._rows("queries/ingest/known_creations", "addresses", part):
                found[bytes.fromhex(row["address"])] = Origin(row["first_block"], row["first_time"])
        return found

    def _rows(self, name: str, parameter: str, part: Sequence[bytes]) -> list[dict[str, Any]]:
        wanted = {"chain_id": self.chain_id, "before": self.before, parameter: [item.hex() for item in part]}
        return self.warehouse.rows(sql.load(name), wanted)


def _parts(items: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (items[at : at + _PER_QUERY] for at in range(0, len(items), _PER_QUERY))
