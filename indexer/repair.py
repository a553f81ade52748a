"""Apply to a published unit what a comparison with the chain found, so that a crash at any step leaves nothing unseen.

    begin     pending = repair   derived tables wait for the repair's change, as they wait for a unit's
    announce  fact_change        what differs is derived again, also when the repair dies
    facts     all tables         surplus rows are deleted, then missing ones inserted under the unit that owns the block
    sums      agg_balance_day    what the days' transfers lack; rows that were deleted by hand had left theirs
    end       pending = null

A repair that dies is ended by the next writer, which makes its late inserts impossible. What it had not applied differs
still, so the next repair finds it.
"""

from collections.abc import Iterable

from indexer.checkpoint import Checkpoint, WriterGuard, next_change_id, set_pending
from indexer.comparison import Differences, wrong_sums
from indexer.unit import SUBJECTS, AssembledUnit, Change
from indexer.write import SUMS, delete_rows, write_changes
from warehouse import sql
from warehouse.clickhouse import Warehouse
from warehouse.domain.facts import FACT_TABLES
from warehouse.postgres import Connection

_SUBJECTS = {**SUBJECTS, "fact_contract_creation": ("metadata", "address"), "fact_pool_position": ("pool", "pool")}
_ROWS_PER_DELETE = 1_000
_ANNOUNCED_TOKENS = """SELECT key AS token FROM fact_change
    WHERE chain_id = {chain_id:UInt32} AND change_id = {change_id:UInt64} AND subject = 'token'"""


def repair(
    store: Connection,
    warehouse: Warehouse,
    checkpoint: Checkpoint,
    unit_id: int,
    part: AssembledUnit,
    found: Differences,
) -> Checkpoint:
    """Make the stored rows and sums of a unit of one month those of the chain; the new checkpoint."""
    chain_id, number = checkpoint.chain_id, next_change_id(store)
    pending = {"phase": "repair", "unit_id": number, "first_time": int(part.blocks.time[0])}
    checkpoint = set_pending(store, checkpoint, pending)
    guard = WriterGuard(store, checkpoint)
    write_changes(warehouse, chain_id, number, list(_changes(warehouse, part, found)))
    for table, rows in found.surplus.items():
        comparison = found.tables[table]
        for at in range(0, len(rows), _ROWS_PER_DELETE):
            guard.ensure_current()
            condition = f"{comparison.within} AND {comparison.identity} IN {{rows:Array(String)}}"
            delete_rows(warehouse, table, condition, {**found.parameters, "rows": rows[at : at + _ROWS_PER_DELETE]})
    for table in {*found.missing, *found.surplus}:
        guard.ensure_current()
        statement = found.tables[table].insert_missing
        warehouse.insert_select(statement, found.parameters, token=f"{number}:{table}")
    guard.ensure_current()
    statement = f"INSERT INTO {SUMS} (chain_id, token, wallet, day, delta_raw) {wrong_sums(_ANNOUNCED_TOKENS)}"
    announced = {**found.parameters, "change_id": number}
    warehouse.insert_select(statement, announced, {"max_threads": 1}, token=f"{number}:{SUMS}")
    if "fact_transfer" in found.missing:
        wallets = {"chain_id": chain_id, "after": unit_id - 1, "up_to": unit_id}
        warehouse.command(sql.load("transforms/wallets/add_units"), wallets)
    return set_pending(store, checkpoint, None)


def _changes(warehouse: Warehouse, part: AssembledUnit, found: Differences) -> Iterable[Change]:
    """What the unit's rows in the tables that differ touch, on the chain and as stored."""
    differing = {*found.missing, *found.surplus} | ({"fact_transfer"} if found.sums else set())
    touched: dict[tuple[str, bytes], int] = {}
    for table in sorted(differing & _SUBJECTS.keys()):
        subject, column = _SUBJECTS[table]
        comparison, block = found.tables[table], FACT_TABLES[table].block_column
        named = "''" if column is None else f"hex({column})"
        rows = warehouse.rows(
            f"""SELECT key_hex, min(block) AS block FROM
            (
                SELECT {named} AS key_hex, {block} AS block FROM {comparison.fresh}
                UNION ALL SELECT {named}, {block} FROM {table} WHERE {comparison.within}
            )
            GROUP BY key_hex""",  # noqa: S608
            found.parameters,
        )
        for row in rows:
            name = subject, bytes.fromhex(row["key_hex"])
            touched[name] = min(touched.get(name, part.blocks.last), max(row["block"], part.blocks.first))
    times = dict(zip(part.blocks.number.tolist(), part.blocks.time.tolist(), strict=True))
    first_time = int(part.blocks.time[0])
    for (subject, key), from_block in sorted(touched.items()):
        yield Change(subject, key, from_block, times.get(from_block, first_time))
