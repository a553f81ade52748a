"""What is compared when everything is quiet: an index that went through it all, and one made in one go."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from indexer.devchain import artifacts
from indexer.devchain.world import World
from indexer.run import advance
from pipelines.refresh import refresh
from tests.fixtures.derived import LISTED, contents
from tests.fixtures.indexing import all_rows, differences, indexing
from warehouse import migrate, postgres, sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.chains import Chain, Chains
from warehouse.engines import EngineUrls
from warehouse.postgres import with_database

_UNITS = "SELECT status, count(*) AS units FROM ingest_unit GROUP BY status ORDER BY status"
_REGISTERED = """SELECT chain_id, token_id, symbol, owner, token_address, fee_wei, block_number, block_hash, log_index,
                        managers, maintainers, peer_chain_id, peer_token_id, released_at, expired_at
                 FROM registration ORDER BY chain_id, token_id, block_number"""
# Of what is judged by facts alone; how deep a pool is, and so which trades are large, is judged as of the pass.
_TOLD = """SELECT type, chain_id, token_id, subject, payload, dedupe_key, created_at FROM event_log
           WHERE type IN ('token.minted', 'token.released', 'token.expired', 'profile.updated', 'holder.new',
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
_SHOWN = 5


@dataclass(slots=True)
class Verdict:
    """What differs, by what was compared; empty lists are all there should be."""

    compared: dict[str, int] = field(default_factory=dict)
    wrong: dict[str, list[str]] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)

    def add(self, what: str, compared: int, wrong: list[str]) -> None:
        """Note a comparison of so many things."""
        self.compared[what] = compared
        if wrong:
            self.wrong[what] = wrong


def judge(urls: EngineUrls, chains: Chains, chain: Chain, world: World, *, derived: bool = True) -> Verdict:
    """Bring the index to the head, and hold it against a fresh one and against the chain."""
    verdict = Verdict()
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
            verdict.add("published block", 1, [] if done.published == head else [f"{done.published}, head is {head}"])
        verdict.units = {row["status"]: row["units"] for row in store.execute(_UNITS).fetchall()}
        pending = verdict.units.get("pending", 0)
        verdict.add("units left pending", 1, [f"{pending} units"] if pending else [])
        _compare_facts(verdict, warehouse, fresh_warehouse)
        _compare_chain(verdict, warehouse, world)
        if not derived:
            return verdict
        _settle(store, fresh_store)
        for where, at_store in ((warehouse, store), (fresh_warehouse, fresh_store)):
            refresh(where, at_store, chains)
        _compare_derived(verdict, (warehouse, store), (fresh_warehouse, fresh_store))
        for check in sorted((sql.directory() / "checks").glob("*.sql")):
            rows = warehouse.rows(sql.load(f"checks/{check.stem}"))
            verdict.add(f"check {check.stem}", 1, [str(row) for row in rows[:_SHOWN]])
    return verdict


@contextmanager
def fresh_databases(urls: EngineUrls) -> Iterator[EngineUrls]:
    """Empty, migrated databases beside the others, in the same engines."""
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


def _compare_facts(verdict: Verdict, warehouse: Warehouse, fresh: Warehouse) -> None:
    found, expected = all_rows(warehouse), all_rows(fresh)
    differing = differences(found, expected)
    for table, rows in expected.items():
        wrong = []
        if table in differing:
            surplus, missing = differing[table]
            wrong = [f"too many: {row}" for row in surplus] + [f"missing: {row}" for row in missing]
        verdict.add(table, len(rows), wrong)


def _compare_derived(
    verdict: Verdict, tortured: tuple[Warehouse, postgres.Connection], fresh: tuple[Warehouse, postgres.Connection]
) -> None:
    found, expected = contents(tortured[0]), contents(fresh[0])
    for table, rows in expected.items():
        ours, theirs = set(found[table]), set(rows)
        wrong = [f"too many: {_readable(row)}" for row in sorted(ours - theirs)[:_SHOWN]]
        wrong += [f"missing: {_readable(row)}" for row in sorted(theirs - ours)[:_SHOWN]]
        if not wrong and len(found[table]) != len(rows):
            wrong = [f"{len(found[table])} rows instead of {len(rows)}"]
        verdict.add(table, len(rows), wrong)
    for name, query in (("indexed_token", LISTED), ("registration", _REGISTERED), ("event_log", _TOLD)):
        sides: list[list[Any]] = [store.execute(query).fetchall() for _, store in (tortured, fresh)]
        ours_listed, theirs_listed = ([repr(row) for row in side] for side in sides)
        wrong = [f"too many: {row}" for row in ours_listed if row not in theirs_listed][:_SHOWN]
        wrong += [f"missing: {row}" for row in theirs_listed if row not in ours_listed][:_SHOWN]
        verdict.add(name, len(theirs_listed), wrong)


def _settle(store: postgres.Connection, fresh: postgres.Connection) -> None:
    """Have all blocks be final in both, and both tell of events from the same moment on."""
    for where in (store, fresh):
        where.execute("UPDATE chain_checkpoint SET final_block = block_number")
    for row in store.execute("SELECT chain_id, source, told_from FROM event_progress").fetchall():
        fresh.execute(
            "INSERT INTO event_progress (chain_id, source, told_from) VALUES (%(chain_id)s, %(source)s, %(told_from)s)",
            row,
        )


def _compare_chain(verdict: Verdict, warehouse: Warehouse, world: World) -> None:
    """Every wallet that ever had some of a token, zero balances too, against the token's own word."""
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
            f"{wallet} has {balance} of {token}, which says {found}"
            for (wallet, balance), found in zip(held, said, strict=True)
            # A token whose creation was taken back says nothing any more, and nobody may hold any of it.
            if balance != (0 if found == "0x" else int(found, 16))
        ]
    verdict.add("balances as on chain", sum(map(len, holdings.values())), wrong[:_SHOWN])


def _readable(row: str) -> str:
    """Rows with bytes in them come as hexadecimal digits."""
    try:
        return repr(bytes.fromhex(row))
    except ValueError:
        return row
