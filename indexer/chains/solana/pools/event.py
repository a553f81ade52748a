"""What an instruction did to a pool, as far as one transaction tells."""

from dataclasses import dataclass

from indexer.chains.solana.pools.programs import PoolProgram
from warehouse.domain.pool_programs import PoolAction


@dataclass(slots=True)
class PoolEvent:
    """One instruction on one pool, or on what may be one: whether ``pool`` was created by the program is not known yet.

    Tokens are in the order of their mints' bytes. Amounts are base units.

    Attributes:
        gain0: what the pool's vault gained of token0 while the instruction ran; negative is what it paid. Of a bonding
            curve's native coin, what was paid to it: what it pays out moves without an instruction.
        reserve0: what the vault held after the transaction.
        transaction_index: the transaction's place in its block.
        is_last: whether no later instruction of the transaction concerns the pool.
        sqrt_price_x64: the price that the instruction sets, 0 if none.
        liquidity: None where the instruction does not say it.
    """

    action: PoolAction
    program: PoolProgram
    pool: bytes
    block_number: int
    transaction_index: int
    transaction_hash: bytes
    sender: bytes
    token0: bytes = b""
    token1: bytes = b""
    gain0: int = 0
    gain1: int = 0
    reserve0: int = 0
    reserve1: int = 0
    is_last: bool = True
    sqrt_price_x64: int = 0
    position: bytes = b""
    ticks: tuple[int, int] | None = None
    liquidity: int | None = None
