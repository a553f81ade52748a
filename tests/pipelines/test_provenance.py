from typing import Any

import pytest

from pipelines.refresh import refresh
from tests.factories.ledger import ZERO, Ledger, address
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

RELAYER = "0000000071727de22e5e9d8baf0edac6f37da032"
DEPLOYER, OWNER, ADMIN, WHALE, WALLET = (address(number) for number in (0xD1, 0xD2, 0xD3, 0xD4, 0xD5))


def controls(warehouse: Warehouse) -> set[tuple[str, str]]:
    rows = warehouse.rows(
        "SELECT lower(hex(wallet)) AS who, method, deleted FROM serve_provenance"
        " WHERE version <= (SELECT max(version) FROM serve_publication)"
        " ORDER BY version DESC LIMIT 1 BY wallet, chain_id, token, method"
    )
    return {(row["who"], row["method"]) for row in rows if not row["deleted"]}


def test_every_way_of_control_is_found_and_followed(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=100, creator=DEPLOYER, owner=OWNER)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert controls(warehouse) == {(DEPLOYER, "deployer"), (OWNER, "owner"), (DEPLOYER, "majority_holder")}

    ledger.mine()
    ledger.transfer(token, DEPLOYER, WHALE, 51)
    ledger.control(token, "owner", ADMIN)
    ledger.control(token, "default_admin_granted", ADMIN)
    ledger.control(token, "proxy_admin", WALLET)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert controls(warehouse) == {
        (DEPLOYER, "deployer"), (ADMIN, "owner"), (ADMIN, "admin"), (WALLET, "admin"), (WHALE, "majority_holder"),
    }  # fmt: skip

    ledger.mine()
    ledger.transfer(token, WHALE, DEPLOYER, 1)
    ledger.control(token, "owner", ZERO)
    ledger.control(token, "default_admin_revoked", ADMIN)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert controls(warehouse) == {(DEPLOYER, "deployer"), (WALLET, "admin")}

    ledger.revert_last_unit()
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert (WHALE, "majority_holder") in controls(warehouse)
    assert (ADMIN, "owner") in controls(warehouse)


def test_a_relayer_is_never_the_deployer(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    ledger.token(0x9001, "ONE", creator=RELAYER, factory=WALLET)
    ledger.token(0x9002, "TWO", creator=RELAYER, factory=RELAYER)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert controls(warehouse) == {(WALLET, "deployer")}


def test_the_bundler_of_a_deployment_through_an_entry_point_is_not_the_deployer(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    bundler, plain = address(0xB1), address(0xB2)
    ledger.token(0x9001, "ONE", creator=bundler, factory=WALLET, transaction_to=RELAYER)
    ledger.token(0x9002, "TWO", creator=bundler, factory=RELAYER, transaction_to=RELAYER)
    ledger.token(0x9003, "TRE", creator=plain, factory=address(0xFA), transaction_to=address(0xFA))
    ledger.publish()
    refresh(warehouse, store, chains)
    assert controls(warehouse) == {(WALLET, "deployer"), (plain, "deployer")}


@pytest.mark.parametrize("kills_at", [1, 2, 3])
def test_a_run_killed_while_it_writes_leaves_nothing_after_a_reorganisation(
    ledger: Ledger,
    warehouse: Warehouse,
    store: Connection,
    chains: Chains,
    monkeypatch: pytest.MonkeyPatch,
    kills_at: int,
) -> None:
    """What the killed run served of a token that a reorganisation then removed is taken away."""
    ledger.mine()
    ledger.token(0x9001, "ONE", creator=OWNER)
    ledger.publish()
    refresh(warehouse, store, chains)
    before = controls(warehouse)
    ledger.mine()
    ledger.token(0x9002, "TWO", creator=DEPLOYER)
    ledger.publish()
    with monkeypatch.context() as patched:
        kill_at_write(patched, kills_at)
        with pytest.raises(KeyboardInterrupt):
            refresh(warehouse, store, chains)
    ledger.revert_last_unit()
    ledger.mine()
    ledger.publish()
    refresh(warehouse, store, chains)
    assert controls(warehouse) == before


def kill_at_write(patched: pytest.MonkeyPatch, number: int) -> None:
    """Stop before the nth write of provenance, as a kill would."""
    write = Warehouse.insert_arrow
    seen = []

    def insert(self: Warehouse, table: str, *arguments: Any, **settings: Any) -> None:
        if table.endswith("_provenance"):
            seen.append(table)
            if len(seen) == number:
                raise KeyboardInterrupt
        write(self, table, *arguments, **settings)

    patched.setattr(Warehouse, "insert_arrow", insert)
