"""Notices to operators about Dagster: failed runs and checks, stale assets, and halted chains.

The sensors report conditions to the store (``warehouse.notices``), which knows what was reported before, and send what
is due. Where Dagster does not run, the worker reports halted chains and sends, and the supervisor reports Dagster.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from typing import TypeVar

import dagster as dg

from pipelines.checks import holds
from pipelines.resources import what_to_start
from pipelines.running import STALE_AFTER
from warehouse import engines, event_log, postgres, settings
from warehouse.chains import facts
from warehouse.domain.events.event import Occurrence, unique_key
from warehouse.domain.events.service import PipelineFailed
from warehouse.errors import EnginesNotRunning, StoreUnavailable
from warehouse.notices import chains, ledger, webhook
from warehouse.notices.conditions import Condition
from warehouse.postgres import Connection

SECONDS = 30
CHECK_FAILED, RUN_FAILED, ASSET_STALE = "check_failed", "run_failed", "asset_stale"
_EVENTS_AT_ONCE = 500

Context = TypeVar("Context")
Result = TypeVar("Result")


@contextmanager
def open_store() -> Iterator[Connection]:
    """The store alone: notices have to be sent even when the warehouse is what is down."""
    with postgres.connect(engines.locate(settings.load()).database_url, autocommit=True) as store:
        yield store


def skips_without_engines(sensor: Callable[[Context], Result]) -> Callable[[Context], Result | dg.SkipReason]:
    """Decorator: without a store, the sensor says in one line what to start."""

    @wraps(sensor)
    def evaluate(context: Context) -> Result | dg.SkipReason:
        try:
            return sensor(context)
        except (EnginesNotRunning, StoreUnavailable, postgres.ConnectionLost) as error:
            return dg.SkipReason(what_to_start(error))

    return evaluate


def send_due(store: Connection) -> None:
    """Send the messages that are due to the receiver of the settings."""
    ledger.deliver_due(store, webhook.configured(settings.load()))


# -- runs --------------------------------------------------------------------------------------------------------------


@dg.run_failure_sensor(
    name="record_failed_runs", default_status=dg.DefaultSensorStatus.RUNNING, minimum_interval_seconds=SECONDS
)
@skips_without_engines
def record_failed_runs(context: dg.RunFailureSensorContext) -> None:
    """One ``pipeline.failed`` event for each failed run; a job that keeps failing is one notice."""
    run, message = context.dagster_run, context.failure_event.message or ""
    context.log.error(f"run {run.run_id} of {run.job_name} failed: {message}")
    steps = [event.step_key for event in context.get_step_failure_events() if event.step_key]
    with open_store() as store:
        event = PipelineFailed(run_id=run.run_id, job=run.job_name, message=message)
        occurrence = Occurrence(event, unique_key(event), run.job_name)
        recorded = postgres.execute(store, event_log.STATEMENT, event_log.parameters([occurrence]))
        if recorded:  # a sensor that was interrupted looks at the same run again
            for step in steps:
                postgres.execute(store, "step_runs/record_failure", {"step": step})
        ledger.report(store, failed_run(run, message, steps))
        send_due(store)


@dg.run_status_sensor(
    run_status=dg.DagsterRunStatus.SUCCESS,
    name="note_recovered_runs",
    default_status=dg.DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=SECONDS,
)
@skips_without_engines
def note_recovered_runs(context: dg.RunStatusSensorContext) -> None:
    """Resolve the condition of a job, or of a partition, that succeeds again."""
    with open_store() as store:
        ledger.resolve(store, f"{RUN_FAILED}:{run_subject(context.dagster_run)}")
        send_due(store)


def run_subject(run: dg.DagsterRun) -> str:
    """The job, and its partition if it has one: success of another partition does not count."""
    partition = run.tags.get("dagster/partition")
    return f"{run.job_name}[{partition}]" if partition else run.job_name


def failed_run(run: dg.DagsterRun, message: str, steps: Sequence[str]) -> Condition:
    """A failed run as a condition."""
    details = {"runId": run.run_id, "job": run.job_name, "steps": list(steps), "message": message[:1000]}
    return Condition(RUN_FAILED, run_subject(run), "error", f"a run of {run_subject(run)} failed", details)


# -- checks, assets, chains --------------------------------------------------------------------------------------------


@dg.sensor(name="watch_service", default_status=dg.DefaultSensorStatus.RUNNING, minimum_interval_seconds=SECONDS)
@skips_without_engines
def watch_service(context: dg.SensorEvaluationContext) -> dg.SkipReason:
    """Report evaluations of checks since the last look, assets past their freshness, and halted chains; send what is
    due.

    The cursor is the last evaluation looked at.
    """
    if context.repository_def is None:
        raise dg.DagsterInvariantViolationError("the sensor looks at the assets of its repository")
    graph = context.repository_def.asset_graph
    with open_store() as store:
        evaluations, last = new_evaluations(context.instance, int(context.cursor) if context.cursor else None)
        report_checks(store, evaluations)
        watched = [key for key in graph.materializable_asset_keys if graph.get(key).freshness_policy is not None]
        ledger.settle(store, ASSET_STALE, stale_assets(context.instance, watched, time.time()))
        known = facts.load(settings.load().chains)
        chains.settle_halted(store, {chain.chain_id: chain.key for chain in known.by_key.values()})
        send_due(store)
    if last is not None:
        context.update_cursor(str(last))
    return dg.SkipReason(f"{len(evaluations)} evaluations of checks looked at; this sensor starts no runs")


def report_checks(store: Connection, evaluations: Sequence[dg.AssetCheckEvaluation]) -> None:
    """Report failed checks, except those that stop something now: the notice of what they stop tells it."""
    held = {hold.check_name for hold in holds.find(store)}
    for evaluation in evaluations:
        condition = failed_check(evaluation)
        if evaluation.passed or evaluation.check_name in held:
            ledger.resolve(store, condition.key)
        else:
            ledger.report(store, condition)


def new_evaluations(
    instance: dg.DagsterInstance, cursor: int | None
) -> tuple[list[dg.AssetCheckEvaluation], int | None]:
    """Evaluations after the cursor in their order, and the new cursor. Without a cursor, the latest of each check:
    what broke and recovered before the first look is not reported."""
    chosen = dg.EventRecordsFilter(dg.DagsterEventType.ASSET_CHECK_EVALUATION, after_cursor=cursor)
    records = instance.event_log_storage.get_event_records(chosen, limit=_EVENTS_AT_ONCE, ascending=cursor is not None)
    if cursor is None:
        records = records[::-1]
    found = [
        record.event_log_entry.dagster_event.asset_check_evaluation_data
        for record in records
        if record.event_log_entry.dagster_event is not None
    ]
    last = records[-1].storage_id if records else cursor
    return (found if cursor is not None else list({each.asset_check_key: each for each in found}.values())), last


def failed_check(evaluation: dg.AssetCheckEvaluation) -> Condition:
    """A failed evaluation as a condition."""
    asset, name = evaluation.asset_key.to_user_string(), evaluation.check_name
    found = {key: _plain(value.value) for key, value in evaluation.metadata.items()}
    count = f": {found['violations']} violations" if "violations" in found else ""
    return Condition(
        CHECK_FAILED,
        f"{asset}.{name}",
        "error" if evaluation.severity is dg.AssetCheckSeverity.ERROR else "warning",
        f"check {name} of {asset} failed{count}",
        {"asset": asset, "check": name, "description": evaluation.description, "metadata": found},
    )


def stale_assets(instance: dg.DagsterInstance, keys: Sequence[dg.AssetKey], now: float) -> list[Condition]:
    """Assets that were materialized before, but not again in time."""
    found = []
    for record in instance.get_asset_records(keys):
        made = record.asset_entry.last_materialization_record
        if made is not None and now - made.timestamp > STALE_AFTER.total_seconds():
            name = record.asset_entry.asset_key.to_user_string()
            minutes = STALE_AFTER.total_seconds() / 60
            at = datetime.fromtimestamp(made.timestamp, UTC).isoformat(timespec="seconds")
            found.append(
                Condition(
                    ASSET_STALE,
                    name,
                    "warning",
                    f"asset {name} was not made for more than {minutes:.0f} minutes",
                    {"asset": name, "lastMade": at},
                )
            )
    return found


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | bool) or value is None else str(value)[:500]
