"""A real EVM node for development and tests: anvil on a free loopback port, killed with its parent process.

The node keeps 64 states and writes none to disk. Its genesis is a little over a day in the past, so that a history can
be written up to now.
"""

import http.client
import itertools
import os
import shutil
import socket
import subprocess  # the node is a program
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import orjson

from indexer.devchain.child import die_with_parent, free_port

MNEMONIC = "test test test test test test test test test test test junk"
HISTORY_SECONDS = 27 * 3600
_START_SECONDS = 20.0
_REQUEST_SECONDS = 300.0
_BATCH_CALLS = 2000
# Nothing is written there while history is pruned; it keeps the node out of the home directory.
_UNUSED_CACHE = str(Path(tempfile.gettempdir()) / "regalia-anvil")


class AnvilError(RuntimeError):
    """The node cannot be found, does not start, or answers with an error; ``data`` is what the error carries."""

    def __init__(self, message: str, data: object = None) -> None:
        super().__init__(message)
        self.data = data


class Anvil:
    """One running node. Thread-safe; use as a context manager or call ``stop``."""

    def __init__(
        self, process: "subprocess.Popen[bytes]", port: int, chain_id: int, parent: "Anvil | None" = None
    ) -> None:
        self.process = process
        self.port = port
        self.chain_id = chain_id
        self.url = f"http://127.0.0.1:{port}"
        self._parent = parent
        self._local = threading.local()
        self._ids = itertools.count(1)

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
        process = subprocess.Popen(
            [*command, *extra],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=die_with_parent(os.getpid()) if sys.platform == "linux" else None,
        )
        anvil = cls(process, chosen, chain_id, parent)
        try:
            anvil._await_answer()
            if genesis_time is None:
                anvil.rpc("anvil_setTime", int(time.time()))
        except BaseException:  # an interrupt must not leave the process behind
            anvil.stop()
            raise
        return anvil

    def rpc(self, method: str, *params: Any) -> Any:
        """Call one JSON-RPC method.

        Raises:
            AnvilError: the node answered with an error, or not at all.
        """
        answer = self._post({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})
        return _result(answer, method)

    def batch(self, calls: Iterable[tuple[str, Sequence[Any]]]) -> list[Any]:
        """Call many methods in as few requests as is sensible; results come in the order of the calls."""
        results: list[Any] = []
        for chunk in _chunks(calls, _BATCH_CALLS):
            body = [
                {"jsonrpc": "2.0", "id": position, "method": method, "params": params}
                for position, (method, params) in enumerate(chunk)
            ]
            answers = self._post(body)
            if not isinstance(answers, list) or len(answers) != len(chunk):
                raise AnvilError(f"anvil answered a batch of {len(chunk)} with {str(answers)[:200]}")
            answers.sort(key=lambda answer: answer["id"])
            results += [_result(answer, chunk[answer["id"]][0]) for answer in answers]
        return results

    def mine(self, blocks: int = 1) -> None:
        """Mine ``blocks`` blocks now; the first takes what waits in the pool."""
        self.rpc("anvil_mine", hex(blocks))

    def block_number(self) -> int:
        """Number of the newest block."""
        return int(self.rpc("eth_blockNumber"), 16)

    def receipt(self, transaction_hash: str, timeout_seconds: float = 10.0) -> dict[str, Any]:
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
        if self.process.poll() is None:
            self.process.kill()  # it keeps nothing, so there is nothing to flush
            self.process.wait()
        if self.process.stderr is not None:
            self.process.stderr.close()
        self.disconnect()
        if self._parent is not None:
            self._parent.stop()

    def disconnect(self) -> None:
        """Close this thread's connection; a thread that ends before the node calls it."""
        connection = getattr(self._local, "connection", None)
        if connection is not None:
            connection.close()
            self._local.connection = None

    def __enter__(self) -> Self:
        """The node itself; it is running already."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the node."""
        self.stop()

    def _await_answer(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    complaint = self.process.stderr.read().decode(errors="replace") if self.process.stderr else ""
                    raise AnvilError(f"anvil ended at start: {complaint.strip()[-500:]}") from None
                if time.monotonic() > deadline:
                    raise AnvilError(f"anvil did not answer within {_START_SECONDS:g} s") from None
                time.sleep(0.005)

    def _post(self, body: Any) -> Any:
        payload = orjson.dumps(body, default=list)
        for attempt in (1, 2):
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_REQUEST_SECONDS)
                self._local.connection = connection
            try:
                connection.request("POST", "/", payload, {"content-type": "application/json"})
                return orjson.loads(connection.getresponse().read())
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
                # An idle connection was closed on us; a new one is tried once.
                connection.close()
                self._local.connection = None
                if attempt == 2 or self.process.poll() is not None:
                    raise AnvilError(f"anvil on port {self.port} went away: {error}") from error
            except OSError as error:
                connection.close()
                self._local.connection = None
                raise AnvilError(f"anvil on port {self.port} does not answer: {error}") from error
        raise AssertionError("unreachable")


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


def _result(answer: Any, method: str) -> Any:
    if not isinstance(answer, dict) or "error" in answer:
        error = answer.get("error") if isinstance(answer, dict) else answer
        raise AnvilError(f"{method}: {error}", error.get("data") if isinstance(error, dict) else None)
    return answer["result"]


def _chunks(calls: Iterable[tuple[str, Sequence[Any]]], size: int) -> Iterable[list[tuple[str, Sequence[Any]]]]:
    rest = iter(calls)
    while chunk := list(itertools.islice(rest, size)):
        yield chunk
