from dataclasses import replace
from typing import Any

from pipelines import frames
from pipelines.documents.symbols import read_of, symbol_forms
from pipelines.refresh import refresh
from pipelines.refresh_run import RefreshRun
from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.ledger import USDC, ZERO, Ledger, address
from tests.factories.markets import build_market
from tests.fixtures.derived import served
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection


def listed(store: Connection) -> dict[str, dict[str, Any]]:
    """The store's tokens by address, without prefix."""
    return {row["address"][2:]: row for row in store.execute("SELECT * FROM indexed_token").fetchall()}


def visible(warehouse: Warehouse) -> dict[str, dict[str, Any]]:
    """Visible rows by address."""
    rows = warehouse.rows(
        "SELECT lower(hex(address)) AS token, symbol_key, deleted, is_copy, copy_rule,"
        " lower(hex(copy_of_address)) AS original FROM serve_token"
        " WHERE version <= (SELECT max(version) FROM serve_publication)"
        " ORDER BY version DESC LIMIT 1 BY symbol_key, chain_id, address"
    )
    return {row["token"]: row for row in rows if not row["deleted"]}


def build_original(ledger: Ledger) -> str:
    """A token that has had a market of 200,000 dollars for two hours; what comes after it is younger."""
    original, _ = build_market(ledger)
    ledger.mine(3 * 3600)
    return original


def copies_in_provenance(warehouse: Warehouse) -> dict[str, int]:
    rows = warehouse.rows(
        "SELECT lower(hex(token)) AS coin, is_copy FROM serve_provenance WHERE method = 'deployer'"
        " ORDER BY version DESC LIMIT 1 BY wallet, chain_id, token, method"
    )
    return {row["coin"]: row["is_copy"] for row in rows}


