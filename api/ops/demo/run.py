"""Runs the demo: chains with a history, our contracts, the ordinary service, and a guide."""

import asyncio
import contextlib
import json
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from api.accounts.service import Accounts
from api.ops.demo import directory, guide, readiness, trial
from api.ops.demo.chain import ChainProcess, ChainUnavailable, World
from api.ops.supervisor import parts, ports
from api.ops.supervisor.part import Phase, StackError
from api.ops.supervisor.process import describe_exit
from api.ops.supervisor.run import run as run_stack
from api.ops.supervisor.settings import StackSettings, load
from api.ops.supervisor.supervisor import Supervisor
from warehouse import engines
from warehouse.chains import facts

log = logging.getLogger("regalia.demo")

DEFAULT_DIRECTORY = Path(".regalia") / "demo"
PLAN = "developer"
PAYERS = {"base": "REGALIA_PRIVATE_KEY", "solana": "REGALIA_SOLANA_PRIVATE_KEY"}
"""The setting with the key that pays on each chain for our contracts, and for the worker's transactions."""


def run(*, once: bool = False, scale: str = "demo", dagster: bool = True, solana: bool = True) -> int:
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
        keys = ["base", "solana"] if solana else ["base"]
        with contextlib.ExitStack() as stack:
            chains = [stack.enter_context(ChainProcess(key, home, dict(os.environ), scale)) for key in keys]
            with _step(f"{' and '.join(keys)}: tokens, markets and days of trade"):
                worlds = _await_worlds(chains)
            chains = [chain for chain in chains if chain.key in worlds]
            with _step("our contracts"):
                _deploy(worlds, chains, home / "chains.toml")
            demo = Demo(home, settings, worlds, chains, once=once, begun=begun)
            run_stack(settings, parts.Wanted(dagster=dagster), on_start=demo.on_start, on_ready=demo.on_ready)
            demo.stopped = True
    print("stopped", flush=True)
    return demo.status


class Demo:
    """What happens once the service runs, in a thread."""

    def __init__(
        self,
        home: Path,
        settings: StackSettings,
        worlds: Mapping[str, World],
        chains: Sequence[ChainProcess],
        *,
        once: bool,
        begun: float,
    ) -> None:
        self.home = home
        self.settings = settings
        self.worlds = worlds
        self.chains = chains
        self.once = once
        self.begun = begun
        self.stack_begun = time.monotonic()
        self.status = 0
        self.stopped = False

    def on_start(self, supervisor: Supervisor) -> None:
        """Called in the supervisor's loop before the first part starts."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._finish, args=(supervisor, loop), name="demo", daemon=True).start()
        for chain in self.chains:
            given = (chain, supervisor, loop)
            threading.Thread(target=self._watch, args=given, name=f"watch-{chain.key}", daemon=True).start()

    def on_ready(self, supervisor: Supervisor) -> None:
        """Called in the loop when every part is ready; Dagster is the last."""
        _say(time.monotonic() - self.stack_begun, f"all {len(supervisor.parts)} parts of the service")

    def _watch(self, chain: ChainProcess, supervisor: Supervisor, loop: asyncio.AbstractEventLoop) -> None:
        """Stop the demo if one of its chains ends."""
        status = chain.wait()
        if not self.stopped:
            log.error("the chain %s ended with %s (log: %s)", chain.key, describe_exit(status), chain.log)
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
        base = self.worlds["base"]
        claimant = base.claimant
        accounts = Accounts(urls.database_url, key_prefix=self.settings.api_key_prefix)
        key = accounts.create_key(claimant.wallet, PLAN, "demo").key
        demo = guide.RunningDemo(
            api_url=listens["api"] or "",
            dagster_url=listens.get("dagster-web"),
            rpc_url=base.rpc_url,
            chain_key=base.chain_key,
            chain_id=base.chain_id,
            api_key=key,
            symbol=claimant.symbol,
            token=claimant.token,
            wallet=claimant.wallet,
            private_key=claimant.private_key,
            python=sys.executable,
            solana=_solana_place(self.worlds.get("solana"), self.home / "chains.toml"),
        )
        with _step("indexed, scored and searchable"):
            readiness.wait(demo, urls.database_url, {world.chain_id: world.head for world in self.worlds.values()})
        _write_private(self.home / guide.ENVIRONMENT, guide.environment(demo, self.home))
        _write_private(self.home / "demo.json", json.dumps(asdict(demo)))
        print(f"\nReady in {time.monotonic() - self.begun:.1f} s.\n\n{guide.text(demo)}\n", flush=True)
        if self.once:
            with _step("tried everything above"):
                done = trial.run(demo)
            print("\n".join(f"  {line}" for line in done), flush=True)


def _await_worlds(chains: Sequence[ChainProcess]) -> dict[str, World]:
    """The worlds of the chains that can run here, once they are written. Of another, a line says why."""
    worlds = {}
    for chain in chains:
        try:
            worlds[chain.key] = chain.world()
        except ChainUnavailable as error:
            print(f"  without {chain.key}: {error}", flush=True)
    return worlds


def _solana_place(world: World | None, chains_file: Path) -> guide.SolanaPlace | None:
    if world is None:
        return None
    return guide.SolanaPlace(
        rpc_url=world.rpc_url,
        ws_url=world.ws_url or "",
        chain_id=world.chain_id,
        symbol=world.claimant.symbol,
        mint=world.claimant.token,
        registry=facts.load(chains_file).by_key["solana"].contracts["registry"],
        wallet=world.claimant.wallet,
        secret_key=world.claimant.private_key,
        node=world.node_program or "node",
    )


def _deploy(worlds: Mapping[str, World], chains: Sequence[ChainProcess], chains_file: Path) -> None:
    """Write the chains file, deploy to all chains at once, and add the addresses to the file."""
    for key, world in worlds.items():
        os.environ[PAYERS[key]] = world.deployer_key
    described = [chain.chains_file.read_text() for chain in chains]
    chains_file.write_text("\n".join(described))
    command = [sys.executable, "-m", "api.cli", "contracts", "deploy", "--chain"]
    started = {
        key: subprocess.Popen([*command, key], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for key in worlds
    }
    lines: list[str] = []
    for key, process in started.items():
        printed, complaint = process.communicate()
        if process.returncode:
            raise StackError(f"contracts were not deployed to {key}: {complaint.strip()}")
        addresses: dict[str, str] = json.loads(printed.strip().splitlines()[-1])
        lines += ["", f"[chains.{key}.contracts]", *(f'{name} = "{value}"' for name, value in addresses.items())]
    with chains_file.open("a") as file:
        file.write("\n".join([*lines, ""]))


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
