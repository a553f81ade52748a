"""Publishing: the rows of a pass become visible all at once, when their version is named.

Before the first served row is written the version is declared in the store. A pass that dies between the two leaves
rows that no version shows yet; the next pass finds the declaration, and publishes even when it has nothing to add.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import AssetRun, timed
from warehouse.postgres import Jsonb

_SUBJECT = "publication"
_ALL_CHAINS = 0
_LEISURE_SECONDS = 1.0
_TABLES = ("serve_token", "serve_symbol", "serve_provenance")


def declare_writing(run: RefreshRun) -> None:
    """Say that rows of this pass's version are about to be written."""
    run.store_rows(
        "derivation/advance_checkpoint",
        {"subject": _SUBJECT, "chain_id": _ALL_CHAINS, "change_id": run.version, "details": Jsonb({})},
    )


@dataclass(frozen=True, slots=True)
class PublicationState:
    """The newest publication. ``unfinished``: a pass after it wrote served rows and died before it published them."""

    version: int
    published_at: float
    blocks: Mapping[int, int]
    unfinished: bool


def read_publication_state(run: RefreshRun) -> PublicationState:
    """What is published now; nobody else publishes while the pass is serving."""
    newest = run.warehouse.rows(
        "SELECT version, toFloat64(published_at) AS published_at, mapKeys(as_of_blocks) AS chain_ids, "
        "mapValues(as_of_blocks) AS blocks FROM serve_publication ORDER BY version DESC LIMIT 1"
    )
    declared = run.store_rows("derivation/find_checkpoint", {"subject": _SUBJECT, "chain_id": _ALL_CHAINS})
    begun = int(declared[0]["change_id"]) if declared else 0
    if not newest:
        return PublicationState(0, 0.0, {}, begun > 0)
    row = newest[0]
    blocks = dict(zip(row["chain_ids"], row["blocks"], strict=True))
    return PublicationState(row["version"], row["published_at"], blocks, begun > row["version"])


def publish(run: RefreshRun, before: PublicationState | None = None, *, at_leisure: bool = False) -> AssetRun | None:
    """Name the pass's version, when it or an earlier one has rows to show, or a chain has moved on.

    ``before`` is what stood when the pass began to serve. ``at_leisure`` shows a chain that has merely moved on once a
    second.
    """
    before = before or read_publication_state(run)
    as_of = {**before.blocks, **run.windows.as_of_blocks()}
    if not (run.serve_rows or before.unfinished):
        since = datetime.now(UTC).timestamp() - before.published_at
        if as_of == before.blocks or (at_leisure and 0 <= since < _LEISURE_SECONDS):
            return None

    def name_version() -> int:
        run.warehouse.command(
            "INSERT INTO serve_publication SELECT {version:UInt64}, {published_at:DateTime64(3, 'UTC')}, "
            "mapFromArrays({chain_ids:Array(UInt32)}, {blocks:Array(UInt64)})",
            {
                "version": run.version,
                "published_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
                "chain_ids": list(as_of),
                "blocks": list(as_of.values()),
            },
        )
        return run.serve_rows

    rows, seconds = timed(name_version)
    return run.log.record(AssetRun("publication", None, seconds, rows, str(before.version), str(run.version)))


def clean(run: RefreshRun) -> AssetRun | None:
    """Remove served rows that no cursor can ask for any more: superseded in a version older than a cursor's
    ten minutes and one more."""

    def remove() -> int:
        before = _served_rows(run)
        for table in _TABLES:
            run.transform(f"maintenance/clean_{table}", {})
        run.transform("maintenance/clean_publications", {})
        for row in run.store_rows("derivation/list_seen_requests"):
            run.transform("maintenance/clean_requests", {"chain_id": row["chain_id"], "seen": row["version"]})
        return before - _served_rows(run)

    rows, seconds = timed(remove)
    return run.log.record(AssetRun("cleaning", None, seconds, rows))


def _served_rows(run: RefreshRun) -> int:
    return sum(int(run.warehouse.scalar(f"SELECT count() FROM {table}")) for table in _TABLES)  # noqa: S608 - our names
