"""Dropping months of transfers: sums stay exact, what needs the rows is refused, a killed run is finished."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from indexer.reindex import reindex
from indexer.run import IndexContext, rewind
from pipelines.checks.declared import CHECKS
from pipelines.checks.run import run_check
from pipelines.documents.replay import replay_holders
from pipelines.old_transfers import Plan, drop, plan
from pipelines.refresh import refresh
from pipelines.resources import Connections
from tests.factories.ledger import START, Ledger, address
from tests.fixtures.derived import contents, forget
from tests.fixtures.engines import EmptyDatabases, EmptyStores
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.errors import WarehouseError
from warehouse.export.manifest import Manifest
from warehouse.kept_transfers import TransfersDropped, kept_transfers
from warehouse.marts.database import database_of
from warehouse.postgres import Connection

STEPS = ("tokens", "holders", "wallets", "documents")
"""All that read transfers, and what is served of them."""
DAY = 86_400
MONTHS = 7
WALLETS = [address(0xA0 + number) for number in range(6)]
TRANSFERS = "SELECT count() FROM fact_transfer WHERE chain_id = 8453"


@pytest.fixture
def chains(chains: Chains) -> Chains:
    """Base keeps three months."""
    return Chains({**chains.by_key, "base": replace(chains.by_key["base"], kept_months=3)})


@pytest.fixture
def connections(
    warehouse: Warehouse, store: Connection, chains: Chains, warehouse_url: str, store_url: str
) -> Connections:
    return Connections(EngineUrls(warehouse_url, store_url), warehouse, store, chains)


@pytest.fixture
def other(empty_databases: EmptyDatabases, empty_stores: EmptyStores, chains: Chains) -> Iterator[Connections]:
    """Engines of their own, in which nothing is dropped."""
    name, store_name = empty_databases.take(), empty_stores.take()
    urls = EngineUrls(empty_databases.url_of(name), empty_stores.url_of(store_name))
    with ExitStack() as held:
        warehouse = held.enter_context(Warehouse.connect(urls.clickhouse_url))
        store = held.enter_context(postgres.connect(urls.database_url, autocommit=True))
        yield Connections(urls, warehouse, store, chains)
    empty_databases.give_back(name)
    empty_stores.give_back(store_name)


@dataclass(slots=True)
class Play:
    """Two tokens and some wallets, over seven months: one token rests from the third month on."""

    connections: Connections
    ledger: Ledger
    tokens: tuple[str, str] = ("", "")

    @classmethod
    def begin(cls, connections: Connections) -> "Play":
        self = cls(connections, Ledger(connections.warehouse, connections.store, finality_blocks=2))
        self.ledger.mine(0)
        self.ledger.mine(1)
        self.tokens = (
            self.ledger.token(0x9E9E, "PEPE", supply=10**9, creator=WALLETS[0]),
            self.ledger.token(0xD09E, "DOGE", supply=10**9, creator=WALLETS[0]),
        )
        for month in range(MONTHS):
            self.month(month)
        self.derive()
        return self

    @property
    def chain(self) -> Chain:
        return self.connections.chains.by_key["base"]

    def month(self, number: int) -> None:
        """Some days of a month, as a unit: each wallet passes on to the next, and one sells all."""
        self.ledger.mine(_month_start(number) + DAY - self.ledger.time if number else DAY)
        for step in range(4):
            self.ledger.mine(2 * DAY)
            for token in self.tokens[: 2 if number < 2 else 1]:
                self.ledger.transfer(token, WALLETS[step], WALLETS[step + 1], 10 ** (8 - step) + number)
                if number == 1 and step == 3:
                    self.ledger.transfer(token, WALLETS[4], WALLETS[0], 2 * 10**5 + number)
        self.ledger.publish()

    def derive(self, *, full: bool = True) -> None:
        connections = self.connections
        refresh(connections.warehouse, connections.store, connections.chains, full=full, steps=STEPS)

    def check(self) -> dict[str, list[Any]]:
        """Look at everything; returns what violates the checks."""
        outcomes = [run_check(self.connections, check, whole=True) for check in CHECKS]
        return {outcome.check.name: outcome.rows for outcome in outcomes if outcome.rows}

    def drop(self) -> Plan:
        return drop(self.connections, self.chain)

    def go_on(self) -> None:
        """New transfers, also of the token that rested; then a reorganisation that counts both tokens anew."""
        ledger = self.ledger
        for amount in (5, 7):
            ledger.mine(DAY)
            for token in self.tokens:
                ledger.transfer(token, WALLETS[0], WALLETS[5], amount)
                ledger.transfer(token, WALLETS[4], WALLETS[3], 1)
            ledger.publish()
            self.derive(full=False)
        ledger.revert_last_unit()
        ledger.mine(3 * DAY)
        for token in self.tokens:
            ledger.transfer(token, WALLETS[5], WALLETS[1], 5)
        ledger.publish()
        self.derive(full=False)
        self.derive()


def _month_start(number: int) -> int:
    """The beginning of a later month, in unix seconds."""
    begin = datetime.fromtimestamp(START, UTC)
    at = begin.year * 12 + begin.month - 1 + number
    return int(datetime(at // 12, at % 12 + 1, 1, tzinfo=UTC).timestamp())


@pytest.fixture
def play(connections: Connections) -> Play:
    return Play.begin(connections)


def test_what_is_derived_afterwards_is_the_same_as_without_dropping(play: Play, other: Connections) -> None:
    assert play.check() == {}
    before, transfers = contents(play.connections.warehouse), play.connections.warehouse.scalar(TRANSFERS)
    dropped = play.drop()
    assert (dropped.obstacle, len(dropped.months)) == (None, 3)
    assert play.connections.warehouse.scalar(TRANSFERS) < transfers
    play.derive()
    assert contents(play.connections.warehouse) == before
    play.go_on()
    whole = Play.begin(other)
    whole.go_on()
    assert contents(play.connections.warehouse) == contents(other.warehouse)
    # The checks see the same sums, and compare what is there.
    assert play.check() == {}
    replay = replay_holders(play.connections.warehouse, play.connections.store, play.chain)
    assert len(replay.compared) == 2
    assert replay.differences == []
    # Nothing is left to do.
    assert play.drop().months == ()


def test_the_marts_and_exports_say_from_which_block_on_transfers_are_there(play: Play) -> None:
    warehouse = play.connections.warehouse
    warehouse.command(
        "INSERT INTO chain_publication (chain_id, generation, next_block, next_unit) SELECT 8453, 1, 9, 9"
    )
    marts = database_of(str(warehouse.scalar("SELECT currentDatabase()")))
    said = f"SELECT transfers_from_block FROM {marts}.chains WHERE chain_id = 8453"
    assert warehouse.scalar(said) == 0
    assert play.check() == {}
    first_block = play.drop().first_block
    assert warehouse.scalar(said) == first_block == kept_transfers(warehouse, 8453).first_block
    assert warehouse.scalar(f"SELECT min(block_number) FROM {TRANSFERS.partition('FROM ')[2]}") >= first_block
    assert Manifest.decode(Manifest("now", 1, transfers_from={"8453": 7}).encode()) == Manifest(
        "now", 1, transfers_from={"8453": 7}
    )


def test_a_run_that_is_killed_is_finished_by_the_next(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    assert play.check() == {}
    before, transfers = contents(play.connections.warehouse), play.connections.warehouse.scalar(TRANSFERS)
    command, dropped = Warehouse.command, []

    def killed(self: Warehouse, statement: str, *arguments: Any, **named: Any) -> int:
        if statement.startswith("ALTER TABLE fact_transfer DROP PARTITION"):
            dropped.append(statement)
            if len(dropped) == 2:
                raise KeyboardInterrupt
        return command(self, statement, *arguments, **named)

    monkeypatch.setattr(Warehouse, "command", killed)
    with pytest.raises(KeyboardInterrupt):
        play.drop()
    monkeypatch.undo()
    half = play.connections.warehouse.scalar(TRANSFERS)
    play.derive()
    assert play.check() == {}
    assert contents(play.connections.warehouse) == before
    play.drop()
    assert play.connections.warehouse.scalar(TRANSFERS) < half < transfers
    assert contents(play.connections.warehouse) == before
    assert play.check() == {}


def not_final(play: Play) -> None:
    play.connections.store.execute("UPDATE chain_checkpoint SET final_block = 3")


def pending(play: Play) -> None:
    play.connections.store.execute('UPDATE chain_checkpoint SET pending = \'{"phase": "facts", "unit_id": 9999}\'')


def not_derived(play: Play) -> None:
    play.connections.store.execute("DELETE FROM derive_checkpoint")


def one_step_behind(play: Play) -> None:
    play.connections.store.execute("UPDATE derive_checkpoint SET change_id = 0 WHERE subject = 'holders'")


def a_unit_across(play: Play) -> None:
    play.connections.store.execute(
        "UPDATE ingest_unit SET last_block = %s WHERE unit_id = (SELECT min(unit_id) FROM ingest_unit)",
        (plan(play.connections, play.chain).first_block,),
    )


def a_check_fails(play: Play) -> None:
    play.connections.warehouse.command(
        "INSERT INTO agg_balance_day SELECT 8453, token, unhex('01'), day, 3 FROM agg_balance_day LIMIT 1"
    )
    assert play.check()


def not_looked_at(play: Play) -> None:
    play.connections.store.execute("DELETE FROM check_progress WHERE check_name = 'orphaned_rows'")


NEEDS = (
    (not_final, "is not final yet"),
    (pending, "is being written or reverted"),
    (not_derived, "derived tables were not made"),
    (one_step_behind, "has not seen all of their changes"),
    (a_unit_across, "reaches across block"),
    (not_looked_at, "the check orphaned_rows has not looked at all of them"),
    (a_check_fails, "equal_balances fails"),
)


def test_nothing_goes_while_it_is_needed(play: Play) -> None:
    assert play.check() == {}
    warehouse, store = play.connections.warehouse, play.connections.store
    transfers = warehouse.scalar(TRANSFERS)
    assert plan(play.connections, play.chain).obstacle is None
    for make, reason in NEEDS:
        with store.transaction(force_rollback=True):
            make(play)
            done = play.drop()
            assert done.obstacle is not None, reason
            assert reason in done.obstacle
            assert [line for line in done.lines() if reason in line]
    assert warehouse.scalar(TRANSFERS) == transfers
    assert kept_transfers(warehouse, 8453).whole
    assert plan(play.connections, replace(play.chain, kept_months=None)).months == ()


def test_what_needs_all_transfers_is_refused(play: Play) -> None:
    assert play.check() == {}
    first_block = play.drop().first_block
    warehouse, store = play.connections.warehouse, play.connections.store
    before = contents(warehouse)
    context = IndexContext(warehouse, play.connections.urls.database_url)
    with pytest.raises(TransfersDropped, match=rf"reverting to block 3: transfers before block {first_block}"):
        rewind(context, play.chain, 3)
    with pytest.raises(TransfersDropped, match="comparing block 3 with the chain"):
        reindex(context, play.chain, 3, 4)
    context.close()
    assert contents(warehouse) == before
    forget(warehouse, store)
    with pytest.raises((TransfersDropped, WarehouseError), match="needs all transfers"):
        play.derive()
