"""Copies among mints of Solana, whose symbols and authorities change; their ranks, without heartbeats."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR
from tests.factories.mints import USDC, MintLedger, wallet
from tests.factories.token_lists import publish_list
from tests.fixtures.derived import served
from warehouse.clickhouse import Warehouse
from warehouse.domain.addresses import digits_of, stored_from_digits
from warehouse.domain.authorities import SHARED_ABOVE
from warehouse.domain.chains import Chains
from warehouse.domain.symbols import fold
from warehouse.postgres import Connection

ALICE, THIEF, PAD_BACKEND = map(wallet, ("alice", "thief", "a launchpad that nobody declared"))
RAYDIUM = digits_of("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C")
HOUR = 3_600


def deep_pool(mints: MintLedger, mint: str, dollars: int) -> None:
    """A pool with so many dollars on either side."""
    pool = mints.pool(int(mint, 16) ^ 1, mint, USDC, protocol="constant_product", factory=RAYDIUM)
    mints.sync(pool, dollars * DOLLAR, dollars * DOLLAR)


@pytest.fixture
def original(mints: MintLedger) -> str:
    """A mint that has had depth for hours."""
    mints.mine()
    mints.mine()
    mints.describe(USDC, "USDC")
    found = mints.mint("original", "LUMEN", creator=ALICE, mint_authority=ALICE, supply=10**12)
    deep_pool(mints, found, 80_000)
    mints.mine(30 * HOUR)
    return found


def verdicts(store: Connection) -> dict[str, dict[str, Any]]:
    return {digits_of(row["address"]): row for row in store.execute("SELECT * FROM indexed_token").fetchall()}


def test_who_made_both_mints_may_migrate_and_nobody_else(
    mints: MintLedger, original: str, warehouse: Warehouse, store: Connection, solana: Chains
) -> None:
    """An authority proves nothing: a thief hands his clone's to the owner of the original."""
    next_version = mints.mint("v2", "LUMEN", creator=ALICE)
    handed = mints.mint("clone", "LUMEN", creator=THIEF, mint_authority=ALICE, update_authority=ALICE)
    launched = mints.mint("launched", "LUMEN", creator=ALICE, factory=RAYDIUM)
    mints.publish()
    refresh(warehouse, store, solana)
    found = verdicts(store)
    copies = {token: found[token]["is_copy"] for token in (original, next_version, handed, launched)}
    assert copies == {original: False, next_version: False, handed: True, launched: True}
    assert found[handed]["copy_of_address"] == stored_from_digits(original)


def test_a_launchpad_that_made_the_original_cannot_migrate_it(
    mints: MintLedger, warehouse: Warehouse, store: Connection, solana: Chains
) -> None:
    mints.mine()
    mints.mine()
    mints.describe(USDC, "USDC")
    launched = mints.mint("launched", "LUMEN", creator=PAD_BACKEND, supply=10**12)
    deep_pool(mints, launched, 80_000)
    mints.mine(30 * HOUR)
    clone = mints.mint("clone", "LUMEN", creator=PAD_BACKEND)
    mints.publish()
    refresh(warehouse, store, solana)
    assert not verdicts(store)[clone]["is_copy"]
    mints.mine()
    for number in range(SHARED_ABOVE):
        mints.mint(f"{number}", f"T{number}", creator=PAD_BACKEND)
    mints.publish()
    refresh(warehouse, store, solana)
    assert verdicts(store)[clone]["is_copy"]


def test_age_counts_from_when_a_mint_first_bore_its_symbol(
    mints: MintLedger, original: str, warehouse: Warehouse, store: Connection, solana: Chains
) -> None:
    bare = mints.mint("bare", "", creator=THIEF)  # without metadata so far
    chameleon = mints.mint("chameleon", "FROG", creator=THIEF, supply=10**12)
    deep_pool(mints, chameleon, 9_000)
    mints.publish()
    refresh(warehouse, store, solana)
    mints.mine(HOUR)
    named = mints.time
    mints.describe(chameleon, "LUMEN")
    mints.describe(bare, "LUMEN")
    mints.mine(HOUR)
    mints.publish()
    refresh(warehouse, store, solana)
    found = verdicts(store)
    assert [found[token]["is_copy"] for token in (original, bare, chameleon)] == [False, True, True]
    assert {int(found[token]["named_at"].timestamp()) for token in (bare, chameleon)} == {named}


def test_an_operators_verdict_counts_while_the_mint_bears_the_symbol_it_was_given_for(
    mints: MintLedger, original: str, warehouse: Warehouse, store: Connection, solana: Chains
) -> None:
    mint = mints.mint("partner", "LUMEN", creator=THIEF)
    mints.publish()
    store.execute(
        "INSERT INTO copy_ruling (chain_id, address, is_copy, reason, symbol_folded)"
        " VALUES (%s, %s, false, 'Known.', %s)",
        (mints.chain_id, stored_from_digits(mint), fold("LUMEN")),
    )
    copied = []
    for symbol in ("LUMEN", "USDC", "LUMEN"):
        mints.mine()
        mints.describe(mint, symbol)
        mints.publish()
        refresh(warehouse, store, solana)
        copied.append((verdicts(store)[mint]["symbol_key"], verdicts(store)[mint]["is_copy"]))
    assert copied == [("LUMEN", False), ("USDC", True), ("LUMEN", False)]
    assert not verdicts(store)[original]["is_copy"]


def test_mints_are_ranked_and_listed_without_a_heartbeat(
    mints: MintLedger, original: str, warehouse: Warehouse, store: Connection, solana: Chains
) -> None:
    mints.registry(
        "registered", 1, symbol="LUMEN", owner=ALICE, token_address=original, registry=wallet("registry"),
        transaction_hash="ab" * 64,
    )  # fmt: skip
    mints.publish()
    refresh(warehouse, store, solana)
    row = served(warehouse)["LUMEN"]
    assert (row["heartbeat_score"], row["token_rank"], row["registration_token_id"]) == (None, 1, 1)
    assert row["price_usd"] == 1
    assert warehouse.scalar("SELECT count() FROM agg_heartbeat") == 0
    registered = store.execute("SELECT * FROM registration").fetchone()
    assert registered is not None
    assert (registered["owner"], registered["token_address"]) == (
        stored_from_digits(ALICE),
        stored_from_digits(original),
    )
    assert len(registered["transaction_hash"]) in (87, 88)
    store.execute("UPDATE registration SET is_final = true, minted_at = %s", (datetime.now(UTC) - timedelta(days=400),))
    assert publish_list(store) is not None
    listed = store.execute("SELECT chain_id, address FROM token_list_entry").fetchall()
    assert [tuple(entry.values()) for entry in listed] == [(mints.chain_id, stored_from_digits(original))]
