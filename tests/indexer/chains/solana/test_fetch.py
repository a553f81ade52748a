"""Which slots have a block, and what the head is, as far as nodes can show it."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from indexer.chains.errors import NodeLied, NodeUnavailable
from indexer.chains.solana.fetch import fetch_hashes, list_slots
from indexer.chains.solana.source import SolanaSource
from tests.fixtures.faulty_node import Answer, FaultyNode, Request, faulty_node
from tests.fixtures.solana_indexing import facts_of
from tests.fixtures.solana_ledger import SolanaLedger


@pytest.fixture
def node(node_url: str) -> Iterator[FaultyNode]:
    with faulty_node(node_url) as proxy:
        yield proxy


@pytest.fixture
def source(ledger: SolanaLedger, node: FaultyNode) -> Iterator[SolanaSource]:
    with closing(SolanaSource(facts_of(ledger, node.url), patience_seconds=0.5)) as found:
        yield found


def answering(method: str, result: Callable[[Any], Any]) -> Callable[[Request, Answer], Answer]:
    """A rule that changes the results of one method."""

    def item(request: Request, answer: Answer) -> Answer:
        return {**answer, "result": result(answer.get("result"))} if request["method"] == method else answer

    return item


def test_hashes_are_of_slots_that_have_a_block(source: SolanaSource, ledger: SolanaLedger) -> None:
    found = source.block_hashes(ledger.head - 40, ledger.head)
    assert sorted(found) == [slot for slot in sorted(ledger.blocks) if slot >= ledger.head - 40]


def test_a_range_of_skipped_slots_has_no_block(source: SolanaSource, ledger: SolanaLedger) -> None:
    skipped = next(slot for slot in range(ledger.head - 50, ledger.head) if slot not in ledger.blocks)
    assert source.block_hashes(skipped, skipped) == {}
    (chunk,) = source.fetch(skipped, skipped)
    assert (chunk.block_count, chunk.event_count) == (0, 0)


def test_a_slot_counts_as_skipped_only_if_the_next_block_says_so(
    source: SolanaSource, ledger: SolanaLedger, node: FaultyNode
) -> None:
    existing = sorted(ledger.blocks)[-5]
    node.item = answering("getBlocks", lambda slots: [slot for slot in slots if slot != existing])
    with pytest.raises(NodeLied, match=f"block of slot {existing} is missing"):
        fetch_hashes(source.client, existing, existing)


def test_a_node_that_knows_nothing_up_to_the_target_is_behind(
    source: SolanaSource, ledger: SolanaLedger, node: FaultyNode
) -> None:
    first = sorted(ledger.blocks)[-8]
    node.item = lambda request, answer: (
        {**answer, "result": [slot for slot in answer["result"] if slot < ledger.head - 4]}
        if request["method"] in ("getBlocks", "getBlocksWithLimit")
        else answer
    )
    with pytest.raises(NodeUnavailable, match=f"does not know slot {ledger.head} yet"):
        list_slots(source.client, first, ledger.head)


def test_a_head_that_the_node_cannot_show_is_no_head(source: SolanaSource, node: FaultyNode) -> None:
    node.item = answering("getSlot", lambda slot: slot + 10**6)
    with pytest.raises(NodeUnavailable, match="not available"):
        source.head()


def test_what_is_final_is_never_above_the_head(source: SolanaSource, ledger: SolanaLedger, node: FaultyNode) -> None:
    def swapped(request: Request, answer: Answer) -> Answer:
        if request["method"] != "getSlot":
            return answer
        confirmed = request["params"][0]["commitment"] == "confirmed"
        return {**answer, "result": ledger.final if confirmed else ledger.head}

    node.item = swapped
    head = source.head()
    assert (head.number, head.final) == (ledger.final, ledger.final)


def test_nothing_is_final_while_only_the_first_slot_is(source: SolanaSource, node: FaultyNode) -> None:
    node.item = lambda request, answer: (
        {**answer, "result": 0} if request["params"] == [{"commitment": "finalized"}] else answer
    )
    assert source.head().final < 0
