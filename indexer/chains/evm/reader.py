"""A JSON-RPC client for the event loop: a few calls at a time, answered by the first node that can.

Every batch also asks for the chain id, so an answer from another chain is never used. A contract that reverts is an
answer (``CallFailed`` in its place); a node that does not answer is not.
"""

import asyncio
import json
import logging
import re
from collections.abc import Sequence
from typing import Any

import httpx

from indexer.chains.errors import CallFailed, NodeUnavailable, RpcError, WrongChain
from indexer.chains.evm.classify import classify
from indexer.chains.nodes import Backoff, Node, NodePool, parse_retry_after
from warehouse.breaker import PROBE_SECONDS, Breaker, CircuitOpen, ended_by
from warehouse.domain.chains import Chain

LOG = logging.getLogger(__name__)
Call = tuple[str, Sequence[Any]]
_BACKOFF = Backoff(first_seconds=5.0, max_seconds=5.0)
"""Longer than for the indexer: a node that hangs costs every question a share of its time."""
_UNFUNDED = re.compile(r"insufficient (funds|balance)|out of ?funds", re.IGNORECASE)
_BODY_LIMIT = 4 << 20


class EvmReader:
    """Reads one chain through its nodes.

    Args:
        timeout_seconds: limit of one question over all nodes.
        client: the HTTP client to use; closed by whoever made it.
        probes: the one that asks whether nodes are alive; by default the same.

    ``breaker`` refuses questions while no node of the chain is known to answer.
    """

    def __init__(
        self,
        chain: Chain,
        client: httpx.AsyncClient,
        *,
        probes: httpx.AsyncClient | None = None,
        timeout_seconds: float = 8.0,
    ) -> None:
        self.chain = chain
        self.timeout_seconds = timeout_seconds
        self._client = client
        self._probes = probes or client
        self.nodes = NodePool(chain, _BACKOFF)
        self.breaker = Breaker(chain.key, self.answers, outages=(NodeUnavailable, TimeoutError))

    async def request(self, method: str, *params: Any) -> Any:
        """The result of one request.

        Raises:
            RpcError: as ``settle`` says, and CallFailed when the call itself failed.
        """
        answer = (await self.settle([(method, params)]))[0]
        if isinstance(answer, RpcError):
            raise answer
        return answer

    async def settle(self, calls: Sequence[Call]) -> list[Any]:
        """Results of several requests, in order. A request that failed for good has its RpcError instead.

        Raises:
            NodeUnavailable: no node answered in time.
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

    async def _is_alive(self, node: Node) -> bool:
        body = {"jsonrpc": "2.0", "id": 0, "method": "eth_chainId", "params": []}
        try:
            response = await self._probes.post(node.url, json=body, timeout=PROBE_SECONDS)
        except (httpx.HTTPError, httpx.InvalidURL):
            return False
        return response.status_code < 500

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
        body = [
            {"jsonrpc": "2.0", "id": index, "method": method, "params": list(params)}
            for index, (method, params) in enumerate((("eth_chainId", ()), *calls))
        ]
        # Nodes share the time, so that one that hangs leaves some for the next.
        share = self.timeout_seconds / min(len(self.nodes.nodes), 3)
        try:
            response = await self._client.post(node.url, json=body, timeout=share)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise NodeUnavailable(f"{type(error).__name__}: {error}") from error
        if response.status_code == 429 or response.status_code >= 500 or len(response.content) > _BODY_LIMIT:
            wait = parse_retry_after(response.headers.get("retry-after"))
            raise NodeUnavailable(f"HTTP {response.status_code}", retry_after=wait)
        answers = _read(response.content, len(body))
        found = answers[0]
        if isinstance(found, RpcError):
            raise NodeUnavailable(f"eth_chainId: {found}")
        try:
            chain_id = int(found, 16)
        except (TypeError, ValueError) as error:
            raise NodeUnavailable(f"eth_chainId answered {found!r}") from error
        self.nodes.require_chain(chain_id, node)
        return answers[1:]


def _read(content: bytes, count: int) -> list[Any]:
    """Answers by id, as results or errors. An incomplete set of answers is the node's fault."""
    try:
        items = json.loads(content)
    except ValueError as error:
        raise NodeUnavailable(f"not JSON: {content[:80]!r}") from error
    if isinstance(items, dict) and "error" in items:
        raise NodeUnavailable(str(items["error"])[:200])
    by_id = {item.get("id"): item for item in items if isinstance(item, dict)} if isinstance(items, list) else {}
    answers: list[Any] = []
    for index in range(count):
        item = by_id.get(index)
        if item is None or ("result" not in item and "error" not in item):
            raise NodeUnavailable(f"{len(by_id)} answers to {count} requests")
        fault = item.get("error")
        if fault is None:
            answers.append(item.get("result"))
            continue
        meaning = _meaning(fault)
        if isinstance(meaning, NodeUnavailable):
            raise meaning
        answers.append(meaning)
    return answers


def _meaning(error: Any) -> RpcError:
    if not isinstance(error, dict):
        return NodeUnavailable(str(error)[:200])
    message = str(error.get("message", ""))
    if _UNFUNDED.search(message):
        return CallFailed(message)  # the sender's fault, not the node's
    return classify(error.get("code"), message)


def call_to(address: str, data: str, *, sender: str | None = None, block: str = "latest") -> Call:
    """An eth_call."""
    transaction = {"to": address, "data": data}
    if sender is not None:
        transaction["from"] = sender
    return "eth_call", (transaction, block)


def returned(answer: Any) -> bytes | None:
    """The bytes that a call returned; None when the contract failed.

    Raises:
        RpcError: the node could not run the call.
    """
    if isinstance(answer, CallFailed):
        return None
    if isinstance(answer, RpcError):
        raise answer
    return data_bytes(answer)


def data_bytes(answer: Any) -> bytes:
    """Bytes from hexadecimal text.

    Raises:
        RpcError: the node answered an error or something that is not hexadecimal.
    """
    if isinstance(answer, RpcError):
        raise answer
    try:
        return bytes.fromhex(answer.removeprefix("0x"))
    except (AttributeError, ValueError) as error:
        raise NodeUnavailable(f"{str(answer)[:80]!r} is not data") from error


def quantity(answer: Any) -> int:
    """The number a node answered.

    Raises:
        RpcError: the node answered an error or something that is not a number.
    """
    if isinstance(answer, RpcError):
        raise answer
    try:
        return int(answer, 16)
    except (TypeError, ValueError) as error:
        raise NodeUnavailable(f"{str(answer)[:80]!r} is not a quantity") from error


def address_word(data: bytes | None) -> str | None:
    """The address in one returned word; None for anything else, and for the zero address."""
    if data is None or len(data) != 32 or any(data[:12]) or not any(data):
        return None
    return "0x" + data[12:].hex()


def uint_word(data: bytes | None) -> int | None:
    """The number in the first returned word; None when there is no whole word."""
    return int.from_bytes(data[:32], "big") if data is not None and len(data) >= 32 else None


def text(data: bytes | None) -> str | None:
    """The text a contract returned, as a string or as bytes32; None for what is neither."""
    if data is None:
        return None
    if len(data) == 32:
        raw = data.rstrip(b"\0")
    else:
        if len(data) < 64 or int.from_bytes(data[:32], "big") != 32:
            return None
        length = int.from_bytes(data[32:64], "big")
        if length > len(data) - 64:
            return None
        raw = data[64 : 64 + length]
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None
