"""Laps of a recording make one chain: linked, without repeated hashes, and decoded like any other."""

import json
from typing import Any

import pytest

from indexer.chains.evm.tuned.answers import parse_logs
from tests.bench.history import HEADERS, START, TRACES, LongHistory
from tests.bench.recording import Block, Recording

BLOCKS, SET_UP = 6, 2
TOPIC = "0x" + "dd" * 32


def digest(kind: int, number: int) -> str:
    return f"0x{kind:08x}{number:056x}"


def recorded() -> Recording:
    blocks, headers, traces = [], [], []
    for number in range(BLOCKS):
        seconds = hex(0x6AFF0000 + 12 * number)
        transaction = digest(2, number)
        log = {
            "address": "0x" + "11" * 20,
            "topics": [TOPIC],
            "data": "0x",
            "blockHash": digest(1, number),
            "blockNumber": hex(number),
            "blockTimestamp": seconds,
            "transactionHash": transaction,
            "logIndex": "0x0",
        }
        texts = [json.dumps({**log, "logIndex": hex(index)}, separators=(",", ":")).encode() for index in range(2)]
        ends = [len(texts[0]), len(texts[0]) + 1 + len(texts[1])]
        blocks.append(Block(digest(1, number), b",".join(texts), [TOPIC, TOPIC], ends))
        header = {
            "hash": digest(1, number),
            "parentHash": digest(1, number - 1) if number else digest(0, 0),
            "number": hex(number),
            "timestamp": seconds,
            "transactions": [transaction],
        }
        trace = {
            "blockHash": digest(1, number),
            "blockNumber": number,
            "transactionHash": transaction,
            "type": "create" if number < SET_UP else "call",
        }
        headers.append(b'"result":' + json.dumps(header, separators=(",", ":")).encode())
        traces.append(b'"result":' + json.dumps([trace], separators=(",", ":")).encode())
    return Recording(8453, blocks, {HEADERS: headers, TRACES: traces}, {})


@pytest.fixture(scope="module")
def history() -> LongHistory:
    return LongHistory(recorded())


def result(tail: bytes) -> Any:
    return json.loads(b"{" + tail + b"}")["result"]


def test_laps_make_one_chain_of_new_blocks(history: LongHistory) -> None:
    last = history.head_of(5)
    assert last == START + SET_UP + 5 * (BLOCKS - SET_UP) - 1
    hashes: set[str] = set()
    before: Any = None
    for number in range(START, last + 1):
        header, block, traces = result(history.header(number)), history.block(number), result(history.traces(number))
        logs = json.loads(b"[" + block.logs + b"]")
        assert int(header["number"], 16) == number
        assert history.number_of(header["hash"]) == number
        if before is not None:
            assert header["parentHash"] == before["hash"]
            assert int(header["timestamp"], 16) == int(before["timestamp"], 16) + 12
        for item in logs:
            assert (item["blockHash"], item["blockTimestamp"]) == (block.hash, header["timestamp"])
            assert [item["transactionHash"]] == header["transactions"]
            assert int(item["blockNumber"], 16) == number
        assert [(item["blockHash"], item["blockNumber"]) for item in traces] == [(header["hash"], number)]
        hashes |= {header["hash"], *header["transactions"]}
        before = header
    assert len(hashes) == 2 * (last + 1 - START)


def test_only_the_first_lap_sets_up(history: LongHistory) -> None:
    made = [number for number in range(START, history.head_of(4)) if b'"create"' in history.traces(number)]
    assert made == list(range(START, START + SET_UP))


def test_log_offsets_fit_wider_numbers(history: LongHistory) -> None:
    block = history.block(START + 9)
    assert [json.loads(block.logs[: block.ends[0]])["logIndex"], block.ends[1]] == ["0x0", len(block.logs)]
    assert parse_logs(b'{"result":[' + block.logs + b"]}").block_number.tolist() == [START + 9] * 2


def test_an_unknown_hash_is_no_block(history: LongHistory) -> None:
    assert history.number_of(digest(7, 7)) is None
