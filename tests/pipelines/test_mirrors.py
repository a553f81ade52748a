"""Public rows of the store in the warehouse."""

from datetime import UTC, datetime
from typing import Any

from pipelines.refresh import refresh
from tests.factories.registrations import add_registration, address
from tests.factories.token_lists import add_listed, publish_list
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

OWNER, TOKEN = address(0xA), address(0xB)
_CLAIM = """INSERT INTO claim_authorization
    (chain_id, token_address, symbol, wallet, verification_method, nonce, fee_wei, price_usd, deadline)
    VALUES (8453, %s, %s, %s, 'deployer', %s, 10, 100, now() + %s::interval)"""


def rows(warehouse: Warehouse, mirror: str) -> list[dict[str, Any]]:
    return warehouse.rows(f"SELECT * FROM published_mirror_{mirror} ORDER BY ALL")


def test_registrations_claims_and_the_list_are_copied_once(
    warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    made = add_registration(
        store, "PEPE", owner=OWNER, token_address=TOKEN, minted_at=datetime.now(UTC), fee_wei=2**200
    )
    store.execute(_CLAIM, (TOKEN, "PEPE", OWNER, 1, "15 minutes"))
    store.execute(_CLAIM, (TOKEN, "DOGE", address(0xC), 2, "-1 second"))
    add_listed(store, "LIST", 7)
    publish_list(store)
    assert sum(run.rows for run in refresh(warehouse, store, chains, steps=["mirrors"])) == 5
    found = {row["symbol"]: row for row in rows(warehouse, "registration")}["PEPE"]
    assert (found["token_id"], found["owner"], found["token"]) == (made["token_id"], OWNER, TOKEN)
    assert (found["fee_raw"], found["ended_at"]) == (2**200, None)
    claims = {row["symbol"]: row for row in rows(warehouse, "claim")}
    assert (claims["PEPE"]["wallet"], claims["PEPE"]["token_id"]) == (OWNER, made["token_id"])
    # Who only tried is not told.
    assert (claims["DOGE"]["wallet"], claims["DOGE"]["token_id"]) == ("", None)
    assert [row["symbol"] for row in rows(warehouse, "token_list")] == ["LIST"]
    assert sum(run.rows for run in refresh(warehouse, store, chains, steps=["mirrors"])) == 0


def test_a_claim_that_may_still_be_sent_is_told_to_nobody(
    warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    add_registration(store, "PEPE", owner=OWNER, token_address=TOKEN)
    store.execute("UPDATE registration SET released_at = now() - interval '2 days'")
    store.execute(_CLAIM, (TOKEN, "PEPE", OWNER, 1, "15 minutes"))
    refresh(warehouse, store, chains, steps=["mirrors"])
    assert rows(warehouse, "claim") == []
    store.execute("UPDATE claim_authorization SET deadline = now() - interval '1 second'")
    refresh(warehouse, store, chains, steps=["mirrors"])
    (claim,) = rows(warehouse, "claim")
    # Its owner had the symbol before: nothing came of this claim.
    assert (claim["wallet"], claim["token_id"]) == ("", None)


def test_what_changed_and_what_is_gone_follows(warehouse: Warehouse, store: Connection, chains: Chains) -> None:
    add_registration(store, "PEPE", chain_id=8453, token_id=1)
    add_registration(store, "DOGE", chain_id=8453, token_id=2)
    refresh(warehouse, store, chains, steps=["mirrors"])
    store.execute("DELETE FROM registration WHERE symbol = 'DOGE'")
    store.execute("UPDATE registration SET released_at = now(), end_reason = 'released', updated_at = now()")
    # The follower compares once a minute.
    assert refresh(warehouse, store, chains, steps=["mirrors"], full=False) == []
    earlier = "jsonb_set(details, '{compared_at}', to_jsonb((details ->> 'compared_at')::bigint - 61))"
    store.execute(f"UPDATE derive_checkpoint SET details = {earlier} WHERE subject = 'mirrors'")
    refresh(warehouse, store, chains, steps=["mirrors"], full=False)
    assert [row["end_reason"] for row in rows(warehouse, "registration")] == ["released", ""]
    refresh(warehouse, store, chains, steps=["mirrors"])
    assert [(row["symbol"], row["end_reason"]) for row in rows(warehouse, "registration")] == [("PEPE", "released")]
