"""The replay server answers like the node it was recorded from."""

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.bench.baselines import TRANSFER, V2_SYNC
from tests.bench.recording import Block, Recording
from tests.bench.replay import Replay

HEAD = 9


def _log(block: int, index: int, topic: str) -> dict[str, Any]:
    return {
        "address": f"0x{block % 3:040x}",
        "topics": [topic, f"0x{index:064x}"],
        "data": "0x",
        "blockNumber": hex(block),
        "logIndex": hex(index),
    }


LOGS = [[_log(block, 0, TRANSFER), _log(block, 1, V2_SYNC)] if block % 2 else [] for block in range(HEAD + 1)]


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replay]:
    blocks, headers = [], []
    for number, logs in enumerate(LOGS):
        texts = [json.dumps(log, separators=(",", ":")).encode() for log in logs]
        ends = [sum(map(len, texts[: at + 1])) + at for at in range(len(texts))]
        blocks.append(Block(f"0x{number:064x}", b",".join(texts), [log["topics"][0] for log in logs], ends))
        headers.append(b'"result":{"number":"%s"}' % hex(number).encode())
    path = tmp_path_factory.mktemp("recording") / "chain.rec"
    calls = {'eth_call [{"to":"0xab"},"latest"]': b'"result":"0x01"'}
    Recording(8453, blocks, {"eth_getBlockByNumber [null,false]": headers}, calls).save(path)
    with Replay(path) as server:
        yield server


def _ask(replay: Replay, body: Any) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", replay.port, timeout=10)
    try:
        connection.request("POST", "/", json.dumps(body))
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def _logs(replay: Replay, **wanted: Any) -> Any:
    return _ask(replay, {"jsonrpc": "2.0", "id": 7, "method": "eth_getLogs", "params": [wanted]})


def test_logs_of_a_range_are_ordered(replay: Replay) -> None:
    assert _logs(replay, fromBlock="0x1", toBlock="0x4") == {"jsonrpc": "2.0", "id": 7, "result": LOGS[1] + LOGS[3]}


def test_logs_are_filtered_by_topic_address_and_later_topics(replay: Replay) -> None:
    every = [log for logs in LOGS for log in logs]
    span = {"fromBlock": "earliest", "toBlock": "latest"}
    assert _logs(replay, **span, topics=[[TRANSFER]])["result"] == [
        log for log in every if log["topics"][0] == TRANSFER
    ]
    assert _logs(replay, **span, address=f"0x{1:040x}")["result"] == [log for log in every if log["address"][-1] == "1"]
    assert _logs(replay, **span, topics=[None, f"0x{1:064x}"])["result"] == [
        log for log in every if log["topics"][1][-1] == "1"
    ]


def test_a_batch_is_answered_call_by_call(replay: Replay) -> None:
    calls = [("eth_chainId", []), ("eth_getBlockByNumber", ["latest", False]), ("eth_call", [{"to": "0xab"}, "0x5"])]
    batch = [
        {"jsonrpc": "2.0", "id": at, "method": method, "params": params} for at, (method, params) in enumerate(calls)
    ]
    assert [answer["result"] for answer in _ask(replay, batch)] == ["0x2105", {"number": hex(HEAD)}, "0x01"]


def test_more_results_than_the_cap_are_an_error_that_names_a_range(replay: Replay) -> None:
    replay.control(cap=4)
    try:
        answer = _logs(replay, fromBlock="0x0", toBlock="0x9")
        assert answer["error"]["code"] == -32005
        assert "[0x0, 0x4]" in answer["error"]["message"]
        assert len(_logs(replay, fromBlock="0x0", toBlock="0x4")["result"]) == 4
    finally:
        replay.control(cap=None)


def test_what_was_not_recorded_is_an_error_and_counted(replay: Replay) -> None:
    replay.control(reset=True)
    assert (
        "not recorded"
        in _ask(replay, {"jsonrpc": "2.0", "id": 1, "method": "eth_gasPrice", "params": []})["error"]["message"]
    )
    assert replay.control()["miss_count"] == 1
