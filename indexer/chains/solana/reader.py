"""Solana read by the event loop."""

from collections.abc import Sequence
from typing import Any

from indexer.chains.errors import BlockMissing, NodeUnavailable, RpcError
from indexer.chains.nodes import Node
from indexer.chains.reader import NodeReader
from indexer.chains.solana.clock import CLOCK_CALL, keeps_time, require_recent
from indexer.chains.solana.faults import classify
from warehouse.domain.chains import Chain


class SolanaReader(NodeReader):
    """Reads Solana through its nodes, each of which proves itself by its genesis hash, and on public clusters by the
    clock: a node that is behind would say that a new account does not exist, or what a balance once was.

    A call for a block that the node does not have, or not yet, is answered with ``BlockMissing``.
    """

    def __init__(self, chain: Chain, *, timeout_seconds: float = 8.0, connections: int = 100) -> None:
        proofs = [("getGenesisHash", ()), *([CLOCK_CALL] if keeps_time(chain) else [])]
        super().__init__(chain, proofs, timeout_seconds=timeout_seconds, connections=connections)

    def require_proven(self, node: Node, answers: Sequence[Any]) -> None:  # noqa: D102 - as NodeReader says
        genesis, *clock = answers
        self.nodes.require_cluster(genesis, node)
        for one in clock:
            require_recent(one)

    def refusal(self, code: int | None, message: str) -> RpcError:  # noqa: D102
        meaning = classify(code, message)
        # A node is not to blame for a block that is still being made.
        if isinstance(meaning, NodeUnavailable) and not isinstance(meaning, BlockMissing):
            raise meaning
        return meaning
