"""A JSON-RPC client for the indexer's threads: batches over solana-py's provider, several nodes, retries.

The requests run on an event loop of the client's own. Every batch also asks for the genesis hash, so an answer from
another cluster is never used. Where a node refuses batches, it is asked one by one and proves its cluster once.
"""

import asyncio
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx2
import msgspec

from indexer.chains.errors import BlockMissing, NodeLimited, NodeUnavailable, RpcError, UnknownFault, WrongChain
from indexer.chains.jsonrpc import Call
from indexer.chains.nodes import Node, NodePool
from indexer.chains.sessions import open_session, unavailable
from indexer.chains.solana.faults import classify
from indexer.chains.solana.provider import Batch, BulkProvider, open_provider
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)
ResultT = TypeVar("ResultT")
Value = TypeVar("Value")
_GENESIS: Call = ("getGenesisHash", ())
_CONNECTIONS = 64
_DOUBT_SECONDS = 2.0
_MISSING_TRIES = 4
"""How often a missing block is asked for before the caller looks again which blocks there are."""


class Fault(msgspec.Struct, gc=False):
    """The ``error`` member of an answer."""

    code: int | str | None = None
    message: str = ""


class Answer(msgspec.Struct, Generic[ResultT], gc=False):
    """One JSON-RPC answer. A result of null is None, and so is one that is absent."""

    id: int | str | None = None
    result: ResultT | None = None
    error: Fault | None = None


ANYTHING = msgspec.json.Decoder(list[Answer[Any]])
"""Reads results of any type."""


