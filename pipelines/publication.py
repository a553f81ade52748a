"""Publishing: the rows of a pass become visible all at once, when their version is named.

Before the first served row is written the version is declared in the store. A pass that dies between the two leaves
rows that no version shows yet; the next pass finds the declaration, and publishes even when it has nothing to add.
"""

from datetime import UTC, datetime

from pipelines.derivation import AssetRun, DerivePass, timed
from warehouse.postgres import Jsonb

_SUBJECT = "publication"
_ALL_CHAINS = 0
_TABLES = ("serve_token", "serve_symbol", "serve_provenance")


def declare_writing(run: DerivePass) -> None:
    """Say that rows of this pass's version are about to be written."""
    run.exchange(
        "advance_derive_checkpoint",
        {"subject": _SUBJECT, "chain_id": _ALL_CHAINS, "change_id": run.version, "details": Jsonb({})},
    )


def publish(run: DerivePass) -> AssetRun | None:
    """Name the pass's version, when it or an earlier one has rows to show, or a chain has moved on."""
    newest = run.warehouse.rows(
        "SELECT version, mapKeys(as_of_blocks) AS chain_ids, mapValues(as_of_blocks) AS blocks "
        "FROM serve_publication ORDER BY version DESC LIMIT 1"
    )
    published = newest[0]["version"] if newest else 0
    blocks = dict(zip(newest[0]["chain_ids"], newest[0]["blocks"], strict=True)) if newest else {}
    declared = run.exchange("derive_checkpoint", {"subject": _SUBJECT, "chain_id": _ALL_CHAINS})
    unpublished = bool(declared) and int(declared[0]["change_id"]) > published
    as_of = {**blocks, **run.as_of_blocks()}
    if not (run.serve_rows or unpublished or as_of != blocks):
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
    return run.record(AssetRun("publication", None, seconds, rows, str(published), str(run.version)))


def clean(run: DerivePass) -> AssetRun | None:
    """Remove served rows that no cursor can ask for any more: superseded in a version older than a cursor's
    ten minutes and one more."""

    def remove() -> int:
        before = _served_rows(run)
        for table in _TABLES:
            run.transform(f"maintenance/clean_{table}", {})
        run.transform("maintenance/clean_publications", {})
        for row in run.exchange("requests_seen"):
            run.transform("maintenance/clean_requests", {"chain_id": row["chain_id"], "seen": row["version"]})
        return before - _served_rows(run)

    rows, seconds = timed(remove)
    return run.record(AssetRun("cleaning", None, seconds, rows))


def _served_rows(run: DerivePass) -> int:
    return sum(int(run.warehouse.scalar(f"SELECT count() FROM {table}")) for table in _TABLES)  # noqa: S608 - our names
