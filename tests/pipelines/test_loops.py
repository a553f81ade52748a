"""New tokens are published while metrics are recomputed, and nothing is ever published in part."""

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pipelines import refresh as loops
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.refresh_run import RefreshRun, open_refresh_run, open_serving_run
from pipelines.step import ChainStep
from pipelines.steps import STEPS
from pipelines.windows import ReorgDuringRefresh
from tests.factories.amounts import ETHER
from tests.factories.economy import Economy
from tests.factories.ledger import Ledger, address
from tests.factories.markets import build_market
from tests.fixtures.derived import contents, forget, served
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

Derive = Callable[[RefreshRun, Chain], Any]


@pytest.fixture
def chain(chains: Chains) -> Chain:
    return chains.by_key["base"]


def chain_steps() -> list[ChainStep]:
    return [step for step in STEPS if isinstance(step, ChainStep)]


def derive_of(name: str) -> Derive:
    return next(step.derive for step in chain_steps() if step.name == name)


def replace_derive(monkeypatch: pytest.MonkeyPatch, name: str, derive: Derive) -> None:
    """Let the loops run another function for one step."""
    steps = [
        replace(step, derive=derive) if step.name == name and isinstance(step, ChainStep) else step
        for step in loops.STEPS
    ]
    monkeypatch.setattr(loops, "STEPS", steps)


def test_a_new_token_is_found_before_it_is_counted(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains)
    before = served(warehouse)["PEPE"]
    ledger.mine()
    ledger.token(0xF00, "FROG", supply=10 * ETHER, creator=address(0xD3))
    ledger.transfer(before["token"], address(0xD1), address(0xD4), ETHER)
    ledger.publish()
    publish_new_tokens(warehouse, store, chains, chain)
    shown = served(warehouse)
    frog = shown["FROG"]
    assert (frog["deployed_by"], frog["total_supply_raw"]) == (address(0xD3), 10 * ETHER)
    assert (frog["holders"], frog["top10_share"], frog["price_usd"]) == (None, None, None)
    assert shown["PEPE"] == before  # its metrics follow with the next refresh
    refresh(warehouse, store, chains, full=False)
    shown = served(warehouse)
    assert (shown["FROG"]["holders"], shown["FROG"]["top10_share"]) == (1, 1)
    assert shown["PEPE"]["holders"] == before["holders"] + 1


def test_a_token_without_transfers_has_no_holders_once_they_are_counted(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain
) -> None:
    ledger.mine()
    ledger.token(0xF01, "STILL")
    ledger.publish()
    publish_new_tokens(warehouse, store, chains, chain)
    assert served(warehouse)["STILL"]["holders"] is None
    refresh(warehouse, store, chains, full=False)
    assert served(warehouse)["STILL"]["holders"] == 0


def test_new_tokens_are_published_while_metrics_are_recomputed(
    ledger: Ledger, warehouse: Warehouse, store: Connection, store_url: str, chains: Chains, chain: Chain
) -> None:
    build_market(ledger)
    with (
        postgres.connect(store_url, autocommit=True) as other,
        open_refresh_run(warehouse, other, chains) as metrics,
    ):
        assert publish_new_tokens(warehouse, store, chains, chain, wait_seconds=1.0)
        assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
        published = warehouse.scalar("SELECT max(version) FROM serve_publication")
        with metrics.serving(1.0):
            assert metrics.version > published


