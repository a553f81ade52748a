"""What a run of a check looks at, what it records, and what that stops."""

import json
from typing import Any

import pytest

from pipelines.checks import parts
from pipelines.checks.declared import CHECKS
from pipelines.checks.run import run_check
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.resources import Connections
from tests.factories.ledger import Ledger, address
from tests.factories.markets import build_market
from warehouse import postgres

BY_NAME = {check.name: check for check in CHECKS}
REPEATED, SUPPLY = BY_NAME["repeated_logs"], BY_NAME["supply_equals_balances"]
LATE = "8335" + "00" * 18
"""A token at position 33,589 of a pass."""


@pytest.fixture
def long_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run looks at a small piece of the history, as on a long chain."""
    monkeypatch.setattr(parts, "LEAST_EVENTS", 0)


def published(connections: Connections) -> int:
    return int(connections.warehouse.scalar("SELECT max(version) FROM serve_publication"))


def repeat_a_transfer(connections: Connections, block: int) -> None:
    connections.warehouse.command(
        "INSERT INTO fact_transfer SELECT * FROM fact_transfer WHERE block_number = {block:UInt64} LIMIT 1",
        {"block": block},
    )


def credit_nobody(connections: Connections, token: str) -> None:
    """A balance that comes from no transfer."""
    connections.warehouse.command(
        "INSERT INTO agg_balance_day SELECT 8453, unhex({token:String}), unhex('01'), max(day), 3 FROM agg_balance_day",
        {"token": token},
    )


def repair(connections: Connections) -> None:
    connections.warehouse.command("OPTIMIZE TABLE fact_transfer FINAL DEDUPLICATE")


def failures(connections: Connections) -> list[dict[str, Any]]:
    return postgres.run(connections.store, "checks/list_failures")


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
def test_a_sound_chain_passes(check: Any, ledger: Ledger, connections: Connections) -> None:
    build_market(ledger)
    refresh(connections.warehouse, connections.store, connections.chains)
    for _ in range(2):
        outcome = run_check(connections, check)
        assert (outcome.rows, outcome.unsettled) == ([], [])
        ledger.mine()
        ledger.transfer(address(0x9E9E), address(0xD2), address(0xD3), 5)
        ledger.publish()


@pytest.mark.usefixtures("long_chain")
def test_what_is_new_is_looked_at_at_once(ledger: Ledger, connections: Connections) -> None:
    build_market(ledger)
    assert run_check(connections, REPEATED).rows == []
    ledger.mine()
    ledger.transfer(address(0x9E9E), address(0xD2), address(0xD3), 5)
    ledger.publish()
    repeat_a_transfer(connections, ledger.block)
    found = run_check(connections, REPEATED).rows
    assert [(row["table_name"], row["block_number"]) for row in found] == [("fact_transfer", ledger.block)]


@pytest.mark.usefixtures("long_chain")
def test_history_is_looked_at_in_a_pass(ledger: Ledger, connections: Connections) -> None:
    build_market(ledger)
    run_check(connections, SUPPLY)
    connections.store.execute("UPDATE check_progress SET position = 17000")
    credit_nobody(connections, LATE)
    found = []
    for _ in range(3):
        connections.store.execute("UPDATE check_progress SET checked_at = checked_at - interval '6 hours'")
        found.append([row["token_hex"] for row in run_check(connections, SUPPLY).rows])
    assert found == [[], [LATE], [LATE]]
    assert len(failures(connections)) == 1


@pytest.mark.usefixtures("long_chain")
def test_a_failure_stays_until_it_is_gone(ledger: Ledger, connections: Connections) -> None:
    ledger.finality_blocks = 0
    build_market(ledger)
    run_check(connections, SUPPLY)
    ledger.mine()
    ledger.transfer(address(0x9E9E), address(0xD2), address(0xD3), 5)
    ledger.token(0xABC, "ABC", supply=77)
    ledger.publish()
    credit_nobody(connections, address(0xABC))
    for _ in range(3):  # later runs have other new blocks
        assert [row["token_hex"] for row in run_check(connections, SUPPLY).rows] == [address(0xABC)]
        ledger.mine()
        ledger.publish()
    assert [row["part"]["from_token"] for row in failures(connections)] == [address(0xABC)]
    connections.warehouse.command("DELETE FROM agg_balance_day WHERE wallet = unhex('01')")
    assert run_check(connections, SUPPLY).rows == []
    assert failures(connections) == []


def test_wrong_facts_stop_publication_until_they_are_gone(ledger: Ledger, connections: Connections) -> None:
    store = connections.store
    build_market(ledger)
    refresh(connections.warehouse, store, connections.chains)
    before = published(connections)
    repeat_a_transfer(connections, ledger.block - 4)
    assert run_check(connections, REPEATED).rows
    ledger.mine()
    ledger.token(0xABC, "ABC", supply=77)
    ledger.publish()
    noted = refresh(connections.warehouse, store, connections.chains)
    chain = connections.chains.by_key["base"]
    assert publish_new_tokens(connections.warehouse, store, connections.chains, chain) == []
    assert published(connections) == before
    assert [run.note for run in noted if run.step == "publication"] == ["held by repeated_logs"]
    messages = store.execute("SELECT body FROM alert_delivery").fetchall()
    assert [row["body"]["alert"]["key"] for row in messages] == ["check_holds:repeated_logs"]
    repair(connections)
    assert run_check(connections, REPEATED).rows == []
    refresh(connections.warehouse, store, connections.chains)
    assert published(connections) > before
    served = "SELECT count() FROM published_serve_token WHERE symbol_key = 'ABC'"
    assert connections.warehouse.scalar(served) == 1, "what waited is published"
    last = store.execute("SELECT body FROM alert_delivery ORDER BY created_at DESC LIMIT 1").fetchone()
    assert last is not None
    assert last["body"]["event"] == "resolved"


def test_a_chain_that_was_removed_holds_nothing(ledger: Ledger, connections: Connections) -> None:
    build_market(ledger)
    repeat_a_transfer(connections, ledger.block - 4)
    run_check(connections, REPEATED)
    connections.store.execute("UPDATE check_failure SET chain_id = 4242")
    assert postgres.run(connections.store, "checks/list_holds")
    repair(connections)
    run_check(connections, REPEATED)
    assert failures(connections) == []


def test_an_operator_overrides_a_check_for_a_time(ledger: Ledger, connections: Connections) -> None:
    build_market(ledger)
    repeat_a_transfer(connections, ledger.block - 4)
    run_check(connections, REPEATED)
    given = {"check_name": REPEATED.name, "reason": "one doubled log", "hours": 2}
    postgres.run(connections.store, "checks/save_override", given)
    refresh(connections.warehouse, connections.store, connections.chains)
    first = published(connections)
    assert first > 0
    connections.store.execute("UPDATE check_override SET ends_at = now()")
    ledger.mine()
    ledger.publish()
    refresh(connections.warehouse, connections.store, connections.chains)
    assert published(connections) == first


def test_what_is_served_wrong_stops_claims_and_not_its_correction(ledger: Ledger, connections: Connections) -> None:
    build_market(ledger)
    refresh(connections.warehouse, connections.store, connections.chains)
    connections.warehouse.command(
        "INSERT INTO serve_token (symbol_key, chain_id, address, version, as_of_block, as_of_time)"
        " SELECT 'GHOST', 8453, unhex({token:String}), max(version), 1, now() FROM serve_publication",
        {"token": address(0x6057)},
    )
    assert [row["symbol"] for row in run_check(connections, BY_NAME["served_without_identity"]).rows] == ["GHOST"]
    (hold,) = postgres.run(connections.store, "checks/list_holds")
    assert (hold["check_name"], hold["stops"]) == ("served_without_identity", "claims")
    before = published(connections)
    ledger.mine()
    ledger.token(0xABC, "ABC", supply=77)
    ledger.publish()
    refresh(connections.warehouse, connections.store, connections.chains)
    assert published(connections) > before


def test_a_chain_that_is_being_written_is_judged_later(ledger: Ledger, connections: Connections) -> None:
    build_market(ledger)
    repeat_a_transfer(connections, ledger.block - 4)
    pending = json.dumps({"phase": "facts", "unit_id": 99})
    connections.store.execute("UPDATE chain_checkpoint SET pending = %s", (pending,))
    assert run_check(connections, REPEATED).unsettled == ["base"]
    assert connections.store.execute("SELECT count(*) AS n FROM check_progress").fetchone() == {"n": 0}
    connections.store.execute("UPDATE chain_checkpoint SET pending = NULL")
    assert run_check(connections, REPEATED).rows


def test_a_run_that_dies_before_it_records_is_repeated(
    ledger: Ledger, connections: Connections, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_market(ledger)
    repeat_a_transfer(connections, ledger.block - 4)
    save = postgres.execute

    def die(store: Any, name: str, parameters: Any = None) -> int:
        if name == "checks/save_progress":
            raise KeyboardInterrupt
        return save(store, name, parameters)

    monkeypatch.setattr(postgres, "execute", die)
    with pytest.raises(KeyboardInterrupt):
        run_check(connections, REPEATED)
    monkeypatch.undo()
    assert failures(connections) == [], "failures and progress are written together"
    assert run_check(connections, REPEATED).rows
    assert len(failures(connections)) == 1
