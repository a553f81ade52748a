"""The service of the demo, and what the demo does with it: wait, guide, try."""

import asyncio
import functools
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from api.accounts.service import Accounts
from api.ops.demo import contracts, guide, readiness, trial
from api.ops.demo.chain import ChainProcess, World
from api.ops.demo.steps import say, step
from api.ops.supervisor import parts, ports
from api.ops.supervisor.part import Phase, StackError
from api.ops.supervisor.process import describe_exit
from api.ops.supervisor.run import run as run_stack
from api.ops.supervisor.settings import StackSettings, load
from api.ops.supervisor.supervisor import Supervisor
from warehouse import engines
from warehouse.chains import facts

log = logging.getLogger("regalia.demo")

PLAN = "developer"


def load_settings() -> StackSettings:
    """The settings of the service.

    Raises:
        PortTaken: the API's port is in use.
    """
    settings = load()
    ports.claim(settings.host, settings.port, "the API", "REGALIA_PORT")
    return settings


class Demo:
    """The service on the demo's chains, and a thread that waits until it is ready and prints the guide."""

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
        self.stack_begun = begun
        self.status = 0
        self.stopped = False

    def run(self, *, dagster: bool) -> int:
        """Run the service until Ctrl-C, or the end of the trial; the exit status.

        Raises:
            StackError: the service does not start.
        """
        self.stack_begun = time.monotonic()
        deployment = contracts.step(self.home / "chains.toml", list(self.worlds))
        wanted = parts.Wanted(dagster=dagster, first=(deployment,))
        run_stack(self.settings, wanted, on_start=self.on_start, on_ready=self.on_ready)
        self.stopped = True
        return self.status

    def on_start(self, supervisor: Supervisor) -> None:
        """Called in the supervisor's loop before the first part starts."""
        # Together Dagster's parts take more processor time than the API and the followers.
        supervisor.hold(name for name in supervisor.parts if name.startswith("dagster"))
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._finish, args=(supervisor, loop), name="demo", daemon=True).start()
        for chain in self.chains:
            given = (chain, supervisor, loop)
            threading.Thread(target=self._watch, args=given, name=f"watch-{chain.key}", daemon=True).start()

    def on_ready(self, supervisor: Supervisor) -> None:
        """Called in the loop when every part is ready; Dagster is the last."""
        say(time.monotonic() - self.stack_begun, f"all {len(supervisor.parts)} parts of the service")

    def _watch(self, chain: ChainProcess, supervisor: Supervisor, loop: asyncio.AbstractEventLoop) -> None:
        """Stop the demo if one of its chains ends."""
        status = chain.wait()
        if not self.stopped:
            log.error("the chain %s ended with %s (log: %s)", chain.key, describe_exit(status), chain.log)
            self.status = 1
            loop.call_soon_threadsafe(supervisor.request_stop)

    def _finish(self, supervisor: Supervisor, loop: asyncio.AbstractEventLoop) -> None:
        try:
            release = functools.partial(loop.call_soon_threadsafe, supervisor.release)
            try:
                demo = self._await_ready(supervisor)
                print(f"\nReady in {time.monotonic() - self.begun:.1f} s.\n\n{guide.text(demo)}\n", flush=True)
                if self.once:
                    self._try(demo, release)
            finally:
                release()
            if self.once:
                self._await_parts(supervisor, supervisor.parts)
        except (StackError, readiness.NotReady, trial.TrialFailed) as error:
            log.error("%s", error)
            self.status = 1
        except BaseException:  # the run fails whatever ends it
            if supervisor.stopping:
                return  # what this thread was using has ended
            self.status = 1
            if self.once:
                loop.call_soon_threadsafe(supervisor.request_stop)
            raise
        if self.once:
            loop.call_soon_threadsafe(supervisor.request_stop)

    def _await_parts(self, supervisor: Supervisor, names: Iterable[str]) -> None:
        """Wait for these parts.

        Raises:
            StackError: one of them fails again and again. A vital one ends the stack, and with it this thread.
        """
        for name in names:
            while (phase := supervisor.states[name].phase) not in (Phase.READY, Phase.DONE):
                if phase is Phase.FAILING:
                    raise StackError(supervisor.explain(supervisor.parts[name]))
                time.sleep(0.05)

    def _await_ready(self, supervisor: Supervisor) -> guide.RunningDemo:
        """Wait until clients can use the demo, and write down how."""
        with step("our contracts, store and warehouse"):
            self._await_parts(supervisor, (contracts.STEP, "migrations"))
        with step("API, worker and followers"):
            self._await_parts(supervisor, (name for name in supervisor.parts if not name.startswith("dagster")))
        listens = {name: part.listens for name, part in supervisor.parts.items()}
        urls = engines.locate(self.settings)
        base = self.worlds["base"]
        claimant = base.claimant
        assert base.offerer is not None  # noqa: S101 - the EVM chain has one
        accounts = Accounts(urls.database_url, key_prefix=self.settings.api_key_prefix)
        key = accounts.create_key(claimant.wallet, PLAN, "demo").key
        demo = guide.RunningDemo(
            api_url=listens["api"] or "",
            dagster_url=listens.get("dagster"),
            rpc_url=base.rpc_url,
            chain_key=base.chain_key,
            chain_id=base.chain_id,
            api_key=key,
            symbol=claimant.symbol,
            token=claimant.token,
            wallet=claimant.wallet,
            private_key=claimant.private_key,
            offerer=base.offerer.wallet,
            offerer_private_key=base.offerer.private_key,
            python=sys.executable,
            solana=_solana_place(self.worlds.get("solana"), self.home / "chains.toml"),
        )
        with step("indexed, scored and searchable"):
            readiness.wait(demo, urls.database_url, {world.chain_id: world.head for world in self.worlds.values()})
        _write_private(self.home / guide.ENVIRONMENT, guide.environment(demo, self.home))
        _write_private(self.home / "demo.json", json.dumps(asdict(demo)))
        return demo

    def _try(self, demo: guide.RunningDemo, release: Callable[[], object]) -> None:
        """Do what the guide suggests. Dagster, which evaluates alerts as well, is released once the trial has."""
        with step("tried everything above"):
            done = trial.run(demo, on_alert=release)
        print("\n".join(f"  {line}" for line in done), flush=True)


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


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text + "\n")