@dataclass(slots=True)
class SolanaClient:
    """Asks the nodes of one chain, from any number of threads.

    Args:
        timeout_seconds: how long a node may be silent.
        patience_seconds: how long a request is retried over all nodes before NodeUnavailable is raised.
        batch_size: requests in one HTTP request; lowered when a node refuses.
    """

    chain: Chain
    timeout_seconds: float = 30.0
    patience_seconds: float = 60.0
    batch_size: int = 50
    counters: Counter[str] = field(default_factory=Counter)
    nodes: NodePool = field(init=False)
    _loop: asyncio.AbstractEventLoop = field(init=False, default_factory=asyncio.new_event_loop)
    _session: httpx2.AsyncClient | None = field(init=False, default=None)
    _providers: dict[str, BulkProvider] = field(init=False, default_factory=dict)
    _thread: threading.Thread | None = field(init=False, default=None)
    _asked: threading.local = field(init=False, default_factory=threading.local)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)
    _stopping: threading.Event = field(init=False, default_factory=threading.Event)

    def __post_init__(self) -> None:  # noqa: D105
        self.nodes = NodePool(self.chain)

    def call(self, method: str, *params: Any) -> Any:
        """The result of one request."""
        answer = self.settle([(method, params)])[0]
        if isinstance(answer, RpcError):
            raise answer
        return answer

    def settle(self, calls: Sequence[Call]) -> list[Any]:
        """Results of any number of requests, in order. One that failed for good has its RpcError instead.

        Raises:
            NodeUnavailable: no node answered in ``patience_seconds``.
            WrongChain: a node serves another cluster.
        """
        settled: list[Any] = []
        while len(settled) < len(calls):
            part = calls[len(settled) : len(settled) + self.batch_size]
            try:
                settled += self.request(part, list)
            except NodeLimited:
                self.shrink_batches(len(part))
        return settled

    def request(
        self,
        calls: Sequence[Call],
        read: Callable[[list[Any]], Value],
        decoder: "msgspec.json.Decoder[list[Answer[Any]]]" = ANYTHING,
    ) -> Value:
        """Send a batch and ``read`` its results, each of which may be an RpcError; repeat it, also at other nodes,
        while the failure is the node's.

        ``read`` may raise NodeUnavailable to blame the node: BlockMissing is raised after a few tries, for the caller
        to look again which blocks there are.

        Raises:
            NodeLimited: the node refuses so many requests at once.
        """
        give_up = time.monotonic() + self.patience_seconds
        missing, failure = 0, NodeUnavailable(f"no node of {self.chain.key} was asked")
        while True:
            self._asked.node = node = self._next_node(give_up, failure)
            try:
                if len(calls) > 1 and self.batch_size > 1:
                    results = self._exchange(node, [_GENESIS, *calls], decoder)
                    self._require_cluster(results.pop(0), node)
                else:
                    if not node.proven:
                        self._require_cluster(self._exchange(node, [_GENESIS], ANYTHING)[0], node)
                        node.proven = True
                    results = [result for one in calls for result in self._exchange(node, [one], decoder)]
                value = read(results)
            except NodeUnavailable as error:
                self.counters["retries"] += 1
                self.nodes.report_failure(node, error.retry_after)
                LOG.info("node %s: %s", node, error)
                missing, failure = missing + isinstance(error, BlockMissing), error
                if time.monotonic() >= give_up or self._stopping.is_set() or missing == _MISSING_TRIES:
                    raise
            except _BatchRefused:
                if len(calls) > 2:
                    raise
                self.batch_size = 1  # the node takes none, or hardly any
            except WrongChain:
                node.proven = False
                raise
            else:
                self.nodes.report_success(node)
                return value

    def shrink_batches(self, refused: int) -> None:
        """Use smaller batches from now on. Raises NodeLimited when a single call was refused."""
        if refused <= 1:
            raise NodeLimited("the node refuses even a single call as too large")
        self.batch_size = max(1, min(self.batch_size, refused) // 2)
        self.counters["batches_halved"] += 1

    @property
    def stopped(self) -> bool:
        """Whether waiting requests were told to fail."""
        return self._stopping.is_set()

    def doubt_node(self) -> None:
        """The last answer that this thread got contradicts others: ask other nodes for a while, if there are any."""
        node = getattr(self._asked, "node", None)
        if node is not None and len(self.nodes.nodes) > 1:
            self.nodes.report_failure(node, _DOUBT_SECONDS)

    def stop(self) -> None:
        """Make waiting requests fail instead of retrying."""
        self._stopping.set()

    def close(self) -> None:
        """Stop, and close all connections."""
        self.stop()
        with self._lock:
            if self._thread is not None:
                self._run(self._close_session())
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._thread = None
            if not self._loop.is_closed():
                self._loop.close()

    def _next_node(self, give_up: float, failure: NodeUnavailable) -> Node:
        while (ready := self.nodes.ready()) is None:
            soonest = self.nodes.next_ready_at()
            if self._stopping.wait(max(min(soonest, give_up) - time.monotonic(), 0.001)):
                raise NodeUnavailable("stopped while waiting for a node")
            if soonest > give_up:
                raise failure
        return ready

    def _require_cluster(self, genesis: Any, node: Node) -> None:
        if isinstance(genesis, RpcError):
            raise NodeUnavailable(f"getGenesisHash: {genesis}") from genesis
        self.nodes.require_cluster(genesis, node)

    def _exchange(
        self, node: Node, calls: Sequence[Call], decoder: "msgspec.json.Decoder[list[Answer[Any]]]"
    ) -> list[Any]:
        """Results of one HTTP request in the order of its calls.

        Raises:
            NodeUnavailable: the node did not answer everything, or refuses for now.
            NodeLimited: it refuses so many at once.
        """
        self.counters["requests"] += 1
        content = self._post(node, Batch(calls, alone=len(calls) == 1))
        self.counters["bytes"] += len(content)
        text = content if content.lstrip()[:1] == b"[" else b"[" + content + b"]"
        try:
            answers = decoder.decode(text)
        except msgspec.DecodeError as error:
            raise NodeUnavailable(f"not an answer: {error}: {content[:120]!r}") from error
        if len(answers) == 1 and answers[0].error is not None and len(calls) > 1:
            meaning = _meaning(answers[0].error)
            raise _BatchRefused(str(meaning)) if isinstance(meaning, NodeLimited) else meaning
        by_id = {answer.id: answer for answer in answers}
        if len(answers) != len(calls) or set(by_id) != set(range(len(calls))):
            raise NodeUnavailable(f"{len(answers)} answers, {len(by_id)} of them different, to {len(calls)} requests")
        return [_result(by_id[index]) for index in range(len(calls))]

    def _post(self, node: Node, batch: Batch) -> bytes:
        try:
            return self._run(self._provider(node).make_request_bytes(batch))
        except httpx2.HTTPStatusError as error:
            self.counters[f"status_{error.response.status_code}"] += 1
            raise _refusal(error) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise unavailable(error) from error

    def _provider(self, node: Node) -> BulkProvider:
        with self._lock:
            if self._stopping.is_set():
                raise NodeUnavailable("stopped")
            if self._session is None or self._thread is None:
                self._session = open_session(self.timeout_seconds, _CONNECTIONS, self.chain.rpc_urls)
                self._thread = threading.Thread(target=self._loop.run_forever, name="solana-requests", daemon=True)
                self._thread.start()
            if node.url not in self._providers:
                self._providers[node.url] = open_provider(node.url, self._session)
            return self._providers[node.url]

    def _run(self, work: Coroutine[Any, Any, Value]) -> Value:
        try:
            return asyncio.run_coroutine_threadsafe(work, self._loop).result()
        except CancelledError:
            raise NodeUnavailable("stopped while asking a node") from None

    async def _close_session(self) -> None:
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._session is not None:
            await self._session.aclose()


class _BatchRefused(NodeLimited):
    """The node refuses the batch as a whole."""


def _result(answer: Answer[Any]) -> Any:
    if answer.error is None:
        return answer.result
    error = _meaning(answer.error)
    if isinstance(error, NodeUnavailable) and not isinstance(error, UnknownFault):
        raise error
    return error


def _meaning(fault: Fault) -> RpcError:
    return classify(fault.code, fault.message)


def _refusal(error: httpx2.HTTPStatusError) -> RpcError:
    """What an HTTP status means. Several providers send JSON-RPC errors with a 4xx status."""
    if error.response.status_code == 413:
        return _BatchRefused("HTTP 413")
    if error.response.status_code != 429:
        try:
            answer = msgspec.json.decode(error.response.content, type=Answer[Any])
        except (msgspec.DecodeError, UnicodeDecodeError):
            return unavailable(error)
        if answer.error is not None:
            meaning = _meaning(answer.error)
            return _BatchRefused(str(meaning)) if isinstance(meaning, NodeLimited) else meaning
    return unavailable(error)
