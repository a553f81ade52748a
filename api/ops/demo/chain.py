"""The demo's chains: programs that run a local node and trade on it, under a guard, so that none outlives the demo."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from api.ops.supervisor.part import StackError
from api.ops.supervisor.process import GUARD, LOG_LIMIT_BYTES, describe_exit, last_line

START_SECONDS = 180.0
MODULES = {"base": "indexer.devchain.serve", "solana": "indexer.devchain.solana.serve"}
"""What runs each chain."""


UNAVAILABLE_STATUS = 3
"""With which a chain's program ends that cannot run on this machine."""


class ChainUnavailable(StackError):
    """The chain cannot run on this machine; the message says why."""


@dataclass(frozen=True, slots=True)
class Claimant:
    """A wallet and the token it may claim."""

    symbol: str
    token: str
    wallet: str
    private_key: str


@dataclass(frozen=True, slots=True)
class Offerer:
    """A wallet with the means to make an offer on the claimant's registration, and some of the token."""

    wallet: str
    private_key: str


@dataclass(frozen=True, slots=True)
class World:
    """The chain's description, once its history is written."""

    rpc_url: str
    chain_id: int
    chain_key: str
    head: int
    token_count: int
    deployer_key: str
    claimant: Claimant
    offerer: Offerer | None = None
    ws_url: str | None = None
    node_program: str | None = None


class ChainProcess:
    """The running chain; closing it stops node and trade at once."""

    def __init__(self, key: str, directory: Path, environment: dict[str, str], scale: str) -> None:
        self.key = key
        self.world_file = directory / f"{key}.json"
        self.chains_file = directory / f"{key}.toml"
        self.log = directory / "logs" / f"chain-{key}.log"
        self.log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [sys.executable, "-m", MODULES[key], "--out", str(directory), "--scale", scale]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(GUARD), str(self.log), str(LOG_LIMIT_BYTES), "--", *command],
            stdin=subprocess.PIPE,
            env=environment,
            cwd=directory,
            start_new_session=True,
        )

    def world(self) -> World:
        """Wait until the history is written.

        Raises:
            ChainUnavailable: it cannot run on this machine.
            StackError: it ended, or took too long.
        """
        deadline = time.monotonic() + START_SECONDS
        while not self.world_file.exists():
            if (status := self._process.poll()) is not None:
                said = last_line(self.log) or "no output"
                if status == UNAVAILABLE_STATUS:
                    raise ChainUnavailable(said)
                raise StackError(f"the chain {self.key} ended with {describe_exit(status)}: {said} (log: {self.log})")
            if time.monotonic() > deadline:
                raise StackError(f"the chain {self.key} was not built within {START_SECONDS:.0f} s (log: {self.log})")
            time.sleep(0.05)
        facts: dict[str, Any] = json.loads(self.world_file.read_text())
        offerer = Offerer(**facts["offerer"]) if "offerer" in facts else None
        return World(**{**facts, "claimant": Claimant(**facts["claimant"]), "offerer": offerer})

    def wait(self) -> int:
        """Wait for it to end, and return its exit status."""
        return self._process.wait()

    def close(self) -> None:
        """Stop it and wait until all its processes have ended."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()

    def __enter__(self) -> Self:
        """The chain runs already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the chain."""
        self.close()
