"""The commands of ``python -m indexer``. Heavy modules are imported when a command runs."""

import logging
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from warehouse.process_memory import collect_garbage_less

if TYPE_CHECKING:
    from indexer.run import Advance, IndexContext, ReportProgress
    from warehouse.domain.chains import Chain

app = typer.Typer(
    help="Index chains, and deploy our contracts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
contracts = typer.Typer(help="Our contracts.", no_args_is_help=True)
app.add_typer(contracts, name="contracts")

# Exit statuses, the same for every command of the system.
FAILED, WRONG_USE, UNREACHABLE, IN_USE = 1, 2, 3, 4
# How long a command waits for a follower to pause between units.
_FREE_WITHIN_SECONDS = 5.0

ChainKey = Annotated[str | None, typer.Option(metavar="KEY", help="Chain key, such as base. Default: all enabled.")]


@app.command()
def index(
    chain: ChainKey = None,
    to: Annotated[
        int | None, typer.Option(metavar="BLOCK", min=0, help="Stop at this block instead of the head.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", help="Keep following the head until stopped.")] = False,
    rewind: Annotated[
        int | None,
        typer.Option(metavar="BLOCK", min=0, help="Revert everything after this block, final or not, and stop."),
    ] = None,
) -> None:
    """Index chains up to their head and stop, or keep following it."""
    from indexer.run import IndexContext
    from indexer.run import rewind as rewind_chain
    from warehouse import engines
    from warehouse.clickhouse import Warehouse
    from warehouse.logs import configure_logging
    from warehouse.settings import load
    from warehouse.tracing import configure_tracing

    settings = load()
    if follow:
        configure_logging(settings=settings)
    else:
        configure_logging(settings=settings, level=logging.WARNING, layout="%(levelname)s %(name)s: %(message)s")
    if follow and (to is not None or rewind is not None):
        _stop("--follow cannot be combined with --to or --rewind", WRONG_USE)
    configure_tracing("index", settings)
    chosen = _chosen(settings.chains, chain)
    if rewind is not None and len(chosen) != 1:
        _stop("--rewind needs one --chain", WRONG_USE)
    stop = threading.Event()
    with engines.ensure(settings) as urls, Warehouse.connect(urls.clickhouse_url) as warehouse:
        context = IndexContext(warehouse, urls.database_url)
        _stop_on_signals(stop, follow)
        try:
            if rewind is not None:
                _say(chosen[0], _once_free(chosen[0], partial(rewind_chain, context, chosen[0], rewind)))
            elif follow:
                _follow_all(context, chosen, stop)
            else:
                for one in chosen:
                    _index_once(context, one, to)
        finally:
            context.close()


@app.command()
def reindex(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")],
    from_: Annotated[int, typer.Option("--from", metavar="BLOCK", min=0, help="First block.")],
    to: Annotated[int, typer.Option(metavar="BLOCK", min=0, help="Last block.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only compare; status 1 if anything differs.")] = False,
) -> None:
    """Fetch published blocks again, compare them with what is stored, and repair what differs."""
    from indexer.progress import show_progress
    from indexer.reindex import DifferentChain
    from indexer.reindex import reindex as reindex_range
    from indexer.run import IndexContext
    from warehouse import engines
    from warehouse.clickhouse import Warehouse
    from warehouse.logs import configure_logging
    from warehouse.settings import load

    configure_logging(level=logging.WARNING, layout="%(levelname)s %(name)s: %(message)s")
    if to < from_:
        _stop("--to must not be lower than --from", WRONG_USE)
    settings = load()
    chosen = _chosen(settings.chains, chain)[0]
    with engines.ensure(settings) as urls, Warehouse.connect(urls.clickhouse_url) as warehouse:
        context = IndexContext(warehouse, urls.database_url)
        _stop_on_signals(threading.Event(), following=False)
        try:
            with show_progress(chosen.key) as progress:
                done = reindex_range(context, chosen, from_, to, dry_run=dry_run, progress=progress)
        except DifferentChain as error:
            _stop(str(error), FAILED)
        finally:
            context.close()
    if done.busy:
        _stop(f"chain {chosen.key}: another indexer is at work; compared up to block {done.last}", IN_USE)
    print(f"{chosen.key}: {done.blocks} blocks compared" + (f", {done.first} to {done.last}" if done.blocks else ""))
    for line in done.lines():
        print(f"  {line}")
    if dry_run and done.differs:
        raise SystemExit(FAILED)


@contracts.command()
def deploy(
    chain: Annotated[str, typer.Option(metavar="KEY", help="Chain key, such as base.")],
    private_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="Key of the account that pays: hexadecimal, on Solana base58. Default: REGALIA_PRIVATE_KEY, on Solana "
            "REGALIA_SOLANA_PRIVATE_KEY.",
        ),
    ] = None,
    treasury: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Address that receives fees. Default: the deployer.")
    ] = None,
    guardian: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address of the cold key above the signer. Default: the deployer."),
    ] = None,
    upgradeable: Annotated[
        bool, typer.Option("--upgradeable", help="On Solana: the guardian may replace the code. Default: nobody may.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Deploy even to what looks like a main network.")] = False,
) -> None:
    """Deploy our contracts to a dev or test chain and print their addresses as one line of JSON."""
    from indexer.contracts.deploy import deploy_command
    from indexer.contracts.orders import DeployError

    try:
        print(deploy_command(chain, private_key, treasury, guardian, upgradeable=upgradeable, yes=yes).as_json())
    except DeployError as error:
        _stop(str(error), FAILED)


