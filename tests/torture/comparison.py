"""Compare the tortured index with a fresh one of the final chain, and balances with the chain itself."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from indexer.devchain import artifacts
from indexer.devchain.world import World
from indexer.run import advance
from pipelines.refresh import refresh
from tests.fixtures.data_checks import STATEMENTS, violations
from tests.fixtures.derived import LISTED, contents
from tests.fixtures.indexing import all_rows, differences, indexing
from warehouse import migrate, postgres
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.postgres import with_database

_UNITS = "SELECT status, count(*) AS units FROM ingest_unit GROUP BY status ORDER BY status"
_REGISTERED = """SELECT chain_id, token_id, symbol, owner, token_address, fee_wei, block_number, block_hash, log_index,
                        managers, maintainers, peer_chain_id, peer_token_id, released_at, expired_at, end_reason,
                        pending_end, pending_end_due_at, pending_end_objected_at, end_stopped_at
                 FROM registration ORDER BY chain_id, token_id, block_number"""
# Events that follow from facts alone. Which trades are large depends on the liquidity at the time of a refresh.
_EVENTS = """SELECT type, chain_id, token_id, subject, payload, dedupe_key, created_at FROM event_log
           WHERE type IN ('token.minted', 'token.released', 'token.expired', 'token.end_announced',
                          'token.end_objected', 'token.end_stopped', 'profile.updated', 'holder.new',
                          'concentration.alert', 'milestone.reached')
           ORDER BY dedupe_key"""
_HOLDINGS = """
SELECT '0x' || lower(hex(token)) AS token_text, '0x' || lower(hex(wallet)) AS wallet_text,
    toString(sum(delta)) AS balance
