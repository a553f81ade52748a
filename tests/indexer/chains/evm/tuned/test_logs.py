"""The columnar parser of eth_getLogs answers, compared with the general one."""

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.chains.errors import NodeLied
from indexer.chains.evm.tuned.answers import parse_logs
from indexer.chains.evm.tuned.layout import SurprisingLayout, parse_layout
from indexer.chains.evm.tuned.logs import Logs
from indexer.chains.evm.tuned.objects import parse_objects
from tests.factories.logs import answer, log

KEYS = ("address", "topics", "data", "blockHash", "blockNumber", "transactionHash", "transactionIndex", "logIndex")


def hexadecimal(size: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=size, max_size=size).map(lambda raw: "0x" + raw.hex())


@st.composite
def node_answers(draw: st.DrawFn) -> bytes:
    """Logs as any node may write them: any order of keys, extra keys, spaces, upper-case digits."""
    order = draw(st.permutations(KEYS))
    extras = draw(st.lists(st.sampled_from(["blockTimestamp", "removed", "note"]), unique=True))
    made = []
    for _ in range(draw(st.integers(0, 6))):
        values: dict[str, Any] = {
            "address": draw(hexadecimal(20)),
            "topics": draw(st.lists(hexadecimal(32), max_size=4)),
            "data": "0x" + draw(st.binary(max_size=100)).hex(),
            "blockHash": draw(hexadecimal(32)),
            "blockNumber": hex(draw(st.integers(0, 2**40))),
            "transactionHash": draw(hexadecimal(32)),
            "transactionIndex": hex(draw(st.integers(0, 500))),
            "logIndex": hex(draw(st.integers(0, 2**32 - 1))),
        }
        entry = {key: values[key] for key in order}
        for extra in extras:
            entry[extra] = {"blockTimestamp": "0x1", "removed": False, "note": draw(st.sampled_from([None, 1, "x"]))}[
                extra
            ]
        if draw(st.booleans()):
            entry["data"] = "0x" + entry["data"][2:].upper()
        made.append(entry)
    if draw(st.booleans()) and len(made) > 1:
        made[-1] = dict(reversed(made[-1].items()))
    spaced = draw(st.booleans())
    envelope = {"jsonrpc": "2.0", "id": 1, "result": made}
    return json.dumps(envelope, separators=(", ", ": ") if spaced else (",", ":")).encode()


def meaning(logs: Logs) -> list[Any]:
    return [
        logs.block_number.tolist(),
        logs.log_index.tolist(),
        logs.address().tolist(),
        logs.topics(),
        logs.data(),
        logs.block_hash().tolist(),
        logs.transaction_hash().tolist(),
    ]


@given(node_answers())
@settings(max_examples=300)
def test_both_parsers_agree(raw: bytes) -> None:
    expected = meaning(parse_objects(raw))
    assert meaning(parse_logs(raw)) == expected
    try:
        fast = parse_layout(raw)
    except SurprisingLayout:
        return
    assert meaning(fast) == expected


@pytest.mark.slow
@given(node_answers(), st.data())
@settings(max_examples=300)
def test_both_parsers_agree_on_damaged_json(raw: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(raw) - 1))
    damaged = raw[:at] + data.draw(st.binary(min_size=1, max_size=2)) + raw[at + 1 :]
    try:
        expected = meaning(parse_objects(damaged))
    except NodeLied:
        return
    assert meaning(parse_logs(damaged)) == expected


def test_regular_answers_use_the_fast_parser() -> None:
    logs = [
        log("0x" + "11" * 20, [bytes(32)] * (row % 5), ["uint256"], [row], block=row, index=row) for row in range(400)
    ]
    random.Random(1).shuffle(logs)
    assert meaning(parse_layout(answer(logs))) == meaning(parse_objects(answer(logs)))


def test_no_logs() -> None:
    assert len(parse_logs(b'{"jsonrpc":"2.0","id":1,"result":[]}')) == 0


def test_a_removed_log_is_refused() -> None:
    with pytest.raises(NodeLied, match="removed"):
        parse_logs(answer([{**log("0x" + "11" * 20, []), "removed": True}]))


@pytest.mark.parametrize(
    ("field", "value"),
    [("address", "0x11"), ("blockHash", "0x" + "zz" * 32), ("logIndex", "17"), ("data", "0xabc"), ("topics", ["0x1"])],
)
def test_malformed_fields_are_refused(field: str, value: Any) -> None:
    with pytest.raises(NodeLied):
        meaning(parse_logs(answer([{**log("0x" + "11" * 20, []), field: value}])))


def test_selecting_keeps_columns_aligned() -> None:
    logs = parse_logs(answer([log("0x" + f"{row:040x}", [bytes([row] * 32)], block=row) for row in range(1, 9)]))
    chosen = logs.select(np.array([2, 5]))
    assert chosen.block_number.tolist() == [3, 6]
    assert [row[-1] for row in chosen.address().tolist()] == [3, 6]
    assert logs.with_topic(bytes([5] * 32)).tolist() == [4]


@pytest.mark.parametrize("parse", [parse_layout, parse_objects])
def test_topics_match_in_upper_and_lower_case(parse: Any) -> None:
    topic = bytes.fromhex("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")
    entry = dict.fromkeys(("blockHash", "transactionHash"), "0x" + "0" * 64)
    entry |= {"address": "0x" + "0" * 40, "data": "0x", "blockNumber": "0x1", "logIndex": "0x1"}
    made = [{**entry, "topics": ["0x" + text]} for text in (topic.hex(), topic.hex().upper())]
    found = parse(json.dumps({"result": made}).encode())
    assert found.with_topic(topic).tolist() == [0, 1]


@pytest.mark.parametrize("number", ["0x1_0", "0x1 ", "0x\u0661", "0x", "16", "0x-1"])
def test_malformed_numbers_are_refused(number: str) -> None:
    entry: dict[str, Any] = dict.fromkeys(("blockHash", "transactionHash"), "0x" + "0" * 64)
    entry |= {"address": "0x" + "0" * 40, "data": "0x", "blockNumber": number, "logIndex": "0x1", "topics": []}
    with pytest.raises(NodeLied):
        parse_logs(json.dumps({"result": [entry]}).encode())


def test_a_null_value_in_the_first_log_is_refused() -> None:
    entry: dict[str, Any] = dict.fromkeys(("blockHash", "transactionHash"), "0x" + "0" * 64)
    entry |= {"address": "0x" + "0" * 40, "data": None, "blockNumber": "0x1", "logIndex": "0x1", "topics": []}
    with pytest.raises(NodeLied):
        parse_logs(json.dumps({"result": [entry]}).encode())


@pytest.mark.parametrize("tail", [b"garbage", b"]", b',"id":', b"}"])
def test_text_after_the_logs_is_checked(tail: bytes) -> None:
    raw = answer([log("0x" + "11" * 20, []), log("0x" + "12" * 20, [], index=1)])
    with pytest.raises(SurprisingLayout):
        parse_layout(raw + tail)
    with pytest.raises(NodeLied):
        parse_logs(raw + tail)


@pytest.mark.parametrize("value", ["", "true", 0, 1, {}])
def test_removed_must_be_a_boolean_or_absent(value: Any) -> None:
    with pytest.raises(NodeLied):
        parse_logs(answer([{**log("0x" + "11" * 20, []), "removed": value}]))
