"""New tokens are served beside the making of figures, and nothing is ever shown in part."""

import threading
from typing import Any

import pytest

from pipelines import refresh as lanes
from pipelines.refresh import publish_new_tokens, refresh
from pipelines.refresh_run import RefreshRun, open_refresh_run, open_serving_run
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


@pytest.fixture
def chain(chains: Chains) -> Chain:
    return chains.by_key["base"]


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
    assert shown["PEPE"] == before  # its figures come with the next pass that makes some
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


def test_news_are_served_while_figures_are_made(
    ledger: Ledger, warehouse: Warehouse, store: Connection, store_url: str, chains: Chains, chain: Chain
) -> None:
    build_market(ledger)
    with (
        postgres.connect(store_url, autocommit=True) as other,
        open_refresh_run(warehouse, other, chains) as figures,
    ):
        assert publish_new_tokens(warehouse, store, chains, chain, wait_seconds=1.0)
        assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
        published = warehouse.scalar("SELECT max(version) FROM serve_publication")
        with figures.serving(1.0):
            assert figures.version > published


def test_a_writer_is_kept_out_only_while_holders_are_counted(
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

        for group in (lanes.NEWS, lanes.FIGURES, lanes.SERVED):
            for name, step in dict(group).items():
                monkeypatch.setitem(group, name, watched(name, step))
        monkeypatch.setattr(lanes.holders, "derive", watched("holders", lanes.holders.derive))
        refresh(warehouse, store, chains)
    assert [name for name, was_free in free.items() if not was_free] == ["holders"]
    assert set(free) == set(lanes.STEPS)


def test_a_reorganisation_under_a_pass_is_noticed_and_the_pass_made_again(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    ledger.mine()
    ledger.token(0xF02, "ORPHAN", supply=ETHER)
    ledger.publish()
    trades = lanes.FIGURES["trades"]
    overtaken = []

    def taken_back_meanwhile(run: RefreshRun, chain: Chain) -> Any:
        if not overtaken and chain.chain_id == 8453:
            ledger.take_back()
            overtaken.append(True)
        return trades(run, chain)

    monkeypatch.setitem(lanes.FIGURES, "trades", taken_back_meanwhile)
    refresh(warehouse, store, chains)
    assert overtaken
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
    assert served(warehouse)["PEPE"]["holders"] == 2


def test_nothing_of_an_overtaken_pass_is_published(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    refresh(warehouse, store, chains)
    ledger.mine()
    ledger.token(0xF03, "ORPHAN", supply=ETHER)
    ledger.publish()
    derive_new_tokens = lanes.documents.derive_new_tokens

    def taken_back_after(run: RefreshRun, chain: Chain) -> Any:
        made = derive_new_tokens(run, chain)
        ledger.take_back()
        return made

    with monkeypatch.context() as patched:
        patched.setattr(lanes.documents, "derive_new_tokens", taken_back_after)
        with pytest.raises(ReorgDuringRefresh):
            publish_new_tokens(warehouse, store, chains, chain)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
    publish_new_tokens(warehouse, store, chains, chain)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}


def test_what_a_dead_pass_left_is_made_whole_before_news_are_shown_over_it(
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
def test_both_lanes_at_once_come_to_what_one_pass_makes(
    seed: int, warehouse: Warehouse, store: Connection, store_url: str, chains: Chains, chain: Chain, ledger: Ledger
) -> None:
    economy = Economy(ledger, seed)
    economy.found()
    stop = threading.Event()
    failures: list[BaseException] = []

    def keep(lane: Any) -> None:
        with postgres.connect(store_url, autocommit=True) as connection:
            while not stop.is_set():
                try:
                    lane(connection)
                except ReorgDuringRefresh:
                    continue
                except BaseException as error:
                    failures.append(error)
                    return

    def make_figures(connection: Connection) -> None:
        refresh(warehouse, connection, chains, full=False)

    def serve(connection: Connection) -> None:
        publish_new_tokens(warehouse, connection, chains, chain)

    threads = [threading.Thread(target=keep, args=(lane,)) for lane in (make_figures, serve)]
    with postgres.connect(store_url, autocommit=True) as writer:
        for step in range(8):
            economy.live(economy.rng.randrange(1, 5))
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


def test_a_chain_that_has_merely_moved_on_is_shown_once_a_second(
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


def test_a_serving_pass_waits_for_another_and_numbers_after_it(
    warehouse: Warehouse, store: Connection, store_url: str, chains: Chains
) -> None:
    with postgres.connect(store_url, autocommit=True) as other:
        with open_serving_run(warehouse, other, chains) as first:
            version = first.version
        with open_serving_run(warehouse, store, chains) as second:
            assert second.version > version


@pytest.mark.parametrize("following", [{"steps": ["holders"]}, {"chain_ids": [1]}])
def test_whichever_pass_comes_after_a_dead_one_shows_nothing_before_it_is_whole(
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


def test_a_chain_that_overtakes_every_attempt_is_not_shown_until_one_stands(
    ledger: Ledger, warehouse: Warehouse, store: Connection, chains: Chains, chain: Chain,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    build_market(ledger)
    documents = lanes.SERVED["documents"]

    def overtaken(run: RefreshRun, chain: Chain) -> Any:
        documents(run, chain)
        raise ReorgDuringRefresh(chain.key)

    with monkeypatch.context() as patched:
        patched.setitem(lanes.SERVED, "documents", overtaken)
        refresh(warehouse, store, chains)
    assert warehouse.scalar("SELECT count() FROM serve_publication") == 0
    refresh(warehouse, store, chains)
    assert set(served(warehouse)) == {"WETH", "USDC", "PEPE"}
