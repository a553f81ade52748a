"""Events of chains: what is told, when, and each once."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from indexer.chains.facts import Chain, Chains
from pipelines.derivation import DerivePass, Overtaken, derive_pass
from pipelines.events import holdings, recording, registry, trades
from pipelines.refresh import refresh
from tests.factories.ledger import START, USDC, WETH, ZERO, Ledger, address
from tests.pipelines.test_incremental import Economy
from tests.pipelines.test_refresh import DOLLAR, ETHER, build_market
from warehouse.clickhouse import Warehouse
from warehouse.postgres import Connection

OWNER = address(0x0A)
SOURCES = ("registry", "holdings", "trades", "heartbeats", "copies")


@pytest.fixture
def ledger(ledger: Ledger) -> Ledger:
    """A chain whose blocks are final two blocks later."""
    ledger.finality_blocks = 2
    return ledger


@pytest.fixture
def listening(store: Connection) -> None:
    """The fixture chain's time is long ago; events are told of from then on."""
    listen(store)


def listen(store: Connection) -> None:
    for source in SOURCES:
        store.execute(
            "INSERT INTO event_progress (chain_id, source, told_from) VALUES (8453, %s, to_timestamp(%s))",
            (source, START),
        )


def log(store: Connection, *types: str) -> list[dict[str, Any]]:
    """Recorded events in their order, of some types or all."""
    rows = store.execute("SELECT * FROM event_log ORDER BY created_at, id").fetchall()
    return [row for row in rows if not types or row["type"] in types]


def register(ledger: Ledger, token: str, token_id: int = 1, symbol: str = "PEPE") -> None:
    ledger.registry("registered", token_id, symbol=symbol, owner=OWNER, token_address=token, fee_wei=5)


def settle(ledger: Ledger, blocks: int = 2, seconds: int = 2) -> None:
    """Blocks that make those before them final."""
    for _ in range(blocks):
        ledger.mine(seconds)
    ledger.publish()


@pytest.fixture
def token(ledger: Ledger) -> str:
    """A token, in the first unit."""
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=1_000, creator=OWNER)
    ledger.publish()
    return token


@pytest.mark.usefixtures("listening")
def test_a_registration_is_told_of_when_it_is_final_and_as_subscribers_read_it(
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
def test_what_becomes_of_a_registration_is_told_in_order(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.mine()
    ledger.registry("metadata", 1, metadata_cid="bafy")
    ledger.registry("metadata", 1, metadata_cid="bafy")
    ledger.registry("manager", 1, account=address(0xB1), enabled=1)
    ledger.mine()
    ledger.registry("expired", 1, symbol="PEPE", owner=OWNER)
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
    told = {row["type"]: row["payload"] for row in log(store)}
    crown = {"crown_id": "1", "symbol": "PEPE", "chain": "eip155:8453"}
    assert told["profile.updated"] == {**crown, "updated_fields": ["metadata_cid"]}
    assert told["token.expired"] == {**crown, "previous_owner": f"0x{OWNER[:-1]}A"}
    assert told["token.released"] == {**crown, "crown_id": "2", "previous_owner": f"0x{OWNER[:-1]}A"}


@pytest.mark.usefixtures("listening")
def test_what_was_taken_back_before_it_was_final_is_never_told(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, token)
    ledger.publish()
    refresh(warehouse, store, chains)
    ledger.take_back()
    settle(ledger, 5)
    refresh(warehouse, store, chains)
    assert log(store) == []


def test_a_long_history_is_recorded_and_told_to_nobody(
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


# -- holders ------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("listening")
def test_significant_holders_concentration_and_milestones_of_a_registered_token(
    token: str, ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.transfer(token, OWNER, address(0xE1), 15)  # before the registration: no news
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
    assert len(log(store, "concentration.alert")) == 1, "told once a day"


@pytest.mark.usefixtures("listening")
def test_pools_and_contracts_of_ours_are_no_holders(
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
def test_an_unknown_supply_makes_no_shares(
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


# -- trades -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("listening")
def test_a_large_trade_is_told_with_its_worth_and_direction(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    token, pool = build_market(ledger)
    ledger.mine()
    register(ledger, token)
    settle(ledger)
    refresh(warehouse, store, chains)
    assert log(store, "trade.large") == [], "trades before the registration are not told"
    ledger.mine()
    ledger.swap(pool, -20_000 * ETHER, 20 * ETHER)
    ledger.sync(pool, 80_000 * ETHER, 120 * ETHER)
    ledger.mine(400)
    ledger.swap(pool, 500 * ETHER, -ETHER // 2)  # 1,000 of 43,000 dollars
    ledger.mine()
    ledger.swap(pool, 3_000 * ETHER, -3 * ETHER)  # 6,000 of 49,000
    settle(ledger)
    refresh(warehouse, store, chains)
    told = [row["payload"] for row in log(store, "trade.large")]
    assert [(trade["trade_volume_usd"], trade["direction"]) for trade in told] == [(40_000, "buy"), (6_000, "sell")]
    assert set(told[0]) == {"crown_id", "symbol", "chain", "trade_volume_usd", "direction", "timestamp"}


@pytest.mark.usefixtures("listening")
def test_trades_in_shallow_pools_or_against_nothing_known_are_not_told(
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


# -- exactly once -------------------------------------------------------------------------------------------------------


class Died(Exception):
    """What a pass dies of."""


@pytest.fixture
def dying(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Every statement about events kills its pass the first time: after it ran, inside its transaction."""
    exchange = DerivePass.exchange
    deaths: Counter[str] = Counter()

    def exchange_or_die(run: DerivePass, name: str, parameters: Any = None) -> Any:
        rows = exchange(run, name, parameters)
        fatal = ("advance_event_progress", "record_events", "keep_milestones", "settle_sightings")
        where = f"{name} {(parameters or {}).get('source', '')}"
        if name in fatal and not deaths[where]:
            deaths[where] += 1
            raise Died(where)
        return rows

    monkeypatch.setattr(DerivePass, "exchange", exchange_or_die)
    yield deaths


def lives(ledger: Ledger, seed: int) -> "Life":
    return Life(ledger, seed)


class Life(Economy):
    """An economy some of whose tokens are registered."""

    def __init__(self, ledger: Ledger, seed: int) -> None:
        super().__init__(ledger, seed)
        self.token_ids = 0

    def live(self, blocks: int) -> None:
        super().live(blocks)
        if self.tokens and self.rng.random() < 0.7:
            self.ledger.mine()
            self.token_ids += 1
            register(self.ledger, self.rng.choice(self.tokens), self.token_ids)


WITHOUT_TIME = """SELECT type, chain_id, token_id, subject, payload::text, dedupe_key, created_at FROM event_log
                  WHERE type NOT LIKE 'heartbeat.%%' AND type <> 'token.copycat_detected' ORDER BY dedupe_key"""


def play(ledger: Ledger, seed: int, step: Any) -> None:
    """A random history with reorganisations, ``step`` after each of its parts."""
    life = Life(ledger, seed)
    life.found()
    for number in range(7):
        life.live(life.rng.randrange(2, 9))
        ledger.publish()
        step()
        if number % 3 == 1:
            life.live(2)
            ledger.publish()
            step()
            ledger.take_back()
            life.tokens = [token for token in life.tokens if int(token, 16) < 0x9000 + 1000 * ledger.fork]
            life.token_ids = sum(1 for _, _, _, rows in ledger.units for row in rows.get("fact_registry_event", ()))
            step()
    settle(ledger)
    step()


def with_keys(store: Connection) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in store.execute(WITHOUT_TIME).fetchall()]
