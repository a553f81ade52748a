"""A JSON-RPC client for the event loop: a few calls in one batch, answered by the first node that can.

Every batch begins with calls that prove the node, so an answer from another chain is never used. A call that every node
would refuse, such as one of a contract that reverts, is an answer (``CallFailed`` in its place); a node that does not
answer is not. ``EvmReader`` and ``SolanaReader`` say what proves a node and what an error means.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import httpx2

from indexer.chains.errors import NodeUnavailable, RpcError, WrongChain
from indexer.chains.jsonrpc import Call, encode, read_batch
from indexer.chains.nodes import Backoff, Node, NodePool
from indexer.chains.sessions import open_session, post
from warehouse.breaker import PROBE_SECONDS, Breaker, CircuitOpen, ended_by
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)
_BACKOFF = Backoff(first_seconds=5.0, max_seconds=5.0)
"""Longer than for the indexer: a node that hangs costs every question a share of its time."""
_ANSWER_BYTES = 4 << 20
"""Some 8,000 token accounts of Solana. Others decide how much there is to say: contracts return what they like, and
anyone can open token accounts for a wallet."""


class NodeReader(ABC):
    """Reads one chain through its nodes.

    Args:
        proofs: calls that prove a node; ``require_proven`` gets their answers.
        timeout_seconds: limit of one question over all nodes.
        connections: most that are open to the nodes. Probes have others: calls that hang must not keep them waiting.

    ``breaker`` refuses questions while no node of the chain is known to answer.
    """

    def __init__(
        self, chain: Chain, proofs: Sequence[Call], *, timeout_seconds: float = 8.0, connections: int = 100
    ) -> None:
        self.chain = chain
        self.timeout_seconds = timeout_seconds
        self.nodes = NodePool(chain, _BACKOFF)
        self.breaker = Breaker(chain.key, self.answers, outages=(NodeUnavailable, TimeoutError))
        self._proofs = tuple(proofs)
        # Nodes share the time, so that one that hangs leaves some for the next.
        share = timeout_seconds / min(len(self.nodes.nodes), 3)
        self._session = open_session(share, connections, chain.rpc_urls)
        self._probes = open_session(PROBE_SECONDS, 10, chain.rpc_urls)

    @abstractmethod
    def require_proven(self, node: Node, answers: Sequence[Any]) -> None:
        """Check the answers to the proofs, none of which is an error.

        Raises:
            WrongChain: the node serves another chain; nothing it says may be used.
            NodeUnavailable: the node is behind, or its answers say nothing.
        """

    @abstractmethod
    def refusal(self, code: int | None, message: str) -> RpcError:
        """The error that stands in place of a call's result.

        Raises:
            NodeUnavailable: the node is to blame; another one may answer.
        """

    async def request(self, method: str, *params: Any) -> Any:
        """The result of one request.

        Raises:
            RpcError: as ``settle`` says, and CallFailed when the request itself failed.
        """
        answer = (await self.settle([(method, params)]))[0]
        if isinstance(answer, RpcError):
            raise answer
        return answer

    async def settle(self, calls: Sequence[Call]) -> list[Any]:
        """Results of several requests, in order, all from one node. A request that failed for good has its RpcError
        instead.

        Raises:
            NodeUnavailable: no node answered in time that could be used.
            NodeLimited: the answers are too large together, which they would be at every node.
            WrongChain: the only nodes that answer serve another chain.
        """
        try:
            async with ended_by(self.breaker):
                return await self._settle(calls)
        except CircuitOpen as error:
            raise NodeUnavailable(f"no node of {self.chain.key} answers") from error
        except TimeoutError as error:
            raise NodeUnavailable(f"the nodes of {self.chain.key} stopped answering") from error

    async def answers(self) -> bool:
        """Whether any node answers anything now, refusals for too many requests included. Nodes that do not are asked
        after the others for a while."""
        alive = await asyncio.gather(*(self._is_alive(node) for node in self.nodes.nodes))
        for node, answered in zip(self.nodes.nodes, alive, strict=True):
            if answered:
                self.nodes.report_success(node)
            else:
                self.nodes.report_failure(node)
        return any(alive)

    async def close(self) -> None:
        """Stop probing, and close all connections."""
        await self.breaker.close()
        await self._session.aclose()
        await self._probes.aclose()

    async def _is_alive(self, node: Node) -> bool:
        try:
            response = await self._probes.post(node.url, content=encode(self._proofs[:1]))
        except (httpx2.HTTPError, httpx2.InvalidURL):
            return False
        return response.status_code < 500

    async def _settle(self, calls: Sequence[Call]) -> list[Any]:
        failure: RpcError = NodeUnavailable(f"no node of {self.chain.key} was asked")
        try:
            async with asyncio.timeout(self.timeout_seconds):
                for attempt in range(2):
                    for node in self.nodes.in_order():
                        try:
                            answers = await self._ask(node, calls)
                        except (NodeUnavailable, WrongChain) as error:
                            failure = error
                            self.nodes.report_failure(node, getattr(error, "retry_after", None))
                            LOG.info("a node of %s: %s", self.chain.key, error)
                        else:
                            self.nodes.report_success(node, proven=True)
                            return answers
                    if attempt == 0:
                        await asyncio.sleep(0.2)
        except TimeoutError:
            failure = NodeUnavailable(f"no node of {self.chain.key} answered in {self.timeout_seconds:g} seconds")
        raise failure

    async def _ask(self, node: Node, calls: Sequence[Call]) -> list[Any]:
        batch = (*self._proofs, *calls)
        content = await post(self._session, node.url, encode(batch), _ANSWER_BYTES)
        answers = read_batch(content, len(batch), self.refusal)
        proven, results = answers[: len(self._proofs)], answers[len(self._proofs) :]
        for (method, _), answer in zip(self._proofs, proven, strict=True):
            if isinstance(answer, RpcError):
                raise NodeUnavailable(f"{method}: {answer}")
        self.require_proven(node, proven)
        return results
