"""Each event once: under deaths, reorganisations, repeats, a second pass, and the same whenever passes are made."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from pipelines.events import holdings, registry
from pipelines.events.recording import read_progress, recording
from pipelines.refresh import refresh
from pipelines.refresh_run import RefreshRun, open_refresh_run
from pipelines.windows import ReorgDuringRefresh
from tests.factories.economy import Economy
from tests.factories.events import listen, log, register, settle
from tests.factories.ledger import Ledger, address
from tests.fixtures.derived import forget
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chains
from warehouse.postgres import Connection

pytestmark = pytest.mark.usefixtures("settling", "listening")

# Large trades are left out: how deep a pool is, is judged as of the pass. They are looked at by their keys.
_RECORDED_EVENTS = """SELECT type, chain_id, token_id, subject, payload::text, dedupe_key, created_at FROM event_log
           WHERE type LIKE 'token.m%' OR type LIKE 'token.r%' OR type LIKE 'token.e%' OR type LIKE 'profile%'
              OR type LIKE 'holder%' OR type LIKE 'milestone%' OR type LIKE 'concentration%'
           ORDER BY dedupe_key"""


class Died(BaseException):
    """What a pass dies of."""


class Life(Economy):
    """An economy some of whose tokens are registered, and given back."""

    def add_blocks(self, blocks: int) -> None:
        """Some blocks, and perhaps a registration among them."""
        for _ in range(blocks):
            super().add_blocks(1)
            if self.tokens and self.rng.random() < 0.4:
                register(self.ledger, self.rng.choice(self.tokens), self.registered() + 1)
            if self.registered() and self.rng.random() < 0.1:
                token_id = self.rng.randrange(self.registered()) + 1
                self.ledger.registry("released", token_id, symbol="PEPE", owner=address(0x0A))

    def registered(self) -> int:
        """How many registrations the chain has."""
        written = [*(rows for _, _, _, rows in self.ledger.units), self.ledger.rows]
        events = [row for rows in written for row in rows.get("fact_registry_event", ())]
        return sum(row["kind"] == "registered" for row in events)


def play(ledger: Ledger, seed: int, step: Callable[[], None]) -> None:
    """A random history with reorganisations, ``step`` after each of its parts."""
    life = Life(ledger, seed)
    life.create_assets()
    for number in range(2):
        life.add_blocks(life.rng.randrange(2, 9))
        ledger.publish()
        step()
        if number % 2:
            ledger.mine()
            life.add_blocks(1)
            ledger.publish()
            step()
            ledger.revert_last_unit()
            step()
    settle(ledger)
    step()


def recorded_events(store: Connection) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in store.execute(_RECORDED_EVENTS).fetchall()]


def record_all_again(warehouse: Warehouse, store: Connection, chains: Chains) -> None:
    """Delete everything derived and recorded, then do it all in one refresh."""
    forget(warehouse, store)
    for table in ("event_log", "event_progress", "event_state", "copy_sighting", "registration"):
        store.execute(f"DELETE FROM {table}")
    listen(store)
    refresh(warehouse, store, chains)


def test_killed_runs_record_what_one_run_records(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_rows = RefreshRun.store_rows
    calls: Counter[str] = Counter()

    def store_rows_or_die(run: RefreshRun, name: str, parameters: Any = None) -> Any:
        where = f"{name} {(parameters or {}).get('source', '')}"
        calls[where] += name in (
            "events/advance_progress",
            "events/record_many",
            "events/save_milestones",
            "events/save_heartbeats",
        )
        if calls[where] % 6 == 1:
            calls[where] += 1
            raise Died(where)
        rows = store_rows(run, name, parameters)
        if calls[where] % 6 == 4:
            raise Died(where)
        return rows

    def refresh_until_done() -> None:
        while True:
            try:
                refresh(warehouse, store, chains, full=False)
            except Died:
                continue
            return

    monkeypatch.setattr(holdings, "_REST_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(RefreshRun, "store_rows", store_rows_or_die)
        play(ledger, 2, refresh_until_done)
    step_by_step = recorded_events(store)
    kinds = Counter(row[0] for row in step_by_step)
    assert min(kinds["token.minted"], kinds["holder.new"]) > 0
    assert sum(calls.values()) > 15
    record_all_again(warehouse, store, chains)
    assert recorded_events(store) == step_by_step


def test_only_one_of_two_equal_runs_records(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    register(ledger, ledger.token(0x9E9E, "PEPE", supply=1_000))
    settle(ledger)
    chain = chains.by_key["base"]
    with open_refresh_run(warehouse, store, chains) as run:
        window = run.windows.open("events", chain)
        assert window is not None
        behind = read_progress(run, chain, registry.SOURCE)
        assert registry.derive(run, window, window.final_block) == 1
        with pytest.raises(ReorgDuringRefresh), recording(run, window, behind, window.final_block, ()):
            pass
    assert len(log(store)) == 1


def test_a_reorg_during_a_run_records_nothing(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=1_000, creator=address(0x0A))
    register(ledger, token)
    ledger.mine()
    ledger.transfer(token, address(0x0A), address(0xE1), 10)
    settle(ledger)
    ledger.mine()
    ledger.transfer(token, address(0xE1), address(0xE2), 10)  # not final, and reckoned back from
    ledger.publish()
    find_events = holdings._find_events
    overtaken = []

    def reverted_meanwhile(*args: Any) -> Any:
        found = find_events(*args)
        if not overtaken:
            ledger.revert_last_unit()
            overtaken.append(True)
        return found

    monkeypatch.setattr(holdings, "_find_events", reverted_meanwhile)
    refresh(warehouse, store, chains)
    assert overtaken
    assert [row["payload"]["holder_address"][-2:].upper() for row in log(store, "holder.new")] == ["E1"]


def test_blocks_rewound_below_finality_are_judged_again(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains
) -> None:
    ledger.mine()
    token = ledger.token(0x9E9E, "PEPE", supply=1_000, creator=address(0x0A))
    register(ledger, token)
    ledger.publish()
    ledger.finality_blocks = 0
    ledger.mine()
    ledger.transfer(token, address(0x0A), address(0xE1), 10)
    ledger.publish()
    refresh(warehouse, store, chains)
    ledger.revert_last_unit()
    store.execute("UPDATE ingest_unit SET finished_at = now() WHERE status = 'reverted'")
    ledger.mine()
    ledger.transfer(token, address(0x0A), address(0xE1), 10)
    ledger.transfer(token, address(0x0A), address(0xE2), 10)
    ledger.publish()
    refresh(warehouse, store, chains)
    assert [row["payload"]["holder_address"][-2:].upper() for row in log(store, "holder.new")] == ["E1", "E2"]
