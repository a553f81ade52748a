"""An EVM chain read by the event loop, and what calls of contracts return."""

import re
from collections.abc import Sequence
from typing import Any

from indexer.chains.errors import CallFailed, NodeUnavailable, RpcError
from indexer.chains.evm.classify import classify
from indexer.chains.jsonrpc import Call
from indexer.chains.nodes import Node
from indexer.chains.reader import NodeReader
from warehouse.domain.chains import Chain

_UNFUNDED = re.compile(r"insufficient (funds|balance)|out of ?funds", re.IGNORECASE)


class EvmReader(NodeReader):
    """Reads an EVM chain through its nodes, each of which proves itself by its chain id."""

    def __init__(self, chain: Chain, *, timeout_seconds: float = 8.0, connections: int = 100) -> None:
        super().__init__(chain, [("eth_chainId", ())], timeout_seconds=timeout_seconds, connections=connections)

    def require_proven(self, node: Node, answers: Sequence[Any]) -> None:  # noqa: D102 - as NodeReader says
        self.nodes.require_chain(quantity(answers[0]), node)

    def refusal(self, code: int | None, message: str) -> RpcError:  # noqa: D102
        if _UNFUNDED.search(message):
            return CallFailed(message)  # the sender's fault, not the node's
        meaning = classify(code, message)
        if isinstance(meaning, NodeUnavailable):
            raise meaning
        return meaning


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
