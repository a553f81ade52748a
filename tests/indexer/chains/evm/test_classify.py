"""Error messages of many nodes are classified."""

import pytest

from indexer.chains.errors import (
    BlockMissing,
    CallFailed,
    MethodMissing,
    NodeLimited,
    NodeUnavailable,
    StateMissing,
    UnknownFault,
)
from indexer.chains.evm.classify import classify


@pytest.mark.parametrize(
    ("code", "message", "meaning"),
    [
        (-32005, "query returned more than 10000 results", NodeLimited),
        (-32602, "query returned more than 10000 results. Try with this block range [0x1, 0x2].", NodeLimited),
        (-32602, "Log response size exceeded. this block range should work: [0x0, 0x1]", NodeLimited),
        (-32000, "block range is too wide", NodeLimited),
        (-32600, "eth_getLogs is limited to a 10,000 range", NodeLimited),
        (-32000, "exceed maximum block range: 5000", NodeLimited),
        (-32000, "requested range too large", NodeLimited),
        (-32000, "query timeout exceeded", NodeLimited),
        (-32062, "eth_getLogs and eth_newFilter are limited to a 10,000 blocks range", NodeLimited),
        (-32600, "batch size too large", NodeLimited),
        (-32005, "daily request count exceeded, request rate limited", NodeUnavailable),
        (429, "Your app has exceeded its compute units per second capacity", NodeUnavailable),
        (-32000, "too many requests", NodeUnavailable),
        (-32601, "Method not found", MethodMissing),
        (-32000, "the method trace_block does not exist/is not available", MethodMissing),
        (-32004, "this request method is not supported", MethodMissing),
        (-32000, "missing trie node 0abc (path ) state 0xdef is not available", StateMissing),
        (-32000, "header not found", BlockMissing),
        (-32000, "header for hash not found", BlockMissing),
        (-32000, "hash 0xabc is not currently canonical", UnknownFault),
        (-32001, "Resource not found", BlockMissing),
        (-39001, "Unknown block", BlockMissing),
        (-32602, "BlockOutOfRangeError: block height is 202 but requested was 1", StateMissing),
        (-32000, "required historical state unavailable (reexec=128)", StateMissing),
        (3, "execution reverted", CallFailed),
        (3, "execution reverted: query returned more than 10000 results", CallFailed),
        (-32000, "execution reverted: rate limit", CallFailed),
        (-32603, "EVM error InvalidFEOpcode", CallFailed),
        (-32015, "VM execution error.", CallFailed),
        (-32000, "out of gas", CallFailed),
        (-32000, "invalid jump destination", CallFailed),
        (-32603, "wires crossed", UnknownFault),
    ],
)
def test_error_messages_are_classified(code: int, message: str, meaning: type[Exception]) -> None:
    assert type(classify(code, message)) is meaning


def test_the_allowed_number_of_results_is_read() -> None:
    error = classify(-32005, "query returned more than 10,000 results")
    assert isinstance(error, NodeLimited)
    assert error.max_results == 10_000
