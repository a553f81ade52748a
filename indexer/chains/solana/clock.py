"""The chain's time on Solana, and how old it may be."""

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from indexer.chains.errors import NodeUnavailable, RpcError
from indexer.chains.jsonrpc import Call
from indexer.chains.solana.accounts import CLOCK, CONFIRMED, multiple_accounts, read_accounts, read_clock
from warehouse.domain.chains import Chain

if TYPE_CHECKING:
    from indexer.chains.solana.reader import SolanaReader

MAX_AGE_SECONDS = 60
"""How far a node's chain may be behind this machine's clock. Blocks come every 0.4 seconds, and their time is a few
seconds old."""
_PUBLIC_CLUSTERS = frozenset(
    {
        "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",  # mainnet
        "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",  # devnet
        "solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z",  # testnet
    }
)
CLOCK_CALL: Call = multiple_accounts([CLOCK], CONFIRMED)


def keeps_time(chain: Chain) -> bool:
    """Whether the chain's time follows the world's. That of a cluster of one's own may stand still or run ahead."""
    return chain.caip2 in _PUBLIC_CLUSTERS


def require_recent(answer: Any) -> None:
    """Require that a node is not behind, by its answer to ``CLOCK_CALL``.

    Raises:
        NodeUnavailable: it is, or does not say what time it is.
    """
    try:
        (clock,) = read_accounts(answer, 1)[1]
        age = int(time.time()) - read_clock(clock)
    except RpcError as error:
        raise NodeUnavailable(f"a node whose clock cannot be read: {error}") from error
    if age > MAX_AGE_SECONDS:
        raise NodeUnavailable(f"a node whose chain is {age} seconds behind")


async def finalized_time(reader: "SolanaReader") -> datetime:
    """The time of the newest final block.

    Raises:
        RpcError: the nodes do not answer.
    """
    method, parameters = multiple_accounts([CLOCK], "finalized")
    (clock,) = read_accounts(await reader.request(method, *parameters), 1)[1]
    return datetime.fromtimestamp(read_clock(clock), UTC)
