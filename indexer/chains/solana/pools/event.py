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
        paid0: what the vault of token0 paid; ``received0`` is what it received by each transfer, gain0 the difference.
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
    paid0: int = 0
    paid1: int = 0
    received0: tuple[int, ...] = ()
    received1: tuple[int, ...] = ()
    reserve0: int = 0
    reserve1: int = 0
    is_last: bool = True
    sqrt_price_x64: int = 0
    position: bytes = b""
    ticks: tuple[int, int] | None = None
    liquidity: int | None = None

    @property
    def gain0(self) -> int:
        """See the class."""
        return sum(self.received0) - self.paid0

    @property
    def gain1(self) -> int:
        """See the class."""
        return sum(self.received1) - self.paid1
