"""Input and output of every decoder: logs in, rows of one table by column out. No I/O, no state."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from indexer.chains.evm.tuned.hexadecimal import Bytes
from indexer.chains.evm.tuned.logs import Logs
from warehouse.domain.chains import Chain

Column: TypeAlias = NDArray[Any] | list[bytes]
Columns: TypeAlias = dict[str, Column]


@dataclass(frozen=True, slots=True)
class Frame:
    """Rows of ``table``, without the columns that the writer adds (chain, block time, unit).

    ``protocol`` is set on pool events: they count only if the pool is known to be of that protocol.
    """

    table: str
    columns: Columns
    protocol: str | None = None

    def __len__(self) -> int:  # noqa: D105
        return len(self.columns["block_number"])


@dataclass(frozen=True, slots=True)
class Dex:
    """A configured DEX: pools created by ``factory`` (the pool manager on V4) are genuine."""

    protocol: str
    name: bytes
    factory: bytes
    fee_ppm: int


@dataclass(frozen=True, slots=True)
class Scope:
    """The addresses of one chain that decide what a log means."""

    wrapped_native: bytes | None = None
    registry: bytes | None = None
    vaults: bytes | None = None
    dexes: Sequence[Dex] = field(default_factory=tuple)

    def of(self, protocol: str) -> list[Dex]:
        """Configured DEXes of ``protocol``."""
        return [dex for dex in self.dexes if dex.protocol == protocol]


Decoder: TypeAlias = Callable[[Logs, Scope], list[Frame]]


def scope_of(chain: Chain) -> Scope:
    """The scope of ``chain``."""
    registry, vaults = chain.contracts.get("registry"), chain.contracts.get("vaults")
    return Scope(
        wrapped_native=bytes.fromhex(chain.wrapped_native[2:]) if chain.wrapped_native else None,
        registry=bytes.fromhex(registry[2:]) if registry else None,
        vaults=bytes.fromhex(vaults[2:]) if vaults else None,
        dexes=tuple(
            Dex(dex.protocol, dex.name.encode(), bytes.fromhex(dex.factory[2:]), dex.fee_ppm) for dex in chain.dexes
        ),
    )


def matching(logs: Logs, topic: bytes, topics: int, words: int | None = None) -> Logs:
    """Logs of an event with as many topics and data words as its declaration has."""
    rows = logs.with_topic(topic)
    fits = logs.topic_count[rows] == topics
    if words is not None:
        fits &= logs.data_digits[rows] == 64 * words
    return logs.select(rows[fits])


def emitted_by(logs: Logs, address: bytes) -> NDArray[np.bool_]:
    """Which logs ``address`` emitted."""
    return np.asarray((logs.address() == np.frombuffer(address, np.uint8)).all(axis=1), np.bool_)


def position(logs: Logs) -> Columns:
    """Columns for the place of each log on the chain."""
    return {
        "block_number": logs.block_number,
        "log_index": logs.log_index,
        "transaction_hash": logs.transaction_hash(),
    }


def raw_log(logs: Logs) -> Frame:
    """The logs themselves, for events rare enough to be stored whole."""
    return Frame(
        "raw_log",
        {**position(logs), "address": logs.address(), "topics": logs.topics(), "data": logs.data()},  # type: ignore[dict-item]
    )


def zero_address(rows: int) -> Bytes:
    """The zero address, ``rows`` times."""
    return np.zeros((rows, 20), np.uint8)
