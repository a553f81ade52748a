"""Nodes that limit, throttle, fail and lie: no row is lost, no false row is stored."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from indexer.chains.errors import NodeLied, NodeUnavailable, WrongChain
from indexer.devchain.world import World
from indexer.plan import Limits
from indexer.run import advance
from tests.fixtures.faulty_node import FaultyNode, Reply, Request, error_answer, faulty_node
from tests.fixtures.indexing import AllRows, all_rows, differences, indexing
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain
from warehouse.postgres import Connection

UNITS = Limits(unit_rows=600, first_range_blocks=64, fetchers=3)


@pytest.fixture
def node(archive_world: World) -> Iterator[FaultyNode]:
    with faulty_node(archive_world.anvil.url) as proxy:
        yield proxy


@pytest.fixture
def chain(archive_chain: Chain, node: FaultyNode) -> Chain:
    return replace(archive_chain, rpc_urls=(node.url,))


@pytest.fixture(scope="module")
def truth() -> dict[str, AllRows]:
    """Rows of an index from the honest node, built once."""
    return {}


@pytest.fixture
def honest(truth: dict[str, AllRows], archive_chain: Chain, index_afresh: Callable[[Chain], AllRows]) -> AllRows:
    if not truth:
        truth.update(rows=index_afresh(archive_chain))
    return truth["rows"]


def span(request: Request) -> int:
    wanted = request["params"][0]
    return 1 if "blockHash" in wanted else int(wanted["toBlock"], 16) - int(wanted["fromBlock"], 16) + 1


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (-32000, "exceed maximum block range: 7"),
        (-32602, "eth_getLogs is limited to a 7 range"),
        (-32005, "query exceeds max block range 7"),
        (-32600, "Under the Free tier plan, you can make eth_getLogs requests with up to a 7 block range."),
    ],
)
def test_a_limited_range_loses_no_row(
    code: int, message: str, node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    def limit(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        return error_answer(code, message) if request["method"] == "eth_getLogs" and span(request) > 7 else answer

    node.item = limit
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
        assert context.counters(chain)["ranges_halved"] > 0
    assert differences(all_rows(warehouse), honest) == {}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (-32005, "query returned more than 60 results"),
        (-32602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range"),
        (-32000, "too many results, please narrow your query"),
    ],
)
def test_a_limited_result_loses_no_row(
    code: int, message: str, node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    def limit(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        many = request["method"] == "eth_getLogs" and len(answer["result"]) > 60 and span(request) > 1
        return error_answer(code, message) if many else answer

    node.item = limit
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
    assert differences(all_rows(warehouse), honest) == {}


def test_throttling_dropped_connections_and_bad_gateways_are_retried(
    node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    faults = [
        Reply(429, b"slow down", (("Retry-After", "0.05"),)),
        Reply(429),
        Reply(0),
        Reply(502, b"<html>bad gateway</html>"),
        Reply(200, b'{"jsonrpc": "2.0", "id": 0, "error": {"code": -32005, "message": "request rate limited"}}'),
        Reply(200, b'{"jsonrpc": "2.0", "id": 0, "resu'),
    ]
    count = 0
    lock = threading.Lock()

    def misbehave(requests: list[Request]) -> Reply | None:
        nonlocal count
        with lock:
            count += 1
            return faults[count // 3 % len(faults)] if count % 3 == 0 else None

    node.before = misbehave
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
        assert context.counters(chain)["retries"] >= len(faults)
    assert differences(all_rows(warehouse), honest) == {}


def test_another_node_takes_over_from_one_that_is_down(
    archive_world: World, chain: Chain, node: FaultyNode, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    node.before = lambda requests: Reply(503)
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, replace(chain, rpc_urls=(node.url, archive_world.anvil.url)))
    assert differences(all_rows(warehouse), honest) == {}


def test_a_node_that_stays_down_is_an_error_and_published_blocks_stay(
    node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url, UNITS, patience=0.5) as context:
        advance(context, chain, to_block=40)
        node.before = lambda requests: Reply(0)
        with pytest.raises(NodeUnavailable):
            advance(context, chain)
    assert warehouse.scalar("SELECT max(block_number) FROM raw_block") == 40


def test_logs_of_another_fork_are_refused(node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str) -> None:
    def lie(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        if request["method"] == "eth_getLogs" and "blockHash" not in request["params"][0]:
            for log in answer["result"][-1:]:
                log["blockHash"] = "0x" + "ab" * 32
        return answer

    node.item = lie
    with indexing(warehouse, store_url, UNITS) as context, pytest.raises(NodeLied, match="fork"):
        advance(context, chain)
    assert warehouse.scalar("SELECT count() FROM fact_transfer") == 0


@pytest.mark.parametrize("keep", [0.0, 0.5, 0.95])
def test_a_silently_truncated_answer_is_detected(
    keep: float, node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    seen: set[str] = set()

    def cut(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        if request["method"] == "eth_getLogs" and span(request) > 1 and str(request["params"]) not in seen:
            seen.add(str(request["params"]))  # the second time it answers in full
            return {**answer, "result": answer["result"][: int(len(answer["result"]) * keep)]}
        return answer

    node.item = cut
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
        assert context.counters(chain)["contradictions"] > 0
    assert differences(all_rows(warehouse), honest) == {}


def test_a_log_missing_within_a_block_is_detected_in_short_ranges(
    node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    seen: set[str] = set()

    def pierce(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        if request["method"] != "eth_getLogs" or "blockHash" in request["params"][0]:
            return answer
        first, again = str(request["params"]), str(request["params"]) in seen
        seen.add(first)
        logs = answer["result"]
        return answer if again or len(logs) < 3 else {**answer, "result": [*logs[:1], *logs[2:]]}

    node.item = pierce
    with indexing(warehouse, store_url, replace(UNITS, first_range_blocks=8, range_blocks=8)) as context:
        advance(context, chain)
        assert context.counters(chain)["contradictions"] > 0
    assert differences(all_rows(warehouse), honest) == {}


@pytest.mark.parametrize(
    ("method", "missing"),
    [
        ("trace_block", set()),
        ("eth_getBlockReceipts", {"trace_block"}),
        ("eth_getTransactionReceipt", {"trace_block", "eth_getBlockReceipts"}),
    ],
)
def test_creations_of_another_fork_than_the_headers_are_fetched_again(
    method: str, missing: set[str], node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    asked: set[str] = set()

    def elsewhere(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        if request["method"] in missing:
            return error_answer(-32601, "the method does not exist")
        if request["method"] != method or request["params"] == ["latest"] or str(request["params"]) in asked:
            return answer
        asked.add(str(request["params"]))
        items = answer["result"] if isinstance(answer["result"], list) else [answer["result"]]
        for item in items:
            item.update({"blockHash": "0x" + "ab" * 32})
        return answer

    node.item = elsewhere
    with indexing(warehouse, store_url, replace(UNITS, first_range_blocks=2, range_blocks=2)) as context:
        advance(context, chain, to_block=24)
        assert context.counters(chain)["contradictions"] > 0
    assert warehouse.scalar("SELECT count() FROM fact_contract_creation") > 0


def test_a_head_that_the_node_cannot_show_makes_nothing_final(
    node: FaultyNode, chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    def boast(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        return {**answer, "result": "0xffffffff"} if request["method"] == "eth_blockNumber" else answer

    with indexing(warehouse, store_url, UNITS, patience=0.3) as context:
        advance(context, chain, to_block=20)
        node.item = boast
        with pytest.raises(NodeUnavailable):
            advance(context, chain)
    row = store.execute("SELECT head_block, final_block, block_number FROM chain_checkpoint").fetchone()
    assert row is not None
    assert row["block_number"] == 20
    assert row["final_block"] <= row["head_block"] < 0xFFFFFFFF


def test_a_chain_id_that_changes_stops_the_index(
    node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str
) -> None:
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain, to_block=60)

        def change(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
            return {**answer, "result": "0x1"} if request["method"] == "eth_chainId" else answer

        node.item = change
        with pytest.raises(WrongChain):
            advance(context, chain)
    assert warehouse.scalar("SELECT max(block_number) FROM raw_block") == 60


def test_a_node_failure_while_reading_tokens_stores_no_token_as_broken(
    node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    failures = iter(range(10**6))

    def fail(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        if request["method"] == "eth_call" and next(failures) % 40 == 0:
            return error_answer(-32603, "something odd happened on our side")
        return answer

    node.item = fail
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
    assert differences(all_rows(warehouse), honest) == {}


def test_a_node_on_another_fork_stores_no_token_as_broken(
    node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    asked = iter(range(10**6))

    def elsewhere(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        """By number it answers from its own fork, which has no contract there; by hash it lacks the block."""
        if request["method"] != "eth_call" or next(asked) not in (3, 40, 150):
            return answer
        by_hash = isinstance(request["params"][1], dict)
        return error_answer(-32000, "header for hash not found") if by_hash else {**answer, "result": "0x"}

    node.item = elsewhere
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
    assert next(asked) > 150
    assert differences(all_rows(warehouse), honest) == {}


@pytest.mark.parametrize(
    "refusal",
    [
        (-32602, "invalid argument 1: json: cannot unmarshal object into Go value of type string"),
        (-32602, "invalid type: map, expected a block number or tag"),
        (-32000, "invalid params: block must be a string"),
    ],
)
def test_a_node_that_refuses_hashes_is_asked_by_number(
    refusal: tuple[int, str], node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    def refuse(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        state = request["method"] in ("eth_call", "eth_getStorageAt")
        return error_answer(*refusal) if state and isinstance(request["params"][-1], dict) else answer

    node.item = refuse
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
    assert differences(all_rows(warehouse), honest) == {}


@pytest.mark.parametrize("missing", [{"trace_block"}, {"trace_block", "eth_getBlockReceipts"}])
def test_without_traces_only_inner_creations_are_missing(
    missing: set[str], node: FaultyNode, chain: Chain, warehouse: Warehouse, store_url: str, honest: AllRows
) -> None:
    def lack(request: Request, answer: dict[str, Any]) -> dict[str, Any]:
        return error_answer(-32601, "the method does not exist") if request["method"] in missing else answer

    node.item = lack
    with indexing(warehouse, store_url, UNITS) as context:
        advance(context, chain)
    found = all_rows(warehouse)
    assert set(differences(found, honest)) <= {"fact_contract_creation", "fact_token"}

    def key(row: dict[str, Any]) -> tuple[str, str, str, str]:
        return row["address_hex"], row["creator_hex"], row["factory_hex"], row["block_number_text"]

    ours, theirs = ({key(row) for row in side["fact_contract_creation"]} for side in (found, honest))
    assert {row for row in theirs if not row[2]} <= ours
    assert ours <= theirs
    assert {row["address_hex"] for row in found["fact_token"]} == {row["address_hex"] for row in honest["fact_token"]}
