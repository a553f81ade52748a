"""The chain's time on Solana."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from indexer.chains.solana.accounts import CLOCK, multiple_accounts, read_accounts, read_clock

if TYPE_CHECKING:
    from indexer.chains.solana.reader import SolanaReader


async def finalized_time(reader: "SolanaReader") -> datetime:
    """The time of the newest final block.

    Raises:
        RpcError: the nodes do not answer.
    """
    method, parameters = multiple_accounts([CLOCK], "finalized")
    (clock,) = read_accounts(await reader.request(method, *parameters), 1)[1]
    return datetime.fromtimestamp(read_clock(clock), UTC)
