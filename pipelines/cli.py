"""The commands of ``python -m pipelines``. What is heavy is imported when a command runs."""

import logging
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from pipelines.checks.run import Outcome
    from pipelines.run_log import StepRun

app = typer.Typer(
    help="Derived data: what is made of the facts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

# Exit statuses, the same for every command of the system.
FAILED, WRONG_USE, UNREACHABLE, IN_USE = 1, 2, 3, 4
_MOST_PRINTED = 5


@app.command()
def refresh() -> None:
    """Bring all derived tables up to date once, in order, and stop."""
    from pipelines.events.derive import EventsFailed
    from pipelines.locks import RefreshBusy
    from pipelines.refresh import refresh as refresh_all
    from warehouse import engines, postgres
    from warehouse.chains import facts
    from warehouse.clickhouse import Warehouse
    from warehouse.logs import configure_logging
    from warehouse.settings import load
    from warehouse.tracing import configure_tracing

    # For people: what failed, and not where in the code. The follower's log has that.
    configure_logging(level=logging.WARNING, layout="%(levelname)s %(name)s: %(message)s", tracebacks=False)
    settings = load()
    configure_tracing("refresh", settings)
    chains = facts.load(settings.chains)
    with (
        engines.ensure(settings) as urls,
        Warehouse.connect(urls.clickhouse_url) as warehouse,
        postgres.connect(urls.database_url, autocommit=True) as store,
    ):
        try:
            runs = refresh_all(warehouse, store, chains, on_step_run=_print_run)
        except RefreshBusy as error:
            _stop(str(error), IN_USE)
        except EventsFailed as error:
            _stop(f"{error}: {error.__cause__}; everything else is done and published", FAILED)
    if not any(run.rows for run in runs):
        print("everything was up to date")


@app.command()
def check(
    names: Annotated[list[str] | None, typer.Argument(metavar="[CHECK]...", help="Default: all.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Look at the whole history, not at a piece.")] = False,
) -> None:
    """Run checks of the data, and print what violates them."""
    from pipelines.checks.declared import CHECKS
    from pipelines.checks.run import run_check
    from pipelines.locks import RefreshBusy
    from pipelines.resources import EngineAccess
    from warehouse.logs import configure_logging

    configure_logging(level=logging.WARNING, layout="%(levelname)s %(name)s: %(message)s")
    known = {each.name: each for each in CHECKS}
    wrong = [name for name in names or [] if name not in known]
    if wrong:
        _stop(f"no check {wrong[0]!r}; known are {', '.join(known)}", WRONG_USE)
    chosen = [known[name] for name in names] if names else CHECKS
    with EngineAccess().connect() as connections:
        try:
            outcomes = []
            for each in chosen:
                started = time.monotonic()
                outcomes.append(run_check(connections, each, whole=whole))
                _print_outcome(outcomes[-1], time.monotonic() - started)
        except RefreshBusy as error:
            _stop(str(error), IN_USE)
    if any(outcome.rows for outcome in outcomes):
        raise SystemExit(FAILED)


@app.command("alerts")
def evaluate_alerts() -> None:
    """Evaluate all alert rules once, at the moments that are due."""
    from pipelines.alerts.evaluation import evaluate
    from pipelines.locks import RefreshBusy
    from pipelines.resources import EngineAccess
    from warehouse.logs import configure_logging
    from warehouse.settings import load

    configure_logging(level=logging.WARNING, layout="%(levelname)s %(name)s: %(message)s")
    with EngineAccess().connect() as connections:
        try:
            site_url = load().public_site_url
            runs = evaluate(connections.warehouse, connections.store, connections.chains, site_url)
        except RefreshBusy as error:
            _stop(str(error), IN_USE)
    for run in runs:
        print(f"chain {run.chain_id:<10} {run.note:<40} {run.rows:>8,} alerts changed  {run.seconds:8.2f} s")
    if not runs:
        print("no rule was due")


@app.command()
def retention(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be dropped.")] = False,
) -> None:
    """Drop the months of transfers that chains do not keep."""
    from pipelines.locks import RefreshBusy
    from pipelines.old_transfers import drop, plan
    from pipelines.pause import WritersBusy
    from pipelines.resources import EngineAccess
    from warehouse.logs import configure_logging

    configure_logging(level=logging.WARNING, layout="%(levelname)s %(name)s: %(message)s")
    with EngineAccess().connect() as connections:
        for chain in connections.chains.by_key.values():
            try:
                done = plan(connections, chain) if dry_run else drop(connections, chain)
            except (RefreshBusy, WritersBusy) as error:
                _stop(str(error), IN_USE)
            for line in done.lines():
                print(line if not dry_run or done.obstacle else f"{line} would be dropped")


@app.command()
def follow(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")],
) -> None:
    """Index a chain at its head and bring up to date what the new rows touch, until stopped."""
    from pipelines.follow import follow as follow_chain
    from warehouse import engines
    from warehouse.chains import facts
    from warehouse.logs import configure_logging
    from warehouse.process_memory import share_heap
    from warehouse.settings import load
    from warehouse.tracing import configure_tracing

    share_heap()  # before there are threads, which keep the heaps they have
    configure_logging()
    settings = load()
    configure_tracing(f"follow-{chain}", settings)
    chains = facts.load(settings.chains)
    chosen = chains.find(chain)
    if chosen is None:
        _stop(f"chain {chain!r} is not known; known are {', '.join(chains.by_key)}", WRONG_USE)
    if not (chosen.enabled and chosen.can_index):
        _stop(f"chain {chosen.key} has no rpc_urls that can be followed", WRONG_USE)
    stop = threading.Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    with engines.ensure(settings) as urls:
        follow_chain(urls, chains, chosen, stop)


@app.command()
def backup(
    to: Annotated[str, typer.Option("--to", metavar="TARGET", help="A folder or s3://bucket/prefix.")],
    keep: Annotated[int | None, typer.Option(min=1, help="Then remove all but so many.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Write everything again.")] = False,
    key_file: Annotated[Path | None, typer.Option(metavar="FILE", help="Encrypts the keys.")] = None,
    without_keys: Annotated[bool, typer.Option("--without-keys", help="Leave the keys out.")] = False,
    wait: Annotated[float, typer.Option(min=1, help="Seconds to wait for indexing and publishing to pause.")] = 600.0,
) -> None:
    """Back up store, warehouse, keys and uploads at one point, while the service runs."""
    from pipelines.locks import RefreshBusy
    from pipelines.pause import WritersBusy, all_writers_paused
    from warehouse import engines
    from warehouse.backup.commands import chosen_secret, reported, size_text
    from warehouse.backup.create import Wanted, create
    from warehouse.backup.repository import Repository
    from warehouse.chains import facts
    from warehouse.embedded.layout import Layout
    from warehouse.settings import load
    from warehouse.storage import open_storage

    settings = load()
    chains = [chain for chain in facts.load(settings.chains).enabled() if chain.can_index]
    with reported():
        secret = chosen_secret(settings, key_file, without_keys)
        repository = Repository(open_storage(to))
        with engines.ensure(settings) as urls:
            try:
                made = create(
                    urls,
                    Layout.of(settings.data_dir),
                    repository,
                    lambda store, warehouse: all_writers_paused(store, warehouse, chains, wait),
                    Wanted(secret, full, keep),
                )
            except (RefreshBusy, WritersBusy) as error:
                _stop(str(error), IN_USE)
    copy, paused = made.manifest.warehouse, made.manifest.paused_seconds
    kind = "everything" if copy.full == made.manifest.name else f"what changed since {copy.full}"
    print(f"{made.manifest.name}: {kind}, {size_text(made.manifest.new_bytes)} of the warehouse", end="")
    print(f"; writers paused for {paused:.1f} s")
    if made.removed:
        print(f"removed {', '.join(made.removed)}")


def main() -> None:
    """Run the command line; a foreseen error is one line and an exit status."""
    from warehouse.chains.facts import ChainFactsError
    from warehouse.errors import EnginesNotRunning, MigrationError, StoreUnavailable, WarehouseError
    from warehouse.kept_transfers import TransfersDropped
    from warehouse.postgres import ConnectionLost

    try:
        app()
    except ChainFactsError as error:
        _stop(str(error), WRONG_USE)
    except (StoreUnavailable, ConnectionLost, EnginesNotRunning) as error:
        _stop(f"{type(error).__name__}: {error}", UNREACHABLE)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except (TransfersDropped, WarehouseError, MigrationError) as error:
        _stop(str(error), FAILED)


def _print_run(run: "StepRun") -> None:
    if run.rows or run.note:
        where = f"chain {run.chain_id}" if run.chain_id is not None else "all chains"
        print(f"{run.step:<14} {where:<14} {run.rows:>10,} rows  {run.seconds:8.2f} s  {run.note}".rstrip(), flush=True)


def _print_outcome(outcome: "Outcome", seconds: float) -> None:
    found = f"{len(outcome.rows)} violations" if outcome.rows else "passed"
    left = f"; not judged, being written: {', '.join(outcome.unsettled)}" if outcome.unsettled else ""
    print(f"{outcome.check.name:<32} {seconds:7.2f} s  {found}{left}", flush=True)
    for row in outcome.rows[:_MOST_PRINTED]:
        print("  " + ", ".join(f"{name} {value}" for name, value in row.items()))


def _stop(message: str, status: int) -> NoReturn:
    print(message, file=sys.stderr)
    raise SystemExit(status)
