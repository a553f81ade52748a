"""How far a chain is final."""

from datetime import datetime

from api.chains import ChainReaders
from api.claims.control import block_time
from indexer.chains.evm.reader import quantity
from indexer.chains.solana.clock import finalized_time
from warehouse.domain.addresses import AddressFormat
from warehouse.domain.chains import Chain


async def read_final_time(readers: ChainReaders, chain: Chain) -> datetime:
    """The time of the newest final block of an enabled chain.

    Raises:
        RpcError: the chain could not be read.
    """
    if chain.address_format is AddressFormat.BASE58:
        return await finalized_time(readers.solana(chain))
    reader = readers.of(chain)
    head = quantity(await reader.request("eth_blockNumber"))
    block = await reader.request("eth_getBlockByNumber", hex(max(head - chain.finality_blocks, 0)), False)
    return block_time(block)
