"""Chain events: which are recorded, when, and each of them once."""

import sys

import pytest

from pipelines import cli
from pipelines.events import recording, registry
from pipelines.follow import Follower
from pipelines.refresh import refresh
from tests.factories.amounts import DOLLAR, ETHER
from tests.factories.events import OWNER, SOURCES, log, register, settle
from tests.factories.ledger import START, USDC, WETH, Ledger, address
from tests.factories.markets import build_market
from tests.fixtures.derived import served
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

pytestmark = pytest.mark.usefixtures("settling")


@pytest.fixture
def token(ledger: Ledger) -> str:
    """A token, in the first unit."""
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=1_000, creator=OWNER)
    ledger.publish()
    return token


@pytest.mark.usefixtures("listening")
def test_a_registration_is_recorded_at_finality(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    block = ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert log(store) == []
    settle(ledger)
    for _ in range(2):
        refresh(warehouse, store, chains)
    (event,) = log(store)
    assert event["type"] == "token.minted"
    assert event["payload"] == {
        "crown_id": "1",
        "symbol": "PEPE",
        "chain": "eip155:8453",
        "owner": "0x000000000000000000000000000000000000000A",
        "tx_hash": f"0x{block:032x}{1:032x}",
    }
    assert (event["chain_id"], event["token_id"], event["subject"]) == (8453, 1, "PEPE")
    assert event["account_id"] is None
    assert event["fanned_out_at"] is None
    assert event["created_at"].timestamp() == START + 4


@pytest.mark.usefixtures("listening")
def test_events_of_a_registration_are_in_order(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.mine()
    ledger.registry("metadata", 1, metadata_cid="bafy")
    ledger.registry("metadata", 1, metadata_cid="bafy")
    ledger.registry("manager", 1, account=address(0xB1), enabled=1)
    ledger.mine()
    ledger.registry("ended", 1, symbol="PEPE", owner=OWNER, reason=1)
    ledger.mine()
    register(ledger, token, 2)
    ledger.registry("released", 2, symbol="PEPE", owner=OWNER)
    settle(ledger)
    refresh(warehouse, store, chains)
    assert [(row["type"], row["token_id"]) for row in log(store)] == [
        ("token.minted", 1),
        ("profile.updated", 1),
        ("token.expired", 1),
        ("token.minted", 2),
        ("token.released", 2),
    ]
    payloads = {row["type"]: row["payload"] for row in log(store)}
    crown = {"crown_id": "1", "symbol": "PEPE", "chain": "eip155:8453"}
    assert payloads["profile.updated"] == {**crown, "updated_fields": ["metadata_cid"]}
    assert payloads["token.expired"] == {**crown, "previous_owner": f"0x{OWNER[:-1]}A", "reason": "inactive"}
    assert payloads["token.released"] == {**crown, "crown_id": "2", "previous_owner": f"0x{OWNER[:-1]}A"}


@pytest.mark.usefixtures("listening")
def test_subscribers_hear_of_an_end_before_it_takes_effect(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.mine()
    ledger.registry("end_announced", 1, owner=OWNER, reason=1, due_at=1_800_000_000)
    ledger.registry("end_objected", 1, owner=OWNER, due_at=1_800_000_500)
    ledger.registry("end_vetoed", 1)
    ledger.registry("end_announced", 1, owner=OWNER, reason=2, due_at=1_800_001_000)
    ledger.registry("end_withdrawn", 1)
    ledger.mine()
    ledger.registry("settled", 1, owner=OWNER, new_token_id=2, deal="de" * 32)
    register(ledger, token, 2)
    settle(ledger)
    refresh(warehouse, store, chains)
    told = [(row["type"], row["token_id"], row["payload"]) for row in log(store)]
    assert [(type, token_id) for type, token_id, _ in told] == [
        ("token.minted", 1),
        ("token.end_announced", 1),
        ("token.end_objected", 1),
        ("token.end_stopped", 1),
        ("token.end_announced", 1),
        ("token.end_stopped", 1),
        ("token.settled", 1),
        ("token.minted", 2),
    ]
    crown = {"crown_id": "1", "symbol": "PEPE", "chain": "eip155:8453"}
    holder = f"0x{OWNER[:-1]}A"
    payloads = [payload for _, _, payload in told]
    assert payloads[1] == {**crown, "owner": holder, "reason": "inactive", "due_at": "2027-01-15T08:00:00Z"}
    assert payloads[2] == {**crown, "owner": holder, "due_at": "2027-01-15T08:08:20Z"}
    assert [payloads[3]["stopped_by"], payloads[5]["stopped_by"]] == ["guardian", "service"]
    assert payloads[4]["reason"] == "challenge_upheld"
    assert payloads[6] == {**crown, "previous_owner": holder, "new_crown_id": "2"}
    kept = store.execute("SELECT type FROM registration_history WHERE token_id = 1 ORDER BY sequence").fetchall()
    assert [row["type"] for row in kept] == [type for type, token_id, _ in told if token_id == 1]


@pytest.mark.usefixtures("listening", "dagster_environment")
def test_a_failed_source_delays_neither_metrics_nor_other_sources(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    def fail(*_: object) -> int:
        raise ValueError("a row that no rule foresaw")

    ledger.mine()
    register(ledger, token)
    ledger.mine()
    ledger.transfer(token, OWNER, address(0xE1), 15)
    settle(ledger)
    follower = Follower(warehouse, store, chains, chains.by_key["base"])
    with monkeypatch.context() as failing:
        failing.setattr(registry, "derive", fail)
        failing.setattr(sys, "argv", ["pipelines", "refresh"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == 1
        *_, said = capsys.readouterr().err.splitlines()
        assert said.startswith("1 event sources failed: a row that no rule foresaw")
        follower.refresh_metrics()
    assert {row["type"] for row in log(store)} == {"holder.new"}
    assert served(warehouse)["PEPE"]["holders"] == 2
    counted = store.execute("SELECT failures FROM asset_total WHERE asset = 'events' AND failures > 0").fetchone()
    assert counted == {"failures": 1}
    follower.refresh_metrics()
    assert {row["type"] for row in log(store)} == {"holder.new", "token.minted"}


@pytest.mark.usefixtures("listening")
def test_blocks_reverted_before_finality_make_no_events(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    ledger.revert_last_unit()
    settle(ledger, 5)
    refresh(warehouse, store, chains)
    assert log(store) == []


def test_old_history_is_recorded_and_not_delivered(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    for number in range(20):
        ledger.mine()
        ledger.transfer(token, OWNER, address(0xD000 + number), 20)
    settle(ledger)
    refresh(warehouse, store, chains)
    (event,) = log(store)
    assert event["type"] == "token.minted"
    assert event["fanned_out_at"] is not None
    for source in SOURCES[:3]:
        row = store.execute("SELECT position FROM event_progress WHERE source = %s", (source,)).fetchone()
        assert row == {"position": ledger.block - 2}


def test_a_fully_indexed_chain_is_judged_by_its_own_clock(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine(2 * 86_400)
    register(ledger, token)
    settle(ledger)
    store.execute("UPDATE chain_checkpoint SET head_block = block_number")
    refresh(warehouse, store, chains)
    (event,) = log(store)
    assert event["fanned_out_at"] is None


@pytest.mark.usefixtures("token")
def test_a_chain_without_registrations_is_skipped(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    settle(ledger, 4)
    for _ in range(2):
        refresh(warehouse, store, chains)
    rows = store.execute("SELECT source, position FROM event_progress ORDER BY source").fetchall()
    assert [(row["source"], row["position"]) for row in rows] == [
        (source, ledger.block - 2) for source in ("holdings", "registry", "trades")
    ]


@pytest.mark.usefixtures("listening")
def test_many_registry_events_are_read_in_parts(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(registry, "_ROWS_AT_ONCE", 2)
    ledger.mine()
    register(ledger, token)
    ledger.mine()
    for number in range(2, 6):
        register(ledger, ledger.token(0x9000 + number, "PEPE"), number)
    ledger.mine()
    register(ledger, ledger.token(0x9006, "PEPE"), 6)
    settle(ledger)
    refresh(warehouse, store, chains)
    assert [row["token_id"] for row in log(store, "token.minted")] == [1, 2, 3, 4, 5, 6]


@pytest.mark.usefixtures("listening")
def test_significant_holders_concentration_and_milestones_of_a_registered_token(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.transfer(token, OWNER, address(0xE1), 15)  # before the registration: no event
    ledger.mine()
    register(ledger, token)
    settle(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.transfer(token, OWNER, address(0xE2), 9)
    ledger.mine()
    time = ledger.time
    ledger.transfer(token, OWNER, address(0xE2), 1)
    ledger.transfer(token, OWNER, address(0xE3), 250)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert log(store, "holder.new", "concentration.alert") == [], "not final yet"
    settle(ledger)
    refresh(warehouse, store, chains)
    found = {(row["type"], row["payload"].get("holder_address", "")[-2:]): row for row in log(store)}
    assert set(found) == {("token.minted", ""), ("holder.new", "E2"), ("holder.new", "E3"), ("concentration.alert", "")}
    crown = {"crown_id": "1", "symbol": "PEPE", "chain": "eip155:8453"}
    alert = found["concentration.alert", ""]["payload"]
    moment = recording.iso(time)
    assert alert == {
        **crown,
        "concentration_percent": 25,
        "previous_concentration": 0,
        "threshold": 20,
        "timestamp": moment,
    }
    assert found["holder.new", "E2"]["payload"] == {
        **crown,
        "holder_address": "0x00000000000000000000000000000000000000E2",
        "timestamp": moment,
    }

    # Six more make ten; two leave and come again.
    ledger.mine()
    for number in range(6):
        ledger.transfer(token, OWNER, address(0xF000 + number), 1)
    ledger.mine()
    ledger.transfer(token, address(0xF000), OWNER, 1)
    ledger.mine()
    ledger.transfer(token, OWNER, address(0xF000), 1)
    ledger.transfer(token, address(0xE3), OWNER, 245)
    ledger.mine()
    ledger.transfer(token, OWNER, address(0xE3), 245)
    settle(ledger)
    refresh(warehouse, store, chains)
    (milestone,) = log(store, "milestone.reached")
    assert (milestone["payload"]["milestone_value"], milestone["payload"]["previous_value"]) == (10, 4)
    assert milestone["payload"]["milestone_type"] == "holder_count"
    assert len(log(store, "holder.new")) == 2, "each wallet is new once"
    assert len(log(store, "concentration.alert")) == 1, "recorded once a day"


@pytest.mark.usefixtures("listening")
def test_pools_and_our_contracts_are_not_holders(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    register(ledger, token)
    ledger.mine()
    pool = ledger.pool(0x7001, token, WETH)
    for receiver in (pool, address(0x5E), address(0xFAC4), "000000000000000000000000000000000000dead", token):
        ledger.transfer(token, OWNER, receiver, 50)
    settle(ledger)
    refresh(warehouse, store, chains)
    assert {row["type"] for row in log(store)} == {"token.minted"}


@pytest.mark.usefixtures("listening")
def test_an_unknown_supply_makes_no_share_events(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    token = address(0x9E9F)
    ledger.read(token, "ODD", total_supply_raw=None)
    ledger.transfer(token, address(0xA1), address(0xA2), 10)
    register(ledger, token, symbol="ODD")
    ledger.mine()
    ledger.transfer(token, address(0xA2), address(0xA3), 10)
    settle(ledger)
    refresh(warehouse, store, chains)
    assert {row["type"] for row in log(store)} == {"token.minted"}


@pytest.mark.usefixtures("listening")
def test_a_large_trade_has_value_and_direction(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, pool = build_market(ledger)
    ledger.mine()
    register(ledger, token)
    settle(ledger)
    refresh(warehouse, store, chains)
    assert log(store, "trade.large") == [], "trades before the registration make no events"
    ledger.mine()
    ledger.swap(pool, -20_000 * ETHER, 20 * ETHER)
    ledger.sync(pool, 80_000 * ETHER, 120 * ETHER)
    ledger.mine(400)
    ledger.swap(pool, 500 * ETHER, -ETHER // 2)  # 1,000 of 43,000 dollars
    ledger.mine()
    ledger.swap(pool, 3_000 * ETHER, -3 * ETHER)  # 6,000 of 49,000
    settle(ledger)
    refresh(warehouse, store, chains)
    trades = [row["payload"] for row in log(store, "trade.large")]
    assert [(trade["trade_volume_usd"], trade["direction"]) for trade in trades] == [(40_000, "buy"), (6_000, "sell")]
    assert set(trades[0]) == {"crown_id", "symbol", "chain", "trade_volume_usd", "direction", "timestamp"}


@pytest.mark.usefixtures("listening")
def test_trades_in_shallow_or_unpriced_pools_make_no_events(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, _ = build_market(ledger)
    register(ledger, token)
    ledger.mine()
    other = ledger.token(0x9E9F, "OTHER", supply=ETHER)
    shallow = ledger.pool(0x7003, token, WETH)
    ledger.sync(shallow, 400 * ETHER, 4 * ETHER // 10)  # 800 dollars
    barter = ledger.pool(0x7004, token, other)
    ledger.sync(barter, 10**6 * ETHER, 10**6 * ETHER)
    strange = ledger.pool(0x7005, token, USDC, factory=address(0xBAD))
    ledger.sync(strange, 10**6 * ETHER, 10**6 * DOLLAR)
    ledger.mine()
    for pool in (shallow, barter, strange):
        ledger.swap(pool, -ETHER, 10**5 * ETHER)
    settle(ledger)
    refresh(warehouse, store, chains)
    assert log(store, "trade.large") == []


@pytest.mark.usefixtures("listening")
def test_copies_of_a_registered_token_make_one_event(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("REGALIA_SITE_URL", "https://site.example/")
    ledger.mine()
    ledger.token(0x9E91, "PEPE", supply=1)
    ledger.token(0x9E92, "P3P3", supply=1)  # no copy: 3 is not taken for E
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert log(store) == []
    settle(ledger)
    for _ in range(2):
        refresh(warehouse, store, chains)
    (event,) = log(store, "token.copycat_detected")
    assert (event["chain_id"], event["token_id"], event["subject"]) == (8453, 1, "PEPE")
    shown = f"0x{'0' * 36}9e91"
    assert {**event["payload"], "sightings": None} == {
        "sightings": None,
        "action_url": "https://site.example/base/PEPE",
    }
    (sighting,) = event["payload"]["sightings"]
    assert sighting["address"].lower() == shown
    assert sighting["explorer_url"] == f"https://basescan.org/token/{sighting['address']}"
    assert (sighting["chain_id"], sighting["chain_name"]) == (8453, "Base")

    ledger.mine()
    ledger.token(0x9E93, "PEPE", supply=1)
    ledger.publish()
    refresh(warehouse, store, chains)
    ledger.revert_last_unit()
    ledger.mine()
    ledger.token(0x9E94, "pepe", supply=1)
    ledger.token(0x9E95, "РЕРЕ", supply=1)
    settle(ledger)
    for _ in range(2):
        refresh(warehouse, store, chains)
    _, second = log(store, "token.copycat_detected")
    assert [item["address"][-4:].lower() for item in second["payload"]["sightings"]] == ["9e94", "9e95"]


def test_copies_from_before_the_history_make_no_events(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    register(ledger, token)
    ledger.token(0x9E91, "PEPE", supply=1)
    settle(ledger)
    refresh(warehouse, store, chains)
    refresh(warehouse, store, chains)
    assert log(store, "token.copycat_detected") == []
    untold = store.execute("SELECT count(*) AS untold FROM copy_sighting WHERE told_at IS NULL").fetchone()
    assert untold == {"untold": 0}
