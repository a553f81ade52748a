"""All decoders. Each subject is a module with ``decode(block, scope) -> Tables``, listed below."""

from indexer.chains.solana.blocks import DecodedBlock
from indexer.chains.solana.decoders import mints, registry, trades, transfers
from indexer.chains.solana.decoders.frame import Decoder, Scope, Tables, add_rows

DECODERS: tuple[Decoder, ...] = (transfers.decode, mints.decode, registry.decode, trades.decode)


def decode(block: DecodedBlock, scope: Scope, tables: Tables) -> None:
    """Add the rows of every decoder to ``tables``."""
    for decoder in DECODERS:
        add_rows(tables, decoder(block, scope))
