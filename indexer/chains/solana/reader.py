"""A JSON-RPC client of Solana for the event loop, over solana-py's provider: a few calls in one batch, answered by the
first node that can.

Every batch also asks for the genesis hash, so an answer from another cluster is never used, and on public clusters for
the clock: a node that is behind would say that a new account does not exist, or what a balance once was. A request that
every node would refuse is an answer (``CallFailed`` in its place); a node that does not answer, or is behind, is not.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import httpx2
import orjson
from solana.exceptions import SolanaRpcException

from indexer.chains.errors import BlockMissing, NodeUnavailable, RpcError, WrongChain
from indexer.chains.nodes import Backoff, Node, NodePool
from indexer.chains.solana.accounts import Call
from indexer.chains.solana.clock import CLOCK_CALL, keeps_time, require_recent
from indexer.chains.solana.faults import classify
from indexer.chains.solana.provider import Batch, BoundedProvider, open_provider, open_session, unavailable
from warehouse.breaker import PROBE_SECONDS, Breaker, CircuitOpen, ended_by
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)
_BACKOFF = Backoff(first_seconds=5.0, max_seconds=5.0)
"""Longer than for the indexer: a node that hangs costs every question a share of its time."""
_ANSWER_BYTES = 4 << 20
"""Some 8,000 token accounts."""


class SolanaReader:
    """Reads one chain through its nodes.

    Args:
        timeout_seconds: limit of one question over all nodes.
        connections: most that are open to the nodes; probes have others.

    ``breaker`` refuses questions while no node of the chain is known to answer.
    """

    def __init__(self, chain: Chain, *, timeout_seconds: float = 8.0, connections: int = 100) -> None:
        self.chain = chain
        self.timeout_seconds = timeout_seconds
        self._proofs: tuple[Call, ...] = (("getGenesisHash", ()), *((CLOCK_CALL,) if keeps_time(chain) else ()))
        self.nodes = NodePool(chain, _BACKOFF)
        # Nodes share the time, so that one that hangs leaves some for the next.
        share = timeout_seconds / min(len(self.nodes.nodes), 3)
        urls = [node.url for node in self.nodes.nodes]
        self._sessions = (open_session(share, connections, urls), open_session(PROBE_SECONDS, 10, urls))
        self._calls, self._probes = (
            {url: open_provider(url, session, BoundedProvider) for url in urls} for session in self._sessions
        )
        self.breaker = Breaker(chain.key, self.answers, outages=(NodeUnavailable, TimeoutError))

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
        instead, and one for a block that the node does not have, or not yet, BlockMissing.

        Raises:
            NodeUnavailable: no node answered in time that is not behind.
            NodeLimited: the answers are too large together, which they would be at every node.
            WrongChain: the only nodes that answer serve another cluster.
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
        """Close all connections. The breaker must be closed before."""
        for session in self._sessions:
            await session.aclose()

    async def _is_alive(self, node: Node) -> bool:
        try:
            await self._probes[node.url].make_request_unparsed(Batch((("getGenesisHash", ()),)))
        except SolanaRpcException as error:
            return isinstance(error.__cause__, httpx2.HTTPStatusError) and error.__cause__.response.status_code < 500
        except httpx2.InvalidURL:
            return False
        return True

    async def _settle(self, calls: Sequence[Call]) -> list[Any]:
        failure: RpcError = NodeUnavailable(f"no node of {self.chain.key} was asked")
        try:
            async with asyncio.timeout(self.timeout_seconds):
                for attempt in range(2):
                    for node in self.nodes.in_order():
                        try:
                            answers = await self._post(node, calls)
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

    async def _post(self, node: Node, calls: Sequence[Call]) -> list[Any]:
        batch = Batch((*self._proofs, *calls))
        try:
            content = await self._calls[node.url].make_request_bounded(batch, _ANSWER_BYTES)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unavailable(error) from error
        answers = _read(content, len(batch.calls))
        genesis, *clock = answers[: len(self._proofs)]
        if isinstance(genesis, RpcError):
            raise NodeUnavailable(f"getGenesisHash: {genesis}")
        self.nodes.require_cluster(genesis, node)
        for one in clock:
            require_recent(one)
        return answers[len(self._proofs) :]


def _read(content: bytes, count: int) -> list[Any]:
    """Answers by id, as results or errors. It is the node's fault if one is missing or there twice."""
    try:
        items = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise NodeUnavailable(f"not JSON: {content[:80]!r}") from error
    if isinstance(items, dict) and "error" in items:
        raise NodeUnavailable(str(items["error"])[:200])
    found = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    by_id = {item["id"]: item for item in found if isinstance(item.get("id"), int)}
    if len(found) != count:
        raise NodeUnavailable(f"{len(found)} answers to {count} requests")
    answers: list[Any] = []
    for index in range(count):
        item = by_id.get(index)
        if item is None or ("result" not in item and "error" not in item):
            raise NodeUnavailable(f"no answer to request {index} of {count}")
        fault = item.get("error")
        if fault is None:
            answers.append(item.get("result"))
            continue
        meaning = _meaning(fault)
        # A node is not to blame for a block that is still being made.
        if isinstance(meaning, NodeUnavailable) and not isinstance(meaning, BlockMissing):
            raise meaning
        answers.append(meaning)
    return answers


def _meaning(error: Any) -> RpcError:
    if not isinstance(error, dict):
        return NodeUnavailable(str(error)[:200])
    code = error.get("code")
    return classify(code if isinstance(code, int) else None, str(error.get("message", "")))
