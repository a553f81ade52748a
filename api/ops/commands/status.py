"""``regalia status``: collects the state of parts, chains, steps and queues."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from api.ops.commands import nodes, status_tables
from api.ops.supervisor import state
from api.settings import ApiSettings, load
from warehouse import engines, postgres
from warehouse.chains import facts
from warehouse.domain.chains import Chain, Chains
from warehouse.embedded.layout import Layout
from warehouse.errors import EnginesNotRunning, StoreUnavailable

WATCH_SECONDS = 2.0
STATEMENT_TIMEOUT = "5s"


@dataclass(frozen=True, slots=True)
class ChainStatus:
    """How far one chain is indexed."""

    key: str
    chain_id: int
    head: int | None
    """From a node now, or as last seen if no node answers."""
    indexed: int | None
    lag_blocks: int | None
    lag_seconds: int | None
    """Age of the last indexed block."""
    final: int | None
    finality_blocks: int
    state: str
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StepStatus:
    """The last run of one step that wrote something; empty if there was none yet."""

    step: str
    chain: str | None
    last_run: datetime | None
    seconds: float | None
    rows: int | None
    range_from: str | None
    range_to: str | None
    failures: int
    """Dagster steps of this name that ever failed after all retries."""


@dataclass(frozen=True, slots=True)
class QueueStatus:
    """Depth of one queue. Failed: of all kept entries; for webhooks and Dagster's runs, of the last day."""

    queue: str
    waiting: int
    running: int
    failed: int


@dataclass(frozen=True, slots=True)
class NoticeStatus:
    """A reported condition that still holds."""

    kind: str
    subject: str
    severity: str
    summary: str
    started_at: datetime


@dataclass(frozen=True, slots=True)
class Report:
    """Everything ``regalia status`` shows."""

    data_dir: str
    taken_at: datetime
    stack: dict[str, Any] | None
    store: str
    """``ok``, or why it cannot be read."""
    chains: list[ChainStatus]
    steps: list[StepStatus]
    queues: list[QueueStatus]
    alerts: list[NoticeStatus] = field(default_factory=list)


def show(*, watch: bool, as_json: bool) -> None:
    """Print the status once, or repeatedly until Ctrl-C or until the reader of the output has gone.

    Watching starts no engines: that would keep the service from starting.
    """
    settings = load()
    chains = facts.load(settings.chains)
    try:
        with contextlib.nullcontext() if watch else _engines_for(settings):
            _print(collect(settings, chains), as_json=as_json, watch=watch)
            while watch:
                time.sleep(WATCH_SECONDS)
                _print(collect(settings, chains), as_json=as_json, watch=watch)
    except KeyboardInterrupt:
        return
    except BrokenPipeError:
        # The reader has gone, as with `| head`. Buffered output must not fail again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(report: Report, *, as_json: bool, watch: bool) -> None:
    if as_json:
        print(json.dumps(asdict(report), default=_as_json), flush=True)
    else:
        status_tables.print_report(report, watch=watch)
        sys.stdout.flush()


def _as_json(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(type(value).__name__)


@contextlib.contextmanager
def _engines_for(settings: ApiSettings) -> Iterator[None]:
    """Engines to read: a running service's, or started for this command; none if there is no data yet."""
    layout = Layout.of(settings.data_dir)
    fresh = settings.database_url is None and not layout.postgres.exists()
    if fresh or state.read(layout.root) is not None:
        yield
        return
    with engines.ensure(settings):
        yield


def collect(settings: ApiSettings, chains: Chains) -> Report:
    """Read everything once. Problems are part of the report, never raised."""
    layout = Layout.of(settings.data_dir)
    visible = tuple(chain for chain in chains.enabled() if not chain.claim_only)
    readings = nodes.read(visible)
    checkpoints: dict[int, dict[str, Any]] = {}
    steps: list[StepStatus] = []
    queues: list[QueueStatus] = []
    alerts: list[NoticeStatus] = []
    store = "ok"
    try:
        with postgres.connect(engines.locate(settings).database_url, autocommit=True) as connection:
            connection.execute("SELECT set_config('statement_timeout', %(limit)s, false)", {"limit": STATEMENT_TIMEOUT})
            made = postgres.run(connection, "status/find_tables")[0]
            if made.get("migrated"):
                checkpoints = {row["chain_id"]: row for row in postgres.run(connection, "status/list_checkpoints")}
                steps = [_step(row, chains) for row in postgres.run(connection, "status/list_last_runs")]
                alerts = [NoticeStatus(**row) for row in postgres.run(connection, "status/list_notices")]
            else:
                store = "its schema is not up to date; run `regalia migrate`"
            queues = list(_queues(connection, made))
    except EnginesNotRunning as error:
        store = str(error) if layout.postgres.exists() else f"{layout.root} holds no data yet; `regalia up` makes it"
    except (StoreUnavailable, postgres.ConnectionLost) as error:
        store = str(error)
    known = {chain.chain_id for chain in visible}
    others = (chains.by_id(chain_id) for chain_id in checkpoints if chain_id not in known)
    listed = (*visible, *(chain for chain in others if chain is not None))
    return Report(
        data_dir=str(layout.root),
        taken_at=datetime.now(UTC),
        stack=state.read(layout.root),
        store=store,
        chains=[_chain(chain, readings, checkpoints.get(chain.chain_id)) for chain in listed],
        steps=steps,
        queues=queues,
        alerts=alerts,
    )


def _chain(chain: Chain, readings: list[nodes.Reading], checkpoint: dict[str, Any] | None) -> ChainStatus:
    ours = [reading for reading in readings if reading.chain.chain_id == chain.chain_id]
    row = checkpoint or {}
    indexed = row.get("block_number")
    seen = [reading.head for reading in ours if reading.head is not None]
    head = max(seen, default=row.get("head_block"))
    block_time = row.get("block_time")
    return ChainStatus(
        key=chain.key,
        chain_id=chain.chain_id,
        head=head,
        indexed=indexed,
        lag_blocks=max(0, head - indexed) if head is not None and indexed is not None else None,
        lag_seconds=max(0, int(time.time() - block_time.timestamp())) if block_time else None,
        final=row.get("final_block"),
        finality_blocks=chain.finality_blocks,
        state=_chain_state(chain, row),
        problems=[f"{reading.node}: {reading.problem}" for reading in ours if reading.problem],
    )


def _chain_state(chain: Chain, row: dict[str, Any]) -> str:
    if row.get("halted"):
        return f"halted: {row['halted']}"
    if not chain.enabled:
        return "no node"
    if not row or row.get("block_number") is None:
        return "not indexed yet"
    return f"writing {row['phase']}" if row.get("phase") else "ok"


def _step(row: dict[str, Any], chains: Chains) -> StepStatus:
    chain = chains.by_id(row["chain_id"]) if row["chain_id"] is not None else None
    return StepStatus(
        step=row["step"],
        chain=chain.key if chain else None,
        last_run=row["started_at"],
        seconds=None if row["seconds"] is None else float(row["seconds"]),
        rows=row["row_count"],
        range_from=row["range_from"],
        range_to=row["range_to"],
        failures=row["failures"],
    )


def _queues(connection: postgres.Connection, made: Mapping[str, bool]) -> Iterator[QueueStatus]:
    for name in ("jobs", "webhooks", "dagster"):
        if made.get(name):
            yield from (QueueStatus(**row) for row in postgres.run(connection, f"status/count_{name}"))
