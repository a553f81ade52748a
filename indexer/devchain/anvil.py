"""A real EVM node for development and tests: anvil on a free loopback port, killed with its parent process.

The node keeps 64 states and writes none to disk. Its genesis is a little over a day in the past, so that a history can
be written up to now.
"""

import itertools
import os
import shutil
import socket
import subprocess  # the node is a program
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from indexer.devchain.child import free_port
from indexer.devchain.local_node import LocalNode, LocalNodeError, spawn

MNEMONIC = "test test test test test test test test test test test junk"
HISTORY_SECONDS = 27 * 3600
_START_SECONDS = 90.0
_BATCH_CALLS = 2000
# Nothing is written there while history is pruned; it keeps the node out of the home directory.
_UNUSED_CACHE = str(Path(tempfile.gettempdir()) / "regalia-anvil")


class AnvilError(LocalNodeError):
    """Anvil cannot be found, does not start, or answers with an error; ``data`` is what the error carries."""


class Anvil(LocalNode):
    """One running node. Thread-safe; use as a context manager or call ``stop``."""

    name = "anvil"
    error = AnvilError
    request_seconds = 300.0

    def __init__(
        self, process: "subprocess.Popen[bytes]", port: int, chain_id: int, parent: "Anvil | None" = None
    ) -> None:
        super().__init__(process, port)
        self.chain_id = chain_id
        self._parent = parent

    @classmethod
    def start(
        cls,
        chain_id: int = 8453,
        port: int | None = None,
        block_time: float | None = None,
        extra: Sequence[str] = (),
        *,
        genesis_time: int | None = None,
        kept_states: int = 64,
        state_roots: bool = True,
    ) -> "Anvil":
        """Start a node and wait until it answers.

        Without ``block_time`` every transaction is mined at once. With ``genesis_time`` the node's clock starts there,
        otherwise it is the machine's. State of the last ``kept_states`` blocks can be read and reorganised. The node is
        killed when the thread that started it ends, so start it from one that outlives its use.

        Headers without ``state_roots`` make mining cost as much as its block instead of as the whole chain,
        which makes long histories affordable. Such a node is a fork of an empty second node.

        Raises:
            AnvilError: there is no anvil, or it ended instead of answering; the message says why.
        """
        chosen = port or free_port()
        command = [
            str(find_binary()), "--host", "127.0.0.1", "--port", str(chosen), "--chain-id", str(chain_id), "--quiet",
            "--hardfork", "cancun", "--prune-history", str(kept_states), "--order", "fifo", "--no-request-size-limit",
            "--gas-limit", "1000000000", "--mnemonic", MNEMONIC, "--cache-path", _UNUSED_CACHE,
            "--timestamp", str(genesis_time or int(time.time()) - HISTORY_SECONDS),
        ]  # fmt: skip
        if block_time is not None:
            command += ["--block-time", f"{block_time:g}"]
        parent = None
        if not state_roots:
            parent = cls.start(chain_id, genesis_time=genesis_time)
            command += ["--fork-url", parent.url, "--no-storage-caching"]
        process = spawn([*command, *extra], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        anvil = cls(process, chosen, chain_id, parent)
        try:
            anvil._await_answer()
            if genesis_time is None:
                anvil.rpc("anvil_setTime", int(time.time()))
        except BaseException:  # an interrupt must not leave the process behind
            anvil.stop()
            raise
        return anvil

    def batch(self, calls: Iterable[tuple[str, Sequence[Any]]]) -> list[Any]:
        """Call many methods in as few requests as is sensible; results come in the order of the calls.

        Raises:
            AnvilError: the node answered one of them with an error, or not at all.
        """
        results: list[Any] = []
        for chunk in _chunks(calls, _BATCH_CALLS):
            results += super().batch(chunk)
        return results

    def mine(self, blocks: int = 1) -> None:
        """Mine ``blocks`` blocks now; the first takes what waits in the pool."""
        self.rpc("anvil_mine", hex(blocks))

    def block_number(self) -> int:
        """Number of the newest block."""
        return int(self.rpc("eth_blockNumber"), 16)

    def receipt(self, transaction_hash: str, timeout_seconds: float = 60.0) -> dict[str, Any]:
        """The receipt of a transaction, waited for.

        Raises:
            AnvilError: it was not mined in time.
        """
        deadline = time.monotonic() + timeout_seconds
        while time.monotonic() < deadline:
            found: dict[str, Any] | None = self.rpc("eth_getTransactionReceipt", transaction_hash)
            if found is not None:
                return found
            time.sleep(0.005)
        raise AnvilError(f"transaction {transaction_hash} was not mined within {timeout_seconds:g} s")

    def stop(self) -> None:
        """End the node. Safe to call again."""
        super().stop()
        if self._parent is not None:
            self._parent.stop()

    def _await_answer(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise AnvilError(f"anvil ended at start: {self._last_words()}") from None
                if time.monotonic() > deadline:
                    raise AnvilError(f"anvil did not answer within {_START_SECONDS:g} s") from None
                time.sleep(0.005)


def find_binary() -> Path:
    """The anvil program: ``REGALIA_ANVIL``, the npm package of this checkout or directory, or the search path.

    Raises:
        AnvilError: none of them exists.
    """
    named = os.environ.get("REGALIA_ANVIL")
    if named:
        if not os.access(named, os.X_OK):
            raise AnvilError(f"REGALIA_ANVIL names {named}, which is not a program")
        return Path(named)
    for folder in node_modules_candidates():
        for binary in sorted(folder.glob("@foundry-rs/anvil-*/bin/anvil")):
            return binary
    found = shutil.which("anvil")
    if found:
        return Path(found)
    raise AnvilError("anvil is not installed: run `make install` (or `npm ci`), or name it in REGALIA_ANVIL")


def node_modules_candidates() -> tuple[Path, ...]:
    """Folders of npm packages that exist, nearest first."""
    checkout = Path(__file__).resolve().parents[2]
    return tuple(folder for base in (checkout, Path.cwd()) if (folder := base / "node_modules").is_dir())


def _chunks(calls: Iterable[tuple[str, Sequence[Any]]], size: int) -> Iterable[list[tuple[str, Sequence[Any]]]]:
    rest = iter(calls)
    while chunk := list(itertools.islice(rest, size)):
        yield chunk