def test_the_writer_is_paused_only_while_holders_are_counted(
    ledger: Ledger, warehouse: Warehouse, store: Connection, store_url: str, chains: Chains,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    free: dict[str, bool] = {}
    with postgres.connect(store_url, autocommit=True) as writer:

        def watched(name: str, step: Any) -> Any:
            def run_step(run: RefreshRun, chain: Chain) -> Any:
                row = writer.execute("SELECT pg_try_advisory_lock(821, 8453) AS held").fetchone()
                assert row is not None
                if chain.chain_id == 8453:
                    free[name] = row["held"]
                if row["held"]:
                    writer.execute("SELECT pg_advisory_unlock(821, 8453)")
                return step(run, chain)

            return run_step

        for step in chain_steps():
            replace_derive(monkeypatch, step.name, watched(step.name, step.derive))
        refresh(warehouse, store, chains)
    assert [name for name, was_free in free.items() if not was_free] == ["holders", "holder_events"]
    assert set(free) == {step.name for step in chain_steps()}


def test_a_reorganisation_during_a_refresh_restarts_it(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    ledger.mine()
    ledger.token(0xF02, "ORPHAN", supply=ETHER)
    ledger.publish()
    trades = derive_of("trades")
    reorganised = []

    def reverted_meanwhile(run: RefreshRun, chain: Chain) -> Any:
        if not reorganised and chain.chain_id == 8453:
            ledger.revert_last_unit()
            reorganised.append(True)
        return trades(run, chain)

    replace_derive(monkeypatch, "trades", reverted_meanwhile)
    refresh(warehouse, store, chains)
    assert reorganised
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
    assert served(warehouse)["PEPE"]["holders"] == 2


def test_nothing_read_across_a_reorganisation_is_published(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.token(0xF03, "ORPHAN", supply=ETHER)
    ledger.publish()
    derive_new_tokens = loops.documents.derive_new_tokens

    def reverted_after(run: RefreshRun, chain: Chain) -> Any:
        made = derive_new_tokens(run, chain)
        ledger.revert_last_unit()
        return made

    with monkeypatch.context() as patched:
        patched.setattr(loops.documents, "derive_new_tokens", reverted_after)
        with pytest.raises(ReorgDuringRefresh):
            publish_new_tokens(warehouse, store, chains, chain)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
    publish_new_tokens(warehouse, store, chains, chain)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}


def test_a_dead_runs_rows_are_completed_before_new_tokens_are_published(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    with monkeypatch.context() as patched:
        insert = Warehouse.insert_arrow

        def die(self: Warehouse, table: str, data: Any, *, token: str | None = None) -> None:
            if table == "serve_token":
                raise InterruptedError
            insert(self, table, data, token=token)

        patched.setattr(Warehouse, "insert_arrow", die)
        with pytest.raises(InterruptedError):
            refresh(warehouse, store, chains)
    assert warehouse.scalar("SELECT count() FROM serve_symbol") == 3
    ledger.mine()
    ledger.token(0xF04, "FROG")
    ledger.publish()
    publish_new_tokens(warehouse, store, chains, chain)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE", "FROG"}


@pytest.mark.parametrize("seed", [3])
def test_both_loops_at_once_give_the_result_of_one_refresh(
    seed: int, warehouse: Warehouse, store: Connection, store_url: str, chains: Chains, chain: Chain, ledger: Ledger
) -> None:
    economy = Economy(ledger, seed)
    economy.create_assets()
    stop = threading.Event()
    failures: list[BaseException] = []

    def keep(loop: Any) -> None:
        with postgres.connect(store_url, autocommit=True) as connection:
            while not stop.is_set():
                try:
                    loop(connection)
                except ReorgDuringRefresh:
                    continue
                except BaseException as error:
                    failures.append(error)
                    return

    def refresh_metrics(connection: Connection) -> None:
        refresh(warehouse, connection, chains, full=False)

    def serve(connection: Connection) -> None:
        publish_new_tokens(warehouse, connection, chains, chain)

    threads = [threading.Thread(target=keep, args=(loop,)) for loop in (refresh_metrics, serve)]
    with postgres.connect(store_url, autocommit=True) as writer:
        for step in range(8):
            economy.add_blocks(economy.rng.randrange(1, 5))
            # The ledger writes as the indexer does: under the chain's writer lock.
            writer.execute("SELECT pg_advisory_lock(821, 8453)")
            ledger.publish()
            writer.execute("SELECT pg_advisory_unlock(821, 8453)")
            if step == 0:
                for thread in threads:
                    thread.start()
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []
    refresh(warehouse, store, chains)
    at_once = contents(warehouse)
    forget(warehouse, store)
    refresh(warehouse, store, chains)
    assert at_once == contents(warehouse)


def test_a_chain_without_changes_is_published_at_most_once_a_second(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain
) -> None:
    build_market(ledger)
    refresh(warehouse, store, chains)
    before = warehouse.scalar("SELECT count() FROM serve_publication")
    for _ in range(3):
        ledger.mine()
        ledger.publish()
        publish_new_tokens(warehouse, store, chains, chain)
    assert warehouse.scalar("SELECT count() FROM serve_publication") <= before + 1
    refresh(warehouse, store, chains, full=False)
    newest = "SELECT as_of_blocks[8453] FROM serve_publication ORDER BY version DESC LIMIT 1"
    assert warehouse.scalar(newest) == ledger.block


def test_a_later_serving_run_has_a_higher_version(
    warehouse: Warehouse, store: Connection, store_url: str, chains: Chains
) -> None:
    with postgres.connect(store_url, autocommit=True) as other:
        with open_serving_run(warehouse, other, chains) as first:
            version = first.version
        with open_serving_run(warehouse, store, chains) as second:
            assert second.version > version


@pytest.mark.parametrize("following", [{"steps": ["holders"]}, {"chain_ids": [1]}])
def test_any_run_after_a_dead_one_completes_it_before_publishing(
    following: dict[str, Any], ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    insert = Warehouse.insert_arrow

    def die(self: Warehouse, table: str, data: Any, *, token: str | None = None) -> None:
        if table == "serve_token":
            raise InterruptedError
        insert(self, table, data, token=token)

    with monkeypatch.context() as patched:
        patched.setattr(Warehouse, "insert_arrow", die)
        with pytest.raises(InterruptedError):
            refresh(warehouse, store, chains)
    refresh(warehouse, store, chains, **following)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}


def test_a_chain_reorganised_in_every_attempt_is_not_published(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    documents = derive_of("documents")

    def reorganised(run: RefreshRun, chain: Chain) -> Any:
        documents(run, chain)
        raise ReorgDuringRefresh(chain.key)

    with monkeypatch.context() as patched:
        replace_derive(patched, "documents", reorganised)
        refresh(warehouse, store, chains)
    assert warehouse.scalar("SELECT count() FROM serve_publication") == 0
    refresh(warehouse, store, chains)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