def main() -> None:
    """Run the command line. An expected error prints one line and sets the exit status."""
    # Before the modules that the commands need are imported: those make no cycles worth looking for.
    collect_garbage_less()
    from indexer.chains.errors import RpcError, WrongChain
    from indexer.publish import UnitIncomplete
    from indexer.reorg import ChainHalted
    from warehouse.chains.facts import ChainFactsError
    from warehouse.errors import EnginesNotRunning, MigrationError, StoreUnavailable, WarehouseError
    from warehouse.kept_transfers import TransfersDropped

    try:
        app()
    except (ChainFactsError, WrongChain) as error:
        _stop(str(error), WRONG_USE)
    except (RpcError, StoreUnavailable, EnginesNotRunning) as error:
        _stop(f"{type(error).__name__}: {error}", UNREACHABLE)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except (ChainHalted, UnitIncomplete, TransfersDropped, WarehouseError, MigrationError) as error:
        _stop(str(error), FAILED)


def _chosen(path: Path | None, key: str | None) -> "Sequence[Chain]":
    from warehouse.chains.facts import load as load_chains

    chains = load_chains(path)
    if key is None:
        enabled = [chain for chain in chains.enabled() if chain.can_index]
        if not enabled:
            _stop("no chain has rpc_urls: set REGALIA_CHAINS to a chains file", WRONG_USE)
        return enabled
    found = chains.find(key)
    if found is None:
        _stop(f"chain {key!r} is not known; known are {', '.join(chains.by_key)}", WRONG_USE)
    if not found.enabled:
        _stop(f"chain {found.key} has no rpc_urls: give it some in the file REGALIA_CHAINS names", WRONG_USE)
    if not found.can_index:
        _stop(f"chain {found.key} cannot be indexed yet", WRONG_USE)
    return [found]


def _index_once(context: "IndexContext", chain: "Chain", to: int | None) -> None:
    from indexer.progress import show_progress
    from indexer.run import advance

    with show_progress(chain.key) as progress:
        done = _once_free(chain, partial(advance, context, chain, to_block=to, progress=progress))
    _say(chain, done)


def _once_free(chain: "Chain", work: "Callable[[], Advance]") -> "Advance":
    """Do the work as soon as another indexer pauses; give up when it does not."""
    give_up = time.monotonic() + _FREE_WITHIN_SECONDS
    while True:
        done = work()
        if not done.busy:
            return done
        if time.monotonic() >= give_up:
            _stop(f"chain {chain.key}: another indexer is at work", IN_USE)
        time.sleep(0.05)


def _follow_all(context: "IndexContext", chains: "Sequence[Chain]", stop: threading.Event) -> None:
    """One thread per chain. A chain that halts ends the command, because an operator has to decide."""
    from indexer.run import follow

    failures: list[BaseException] = []

    def run(chain: "Chain") -> None:
        try:
            follow(context, chain, stop, progress=_logged(chain))
        except BaseException as error:  # whatever ends one thread ends all, and is raised again below
            failures.append(error)
            stop.set()

    # Sessions are created here because creating them is not thread-safe.
    for chain in chains:
        context.session(chain)
    threads = [threading.Thread(target=run, args=(chain,), name=f"follow-{chain.key}") for chain in chains]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _logged(chain: "Chain") -> "ReportProgress":
    from indexer.progress import LogLines

    return LogLines(chain.key).report


def _say(chain: "Chain", done: "Advance") -> None:
    back = f", {done.reorganised} blocks reverted" if done.reorganised else ""
    where = "nothing indexed" if done.published is None else f"now at block {done.published}"
    print(f"{chain.key}: {done.blocks} blocks, {done.rows} rows{back}, {where}")


def _stop_on_signals(stop: threading.Event, following: bool) -> None:
    """Ctrl-C and SIGTERM end a follower after its unit, a single run at once. The next run repeats what is pending."""

    def handle(_number: int, _frame: object) -> None:
        if stop.is_set() or not following:
            raise KeyboardInterrupt
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)


def _stop(message: str, status: int) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    raise SystemExit(status)