def test_a_copy_is_shown_everywhere_and_follows_tokens_of_its_symbol(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    original = build_original(ledger)
    copy = ledger.token(0x9E9F, "РEPE", supply=5, creator=address(0xE1))
    fake = ledger.token(0x9EA0, "USDC", supply=5, creator=address(0xE2))
    ledger.publish()
    refresh(warehouse, store, chains)
    shown = visible(warehouse)
    assert (shown[copy]["is_copy"], shown[copy]["copy_rule"], shown[copy]["original"]) == (1, "senior", original)
    assert (shown[fake]["is_copy"], shown[fake]["copy_rule"]) == (1, "major")
    assert shown[original]["is_copy"] == 0
    assert listed(store)[copy]["copy_of_address"] == f"0x{original}"
    assert copies_in_provenance(warehouse)[copy] == 1


def test_registering_a_clone_does_not_make_its_original_a_copy(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    original = build_original(ledger)
    clone = ledger.token(0x9E9F, "РEPE", supply=5, creator=address(0xE1))
    for number in range(200):
        ledger.transfer(clone, address(0xE1), address(0xB000 + number), 1)
    ledger.registry("registered", 1, symbol="РEPE", owner=address(0xE1), token_address=clone)
    ledger.publish()
    refresh(warehouse, store, chains)
    shown = visible(warehouse)
    assert (shown[original]["is_copy"], shown[clone]["is_copy"], shown[clone]["original"]) == (0, 1, original)
    assert copies_in_provenance(warehouse)[original] == 0


def test_a_namesake_without_a_market_is_a_copy_of_the_registered_token_only_if_it_is_younger(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    elder = ledger.token(0x9E9D, "FROG", supply=5)
    ledger.mine()
    registered = ledger.token(0x9E9E, "FROG", supply=5)
    ledger.mine()
    younger = ledger.token(0x9E9F, "FROG", supply=5, creator=address(0xE1))
    ledger.publish()
    refresh(warehouse, store, chains)
    assert [shown["is_copy"] for shown in visible(warehouse).values()] == [0, 0, 0]
    ledger.mine()
    ledger.registry("registered", 1, symbol="FROG", owner=address(0xC0), token_address=registered)
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    shown = visible(warehouse)
    assert [shown[token]["is_copy"] for token in (elder, registered, younger)] == [0, 0, 1]
    assert shown[younger]["copy_rule"] == "registered"


def test_tokens_that_may_be_older_than_the_index_leave_their_symbol_undecided(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    late = Chains({key: replace(chain, start_block=1) for key, chain in chains.by_key.items()})
    new = build_original(ledger)
    old = address(0x9E90)
    ledger.read(old, "PEPE", total_supply_raw=5)
    ledger.transfer(old, ZERO, address(0xE1), 5)
    lone = address(0x9E91)
    ledger.read(lone, "FROG", total_supply_raw=5)
    ledger.transfer(lone, ZERO, address(0xE1), 5)
    ledger.publish()
    refresh(warehouse, store, late)
    tokens = listed(store)
    assert [(tokens[token]["is_copy"], tokens[token]["copy_unknown"]) for token in (new, old, lone)] == [
        (False, "depth_unknown"),
        (True, "depth_unknown"),
        (False, None),
    ]
    # Where the index begins with the chain, all pools are known.
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.read(new, "PEPE", total_supply_raw=1_000_000 * ETHER)
    ledger.publish()
    refresh(warehouse, store, chains)
    tokens = listed(store)
    assert [(tokens[token]["is_copy"], tokens[token]["copy_unknown"]) for token in (new, old)] == [
        (False, None),
        (True, None),
    ]


def test_a_token_with_old_depth_that_takes_a_symbol_is_junior_to_the_one_that_had_it(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    ledger.mine()
    ledger.token(int(USDC, 16), "USDC", supply=10**9 * DOLLAR, decimals=6)
    chameleon = ledger.token(0x9E9D, "FROG", supply=10**24, creator=address(0xE1))
    ledger.sync(ledger.pool(0x7009, chameleon, USDC), 2_000 * ETHER, 2_000 * DOLLAR)
    ledger.mine(3 * 3600)
    original = ledger.token(0x9E9E, "PEPE", supply=10**24)
    ledger.sync(ledger.pool(0x700A, original, USDC), 80_000 * ETHER, 80_000 * DOLLAR)
    ledger.mine(30 * 3600)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert listed(store)[chameleon]["named_at"] is None
    ledger.mine(3600)
    ledger.read(chameleon, "PEPE", total_supply_raw=10**24)
    taken = ledger.time
    ledger.mine(3600)
    ledger.publish()
    refresh(warehouse, store, chains, full=False)
    tokens = listed(store)
    assert tokens[chameleon]["senior_since"] < tokens[original]["senior_since"]
    assert tokens[chameleon]["named_at"].timestamp() == taken
    assert [(tokens[token]["is_copy"]) for token in (original, chameleon)] == [False, True]


def test_the_larger_of_two_originals_comes_first(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    larger, _ = build_market(ledger)
    ledger.mine()
    smaller = ledger.token(0x9E9F, "PEPE", supply=5)
    ledger.publish()
    refresh(warehouse, store, chains)
    tokens = listed(store)
    assert (tokens[larger]["precedence"], tokens[smaller]["precedence"]) == (0, 1)


def test_a_token_that_changes_its_symbol_is_not_found_under_the_old_one(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.read(token, "FROG", total_supply_raw=1_000_000 * ETHER)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert set(served(warehouse)) == {"WETH", "USDC", "FROG"}
    assert listed(store)[token]["symbol_key"] == "FROG"
    newest = "SELECT deleted FROM serve_symbol WHERE symbol_key = 'PEPE' ORDER BY version DESC LIMIT 1"
    assert warehouse.scalar(newest) == 1
    ledger.revert_last_unit()
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}


def test_a_registration_counts_while_the_token_has_the_registered_symbol(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    ledger.mine()
    ledger.registry("registered", 1, symbol="PEPE", owner=address(0xE1), token_address=token)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert served(warehouse)["PEPE"]["registration_token_id"] == 1
    ledger.mine()
    ledger.read(token, "USDT", total_supply_raw=1_000_000 * ETHER)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert served(warehouse)["USDT"]["registration_token_id"] is None


def test_a_token_renamed_to_look_like_another_becomes_its_copy(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    original = build_original(ledger)
    near = ledger.token(0x9E9F, "PEPE", supply=5, creator=address(0xE1))
    far = ledger.token(0x9EA0, "FROG", supply=5, creator=address(0xE2))
    ledger.publish()
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.read(near, "P\N{GREEK CAPITAL LETTER EPSILON}PE", total_supply_raw=5)
    ledger.read(far, "PEP\N{GREEK CAPITAL LETTER EPSILON}", total_supply_raw=5)
    ledger.publish()
    refresh(warehouse, store, chains)
    shown = visible(warehouse)
    assert [(shown[token]["is_copy"], shown[token]["original"]) for token in (near, far)] == [(1, original)] * 2
    assert {row["symbol_key"] for row in shown.values()} >= {"PEPE", "P\u0395PE", "PEP\u0395"}
    assert "FROG" not in served(warehouse)


def test_a_token_whose_creation_was_orphaned_is_gone(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    build_market(ledger)
    ledger.mine()
    token = ledger.token(0x9E9F, "GONE", supply=5)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert token in listed(store)
    ledger.revert_last_unit()
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert "GONE" not in served(warehouse)
    assert token not in listed(store)


def test_a_token_without_a_symbol_is_listed_and_not_searched(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    token = ledger.token(0x9E9F, "", supply=5, decimals=None, read_status="broken")
    ledger.publish()
    refresh(warehouse, store, chains)
    assert served(warehouse) == {}
    assert listed(store)[token]["score"] is not None


def test_many_symbols_of_any_characters_are_read_unchanged(
    warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    strange = {
        f"{sign * 64}{number}" for sign in ("\\", '"', "'", "\N{TOP HAT}", "\t", ",") for number in range(400)
    } | {""}
    rows = [{"version": 1, "symbol_key": symbol} for symbol in sorted(strange)]
    warehouse.insert_arrow("serve_symbol", frames.table({"version": frames.UINT64, "symbol_key": frames.TEXT}, rows))
    run = RefreshRun(warehouse, store, chains, version=1)
    found = read_of(run, "documents/current_symbols", "symbols", strange | {"of no token"})
    assert {row["symbol_key"] for row in found} == strange
    assert read_of(run, "documents/current_symbols", "symbols", set()) == []


def test_long_symbols_have_one_form() -> None:
    assert symbol_forms("A" * 23) == ["A" * 23]
    assert len(symbol_forms("ABCDEFG")) == 1 + 7 + 21
