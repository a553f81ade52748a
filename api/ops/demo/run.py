"""Runs the demo: chains with a history, our contracts, the ordinary service, and a guide."""

import contextlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

from api.ops.demo import directory
from api.ops.demo.chain import ChainProcess, ChainUnavailable, World
from api.ops.demo.steps import step

DEFAULT_DIRECTORY = Path(".regalia") / "demo"
SETTINGS = {"REGALIA_DEAL_ANNOUNCEMENT_DAYS": "0"}
"""What is set where the environment does not: nobody wants to wait for days until a deal may be settled."""
PAYERS = {"base": "REGALIA_PRIVATE_KEY", "solana": "REGALIA_SOLANA_PRIVATE_KEY"}
"""The setting with the key that pays on each chain for our contracts, and for the worker's transactions."""


def run(*, once: bool = False, scale: str = "demo", dagster: bool = True, solana: bool = True) -> int:
    """Run the demo until Ctrl-C, or with ``once`` until everything it suggests was tried; the exit status.

    Raises:
        StackError: something it needs is in use, or a part does not start.
    """
    try:
        status = _run(once=once, scale=scale, dagster=dagster, solana=solana)
    except KeyboardInterrupt:  # before the service runs, which takes the signal itself
        status = 0
    print("stopped", flush=True)
    return status


def _run(*, once: bool, scale: str, dagster: bool, solana: bool) -> int:
    begun = time.monotonic()
    data_dir = Path(os.environ.get("REGALIA_DATA_DIR") or DEFAULT_DIRECTORY)
    with directory.fresh(data_dir) as home, contextlib.ExitStack() as stack:
        # The demo has its own engines and chain, whatever is set for a real service.
        for name in ("REGALIA_CLICKHOUSE_URL", "REGALIA_DATABASE_URL"):
            os.environ.pop(name, None)
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        os.environ["REGALIA_DATA_DIR"] = str(home)
        os.environ["REGALIA_CHAINS"] = str(home / "chains.toml")
        keys = ["base", "solana"] if solana else ["base"]
        chains = [stack.enter_context(ChainProcess(key, home, dict(os.environ), scale)) for key in keys]
        print(f"Regalia's demo, in {home}\n", flush=True)
        with step(f"{' and '.join(keys)}: tokens, markets and days of trade"):
            # Loaded while the chains are built: it takes a second or two.
            from api.ops.demo.service import Demo, load_settings

            settings = load_settings()
            worlds = _await_worlds(chains)
        chains = [chain for chain in chains if chain.key in worlds]
        for key, world in worlds.items():
            os.environ[PAYERS[key]] = world.deployer_key
        (home / "chains.toml").write_text("\n".join(chain.chains_file.read_text() for chain in chains))
        return Demo(home, settings, worlds, chains, once=once, begun=begun).run(dagster=dagster)


def _await_worlds(chains: Sequence[ChainProcess]) -> dict[str, World]:
    """The worlds of the chains that can run here, once they are written. Of another, a line says why."""
    worlds = {}
    for chain in chains:
        try:
            worlds[chain.key] = chain.world()
        except ChainUnavailable as error:
            print(f"  without {chain.key}: {error}", flush=True)
    return worlds
