"""Publishing: the rows of a run become visible all at once, when its version is published.

Before the first served row is written, its version is declared in the store. A run that dies between the two leaves
rows that no version shows yet. The next run finds the declaration, completes them and publishes, even if it has nothing
to add.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from pipelines.refresh_run import RefreshRun
from pipelines.run_log import StepRun, timed
from pipelines.windows import Checkpoint, read_checkpoint, write_checkpoint

_SUBJECT = "publication"
_ALL_CHAINS = 0
_IDLE_SECONDS = 1.0
_TABLES = ("serve_token", "serve_symbol", "serve_provenance")


def declare_writing(run: RefreshRun) -> None:
    """Declare that rows of the run's version are about to be written."""
    write_checkpoint(run.store, _SUBJECT, _ALL_CHAINS, Checkpoint(run.version, {}))


@dataclass(frozen=True, slots=True)
class PublicationState:
    """The newest publication; version 0 if there is none."""

    version: int
    published_at: float
    """Unix seconds."""
    blocks: Mapping[int, int]
    """The block of each chain through which its tokens were known."""
    unfinished: bool
    """Whether a later run wrote served rows and died before it published them."""


def read_publication_state(run: RefreshRun) -> PublicationState:
    """What is published now. Nobody else publishes while the run holds the serving lock."""
    newest = run.read("publication/newest", {})
    declared = read_checkpoint(run.store, _SUBJECT, _ALL_CHAINS).change_id
    if not newest:
        return PublicationState(0, 0.0, {}, declared > 0)
    row = newest[0]
    blocks = dict(zip(row["chain_ids"], row["blocks"], strict=True))
    return PublicationState(row["version"], row["published_at"], blocks, declared > row["version"])


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
