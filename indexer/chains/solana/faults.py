"""What a JSON-RPC error of a Solana node means. Solana's codes are specified, so the code decides; hosted providers add
codes and wordings of their own for limits."""

import re

from indexer.chains.errors import (
    BlockMissing,
    CallFailed,
    MethodMissing,
    NodeLimited,
    NodeUnavailable,
    RpcError,
    StateMissing,
    UnknownFault,
)

_THROTTLED = re.compile(
    r"rate.?limit|too many requests|request limit|requests per|throttl|capacity|quota|try again|overload|unavailable",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"batch|range too|too (large|big)|(max|exceeds?)\w*.{0,30}(size|length|range)|response size", re.IGNORECASE
)
"""The batch, the range or the answer is too large: ask for less at once."""
_BEHIND = frozenset({-32005, -32016})
"""The node is unhealthy or behind; it has not reached the slot asked for."""
_NO_BLOCK = frozenset({-32004, -32007, -32009, -32014, -32019})
"""The block is not available, or not yet; its slot was skipped, which one node alone cannot prove."""
_PRUNED = frozenset({-32001, -32011})
"""The node no longer has the block, or keeps no history of transactions."""
_REFUSED = frozenset({-32602, -32002, -32003, -32006, -32013, -32015})
"""The request is wrong, or its transaction fails: every node would say so."""


def classify(code: object, message: str) -> RpcError:
    """The error that a node's answer means; what is unknown is the node's fault, so another node is asked."""
    if code != 429 and _LIMITED.search(message):
        return NodeLimited(message)
    if code in _BEHIND or code in (429, -32429) or _THROTTLED.search(message):
        return NodeUnavailable(message)
    if code in _NO_BLOCK:
        return BlockMissing(message)
    if code in _PRUNED:
        return StateMissing(message)
    if code in (-32601, -32010):
        return MethodMissing(message)
    if code in _REFUSED:
        return CallFailed(message)
    return UnknownFault(f"{code}: {message}")
