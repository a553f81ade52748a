"""Logs as a node sends them, built from decoded values."""

import json
from collections.abc import Sequence
from typing import Any

from eth_abi.abi import encode

from indexer.chains.evm.tuned.answers import parse_logs
from indexer.chains.evm.tuned.logs import Logs

HASH = "0x" + "b1" * 32


def log(
    address: str,
    topics: Sequence[bytes | str],
    types: Sequence[str] = (),
    values: Sequence[Any] = (),
    *,
    block: int = 7,
    index: int = 0,
) -> dict[str, Any]:
    """One log; an address among the topics is padded to a word."""
    words = [topic.hex() if isinstance(topic, bytes) else topic[2:].rjust(64, "0") for topic in topics]
    return {
        "address": address,
        "topics": ["0x" + word for word in words],
        "data": "0x" + encode(list(types), list(values)).hex(),
        "blockHash": HASH,
        "blockNumber": hex(block),
        "blockTimestamp": "0x6553f100",
        "transactionHash": "0x" + f"{block:032x}{index:032x}",
        "transactionIndex": "0x0",
        "logIndex": hex(index),
        "removed": False,
    }


def answer(logs: Sequence[dict[str, Any]]) -> bytes:
    """The node's answer with these logs."""
    return json.dumps({"jsonrpc": "2.0", "id": 0, "result": list(logs)}, separators=(",", ":")).encode()


def parsed(*logs: dict[str, Any]) -> Logs:
    """These logs by column."""
    return parse_logs(answer(logs))


def rows(columns: Any) -> list[dict[str, Any]]:
    """Columns as rows: bytes as hexadecimal, 256-bit numbers as signed integers, words as text."""
    names = list(columns)
    return [{name: _plain(name, columns[name][row]) for name in names} for row in range(len(columns["block_number"]))]


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode() if name in ("protocol", "exchange", "kind", "symbol", "metadata_cid") else _hex(value)
    if isinstance(value, list):
        return [_hex(item) for item in value]
    if hasattr(value, "tobytes") and getattr(value, "ndim", 0) == 1:
        raw = value.tobytes()
        numbers = ("amount", "reserve", "liquidity", "sqrt", "fee_wei", "given", "paid")
        return int.from_bytes(raw, "little", signed=True) if name.startswith(numbers) else _hex(raw)
    return int(value)


def _hex(raw: bytes) -> str:
    return "0x" + raw.hex() if raw else ""
