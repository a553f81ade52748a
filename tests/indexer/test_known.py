"""The indexer's memory is bounded but keeps the unit that may not be in the warehouse yet."""

import pytest

from indexer import known as memory
from indexer.known import Identity, Known, Origin
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


def identity(*, unread: bool, block: int = 1) -> Identity:
    return Identity(
        Origin(block, 0), "Token", "TKN", 6, None, "spl_token", frozenset(), b"", unread=unread, read_block=block
    )


def test_identities_of_the_previous_unit_are_kept_beyond_the_limit(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_MAX_IDENTITIES", 2)
    known = Known(warehouse, CHAIN)
    for unit in range(4):
        known.begin_unit()
        for number in range(3 * unit, 3 * unit + 3):
            known.learn_identity(address(number), identity(unread=False, block=number))
    known.begin_unit()
    before = [address(number) for number in (9, 10, 11)]
    assert [found.read_block for found in known.recall_identities(before).values()] == [9, 10, 11]
    assert known.recall_identities([address(0)]) == {}


def test_unread_tokens_that_do_not_fit_into_memory_are_loaded_when_others_are_read(
    warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_MAX_UNREAD", 2)
    warehouse.command(
        "INSERT INTO fact_token (chain_id, address, read_status, first_block, read_block, unit_id)"
        f" SELECT {CHAIN}, reverse(reinterpretAsFixedString(number)), 'unread', number, number, 1 FROM numbers(1, 5)"
    )
    known, seen = Known(warehouse, CHAIN), []
    while waiting := known.unread():
        assert len(waiting) <= 2
        for token in waiting:
            seen.append(token)
            known.begin_unit()
            known.learn_identity(token, identity(unread=False))
            warehouse.command(
                "INSERT INTO fact_token (chain_id, address, read_status, first_block, read_block, unit_id)"
                f" SELECT {CHAIN}, unhex('{token.hex()}'), 'ok', 9, 9, 2"
            )
    assert [int.from_bytes(token, "big") for token in seen] == [1, 2, 3, 4, 5]


def test_a_token_read_in_a_unit_that_is_still_being_written_is_not_read_again(warehouse: Warehouse) -> None:
    warehouse.command(
        "INSERT INTO fact_token (chain_id, address, read_status, first_block, read_block, unit_id)"
        f" SELECT {CHAIN}, reverse(reinterpretAsFixedString(toUInt64(7))), 'unread', 1, 1, 1"
    )
    known = Known(warehouse, CHAIN)
    known.begin_unit()
    known.learn_identity((7).to_bytes(8, "big"), identity(unread=False))
    known.begin_unit()
    assert known.unread() == {}
