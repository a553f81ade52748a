"""A local Solana node for development and tests: Surfpool on free loopback ports, ended with its parent process.

``node.js`` hosts it and corrects what it says about blocks: their times (1000 times too small), hashes, parents and
skipped slots. What a real node answers is never corrected: the indexer knows nothing of this.
"""

import platform
import subprocess  # the node is a program
import sys
from importlib.resources import files
from typing import Any

import orjson
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from indexer.devchain.anvil import node_modules_candidates
from indexer.devchain.child import free_port
from indexer.devchain.local_node import LocalNode, LocalNodeError, spawn
from indexer.devchain.nodejs import find_node

PACKAGE = "@solana/surfpool-linux-x64-gnu"
LAMPORTS_PER_SOL = 10**9
CAIP2_REFERENCE_CHARACTERS = 32


class SurfpoolError(LocalNodeError):
    """The node cannot be found, does not start, or answers with an error; ``code`` is the error's, where it has one."""


class SurfpoolUnavailable(SurfpoolError):
    """There is no Surfpool for this machine, or it is not installed."""


class Surfpool(LocalNode):
    """One running node. Thread-safe; use as a context manager or call ``stop``.

    Attributes:
        url: JSON-RPC over HTTP. Takes batches.
        ws_url: subscriptions.
        payer: a key with half a million SOL.
        genesis_hash: base58.
    """

    name = "Surfpool"
    error = SurfpoolError
    request_seconds = 120.0

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, ws_port: int) -> None:
        super().__init__(process, port)
        self.ws_url = f"ws://127.0.0.1:{ws_port}"

    @classmethod
    def start(
        cls, *, slot_ms: int = 400, paused: bool = False, port: int | None = None, memory_limit_mb: int = 2048
    ) -> "Surfpool":
        """Start a node and wait until it answers.

        It makes a block every ``slot_ms`` milliseconds; ``paused``, only when ``mine`` is called, until ``resume``. A
        block is confirmed when it is made, and final 31 slots later. A node that takes more than ``memory_limit_mb``
        stops: each transaction takes some 60 kB for good. The node is killed when the thread that started
        it ends, so start it from one that outlives its use.

        Raises:
            ValueError: ``slot_ms`` is not below 1000: blocks made by hand would set the clock ahead.
            SurfpoolUnavailable: there is no Surfpool for this machine, or it is not installed.
            SurfpoolError: it ended instead of answering; the message says why.
        """
        if not 0 < slot_ms < 1000:
            raise ValueError(f"slot_ms is {slot_ms}; it must be between 1 and 999")
        node, module = find_programs()
        chosen, ws_port = port or free_port(), free_port()
        config = {
            "port": chosen,
            "wsPort": ws_port,
            "slotMs": slot_ms,
            "paused": paused,
            "surfpool": module,
            "memoryLimitMb": memory_limit_mb,
        }
        host = files("indexer.devchain.solana").joinpath("node.js")
        command = [node, str(host), orjson.dumps(config).decode()]
        process = spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        surfpool = cls(process, chosen, ws_port)
        try:
            surfpool._await_answer()
        except BaseException:  # an interrupt must not leave the process behind
            surfpool.stop()
            raise
        return surfpool

    @property
    def caip2(self) -> str:
        """The chain's CAIP-2 id: its reference is the beginning of the genesis hash."""
        return f"solana:{self.genesis_hash[:CAIP2_REFERENCE_CHARACTERS]}"

    def slot(self, commitment: str = "confirmed") -> int:
        """Slot of the newest block of a commitment."""
        return int(self.rpc("getSlot", {"commitment": commitment}))

    def mine(self, blocks: int = 1) -> int:
        """Make blocks now, the first with the transactions that were sent; returns the slot of the last."""
        return int(self.rpc("devnode_mine", blocks))

    def skip(self, slots: int = 1) -> int:
        """Make a block now, and leave the ``slots`` slots after it without one; returns the slot of the block."""
        return int(self.rpc("devnode_skip", slots))

    def spread_times(self, start: int, end: int) -> None:
        """State that the blocks so far were made evenly between two times, in unix seconds.

        Only what the node says about blocks changes. The programs' clock cannot go back.
        """
        self.rpc("devnode_spreadTimes", start, end)

    def pause(self) -> None:
        """Make no more blocks until ``mine`` or ``resume`` is called."""
        self.rpc("devnode_pause")

    def resume(self) -> None:
        """Make blocks by the clock."""
        self.rpc("devnode_resume")

    def set_account(self, address: Pubkey, *, lamports: int, data: bytes = b"", owner: Pubkey | None = None) -> None:
        """Give an account these contents, as no transaction could."""
        changed: dict[str, Any] = {"lamports": lamports, "data": data.hex()}
        if owner is not None:
            changed["owner"] = str(owner)
        self.rpc("surfnet_setAccount", str(address), changed)

    def fund(self, address: Pubkey, lamports: int = 100 * LAMPORTS_PER_SOL) -> None:
        """Set the balance of a wallet."""
        self.rpc("surfnet_setAccount", str(address), {"lamports": lamports})

    def deploy(self, program: Pubkey, code: bytes) -> None:
        """Put a program at an address, without the transactions of a deployment."""
        self.rpc("surfnet_writeProgram", str(program), code.hex(), 0)

    def _await_answer(self) -> None:
        line = self.process.stdout.readline() if self.process.stdout else b""
        if not line:
            self.process.wait()
            raise SurfpoolError(f"Surfpool ended at start: {self._last_words()}")
        said = orjson.loads(line)
        self.genesis_hash: str = said["genesisHash"]
        self.payer = Keypair.from_bytes(bytes(said["payerSecret"]))


def find_programs() -> tuple[str, str]:
    """Node.js, and the folder of Surfpool's npm package.

    Raises:
        SurfpoolUnavailable: there is none for this machine, or it is not installed.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise SurfpoolUnavailable(
            f"Surfpool runs on Linux on x86-64 only, and this is {platform.system()} on {platform.machine()}"
        )
    node = find_node()
    if node is None:
        raise SurfpoolUnavailable("Node.js is not installed: run `make install`")
    for folder in node_modules_candidates():
        if (folder / PACKAGE).is_dir():
            return node, str(folder / PACKAGE)
    raise SurfpoolUnavailable("Surfpool is not installed: run `make install` (or `npm ci`)")
