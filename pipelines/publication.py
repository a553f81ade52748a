"""Publishing: the rows of a run become visible all at once, when its version is published.

Before the first served row of a chain is written, its version is declared in the store. A run that dies between the two
leaves rows that no version shows yet. The next run finds the declaration, completes the rows of that chain and
publishes, even if it has nothing to add.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pipelines.locks import ALL_CHAINS
from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.windows import read_checkpoint
from warehouse.postgres import Jsonb

_SUBJECT = "publication"
_IDLE_SECONDS = 1.0
_TABLES = ("serve_token", "serve_symbol", "serve_provenance")


def declare_writing(run: RefreshRun, chain_id: int) -> None:
    """Declare that served rows of a chain, or the ranks of all chains, are about to be written under the run's version.
    The run holds the serving lock."""
    declared = {str(chain_id): run.version}
    run.store_rows("derivation/declare_writing", {"version": run.version, "declared": Jsonb(declared)})


@dataclass(frozen=True, slots=True)
class PublicationState:
    """The newest publication; version 0 if there is none."""

    version: int
    published_at: float
    """Unix seconds."""
    blocks: Mapping[int, int]
    """The block of each chain through which its tokens were known."""
    unfinished: frozenset[int]
    """The chains of which later runs wrote served rows, and died before they published them; for ranks,
    :data:`ALL_CHAINS`."""


def read_publication_state(run: RefreshRun) -> PublicationState:
    """What is published now. Nobody else publishes while the run holds the serving lock."""
    newest = run.read("publication/newest", {})
    row: dict[str, Any] = newest[0] if newest else {"version": 0, "published_at": 0.0, "chain_ids": [], "blocks": []}
    blocks = dict(zip(row["chain_ids"], row["blocks"], strict=True))
    declared = read_checkpoint(run.store, _SUBJECT, ALL_CHAINS)
    unfinished = {int(chain_id) for chain_id, version in declared.details.items() if version > row["version"]}
    if declared.change_id > row["version"] and not unfinished:
        # Of a release that did not say of which chain: it may be any.
        unfinished = {chain.chain_id for chain in run.chains.by_key.values()} | {ALL_CHAINS}
    return PublicationState(row["version"], row["published_at"], blocks, frozenset(unfinished))


def publish(run: RefreshRun, before: PublicationState | None = None, *, at_leisure: bool = False) -> StepRun | None:
    """Publish the run's version if it or a dead run has rows to show, or if a chain has moved on.

    Args:
        run: the run, which holds the serving lock.
        before: what was published when the run took the lock; read now unless given.
        at_leisure: publish at most once a second when a chain has moved on without any change.
    """
    before = before or read_publication_state(run)
    as_of = {**before.blocks, **run.windows.as_of_blocks()}
    if not (run.serve_rows or before.unfinished):
        since = datetime.now(UTC).timestamp() - before.published_at
        if as_of == before.blocks or (at_leisure and 0 <= since < _IDLE_SECONDS):
            return None

    def insert() -> int:
        run.transform(
            "publication/publish",
            {
                "version": run.version,
                "published_at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3],
                "chain_ids": list(as_of),
                "blocks": list(as_of.values()),
            },
        )
        return run.serve_rows

    rows, seconds = timed(insert)
    run.serve_rows = 0
    return run.log.record(StepRun("publication", None, seconds, rows, str(before.version), str(run.version)))


def clean(run: RefreshRun) -> StepRun | None:
    """Remove served rows that no cursor can ask for: those superseded in a version older than the ten minutes a cursor
    lives, and one minute more."""

    def remove() -> int:
        before = _served_rows(run)
        for table in _TABLES:
            run.transform(f"maintenance/clean_{table}", {})
        run.transform("maintenance/clean_publications", {})
        for row in run.store_rows("derivation/list_seen_requests"):
            run.transform("maintenance/clean_requests", {"chain_id": row["chain_id"], "seen": row["version"]})
        return before - _served_rows(run)

    rows, seconds = timed(remove)
    return run.log.record(StepRun("cleaning", None, seconds, rows))


def _served_rows(run: RefreshRun) -> int:
    return int(run.read("maintenance/served_rows", {})[0]["served"])
