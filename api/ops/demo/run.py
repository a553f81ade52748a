"""Runs the demo: a chain with a history, our contracts, the ordinary service, and a guide."""

import asyncio
import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from api.accounts.service import Accounts
from api.ops.demo import directory, guide, readiness, trial
from api.ops.demo.chain import ChainProcess, World
from api.ops.supervisor import parts, ports
from api.ops.supervisor.part import Phase, StackError
from api.ops.supervisor.process import describe_exit
from api.ops.supervisor.run import run as run_stack
from api.ops.supervisor.settings import StackSettings, load
from api.ops.supervisor.supervisor import Supervisor
from warehouse import engines

log = logging.getLogger("regalia.demo")

DEFAULT_DIRECTORY = Path(".regalia") / "demo"
PLAN = "developer"


def run(*, once: bool = False, scale: str = "demo", dagster: bool = True) -> int:
    """Run the demo until Ctrl-C, or with ``once`` until everything it suggests was tried; the exit status.

    Raises:
        StackError: something it needs is in use, or a part does not start.
    """
    begun = time.monotonic()
    data_dir = Path(os.environ.get("REGALIA_DATA_DIR") or DEFAULT_DIRECTORY)
    with directory.fresh(data_dir) as home:
        # The demo has its own engines and chain, whatever is set for a real service.
        for name in ("REGALIA_CLICKHOUSE_URL", "REGALIA_DATABASE_URL"):
            os.environ.pop(name, None)
        os.environ["REGALIA_DATA_DIR"] = str(home)
        os.environ["REGALIA_CHAINS"] = str(home / "chains.toml")
        settings = load()
        ports.claim(settings.host, settings.port, "the API", "REGALIA_PORT")
        print(f"Regalia's demo, in {home}\n", flush=True)
        with ChainProcess(home, dict(os.environ), scale) as chain:
            with _step("a chain with tokens, markets and days of trade"):
                world = chain.world()
            # Pays for our contracts, and for the worker's transactions.
            os.environ["REGALIA_PRIVATE_KEY"] = world.deployer_key
            with _step("our contracts on it"):
                _deploy(world, chain.chains_file)
            demo = Demo(home, settings, world, chain, once=once, begun=begun)
            run_stack(settings, parts.Wanted(dagster=dagster), on_start=demo.on_start, on_ready=demo.on_ready)
            demo.stopped = True
    print("stopped", flush=True)
    return demo.status


class Demo:
    """What happens once the service runs, in a thread."""

    def __init__(
        self, home: Path, settings: StackSettings, world: World, chain: ChainProcess, *, once: bool, begun: float
    ) -> None:
        self.home = home
        self.settings = settings
        self.world = world
        self.chain = chain
        self.once = once
        self.begun = begun
        self.stack_begun = time.monotonic()
        self.status = 0
        self.stopped = False

    def on_start(self, supervisor: Supervisor) -> None:
        """Called in the supervisor's loop before the first part starts."""
        loop = asyncio.get_running_loop()
        for act, name in ((self._finish, "demo"), (self._watch_chain, "chain-watch")):
            threading.Thread(target=act, args=(supervisor, loop), name=name, daemon=True).start()

    def on_ready(self, supervisor: Supervisor) -> None:
        """Called in the loop when every part is ready; Dagster is the last."""
        _say(time.monotonic() - self.stack_begun, f"all {len(supervisor.parts)} parts of the service")

    def _watch_chain(self, supervisor: Supervisor, loop: asyncio.AbstractEventLoop) -> None:
        """Stop the demo if its chain ends."""
        status = self.chain.wait()
        if not self.stopped:
            log.error("the chain ended with %s (log: %s)", describe_exit(status), self.chain.log)
            self.status = 1
            loop.call_soon_threadsafe(supervisor.request_stop)

    def _finish(self, supervisor: Supervisor, loop: asyncio.AbstractEventLoop) -> None:
        try:
            self._show(supervisor)
        except (StackError, readiness.NotReady, trial.TrialFailed) as error:
            log.error("%s", error)
            self.status = 1
        except BaseException:  # the run fails whatever ends it
            self.status = 1
            if self.once:
                loop.call_soon_threadsafe(supervisor.request_stop)
            raise
        if self.once:
            loop.call_soon_threadsafe(supervisor.request_stop)

    def _await_parts(self, supervisor: Supervisor) -> None:
        """Wait until clients can use the demo. A part that does not start ends the stack, and this thread."""
        needed = {name for name in supervisor.parts if not name.startswith("dagster")}
        while any(supervisor.states[name].phase not in (Phase.READY, Phase.DONE) for name in needed):
            time.sleep(0.05)

    def _show(self, supervisor: Supervisor) -> None:
        with _step("store, warehouse and API"):
            self._await_parts(supervisor)
        listens = {name: part.listens for name, part in supervisor.parts.items()}
        urls = engines.locate(self.settings)
        claimant = self.world.claimant
        accounts = Accounts(urls.database_url, key_prefix=self.settings.api_key_prefix)
        key = accounts.create_key(claimant.wallet, PLAN, "demo").key
        demo = guide.RunningDemo(
            api_url=listens["api"] or "",
            dagster_url=listens.get("dagster-web"),
            rpc_url=self.world.rpc_url,
            chain_key=self.world.chain_key,
            chain_id=self.world.chain_id,
            api_key=key,
            symbol=claimant.symbol,
            token=claimant.token,
            wallet=claimant.wallet,
            private_key=claimant.private_key,
            python=sys.executable,
        )
        with _step("indexed, scored and searchable"):
            readiness.wait(demo, urls.database_url, self.world.head)
        _write_private(self.home / guide.ENVIRONMENT, guide.environment(demo, self.home))
        _write_private(self.home / "demo.json", json.dumps(asdict(demo)))
        print(f"\nReady in {time.monotonic() - self.begun:.1f} s.\n\n{guide.text(demo)}\n", flush=True)
        if self.once:
            with _step("tried everything above"):
                done = trial.run(demo)
            print("\n".join(f"  {line}" for line in done), flush=True)


def _deploy(world: World, chains_file: Path) -> None:
    command = [sys.executable, "-m", "api.cli", "contracts", "deploy", "--chain", world.chain_key]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise StackError(f"contracts were not deployed: {done.stderr.strip()}")
    addresses: dict[str, str] = json.loads(done.stdout.strip().splitlines()[-1])
    lines = [f"[chains.{world.chain_key}.contracts]", *(f'{name} = "{value}"' for name, value in addresses.items())]
    with chains_file.open("a") as file:
        file.write("\n".join(["", *lines, ""]))


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")


@contextlib.contextmanager
def _step(what: str) -> Iterator[None]:
    started = time.monotonic()
    if sys.stdout.isatty():
        print(f"         …  {what}", end="\r", flush=True)
    yield
    _say(time.monotonic() - started, what)


def _say(seconds: float, what: str) -> None:
    print(f"  {seconds:6.1f} s  {what}", flush=True)
