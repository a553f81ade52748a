"""A JSON-RPC client for threads: keep-alive connections to the nodes of one chain, and retries.

Bulk answers stay raw bytes, so that columnar decoders read them without a Python object per log. Every node has to
prove its chain id before anything it says is used, and again with every batch of headers.
"""

import http.client
import logging
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, ParamSpec, TypeVar

import msgspec

from indexer.chains.errors import NodeLimited, NodeUnavailable, RpcError, UnknownFault, WrongChain
from indexer.chains.evm.classify import classify
from indexer.chains.evm.endpoint import request_headers, request_target
from indexer.chains.evm.envelope import parse_batch, read_chain_id, require_result
from indexer.chains.evm.tuned.connection import connect_to
from indexer.chains.jsonrpc import Call
from indexer.chains.nodes import Node, NodePool, parse_retry_after
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


@dataclass(slots=True)
class EvmClient:
    """Asks the nodes of one chain, from any number of threads.

    Args:
        patience_seconds: how long a request is retried over all nodes before NodeUnavailable is raised.
        timeout_seconds: how long a connection may be silent.
        body_limit: largest answer accepted, in bytes; a larger one raises NodeLimited.
        takes_hashes: whether state can be requested by block hash (EIP-1898); False once a node refused it.
    """

    chain: Chain
    timeout_seconds: float = 30.0
    patience_seconds: float = 60.0
    body_limit: int = 256 << 20
    batch_size: int = 100
    takes_hashes: bool = True
    counters: Counter[str] = field(default_factory=Counter)
    nodes: NodePool = field(init=False)
    _background: ThreadPoolExecutor = field(init=False, default_factory=lambda: ThreadPoolExecutor(32, "ask"))
    _parts: ThreadPoolExecutor = field(init=False, default_factory=lambda: ThreadPoolExecutor(32, "ask-part"))
    _connections: threading.local = field(init=False, default_factory=threading.local)
    _open: set[http.client.HTTPConnection] = field(init=False, default_factory=set)
    _stopping: threading.Event = field(init=False, default_factory=threading.Event)

    def __post_init__(self) -> None:  # noqa: D105
        self.nodes = NodePool(self.chain)

    def call(self, method: str, *params: Any) -> Any:
        """The decoded result of one request."""
        return msgspec.json.decode(self.batch([(method, params)])[0])

    def batch(self, calls: Sequence[Call]) -> list[msgspec.Raw]:
        """Results of several requests sent as one batch, in order. Raises the first failure."""
        results = self.batch_settled(calls)
        for result in results:
            if isinstance(result, RpcError):
                raise result
        return results  # type: ignore[return-value]

    def batch_settled(self, calls: Sequence[Call]) -> list[msgspec.Raw | RpcError]:
        """Results of several requests sent as one batch, in order. A request that failed for good has its error
        instead.

        A failure that may pass (throttling, faults of the node) repeats the whole batch.
        """
        body = self.encode(calls)

        def settle(answer: bytes) -> list[msgspec.Raw | RpcError]:
            settled: list[msgspec.Raw | RpcError] = []
            for item in parse_batch(answer, len(calls)):
                if item.error is None:
                    settled.append(item.result)
                    continue
                error = classify(item.error.code, item.error.message)
                passes = isinstance(error, NodeUnavailable) and not isinstance(error, UnknownFault)
                if passes or (isinstance(error, NodeLimited) and len(calls) > 1):
                    raise error
                settled.append(error)
            return settled

        return self.request(body, settle)

    def run_in_background(
        self, work: Callable[Arguments, Result], *args: Arguments.args, **named: Arguments.kwargs
    ) -> "Future[Result]":
        """Do ``work`` in another thread. It must not wait for other background work, or all threads could wait."""
        return self._background.submit(work, *args, **named)

    def many(self, calls: Sequence[Call]) -> list[msgspec.Raw | RpcError]:
        """Like ``batch_settled`` for any number of calls, in as many concurrent batches as the node's limits need."""
        size = self.batch_size
        parts = [calls[at : at + size] for at in range(0, len(calls), size)]
        if len(parts) < 2:
            return self._one_by_one(calls)
        return [result for part in self._parts.map(self._one_by_one, parts) for result in part]

    def _one_by_one(self, calls: Sequence[Call]) -> list[msgspec.Raw | RpcError]:
        settled: list[msgspec.Raw | RpcError] = []
        while len(settled) < len(calls):
            part = calls[len(settled) : len(settled) + self.batch_size]
            try:
                settled += self.batch_settled(part)
            except NodeLimited:
                self.shrink_batches(len(part))
        return settled

    def shrink_batches(self, refused: int) -> None:
        """Use smaller batches from now on. Raises NodeLimited when a single call was refused."""
        if refused <= 1:
            raise NodeLimited("the node refuses even a single call as too large")
        self.batch_size = max(1, min(self.batch_size, refused) // 2)
        self.counters["batches_halved"] += 1

    def raw(self, method: str, *params: Any) -> bytes:
        """The whole answer to one request as bytes, checked to hold a result."""
        return self.request(self.encode([(method, params)]), require_result)

    def request(self, body: bytes, read: Callable[[bytes], Result], *, proves_chain: bool = False) -> Result:
        """Send ``body`` and ``read`` the answer; repeat it, also at other nodes, while the failure is the node's.

        A node has to prove its chain id first, unless ``read`` itself checks it (``proves_chain``).
        """
        give_up = time.monotonic() + self.patience_seconds
        while True:
            node = self._next_node(give_up)
            try:
                if not node.proven and not proves_chain:
                    self._prove(node)
                result = read(self._post(node, body))
            except NodeUnavailable as error:
                self.counters["retries"] += 1
                self.nodes.report_failure(node, error.retry_after)
                LOG.info("node %s: %s", node, error)
                if time.monotonic() >= give_up or self._stopping.is_set():
                    raise
            except WrongChain:
                node.proven = False
                raise
            else:
                self.nodes.report_success(node, proven=proves_chain)
                return result

    def encode(self, calls: Sequence[Call]) -> bytes:
        """The request body: an object for one call, an array for several. Ids count from 0 in order."""
        items = [
            {"jsonrpc": "2.0", "id": index, "method": method, "params": list(params)}
            for index, (method, params) in enumerate(calls)
        ]
        return msgspec.json.encode(items[0] if len(items) == 1 else items)

    def stop(self) -> None:
        """Make waiting requests fail instead of retrying."""
        self._stopping.set()

    def close(self) -> None:
        """Stop, and close every thread's connections."""
        self.stop()
        for pool in (self._background, self._parts):
            pool.shutdown(wait=True, cancel_futures=True)
        for connection in list(self._open):
            connection.close()
        self._open.clear()

    def _next_node(self, give_up: float) -> Node:
        while (ready := self.nodes.ready()) is None:
            soonest = self.nodes.next_ready_at()
            if self._stopping.wait(max(min(soonest, give_up) - time.monotonic(), 0.001)):
                raise NodeUnavailable("stopped while waiting for a node")
            if soonest > give_up:
                raise NodeUnavailable(f"every node of {self.chain.key} has to rest for longer than we may wait")
        return ready

    def _prove(self, node: Node) -> None:
        """Ask the node for its chain id; a wrong one raises WrongChain."""
        answers = parse_batch(self._post(node, self.encode([("eth_chainId", ())])), 1)
        if answers[0].error is not None:
            raise classify(answers[0].error.code, answers[0].error.message)
        self.nodes.require_chain(read_chain_id(bytes(answers[0].result)), node)
        node.proven = True

    def _post(self, node: Node, body: bytes) -> bytes:
        self.counters["requests"] += 1
        response, answer = self._roundtrip(node, body)
        if len(answer) > self.body_limit:
            self._drop(node)
            raise classify(-32000, f"response size exceeds our own limit of {self.body_limit} bytes")
        if response.will_close:
            self._drop(node)
        self.counters["bytes"] += len(answer)
        if response.headers.get("content-encoding") == "gzip":
            answer = zlib.decompress(answer, wbits=31)
        return self._accept(response, answer)

    def _roundtrip(self, node: Node, body: bytes) -> tuple[http.client.HTTPResponse, bytes]:
        while True:
            connection, reused = self._connection(node)
            try:
                connection.request("POST", request_target(node.url), body, request_headers(node.url))
                response = connection.getresponse()
                return response, response.read(self.body_limit + 1)
            except (OSError, http.client.HTTPException) as error:
                self._drop(node)
                if reused and not isinstance(error, TimeoutError):
                    continue  # the node closed an idle connection, which is no failure
                raise NodeUnavailable(f"{type(error).__name__}: {error}") from error

    def _accept(self, response: http.client.HTTPResponse, answer: bytes) -> bytes:
        if response.status == 200:
            return answer
        self.counters[f"status_{response.status}"] += 1
        excerpt = answer[:300].decode("utf-8", "replace")
        if response.status == 429:
            raise NodeUnavailable("HTTP 429", retry_after=parse_retry_after(response.headers.get("retry-after")))
        if response.status == 413:
            raise classify(413, f"entity too large: {excerpt}")
        if answer.lstrip()[:1] in (b"{", b"[") and b'"error"' in answer:
            return answer  # several providers send JSON-RPC errors with a 4xx status
        raise NodeUnavailable(
            f"HTTP {response.status}: {excerpt}", retry_after=parse_retry_after(response.headers.get("retry-after"))
        )

    def _connection(self, node: Node) -> tuple[http.client.HTTPConnection, bool]:
        pool: dict[str, http.client.HTTPConnection] = self._connections.__dict__
        if node.url in pool:
            return pool[node.url], True
        connection = connect_to(node.url, self.timeout_seconds)
        pool[node.url] = connection
        self._open.add(connection)
        return connection, False

    def _drop(self, node: Node) -> None:
        connection = self._connections.__dict__.pop(node.url, None)
        if connection is not None:
            self._open.discard(connection)
            connection.close()
