"""The indexer's memory is bounded but keeps the unit that may not be in the warehouse yet."""

import pytest

from indexer import known as memory
from indexer.known import Known, Origin
from warehouse.clickhouse import Warehouse

CHAIN = 424_242


def _seen(_known: Known) -> list[int]:
    return []


def address(number: int) -> bytes:
    return number.to_bytes(20, "big")


def test_the_previous_unit_is_kept_beyond_the_memory_limit(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_MAX_ENTRIES", 2)
    known = Known(warehouse, CHAIN)
    for unit in range(4):
        known.begin_unit()
        for number in range(3 * unit, 3 * unit + 3):
            known.learn_pool(address(number), "uniswap_v2")
            known.learn_token(address(number), Origin(number, 0))
            known.learn_creation(address(number), Origin(number, 0))
    known.begin_unit()
    before = [address(number) for number in (9, 10, 11)]
    assert len(known.pools) == len(known.tokens) == 3
    assert set(known.protocols(before).values()) == {"uniswap_v2"}
    assert [origin and origin.block for origin in known.recall_tokens(before).values()] == [9, 10, 11]
    assert [origin.block for origin in known.creations(before).values()] == [9, 10, 11]
    assert known.creations([address(0)]) == {}


def test_the_first_creation_of_a_contract_counts(warehouse: Warehouse) -> None:
    known = Known(warehouse, CHAIN)
    known.begin_unit()
    known.learn_creation(address(1), Origin(5, 50))
    known.begin_unit()
    known.learn_creation(address(1), Origin(9, 90))
    assert known.creations([address(1)]) == {address(1): Origin(5, 50)}


def test_what_a_kind_of_chain_keeps_is_made_once_and_dropped_with_the_memory(warehouse: Warehouse) -> None:
    known = Known(warehouse, CHAIN)
    assert known.kept(_seen) is known.kept(_seen)
    known.kept(_seen).append(1)
    assert known.kept(_seen) == [1]
    assert Known(warehouse, CHAIN).kept(_seen) == []
