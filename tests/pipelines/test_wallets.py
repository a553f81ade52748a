"""A wallet's views show the same as a search of all rows, whatever of them the wallets' table has."""

import random

from indexer.devchain.world import World
from indexer.run import advance, rewind
from pipelines.refresh_run import open_refresh_run
from pipelines.wallets.derive import SUBJECT, derive
from tests.fixtures.half_written import leave_half_written
from tests.fixtures.indexing import SMALL_UNITS, indexing, mine_activity
from warehouse import postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

WALLETS = """
SELECT hex(arrayJoin([from_address, to_address])) AS wallet, count() AS moves FROM fact_transfer
GROUP BY wallet ORDER BY moves DESC, wallet LIMIT 12
"""
DIGEST = "SELECT groupArray(sipHash64(*)) FROM (SELECT * FROM {source} ORDER BY ALL)"
OF_WALLET = "(chain_id = 8453, wallet = unhex({w:String}))"
MOVES = "published_fact_transfer WHERE from_address = unhex({w:String}) OR to_address = unhex({w:String})"
HELD = "published_balance WHERE wallet = unhex({w:String})"


def digests(warehouse: Warehouse, wallet: str, *sources: str) -> list[list[int]]:
    """Hashes of the rows of each source, in order."""
    return [warehouse.scalar(DIGEST.replace("{source}", source), {"w": wallet}) for source in sources]


def check_every_wallet(warehouse: Warehouse) -> int:
    """Compare the views with a search for the busiest wallets; returns how many transfers they have."""
    found = 0
    for row in warehouse.rows(WALLETS):
        wallet = row["wallet"]
        shown = digests(
            warehouse, wallet, f"published_wallet_transfer{OF_WALLET}", f"published_wallet_balance{OF_WALLET}"
        )
        if set(wallet) == {"0"}:
            assert shown == [[], []]  # it holds nothing, and every mint and burn would be its transfer
        else:
            assert shown == digests(warehouse, wallet, MOVES, HELD), wallet
            found += len(shown[0])
    return found


def test_a_wallets_views_equal_a_search_at_every_step(
    archive_world: World, archive_chain: Chain, warehouse: Warehouse, store: Connection, store_url: str
) -> None:
    chains = Chains({archive_chain.key: archive_chain})

    def add_wallets(*, full: bool = True) -> int:
        with (
            postgres.connect(store_url, autocommit=True) as own,
            open_refresh_run(warehouse, own, chains) as run,
        ):
            run.full = full
            done = derive(run, archive_chain)
            return 0 if done is None else done.rows

    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain, to_block=80)
        assert check_every_wallet(warehouse) > 100
        assert add_wallets() > 100
        assert check_every_wallet(warehouse) > 100
        leave_half_written(context, archive_chain, store, "sums done")
        check_every_wallet(warehouse)
    with indexing(warehouse, store_url, SMALL_UNITS) as context:
        advance(context, archive_chain, to_block=110)
        before = check_every_wallet(warehouse)
        assert add_wallets(full=False) == 0  # few units: the views read them from the facts
        rewind(context, archive_chain, 70)
        assert check_every_wallet(warehouse) < before
        mine_activity(archive_world, random.Random(3), blocks=3)
        advance(context, archive_chain)
    assert check_every_wallet(warehouse) > before
    assert add_wallets() > 0
    check_every_wallet(warehouse)
    warehouse.command("TRUNCATE TABLE agg_wallet_transfer")
    store.execute("DELETE FROM derive_checkpoint WHERE subject = %(subject)s", {"subject": SUBJECT})
    store.commit()
    assert check_every_wallet(warehouse) > before
    assert add_wallets() > 100
    check_every_wallet(warehouse)
