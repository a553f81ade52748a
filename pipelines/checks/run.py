"""Running a check: what is new, a piece of the history, and what failed before, on every chain.

A statement may run while a unit or a refresh is half written. So what it finds is queried again while nobody writes.
Failures and progress of a chain are written in one transaction after that: a run that is killed is repeated by the
next one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from pipelines.checks import holds
from pipelines.checks.check import MOST_ROWS, Check, Row
from pipelines.checks.parts import (
    Part,
    Progress,
    everything,
    failing_parts,
    history_part,
    new_part,
    passed_through,
    utc_now,
)
from pipelines.locks import writer_paused
from pipelines.refresh_run import open_refresh_run
from pipelines.resources import Connections
from pipelines.windows import Windows
from warehouse import postgres, sql
from warehouse.domain.chains import Chain
from warehouse.postgres import Jsonb

_WRITER_WAIT_SECONDS = 10.0


@dataclass(slots=True)
class Finding:
    """A part of a chain, the violations in it, and whether it is looked at because it failed before."""

    part: Part
    rows: Sequence[Row]
    failed_before: bool = False


@dataclass(slots=True)
class Look:
    """What a run looks at on one chain."""

    chain: Chain
    progress: Progress
    findings: list[Finding] = field(default_factory=list)

    @property
    def rows(self) -> list[Row]:
        """All violations."""
        return [row for finding in self.findings for row in finding.rows]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of a check found. ``unsettled`` are chains that could not be judged: something is being written."""

    check: Check
    looks: Sequence[Look]
    unsettled: Sequence[str]

    @property
    def rows(self) -> list[Row]:
        """All violations."""
        return [row for look in self.looks for row in look.rows]


@contextmanager
def nobody_writing(connections: Connections, chain: Chain) -> Iterator[bool]:
    """Keep a chain's refresh runs and its indexer from writing, and all others from publishing. Yields whether the
    chain can be judged now: not if its indexer does not pause, or left a unit unfinished."""
    with (
        open_refresh_run(connections.warehouse, connections.store, connections.chains, chain_id=chain.chain_id) as run,
        run.serving(),
        writer_paused(connections.store, chain, _WRITER_WAIT_SECONDS) as paused,
    ):
        unfinished = postgres.run(connections.store, "ingestion/list_unfinished")
        yield paused and chain.chain_id not in {int(row["chain_id"]) for row in unfinished}


def run_check(connections: Connections, check: Check, *, whole: bool = False) -> Outcome:
    """Run a check on every chain, record what it found, and tell operators what that stops.

    Args:
        connections: of the run.
        check: the check.
        whole: look at the whole history instead of a piece.
    """
    windows = Windows(connections.warehouse, connections.store)
    known = [chain.chain_id for chain in connections.chains.by_key.values()]
    postgres.execute(connections.store, "checks/forget_other_chains", {"check_name": check.name, "chain_ids": known})
    looks = []
    for chain in connections.chains.by_key.values():  # also those whose node was taken away: they are served
        look = _plan(connections, windows, check, chain, whole)
        if look is not None:
            for finding in look.findings:
                finding.rows = check.violations(connections, chain, finding.part)
            looks.append(look)
    left = [look for look in looks if look.rows and not _is_confirmed(connections, check, look)]
    looks = [look for look in looks if look not in left]
    for look in looks:
        _record(connections, check, look)
    holds.report(connections.store)
    return Outcome(check, looks, [look.chain.key for look in left])


def _plan(connections: Connections, windows: Windows, check: Check, chain: Chain, whole: bool) -> Look | None:
    """What to look at on a chain; None if nothing of it is published."""
    window = windows.open(f"check {check.name}", chain)
    if window is None:
        return None
    key = {"check_name": check.name, "chain_id": chain.chain_id}
    known = postgres.records(connections.store, Progress, "checks/find_progress", key)
    last = known[0] if known else None
    extent = connections.warehouse.rows(sql.load("transforms/checks/extent"), {"chain_id": chain.chain_id})[0]
    first = int(extent["first_block"])
    piece, progress = history_part(
        check.scope, window, last, first_block=first, events=int(extent["events"]), now=utc_now()
    )
    if whole:
        piece, progress = everything(check.scope, first, window.through), passed_through(progress)
    look = Look(chain, progress, [Finding(piece, [])])
    new = new_part(check.scope, window, last)
    if new is not None and not whole:
        look.findings.append(Finding(new, []))
    failing = postgres.run(connections.store, "checks/list_failing_parts", key)
    look.findings += [Finding(row["part"], [], failed_before=True) for row in failing]
    return look


def _is_confirmed(connections: Connections, check: Check, look: Look) -> bool:
    """Look again while nobody writes; whether what is found now can be judged."""
    with nobody_writing(connections, look.chain) as settled:
        for finding in look.findings:
            if finding.rows:
                finding.rows = check.violations(connections, look.chain, finding.part)
    return settled or not look.rows


def _record(connections: Connections, check: Check, look: Look) -> None:
    key = {"check_name": check.name, "chain_id": look.chain.chain_id}
    with connections.store.transaction():
        for finding in look.findings:
            if finding.failed_before and not finding.rows:
                postgres.execute(connections.store, "checks/remove_failure", {**key, "part": Jsonb(dict(finding.part))})
            elif finding.rows:
                _save_failure(connections, check, look.chain, finding)
        postgres.execute(connections.store, "checks/save_progress", {**key, **asdict(look.progress)})


def _save_failure(connections: Connections, check: Check, chain: Chain, finding: Finding) -> None:
    parts = [finding.part]
    if not finding.failed_before:
        parts = failing_parts(check.scope, finding.part, finding.rows, MOST_ROWS)
    for part in parts:
        rows = [row for row in finding.rows if len(parts) == 1 or row["token_hex"] == part["from_token"]]
        failure = {
            "check_name": check.name,
            "chain_id": chain.chain_id,
            "part": Jsonb(dict(part)),
            "violations": len(rows),
            "example": Jsonb({name: str(value) for name, value in rows[0].items()}),
            "stops": check.stops.value,
        }
        postgres.execute(connections.store, "checks/save_failure", failure)
