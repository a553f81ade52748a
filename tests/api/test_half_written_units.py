"""While a unit is half written or half reverted, the API answers with the previous published state."""

import re
from pathlib import Path

from indexer.checkpoint import next_change_id, read_checkpoint, set_pending, units_above
from indexer.devchain.world import World
from indexer.publish import recover
from indexer.reorg import finish_pending
from indexer.run import advance
from indexer.write import add_balances, delete_units
from pipelines.refresh import refresh
from tests.fixtures.half_written import leave_half_written
from tests.fixtures.indexing import indexing
from tests.fixtures.published_views import rows_in_views
from tests.fixtures.service import Serve
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.postgres import Connection

STAGES = ("nothing", "some tables", "all tables", "sums begun", "sums done")
_MOMENTS = re.compile(
    r'"(requestId|generatedAt|tookMs|searchTimeMs|queryTimeMs|timestamp|asOf|from|to)": ?("[^"]*"|[0-9.]+)'
)

Answers = dict[str, tuple[int, str]]


async def answers(serve: Serve, world: World, chains: Path, warehouse_url: str) -> Answers:
    """The answers of a new application, with empty caches: search, tokens with their holders and markets,
    registrations, heartbeats, and what a deployer may claim."""
    paths: dict[str, dict[str, str]] = {
        "/api/v2/search?symbol=aurum&refresh=true": {},
        "/api/v2/search?symbol=tern&sort=holders&refresh=true": {},
        "/api/v2/token/AURUM/base": {},
        "/api/v2/token/FJORD/base": {},
        "/api/v2/registration/AURUM/base": {},
        "/api/v2/registration/7": {},
        "/api/v2/heartbeat/AURUM/base": {},
        "/api/v2/heartbeat/TERN/base/history": {},
        "/api/v2/heartbeat/at-risk": {},
        "/api/v2/registration/claimable": {"X-Wallet-Address": world.token("tern").deployer.address},
    }
    found = {}
    async with serve(clickhouse_url=warehouse_url, chains=chains) as service:
        for path, headers in paths.items():
            answer = await service.client.get(path, headers=headers)
            found[path] = (answer.status_code, _MOMENTS.sub("", answer.text))
    return found


def register(warehouse: Warehouse, store: Connection, token: str) -> None:
    """A registration of AURUM, as a published unit would have written it."""
    unit = store.execute("SELECT unit_id, last_block FROM ingest_unit ORDER BY unit_id DESC LIMIT 1").fetchone()
    warehouse.command(
        "INSERT INTO fact_registry_event (chain_id, block_number, log_index, block_hash, block_time, transaction_hash,"
        " registry, kind, token_id, symbol, owner, token_address, unit_id)"
        " SELECT chain_id, block_number, 999, block_hash, block_time, repeat('t', 32), repeat('r', 20), 'registered',"
        " 7, 'AURUM', repeat('o', 20), unhex({token:String}), unit_id FROM raw_block"
        " WHERE block_number = {block:UInt64}",
        {"token": token[2:], "block": (unit or {})["last_block"]},
    )
    warehouse.command(
        "INSERT INTO fact_change SELECT 8453, {unit:UInt64}, 'registry', '', {block:UInt64}, now()",
        {"unit": (unit or {})["unit_id"], "block": (unit or {})["last_block"]},
    )


def differing(found: Answers, expected: Answers) -> dict[str, tuple[str, str]]:
    """The first difference of each answer."""
    report = {}
    for name, (status, text) in expected.items():
        if found[name] != (status, text):
            pairs = enumerate(zip(found[name][1], text, strict=False))
            at = next((at for at, (ours, theirs) in pairs if ours != theirs), 0)
            report[name] = (found[name][1][max(0, at - 80) : at + 80], text[max(0, at - 80) : at + 80])
    return report


async def test_answers_stay_those_of_the_published_state(
    serve: Serve, archive_world: World, archive_chain: Chain, tmp_path: Path, warehouse: Warehouse, warehouse_url: str,
    store: Connection, store_url: str,
) -> None:  # fmt: skip
    chains = Chains({archive_chain.key: archive_chain})
    chain_id, path = archive_chain.chain_id, tmp_path / "chains.toml"

    async def answers_now() -> Answers:
        refresh(warehouse, store, chains, full=False)  # as a follower or Dagster would meanwhile
        return await answers(serve, archive_world, path, warehouse_url)

    with indexing(warehouse, store_url) as context:
        advance(context, archive_chain, to_block=110)
        published = advance(context, archive_chain, to_block=120).published
        register(warehouse, store, archive_world.token("aurum").address)
        refresh(warehouse, store, chains)
        before, views = await answers_now(), rows_in_views(warehouse)
        assert {name: status for name, (status, _) in before.items()} == dict.fromkeys(before, 200)
        assert all("AURUM" in text for name, (_, text) in before.items() if "aurum" in name.lower())
        assert "TERN" in before["/api/v2/registration/claimable"][1]
        for stage in STAGES:
            leave_half_written(context, archive_chain, store, stage)
            assert differing(await answers_now(), before) == {}, stage
            assert rows_in_views(warehouse) == views, stage
            settled = recover(store, warehouse, read_checkpoint(store, chain_id))
            if settled.block_number == published:
                continue
            published = advance(context, archive_chain, to_block=settled.block_number).published
            refresh(warehouse, store, chains)
            before, views = await answers_now(), rows_in_views(warehouse)
        units = [unit.unit_id for unit in units_above(store, chain_id, (published or 0) - 1)]
        pending = {"phase": "revert", "change_id": next_change_id(store), "units": units, "ancestor": 130}
        checkpoint = set_pending(store, read_checkpoint(store, chain_id), pending)
        assert differing(await answers_now(), before) == {}, "about to be reverted"
        add_balances(warehouse, chain_id, units[0], sign=-1, token=f"revert:{units[0]}:agg_balance_day")
        assert differing(await answers_now(), before) == {}, "sums reverted"
        delete_units(warehouse, chain_id, units)
        assert differing(await answers_now(), before) == {}, "rows deleted"
        finish_pending(store, warehouse, checkpoint)
        assert rows_in_views(warehouse) != views