FROM (
    SELECT token, wallet, toInt256(0) AS delta FROM fact_transfer
    ARRAY JOIN [from_address, to_address] AS wallet WHERE wallet != repeat('\\0', 20)
    UNION ALL
    SELECT token, wallet, delta_raw AS delta FROM agg_balance_day WHERE token != ''
)
GROUP BY token, wallet ORDER BY token, wallet
"""
_MAX_PRINTED = 5


@dataclass(slots=True)
class Comparison:
    """How many rows were compared by table, and the differences found."""

    compared: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)

    def add(self, what: str, compared: int, wrong: list[str]) -> None:
        """Record a comparison of ``compared`` rows and its differences."""
        self.compared[what] = compared
        if wrong:
            self.wrong[what] = wrong


def compare(urls: EngineUrls, chains: Chains, chain: Chain, world: World, *, derived: bool = True) -> Comparison:
    """Index up to the head, then compare with a fresh index and with the chain."""
    comparison = Comparison()
    with (
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
        fresh_databases(urls) as afresh,
        Warehouse.connect(afresh.clickhouse_url) as fresh_warehouse,
        postgres.connect(afresh.database_url, autocommit=True) as fresh_store,
    ):
        for at, where in ((urls, warehouse), (afresh, fresh_warehouse)):
            with indexing(where, at.database_url) as context:
                done = advance(context, chain)
            head = world.anvil.block_number()
            comparison.add(
                "published block", 1, [] if done.published == head else [f"{done.published}, head is {head}"]
            )
        comparison.units = {row["status"]: row["units"] for row in store.execute(_UNITS).fetchall()}
        pending = comparison.units.get("pending", 0)
        comparison.add("units left pending", 1, [f"{pending} units"] if pending else [])
        _compare_facts(comparison, warehouse, fresh_warehouse)
        _compare_chain(comparison, warehouse, world)
        if not derived:
            return comparison
        _settle(store, fresh_store)
        for where, at_store in ((warehouse, store), (fresh_warehouse, fresh_store)):
            refresh(where, at_store, chains)
        _compare_derived(comparison, (warehouse, store), (fresh_warehouse, fresh_store))
        for check in STATEMENTS:
            rows = violations(warehouse, check)
            comparison.add(f"check {check}", 1, [str(row) for row in rows[:_MAX_PRINTED]])
    return comparison


@contextmanager
def fresh_databases(urls: EngineUrls) -> Iterator[EngineUrls]:
    """Empty, migrated databases in the same engines."""
    name = f"afresh_{secrets.token_hex(4)}"
    made = EngineUrls(f"{urls.clickhouse_url.rpartition('/')[0]}/{name}", with_database(urls.database_url, name))
    with postgres.connect(urls.database_url, autocommit=True) as store:
        store.execute(f"CREATE DATABASE {name}")
        migrate.apply(made.clickhouse_url, made.database_url)
        try:
            yield made
        finally:
            store.execute(f"DROP DATABASE {name} WITH (FORCE)")
            with Warehouse.connect(urls.clickhouse_url) as warehouse:
                warehouse.command(f"DROP DATABASE {name}")


def _compare_facts(comparison: Comparison, warehouse: Warehouse, fresh: Warehouse) -> None:
    found, expected = all_rows(warehouse), all_rows(fresh)
    differing = differences(found, expected)
    for table, rows in expected.items():
        wrong = []
        if table in differing:
            surplus, missing = differing[table]
            wrong = [f"too many: {row}" for row in surplus] + [f"missing: {row}" for row in missing]
        comparison.add(table, len(rows), wrong)


def _compare_derived(
    comparison: Comparison,
    tortured: tuple[Warehouse, postgres.Connection],
    fresh: tuple[Warehouse, postgres.Connection],
) -> None:
    found, expected = contents(tortured[0]), contents(fresh[0])
    for table, rows in expected.items():
        ours, theirs = set(found[table]), set(rows)
        wrong = [f"too many: {_readable(row)}" for row in sorted(ours - theirs)[:_MAX_PRINTED]]
        wrong += [f"missing: {_readable(row)}" for row in sorted(theirs - ours)[:_MAX_PRINTED]]
        if not wrong and len(found[table]) != len(rows):
            wrong = [f"{len(found[table])} rows instead of {len(rows)}"]
        comparison.add(table, len(rows), wrong)
    for name, query in (("indexed_token", LISTED), ("registration", _REGISTERED), ("event_log", _EVENTS)):
        sides: list[list[Any]] = [store.execute(query).fetchall() for _, store in (tortured, fresh)]
        ours_listed, theirs_listed = ([repr(row) for row in side] for side in sides)
        wrong = [f"too many: {row}" for row in ours_listed if row not in theirs_listed][:_MAX_PRINTED]
        wrong += [f"missing: {row}" for row in theirs_listed if row not in ours_listed][:_MAX_PRINTED]
        comparison.add(name, len(theirs_listed), wrong)


def _settle(store: postgres.Connection, fresh: postgres.Connection) -> None:
    """Make all blocks final in both, and record events from the same moment in both."""
    for where in (store, fresh):
        where.execute("UPDATE chain_checkpoint SET final_block = block_number")
    for row in store.execute("SELECT chain_id, source, told_from FROM event_progress").fetchall():
        fresh.execute(
            "INSERT INTO event_progress (chain_id, source, told_from) VALUES (%(chain_id)s, %(source)s, %(told_from)s)",
            row,
        )


def _compare_chain(comparison: Comparison, warehouse: Warehouse, world: World) -> None:
    """Compare every balance ever touched, zeros too, with ``balanceOf`` on the chain."""
    contract = artifacts.load("PlainToken")
    holdings: dict[str, list[tuple[str, int]]] = {}
    for row in warehouse.rows(_HOLDINGS):
        holdings.setdefault(row["token_text"], []).append((row["wallet_text"], int(row["balance"])))
    wrong: list[str] = []
    for token, held in holdings.items():
        said = world.anvil.batch(
            ("eth_call", ({"to": token, "data": contract.call("balanceOf", wallet)}, "latest")) for wallet, _ in held
        )
        wrong += [
            f"{wallet} has {balance} of {token}; balanceOf returned {found}"
            for (wallet, balance), found in zip(held, said, strict=True)
            # A token whose creation was reverted answers with no data, and must have no holders.
            if balance != (0 if found == "0x" else int(found, 16))
        ]
    comparison.add("balances as on chain", sum(map(len, holdings.values())), wrong[:_MAX_PRINTED])


def _readable(row: str) -> str:
    """Decode rows that hold bytes, which come as hexadecimal digits."""
    try:
        return repr(bytes.fromhex(row))
    except ValueError:
        return row
