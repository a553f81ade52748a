"""Drop months of transfers that a chain does not keep (``kept_months`` of the chains file).

A month goes only when nothing needs its rows any more (:func:`plan`): its blocks are final, every step and event source
has seen them, and the checks have compared them with the sums, which stay. What is dropped is recorded first, while
nobody writes; from then on every reader begins where transfers are kept. Killed at any instant, the next run drops what
was recorded (``docs/decisions/0051-storage-by-month.md``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pipelines.checks.check import Stops
from pipelines.checks.declared import CHECKS
from pipelines.pause import all_writers_paused
from pipelines.resources import Connections
from warehouse import postgres, sql
from warehouse.domain.chains import Chain

_COMPARING = tuple(check.name for check in CHECKS if check.stops is Stops.PUBLICATION)
"""Checks of facts and sums: they have to have looked at all transfers before some go."""
_NO_SIZE_LIMIT = {"max_partition_size_to_drop": 0}


@dataclass(frozen=True, slots=True)
class Month:
    """A month of a chain's transfers."""

    partition: str
    number: int
    """Such as 202601."""
    transfers: int


@dataclass(frozen=True, slots=True)
class Plan:
    """What of a chain's transfers is older than what it keeps, and why it stays nevertheless, if it does."""

    chain: Chain
    months: Sequence[Month] = ()
    kept_from: datetime | None = None
    first_block: int = 0
    """The first block of ``kept_from``."""
    obstacle: str | None = None

    def lines(self) -> Iterator[str]:
        """A line for each month, and one for what keeps them."""
        for month in self.months:
            name = f"{month.number // 100}-{month.number % 100:02d}"
            yield f"{self.chain.key} {name}: {month.transfers:,} transfers"
        if self.obstacle:
            yield f"{self.chain.key}: all of them stay, because {self.obstacle}"


def plan(connections: Connections, chain: Chain) -> Plan:
    """What would be dropped of a chain now. Changes nothing."""
    progress = postgres.run(connections.store, "ingestion/find_published", {"chain_id": chain.chain_id})
    if chain.kept_months is None or not progress or progress[0]["block_time"] is None:
        return Plan(chain)
    kept_from = _months_before(progress[0]["block_time"].astimezone(UTC), chain.kept_months)
    months = [
        Month(row["partition_id"], row["month_number"], row["transfers"])
        for row in _read(connections, "months", chain, before=kept_from)
    ]
    if not months:
        return Plan(chain)
    first_block = int(_read(connections, "first_block", chain, since=kept_from)[0]["first_block"])
    obstacle = next(_obstacles(connections, chain, first_block, progress[0]), None)
    return Plan(chain, months, kept_from, first_block, obstacle)


def drop(connections: Connections, chain: Chain, wait_seconds: float = 60.0) -> Plan:
    """Drop what :func:`plan` says, and what an interrupted run left; returns the plan that was carried out.

    Raises:
        WritersBusy: the chain's indexer did not pause within ``wait_seconds``.
        RefreshBusy: a refresh run did not end within as long.
    """
    planned = plan(connections, chain)
    if planned.months and planned.obstacle is None:
        with all_writers_paused(connections.store, connections.warehouse, [chain], wait_seconds):
            planned = plan(connections, chain)
            if planned.obstacle is None:
                _record(connections, planned)
    for row in _read(connections, "dropped", chain):
        connections.warehouse.command(
            f"ALTER TABLE fact_transfer DROP PARTITION ID '{row['partition_id']}'", settings=_NO_SIZE_LIMIT
        )
    return planned


def _record(connections: Connections, planned: Plan) -> None:
    for month in planned.months:
        connections.warehouse.command(
            sql.load("transforms/maintenance/record_dropped_month"),
            {
                "chain_id": planned.chain.chain_id,
                "month": f"{month.number // 100}-{month.number % 100:02d}-01",
                "kept_from": planned.kept_from,
                "first_block": planned.first_block,
                "transfers": month.transfers,
            },
        )


def _obstacles(connections: Connections, chain: Chain, first_block: int, progress: Any) -> Iterator[str]:
    """What still needs transfers below a block."""
    key = {"chain_id": chain.chain_id}
    if (progress["final_block"] or 0) < first_block:
        yield f"block {first_block} is not final yet"
    if progress["pending"]:
        yield "a unit of blocks is being written or reverted"
    needed = postgres.run(connections.store, "derivation/list_needed_changes")
    needed_from = next((row["needed_from"] for row in needed if row["chain_id"] == chain.chain_id), None)
    if needed_from is None:
        yield "its derived tables were not made yet"
    elif _read(connections, "unseen_changes", chain, needed_from=needed_from, block=first_block)[0]["changes"]:
        yield "a step or an event source has not seen all of their changes"
    if postgres.run(connections.store, "ingestion/find_unit_across", {**key, "block": first_block}):
        yield f"a unit of blocks reaches across block {first_block}"
    failing = [row["check_name"] for row in postgres.run(connections.store, "checks/list_failures") if row | key == row]
    if failing:
        yield f"the check {failing[0]} fails"
    for name in _COMPARING:
        found = postgres.run(connections.store, "checks/find_progress", {**key, "check_name": name})
        if not found or found[0]["pass_ended_at"] is None or found[0]["final_block"] < first_block:
            yield f"the check {name} has not looked at all of them"


def _months_before(moment: datetime, months: int) -> datetime:
    """The beginning of the month so many before that of ``moment``."""
    number = moment.year * 12 + moment.month - 1 - months
    return datetime(number // 12, number % 12 + 1, 1, tzinfo=UTC)


def _read(connections: Connections, name: str, chain: Chain, **parameters: Any) -> list[dict[str, Any]]:
    return connections.warehouse.rows(sql.load(f"queries/retention/{name}"), {"chain_id": chain.chain_id, **parameters})
