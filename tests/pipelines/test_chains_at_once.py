"""Refresh runs of different chains do not wait for each other, and a run that dies on one does no harm to another."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipelines import refresh as loops
from pipelines.locks import RefreshBusy, chain_lock
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.refresh_run import RefreshRun, open_refresh_run
from pipelines.step import ChainStep, Phase
from tests.factories.economy import Economy
from tests.factories.ledger import CHAINS_TOML, Ledger
from tests.factories.markets import build_market
from tests.fixtures.derived import contents, forget
from warehouse import postgres
from warehouse.chains import facts
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

BASE, GNOSIS = 8453, 100


@pytest.fixture
def chains(tmp_path: Path) -> Chains:
    """Base, and Gnosis with assets and exchanges at the same addresses."""
    path = tmp_path / "chains.toml"
    path.write_text(CHAINS_TOML + CHAINS_TOML.replace("chains.base", "chains.gnosis"))
    return facts.load(path)


@pytest.fixture
def ledgers(warehouse: Warehouse, store: Connection) -> list[Ledger]:
    """Both chains, without blocks."""
    return [Ledger(warehouse, store, chain_id=number) for number in (BASE, GNOSIS)]


@pytest.fixture
def other(store_url: str) -> Iterator[Connection]:
    """A second connection to the store."""
    with postgres.connect(store_url, autocommit=True) as connection:
        yield connection


def published_blocks(warehouse: Warehouse) -> dict[int, int]:
    rows = warehouse.rows("SELECT as_of_blocks FROM serve_publication ORDER BY version DESC LIMIT 1")
    return dict(rows[0]["as_of_blocks"]) if rows else {}


def visible(warehouse: Warehouse) -> set[tuple[int, str]]:
    newest = warehouse.scalar("SELECT max(version) FROM serve_publication")
    rows = warehouse.rows(
        "SELECT DISTINCT chain_id, symbol FROM serve_token WHERE version <= {newest:UInt64}", {"newest": newest}
    )
    return {(row["chain_id"], row["symbol"]) for row in rows}


@contextmanager
def dying_at(nth: int, monkeypatch: pytest.MonkeyPatch, only: Callable[[str], bool] = lambda _: True) -> Iterator[None]:
    """The process dies before the n-th of its writes to the warehouse, or to the tables that count."""
    left = [nth]

    def counted(method: Callable[..., Any]) -> Callable[..., Any]:
        def write(self: Warehouse, statement: str, *arguments: Any, **named: Any) -> Any:
            if only(statement):
                left[0] -= 1
                if not left[0]:
                    raise InterruptedError
            return method(self, statement, *arguments, **named)

        return write

    with monkeypatch.context() as patched:
        for name in ("command", "insert_arrow"):
            patched.setattr(Warehouse, name, counted(getattr(Warehouse, name)))
        yield


def test_a_refresh_of_a_chain_waits_for_its_own_only(
    ledgers: list[Ledger], warehouse: Warehouse, store: Connection, other: Connection, chains: Chains
) -> None:
    for ledger in ledgers:
        build_market(ledger)
    with chain_lock(other, BASE, 1.0):
        refresh(warehouse, store, chains, chain_ids=[GNOSIS], wait_seconds=0.1)
        assert published_blocks(warehouse).keys() == {GNOSIS}
        ledgers[1].mine()
        ledgers[1].publish()
        with pytest.raises(RefreshBusy, match=str(BASE)):
            refresh(warehouse, store, chains, wait_seconds=0.1)
        assert published_blocks(warehouse) == {GNOSIS: ledgers[1].block}
    with open_refresh_run(warehouse, other, chains), pytest.raises(RefreshBusy):
        refresh(warehouse, store, chains, chain_ids=[GNOSIS], wait_seconds=0.1)
    refresh(warehouse, store, chains, wait_seconds=0.1)
    assert published_blocks(warehouse) == {BASE: ledgers[0].block, GNOSIS: ledgers[1].block}


@pytest.mark.parametrize("seed", [11])
def test_chains_derived_at_once_equal_chains_derived_one_after_the_other(
    seed: int, ledgers: list[Ledger], warehouse: Warehouse, warehouse_url: str, store: Connection, store_url: str,
    chains: Chains,
) -> None:  # fmt: skip
    economies = [Economy(ledger, seed + ledger.chain_id) for ledger in ledgers]
    failures: list[BaseException] = []

    def follow(chain_id: int) -> None:
        try:
            with Warehouse.connect(warehouse_url) as own, postgres.connect(store_url, autocommit=True) as connection:
                chain = chains.by_id(chain_id)
                assert chain is not None
                publish_new_tokens(own, connection, chains, chain)
                refresh(own, connection, chains, chain_ids=[chain_id], full=False)
        except BaseException as error:
            failures.append(error)

    for economy in economies:
        economy.create_assets()
    for _ in range(3):
        for economy in economies:
            economy.add_blocks(3)
            economy.ledger.publish()
        threads = [threading.Thread(target=follow, args=(number,)) for number in (BASE, GNOSIS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        assert published_blocks(warehouse) == {ledger.chain_id: ledger.block for ledger in ledgers}
    in_order = (
        "SELECT groupArray(version) AS versions FROM (SELECT version FROM serve_publication ORDER BY published_at)"
    )
    versions = warehouse.scalar(in_order)
    assert versions == sorted(versions)
    refresh(warehouse, store, chains)
    at_once = contents(warehouse)
    forget(warehouse, store)
    for number in (BASE, GNOSIS):
        refresh(warehouse, store, chains, chain_ids=[number])
    refresh(warehouse, store, chains)
    assert at_once == contents(warehouse)


def test_rows_of_a_dead_run_are_published_by_the_first_who_may_complete_them(
    ledgers: list[Ledger], warehouse: Warehouse, store: Connection, other: Connection, chains: Chains,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    base, gnosis = chains.by_key["base"], chains.by_key["gnosis"]
    for ledger in ledgers:
        build_market(ledger)

    def die(table: str) -> bool:
        return table == "serve_token"

    with dying_at(1, monkeypatch, only=die), pytest.raises(InterruptedError):
        refresh(warehouse, store, chains, chain_ids=[BASE])
    # While another run derives Base, nobody can complete its rows, so nothing is published.
    with chain_lock(other, BASE, 1.0):
        publish_new_tokens(warehouse, store, chains, gnosis)
        assert visible(warehouse) == set()
    publish_new_tokens(warehouse, store, chains, gnosis)
    assert {number for number, _ in visible(warehouse)} == {BASE, GNOSIS}

    ledgers[0].mine()
    ledgers[0].token(0xF00, "FROG")
    ledgers[0].publish()
    with dying_at(1, monkeypatch, only=die), pytest.raises(InterruptedError):
        publish_new_tokens(warehouse, store, chains, base)
    # The next run of Base completes them before it computes metrics.
    seen: list[set[tuple[int, str]]] = []

    def watched(_run: RefreshRun, _chain: Chain) -> None:
        seen.append(visible(warehouse))

    steps = [
        replace(step, derive=watched) if isinstance(step, ChainStep) and step.phase is Phase.METRICS else step
        for step in loops.STEPS
    ]
    monkeypatch.setattr(loops, "STEPS", steps)
    refresh(warehouse, store, chains, chain_ids=[BASE])
    assert (BASE, "FROG") in seen[0]
