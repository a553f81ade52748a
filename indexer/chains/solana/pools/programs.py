"""The programs of a chain that keep pools, ready for looking up what an instruction does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from indexer.chains.solana.base58 import key_bytes
from warehouse.domain.chains import Chain, Dex
from warehouse.domain.pool_programs import PoolAction, PoolInstruction, PoolProtocol

# Every Anchor program has these: an event, which it logs by calling itself, and the upload of its own description.
HARMLESS = (bytes.fromhex("e445a52e51cb9a1d"), bytes.fromhex("40f4bc78a7e9690a"))
_UNKNOWN = (PoolInstruction(PoolAction.UNKNOWN, b"", anywhere=True),)


@dataclass(frozen=True, slots=True)
class PoolProgram:
    """A declared program. ``instructions`` are by the first bytes of their data; ``lengths`` are how many, longest
    first. ``native`` is the mint that a bonding curve's native coin counts as."""

    dex: Dex
    protocol: PoolProtocol
    address: bytes
    native: bytes
    instructions: Mapping[bytes, Sequence[PoolInstruction]]
    lengths: Sequence[int]

    def named(self, data: bytes) -> Sequence[PoolInstruction]:
        """What an instruction with this data does: to several pools, perhaps; an unknown one to any."""
        for length in self.lengths:
            found = self.instructions.get(data[:length])
            if found is not None:
                return found
        return () if data.startswith(HARMLESS) else _UNKNOWN


def pool_programs(chain: Chain) -> dict[str, PoolProgram]:
    """The chain's programs that keep pools, by address."""
    protocols = set(PoolProtocol)
    return {dex.factory: _program(chain, dex) for dex in chain.dexes if dex.protocol in protocols and dex.instructions}


def _program(chain: Chain, dex: Dex) -> PoolProgram:
    instructions: dict[bytes, tuple[PoolInstruction, ...]] = {}
    for item in dex.instructions:
        instructions[item.discriminator] = (*instructions.get(item.discriminator, ()), item)
    return PoolProgram(
        dex,
        PoolProtocol(dex.protocol),
        key_bytes(dex.factory),
        key_bytes(chain.wrapped_native) if chain.wrapped_native else b"",
        {data: () if items[0].action is PoolAction.IGNORE else items for data, items in instructions.items()},
        sorted({len(data) for data in instructions}, reverse=True),
    )
